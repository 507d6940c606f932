// SPDX-License-Identifier: Apache-2.0
// Purpose:    the banked register file: Banks x Entries warp registers of 1024 bits and the arbiter in
//             front of them. Each bank serves one request, a read by a collector or a write by a writer,
//             per cycle. Contract: models/banked_rf.h.
// Parameters: Banks, 1..32; Entries, 2..1024: warp registers per bank; NumColl, 1..32: operand collectors
//             that read; NumWr, 1..4: results written per cycle. BankBits, EntryBits, CollBits follow.
// Timing:     cycle t: rd_grant_o and wr_ready_o answer the requests of the same cycle. Cycle t+1:
//             rd_data_valid_o[b], rd_data_coll_o[b] and rd_data_o[b] deliver what bank b read in t.
//             A write granted in t is seen by reads granted from t+1 on.
// Reset:      nothing is delivered in the next cycle, writer 0 comes first on every bank. The memory is
//             neither reset nor written in a cycle of reset.
// Left out:   energy gating of unread slices.
`ifdef SIM
`define RF_OBS
`endif
`ifdef FORMAL
`define RF_OBS
`endif

module banked_rf #(
    parameter int Banks   = 4,
    parameter int Entries = 256,
    parameter int NumColl = 16,
    parameter int NumWr   = 2,
    localparam int BankBits  = Banks > 1 ? $clog2(Banks) : 1,
    localparam int EntryBits = Entries > 1 ? $clog2(Entries) : 1,
    localparam int CollBits  = NumColl > 1 ? $clog2(NumColl) : 1,
    localparam int WrBits    = NumWr > 1 ? $clog2(NumWr) : 1
) (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    // collectors ask for operands
    input  logic [NumColl-1:0]           rd_valid_i,
    input  logic [NumColl*BankBits-1:0]  rd_bank_i,
    input  logic [NumColl*EntryBits-1:0] rd_entry_i,
    input  logic [NumColl*EntryBits-1:0] rd_entry2_i,
    input  logic [NumColl*4-1:0]         rd_sel_i,
    input  logic [NumColl*NumColl-1:0]   older_i,
    output logic [NumColl-1:0]           rd_grant_o,
    // writers
    input  logic [NumWr-1:0]             wr_valid_i,
    input  logic [NumWr*BankBits-1:0]    wr_bank_i,
    input  logic [NumWr*EntryBits-1:0]   wr_entry_i,
    input  logic [NumWr*4-1:0]           wr_slice_i,
    input  logic [NumWr*32-1:0]          wr_lane_i,
    input  logic [NumWr*1024-1:0]        wr_data_i,
    output logic [NumWr-1:0]             wr_ready_o,
`ifdef RF_OBS
    // observation: rows, then write priorities, then parameters
    input  logic [31:0]                  obs_addr_i,
    output logic [1023:0]                obs_data_o,
`endif
    // banks deliver
    output logic [Banks-1:0]             rd_data_valid_o,
    output logic [Banks*CollBits-1:0]    rd_data_coll_o,
    output logic [Banks*1024-1:0]        rd_data_o
);
    // Seeded faults.
    // 31  the data of the last bank is not announced when bank 0 delivers too: rd_data_valid_o (two banks)
    // 32  the collector is taken one cycle late: rd_data_coll_o, reads by different collectors in a row
    // 33  writer 1's entry is taken for writer 0: rd_data_o, read after a write (two writers)
    // 34  Address2 equals Address1: rd_data_o, a read with a select bit set and two different entries
    // 35  reset does not clear the announcement: rd_data_valid_o, reset in the cycle of a grant
`ifdef TESTBUG
    integer testbug;
    initial if ($value$plusargs("testbug=%d", testbug) == 0) testbug = 0;
`elsif FORMAL_BUG
    localparam integer testbug = `FORMAL_BUG;
`else
    localparam integer testbug = 0;
`endif

    logic [Banks-1:0]          bank_en, bank_we;
    logic [Banks*CollBits-1:0] bank_coll;
    logic [Banks*WrBits-1:0]   bank_wr;
`ifdef RF_OBS
    localparam int Rows = Banks * Entries;
    logic [BankBits-1:0]   obs_bank;
    logic [WrBits-1:0]     obs_first;
    logic [Banks*1024-1:0] obs_row;
    assign obs_bank = BankBits'(obs_addr_i - Rows);
`endif

    rf_arbiter #(.Banks(Banks), .NumColl(NumColl), .NumWr(NumWr)) u_arbiter (
        .clk_i,
        .rst_ni,
        .rd_valid_i,
        .rd_bank_i,
        .older_i,
        .rd_grant_o,
        .wr_valid_i,
        .wr_bank_i,
        .wr_ready_o,
`ifdef RF_OBS
        .obs_bank_i  (obs_bank),
        .obs_first_o (obs_first),
