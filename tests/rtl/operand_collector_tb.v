// SPDX-License-Identifier: Apache-2.0
// Replays a file of rtl_replay on operand_collector in a 4-state simulator: every compared output
// bit must have the golden model's value, and none may be X. +replay=FILE
module operand_collector_tb;
    parameter NumColl  = 16;
    parameter NumOps   = 3;
    parameter NumAlloc = 2;
    parameter NumDisp  = 4;
    parameter Banks    = 4;
    parameter Entries  = 256;
    localparam BankBits  = Banks > 1 ? $clog2(Banks) : 1;
    localparam EntryBits = Entries > 1 ? $clog2(Entries) : 1;
    localparam CollBits  = NumColl > 1 ? $clog2(NumColl) : 1;
    localparam UnitBits  = NumDisp > 1 ? $clog2(NumDisp) : 1;
    localparam InBits  = NumAlloc*(1 + UnitBits + NumOps*(1 + BankBits + EntryBits)) + NumColl +
                         Banks*(1 + CollBits + 1024) + NumDisp;
    localparam OutBits = NumAlloc*(1 + CollBits) + NumColl*(1 + BankBits + EntryBits + NumColl) +
                         NumDisp*(1 + CollBits + NumOps*(1 + 1024));

    reg clk = 0, rst_n = 0;
    reg [InBits-1:0]  in;
    reg [OutBits-1:0] golden, mask;
    wire [NumAlloc-1:0]                  alloc_valid;
    wire [NumAlloc*UnitBits-1:0]         alloc_unit;
    wire [NumAlloc*NumOps-1:0]           alloc_need;
    wire [NumAlloc*NumOps*BankBits-1:0]  alloc_bank;
    wire [NumAlloc*NumOps*EntryBits-1:0] alloc_entry;
    wire [NumColl-1:0]                   rd_grant;
    wire [Banks-1:0]                     rd_data_valid;
    wire [Banks*CollBits-1:0]            rd_data_coll;
    wire [Banks*1024-1:0]                rd_data;
    wire [NumDisp-1:0]                   disp_ready;
    assign {disp_ready, rd_data, rd_data_coll, rd_data_valid, rd_grant,
            alloc_entry, alloc_bank, alloc_need, alloc_unit, alloc_valid} = in;

    wire [NumAlloc-1:0]            alloc_ready;
    wire [NumAlloc*CollBits-1:0]   alloc_slot;
    wire [NumColl-1:0]             rd_valid;
    wire [NumColl*BankBits-1:0]    rd_bank;
    wire [NumColl*EntryBits-1:0]   rd_entry;
    wire [NumColl*NumColl-1:0]     older;
    wire [NumDisp-1:0]             disp_valid;
    wire [NumDisp*CollBits-1:0]    disp_slot;
    wire [NumDisp*NumOps-1:0]      disp_need;
    wire [NumDisp*NumOps*1024-1:0] disp_data;
    wire [1023:0]                  obs_data;

    operand_collector #(.NumColl(NumColl), .NumOps(NumOps), .NumAlloc(NumAlloc), .NumDisp(NumDisp),
                        .Banks(Banks), .Entries(Entries)) u_dut (
        .clk_i(clk), .rst_ni(rst_n),
        .alloc_valid_i(alloc_valid), .alloc_unit_i(alloc_unit), .alloc_need_i(alloc_need),
        .alloc_bank_i(alloc_bank), .alloc_entry_i(alloc_entry), .alloc_ready_o(alloc_ready),
        .alloc_slot_o(alloc_slot),
        .rd_valid_o(rd_valid), .rd_bank_o(rd_bank), .rd_entry_o(rd_entry), .older_o(older),
        .rd_grant_i(rd_grant),
        .rd_data_valid_i(rd_data_valid), .rd_data_coll_i(rd_data_coll), .rd_data_i(rd_data),
        .obs_addr_i(32'hffff_0000), .obs_data_o(obs_data),
        .disp_ready_i(disp_ready), .disp_valid_o(disp_valid), .disp_slot_o(disp_slot),
        .disp_need_o(disp_need), .disp_data_o(disp_data));

    wire [OutBits-1:0] out  = {disp_data, disp_need, disp_slot, disp_valid, older, rd_entry, rd_bank,
                               rd_valid, alloc_slot, alloc_ready};
    wire [OutBits-1:0] diff = (out ^ golden) & mask;   // X where a compared output is X
    wire [NumAlloc-1:0]            diff_alloc_ready;
    wire [NumAlloc*CollBits-1:0]   diff_alloc_slot;
    wire [NumColl-1:0]             diff_rd_valid;
    wire [NumColl*BankBits-1:0]    diff_rd_bank;
    wire [NumColl*EntryBits-1:0]   diff_rd_entry;
    wire [NumColl*NumColl-1:0]     diff_older;
    wire [NumDisp-1:0]             diff_disp_valid;
    wire [NumDisp*CollBits-1:0]    diff_disp_slot;
    wire [NumDisp*NumOps-1:0]      diff_disp_need;
    wire [NumDisp*NumOps*1024-1:0] diff_disp_data;
    assign {diff_disp_data, diff_disp_need, diff_disp_slot, diff_disp_valid, diff_older, diff_rd_entry,
            diff_rd_bank, diff_rd_valid, diff_alloc_slot, diff_alloc_ready} = diff;

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
                $display("cycle %0d: differs:%s%s%s%s%s%s%s%s%s%s", cycle,
                    diff_alloc_ready !== 0 ? " alloc_ready_o" : "",
                    diff_alloc_slot !== 0 ? " alloc_slot_o" : "",
                    diff_rd_valid !== 0 ? " rd_valid_o" : "",
                    diff_rd_bank !== 0 ? " rd_bank_o" : "",
                    diff_rd_entry !== 0 ? " rd_entry_o" : "",
                    diff_older !== 0 ? " older_o" : "",
                    diff_disp_valid !== 0 ? " disp_valid_o" : "",
                    diff_disp_slot !== 0 ? " disp_slot_o" : "",
                    diff_disp_need !== 0 ? " disp_need_o" : "",
                    diff_disp_data !== 0 ? " disp_data_o" : "");
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
