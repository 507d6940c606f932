// SPDX-License-Identifier: Apache-2.0
// Purpose:    the banked register file: Banks x Entries warp registers of 1024 bits and the arbiter
//             in front of them. Each bank serves one request, a read by a collector or a write by a
//             writer, per cycle. Contract: models/rf/banked_rf.h.
// Parameters: Banks, 1..32; Entries, 2..1024: warp registers per bank; NumColl, 1..32: operand
//             collectors that read; NumWr, 1..4: results written per cycle. BankBits, EntryBits,
//             CollBits follow.
// Timing:     cycle t: rd_grant_o and wr_ready_o answer the requests of the same cycle. Cycle t+1:
//             rd_data_valid_o[b], rd_data_coll_o[b] and rd_data_o[b] deliver the read of bank b in
//             t. A write granted in t is seen by reads granted from t+1 on.
// Reset:      nothing is delivered in the next cycle, writer 0 is first on every bank. The memory
//             is neither reset nor written in a cycle of reset.
// Left out:   energy gating of unread slices.
// Shapes:     - ; Banks=1,Entries=2,NumColl=1,NumWr=1 ; Banks=3,Entries=100,NumColl=5,NumWr=3
// Proof:      2:6:Banks=2,Entries=2,NumColl=2,NumWr=2,RF_MERGE
// Proof:      2:6:Banks=3,Entries=3,NumColl=3,NumWr=1,RF_MERGE

`include "macros.svh"

module banked_rf #(
    parameter int Banks   = 4,
    parameter int Entries = 256,
    parameter int NumColl = 16,
    parameter int NumWr   = 2,
    localparam int Lanes = `NARROW(4, 32),  // as in rf_bank: four lanes represent all in the proof
    localparam int Row       = Lanes * 32,
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
    input  logic [NumWr*Lanes-1:0]       wr_lane_i,
    input  logic [NumWr*Row-1:0]         wr_data_i,
    output logic [NumWr-1:0]             wr_ready_o,
    // observation: rows, then write priorities, then parameters
    `OBS_PORT(input  logic [31:0]                  obs_addr_i)
    `OBS_PORT(output logic [1023:0]                obs_data_o)
    // banks deliver
    output logic [Banks-1:0]             rd_data_valid_o,
    output logic [Banks*CollBits-1:0]    rd_data_coll_o,
    output logic [Banks*Row-1:0]         rd_data_o
);

    logic [Banks-1:0]          bank_en, bank_we;
    logic [Banks*CollBits-1:0] bank_coll;
    logic [Banks*WrBits-1:0]   bank_wr;
    `OBS(localparam int Rows = Banks * Entries;)
    `OBS(logic [BankBits-1:0]   obs_bank;)
    `OBS(logic [WrBits-1:0]     obs_first;)
    `OBS(logic [Banks*Row-1:0] obs_row;)
    `OBS(assign obs_bank = BankBits'(obs_addr_i - Rows);)

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
        `OBS_PORT(.obs_bank_i  (obs_bank))
        `OBS_PORT(.obs_first_o (obs_first))
        .bank_en_o   (bank_en),
        .bank_we_o   (bank_we),
        .bank_coll_o (bank_coll),
        .bank_wr_o   (bank_wr)
    );

    // Widths of bit positions in the request vectors; rows of wr_data_i, 0 where there is no such
    // writer.
    localparam int EntryIdx = $clog2(NumColl * EntryBits > 1 ? NumColl * EntryBits : 2);
    localparam int WrIdx    = $clog2(NumWr * EntryBits > 1 ? NumWr * EntryBits : 2);
    localparam int SelIdx   = $clog2(NumColl * 4);
    localparam int SliceIdx = $clog2(NumWr * 4);
    localparam int LaneIdx  = $clog2(NumWr * Lanes);
    localparam int WrRow1   = NumWr > 1 ? 1 : 0;
    localparam int WrRow2   = NumWr > 2 ? 2 : 0;
    localparam int WrRow3   = NumWr > 3 ? 3 : 0;

    logic [Banks-1:0]          valid_q, rd_served;
    logic [Banks*CollBits-1:0] coll_q;
    assign rd_served = bank_en & ~bank_we;

    for (genvar b = 0; b < Banks; b = b + 1) begin : g_bank
        logic                 we;
        logic [CollBits-1:0]  coll;  // the reader
        logic [WrBits-1:0]    wr;    // the writer
        logic [EntryBits-1:0] rd_entry, rd_entry2, wr_entry;
        logic [Row-1:0]        wdata;
        assign we        = bank_we[b];
        assign coll      = bank_coll[b*CollBits +: CollBits];
        assign wr        = bank_wr[b*WrBits +: WrBits];
        assign rd_entry  = rd_entry_i[EntryIdx'(coll)*EntryIdx'(EntryBits) +: EntryBits];
        assign rd_entry2 = rd_entry2_i[EntryIdx'(coll)*EntryIdx'(EntryBits) +: EntryBits];
        assign wr_entry  = wr_entry_i[WrIdx'(wr)*WrIdx'(EntryBits) +: EntryBits];
        always @* begin
            wdata = '0;
            if (we && wr == WrBits'(0))      wdata = wr_data_i[0 +: Row];
            else if (we && wr == WrBits'(1)) wdata = wr_data_i[WrRow1*Row +: Row];
            else if (we && wr == WrBits'(2)) wdata = wr_data_i[WrRow2*Row +: Row];
            else if (we)                     wdata = wr_data_i[WrRow3*Row +: Row];
        end
        `OBS(logic obs_en;)
        `OBS(logic [EntryBits-1:0] obs_entry;)
        `OBS(assign obs_en    = obs_addr_i < Rows && obs_addr_i / Entries == b;)
        `OBS(assign obs_entry = EntryBits'(obs_addr_i - b * Entries);)
        rf_bank #(.Entries(Entries)) u_bank (
            .clk_i,
            .en_i    (bank_en[b] && rst_ni),
            .we_i    (we),
            .addr1_i (we ? wr_entry : rd_entry),
            .addr2_i (rd_entry2),
            .sel_i   (rd_sel_i[SelIdx'(coll)*SelIdx'(4) +: 4]),
            .slice_i (wr_slice_i[SliceIdx'(wr)*SliceIdx'(4) +: 4]),
            .lane_i  (wr_lane_i[LaneIdx'(wr)*LaneIdx'(Lanes) +: Lanes]),
            .wdata_i (wdata),
            `OBS_PORT(.obs_en_i   (obs_en))
            `OBS_PORT(.obs_addr_i (obs_entry))
            `OBS_PORT(.obs_data_o (obs_row[b*Row +: Row]))
            .rdata_o (rd_data_o[b*Row +: Row])
        );
    end

    always_ff @(posedge clk_i) begin
        if (!rst_ni) valid_q <= '0;
        else         valid_q <= rd_served;
        coll_q <= bank_coll;
    end
    assign rd_data_valid_o = valid_q;
    assign rd_data_coll_o  = coll_q;

    `CHECK_RANGE(banked_rf, Banks, 1, 32)
    `CHECK_RANGE(banked_rf, Entries, 2, 1024)
    `CHECK_RANGE(banked_rf, NumColl, 1, 32)
    `CHECK_RANGE(banked_rf, NumWr, 1, 4)
    `include "rf/banked_rf.obs.svh"
endmodule