`endif
        .bank_en_o   (bank_en),
        .bank_we_o   (bank_we),
        .bank_coll_o (bank_coll),
        .bank_wr_o   (bank_wr)
    );

    // Widths of bit positions in the request vectors; rows of wr_data_i, 0 where there is no such writer.
    localparam int EntryIdx = $clog2(NumColl * EntryBits > 1 ? NumColl * EntryBits : 2);
    localparam int WrIdx    = $clog2(NumWr * EntryBits > 1 ? NumWr * EntryBits : 2);
    localparam int SelIdx   = $clog2(NumColl * 4);
    localparam int SliceIdx = $clog2(NumWr * 4);
    localparam int LaneIdx  = $clog2(NumWr * 32);
    localparam int WrRow1   = NumWr > 1 ? 1 : 0;
    localparam int WrRow2   = NumWr > 2 ? 2 : 0;
    localparam int WrRow3   = NumWr > 3 ? 3 : 0;

    logic [Banks-1:0]          valid_q, rd_served;
    logic [Banks*CollBits-1:0] coll_q, late_q;  // late_q: for fault 32 only
    assign rd_served = bank_en & ~bank_we;

    for (genvar b = 0; b < Banks; b = b + 1) begin : g_bank
        logic                 we;
        logic [CollBits-1:0]  coll;  // the reader
        logic [WrBits-1:0]    wr;    // the writer
        logic [EntryBits-1:0] rd_entry, rd_entry2, wr_entry;
        logic [1023:0]        wdata;
        assign we        = bank_we[b];
        assign coll      = bank_coll[b*CollBits +: CollBits];
        assign wr        = bank_wr[b*WrBits +: WrBits];
        assign rd_entry  = rd_entry_i[EntryIdx'(coll)*EntryIdx'(EntryBits) +: EntryBits];
        assign rd_entry2 = rd_entry2_i[EntryIdx'(coll)*EntryIdx'(EntryBits) +: EntryBits];
        assign wr_entry  = wr_entry_i[testbug == 33 ? WrIdx'((NumWr-1)*EntryBits)
                                                    : WrIdx'(wr)*WrIdx'(EntryBits) +: EntryBits];
        assign wdata     = wr == WrBits'(0) ? wr_data_i[0 +: 1024]
                         : wr == WrBits'(1) ? wr_data_i[WrRow1*1024 +: 1024]
                         : wr == WrBits'(2) ? wr_data_i[WrRow2*1024 +: 1024]
                                            : wr_data_i[WrRow3*1024 +: 1024];
`ifdef RF_OBS
        logic obs_en;
        logic [EntryBits-1:0] obs_entry;
        assign obs_en    = obs_addr_i < Rows && obs_addr_i / Entries == b;
        assign obs_entry = EntryBits'(obs_addr_i - b * Entries);
`endif
        rf_bank #(.Entries(Entries)) u_bank (
            .clk_i,
            .en_i    (bank_en[b] && rst_ni),
            .we_i    (we),
            .addr1_i (we ? wr_entry : rd_entry),
            .addr2_i (testbug == 34 ? rd_entry : rd_entry2),
            .sel_i   (rd_sel_i[SelIdx'(coll)*SelIdx'(4) +: 4]),
            .slice_i (wr_slice_i[SliceIdx'(wr)*SliceIdx'(4) +: 4]),
            .lane_i  (wr_lane_i[LaneIdx'(wr)*LaneIdx'(32) +: 32]),
            .wdata_i (wdata),
`ifdef RF_OBS
            .obs_en_i   (obs_en),
            .obs_addr_i (obs_entry),
            .obs_data_o (obs_row[b*1024 +: 1024]),
`endif
            .rdata_o (rd_data_o[b*1024 +: 1024])
        );
    end

    always_ff @(posedge clk_i) begin
        if (!rst_ni && testbug != 35) valid_q <= '0;
        else                          valid_q <= rd_served;
        late_q <= bank_coll;
        coll_q <= testbug == 32 ? late_q : bank_coll;
    end
    assign rd_data_valid_o = testbug == 31 && valid_q[0] && Banks > 1 ? valid_q & ~(Banks'(1) << (Banks - 1))
                                                                      : valid_q;
    assign rd_data_coll_o  = coll_q;

`ifdef RF_OBS
    always_comb begin
        obs_data_o = '0;
        if (obs_addr_i < Rows)
            for (int b = 0; b < Banks; b = b + 1) obs_data_o = obs_data_o | obs_row[b*1024 +: 1024];
        else if (obs_addr_i < Rows + Banks) obs_data_o[WrBits-1:0] = obs_first;
        else if (obs_addr_i == 32'hffff_0000) obs_data_o[31:0] = Banks;
        else if (obs_addr_i == 32'hffff_0001) obs_data_o[31:0] = Entries;
        else if (obs_addr_i == 32'hffff_0002) obs_data_o[31:0] = NumColl;
        else if (obs_addr_i == 32'hffff_0003) obs_data_o[31:0] = NumWr;
    end
`endif

`ifdef SIM
    initial begin
        if (Banks < 1 || Banks > 32) $fatal(1, "banked_rf: Banks = %0d, legal is 1..32", Banks);
        if (Entries < 2 || Entries > 1024) $fatal(1, "banked_rf: Entries = %0d, legal is 2..1024", Entries);
        if (NumColl < 1 || NumColl > 32) $fatal(1, "banked_rf: NumColl = %0d, legal is 1..32", NumColl);
        if (NumWr < 1 || NumWr > 4) $fatal(1, "banked_rf: NumWr = %0d, legal is 1..4", NumWr);
    end
`endif
endmodule
