// SPDX-License-Identifier: Apache-2.0
// Replays a file of rtl_replay on banked_rf in a 4-state simulator: every compared output bit must
// have the golden model's value, and none may be X. +replay=FILE
module banked_rf_tb;
    parameter Banks   = 4;
    parameter Entries = 256;
    parameter NumColl = 16;
    parameter NumWr   = 2;
    localparam BankBits  = Banks > 1 ? $clog2(Banks) : 1;
    localparam EntryBits = Entries > 1 ? $clog2(Entries) : 1;
    localparam CollBits  = NumColl > 1 ? $clog2(NumColl) : 1;
    localparam InBits  = NumColl*(1 + BankBits + 2*EntryBits + 4 + NumColl) +
                         NumWr*(1 + BankBits + EntryBits + 4 + 32 + 1024);
    localparam OutBits = NumColl + NumWr + Banks*(1 + CollBits + 1024);

    reg clk = 0, rst_n = 0;
    reg [InBits-1:0]  in;
    reg [OutBits-1:0] golden, mask;
    wire [NumColl-1:0]        rd_grant;
    wire [NumWr-1:0]          wr_ready;
    wire [Banks-1:0]          rd_data_valid;
    wire [Banks*CollBits-1:0] rd_data_coll;
    wire [Banks*1024-1:0]     rd_data;
    wire [1023:0]             obs_data;

    wire [NumColl-1:0]           rd_valid;
    wire [NumColl*BankBits-1:0]  rd_bank;
    wire [NumColl*EntryBits-1:0] rd_entry, rd_entry2;
    wire [NumColl*4-1:0]         rd_sel;
    wire [NumColl*NumColl-1:0]   older;
    wire [NumWr-1:0]             wr_valid;
    wire [NumWr*BankBits-1:0]    wr_bank;
    wire [NumWr*EntryBits-1:0]   wr_entry;
    wire [NumWr*4-1:0]           wr_slice;
    wire [NumWr*32-1:0]          wr_lane;
    wire [NumWr*1024-1:0]        wr_data;
    assign {wr_data, wr_lane, wr_slice, wr_entry, wr_bank, wr_valid,
            older, rd_sel, rd_entry2, rd_entry, rd_bank, rd_valid} = in;

    banked_rf #(.Banks(Banks), .Entries(Entries), .NumColl(NumColl), .NumWr(NumWr)) u_dut (
        .clk_i(clk), .rst_ni(rst_n),
        .rd_valid_i(rd_valid), .rd_bank_i(rd_bank), .rd_entry_i(rd_entry), .rd_entry2_i(rd_entry2),
        .rd_sel_i(rd_sel), .older_i(older), .rd_grant_o(rd_grant),
        .wr_valid_i(wr_valid), .wr_bank_i(wr_bank), .wr_entry_i(wr_entry), .wr_slice_i(wr_slice),
        .wr_lane_i(wr_lane), .wr_data_i(wr_data), .wr_ready_o(wr_ready),
        .obs_addr_i(32'hffff_0000), .obs_data_o(obs_data),
        .rd_data_valid_o(rd_data_valid), .rd_data_coll_o(rd_data_coll), .rd_data_o(rd_data));

    wire [OutBits-1:0] out  = {rd_data, rd_data_coll, rd_data_valid, wr_ready, rd_grant};
    wire [OutBits-1:0] diff = (out ^ golden) & mask;   // X where a compared output is X
    wire [NumColl-1:0]        diff_grant;
    wire [NumWr-1:0]          diff_ready;
    wire [Banks-1:0]          diff_valid;
    wire [Banks*CollBits-1:0] diff_coll;
    wire [Banks*1024-1:0]     diff_data;
    assign {diff_data, diff_coll, diff_valid, diff_ready, diff_grant} = diff;

    integer file, cycle, reset, compared;
    reg [8*512-1:0] name;
    initial begin
        if ($value$plusargs("replay=%s", name) == 0) begin
            $display("no +replay=FILE");
            $finish_and_return(2);
        end
        file = $fopen(name, "r");
        if (file == 0) begin
            $display("cannot open the replay file");
            $finish_and_return(2);
        end
        compared = 0;
        cycle = 0;
        while ($fscanf(file, "%d %h %h %h\n", reset, in, golden, mask) == 4) begin
            rst_n = reset == 0;
            #1;
            if (mask != 0) compared = compared + 1;
            if (diff !== {OutBits{1'b0}}) begin
                $display("cycle %0d: differs:%s%s%s%s%s", cycle,
                    diff_grant !== 0 ? " rd_grant_o" : "",
                    diff_ready !== 0 ? " wr_ready_o" : "",
                    diff_valid !== 0 ? " rd_data_valid_o" : "",
                    diff_coll !== 0 ? " rd_data_coll_o" : "",
                    diff_data !== 0 ? " rd_data_o" : "");
                $finish_and_return(1);
            end
            clk = 1;
            #1;
            clk = 0;
            cycle = cycle + 1;
        end
        if (compared < 100) begin
            $display("%0d cycles compared: vacuous", compared);
            $finish_and_return(1);
        end
        $display("%0d cycles agree", compared);
        $finish_and_return(0);
    end
endmodule
