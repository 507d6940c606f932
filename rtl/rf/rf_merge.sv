// SPDX-License-Identifier: Apache-2.0
// Purpose:    the merge read of rf_datapath. One of the writers that ask for an old value reads it
//             from its bank beside the collectors, before all of them. Rows from the banks go to
//             the collectors or to that writer.
// Parameters: NumColl, 2..31: collectors; NumWr, 1..4: writers; Banks, 1..32, and Entries, 2..1024, of the register file.
// Timing:     combinational; the writer's old value arrives in the cycle after the grant, with
//             merge_get_i.
// Reset:      no state.
// Left out:   more than one merge at a time: the lowest writer is served, the others ask again.
// Shapes:     - ; NumColl=2,NumWr=1,Banks=1,Entries=2 ; NumColl=5,NumWr=3,Banks=3,Entries=20
// Proof:      1:2:NumColl=2,NumWr=2,Banks=2,Entries=2
// Proof:      1:2:NumColl=3,NumWr=1,Banks=1,Entries=2

`include "macros.svh"

module rf_merge #(
    parameter int NumColl = 16,
    parameter int NumWr   = 2,
    parameter int Banks   = 4,
    parameter int Entries = 256,
    localparam int Lanes = `NARROW(2, 32),
    localparam int Row        = Lanes * 32,
    localparam int BankBits   = Banks > 1 ? $clog2(Banks) : 1,
    localparam int EntryBits  = Entries > 1 ? $clog2(Entries) : 1,
    localparam int CollBits   = NumColl > 1 ? $clog2(NumColl) : 1,
    localparam int Readers    = NumColl + 1,  // the last one: the merge read
    localparam int ReaderBits = $clog2(Readers)
) (
    // writers ask for the values at their old places; one may continue, and has its value in the
    // next cycle
    input  logic [NumWr-1:0]             merge_ask_i,
    input  logic [NumWr-1:0]             merge_get_i,
    input  logic [NumWr*4-1:0]           old_mask_i,
    input  logic [NumWr*BankBits-1:0]    old_bank_i,
    input  logic [NumWr*EntryBits-1:0]   old_entry_i,
    output logic [NumWr-1:0]             merge_go_o,
    output logic [Row-1:0]               merge_row_o,
    // collectors ask
    input  logic [NumColl-1:0]           coll_valid_i,
    input  logic [NumColl*NumColl-1:0]   coll_older_i,
    // all of them, in the order of their age; the place of the merge read
    output logic [Readers-1:0]           rd_valid_o,
    output logic [Readers*Readers-1:0]   rd_older_o,
    input  logic                         rd_grant_i,
    output logic [BankBits-1:0]          merge_bank_o,
    output logic [EntryBits-1:0]         merge_entry_o,
    // banks deliver; the masks by which the collectors' rows are unpacked
    input  logic [Banks-1:0]             row_valid_i,
    input  logic [Banks*ReaderBits-1:0]  row_reader_i,
    input  logic [Banks*4-1:0]           coll_mask1_i,
    input  logic [Banks*4-1:0]           coll_mask2_i,
    output logic [Banks-1:0]             row_coll_valid_o,
    output logic [Banks*CollBits-1:0]    row_coll_o,
    output logic [Banks-1:0]             row_merge_o,
    output logic [Banks*4-1:0]           row_mask1_o,
    output logic [Banks*4-1:0]           row_mask2_o,
    // the rows, unpacked
    input  logic [Banks*Row-1:0]         row_first_i
);

    logic [NumWr-1:0] pick;                 // the lowest that asks
    logic [3:0]       mask;                 // of the merge read that is delivered
    find_first #(.Width(NumWr)) u_pick (
        .set_i(merge_ask_i), .from_i({NumWr{1'b1}}), .first_o(pick)
    );
    assign merge_go_o = rd_grant_i ? pick : '0;
    always @* begin
        merge_bank_o  = '0;
        merge_entry_o = '0;
        mask          = '0;
        for (int w = 0; w < NumWr; w = w + 1) begin
            if (pick[w]) begin
                merge_bank_o  = merge_bank_o | old_bank_i[w*BankBits +: BankBits];
                merge_entry_o = merge_entry_o | old_entry_i[w*EntryBits +: EntryBits];
            end
            if (merge_get_i[w]) mask = mask | old_mask_i[w*4 +: 4];
        end
    end

    assign rd_valid_o = {merge_ask_i != '0, coll_valid_i};
    for (genvar c = 0; c < NumColl; c = c + 1) begin : g_older
        assign rd_older_o[c*Readers +: Readers] = {1'b1, coll_older_i[c*NumColl +: NumColl]};
    end
    assign rd_older_o[NumColl*Readers +: Readers] = '0;

    for (genvar b = 0; b < Banks; b = b + 1) begin : g_row
        logic [ReaderBits-1:0] reader;
        logic                  merges;
        assign reader = row_reader_i[b*ReaderBits +: ReaderBits];
        assign merges = reader == ReaderBits'(NumColl);
        assign row_coll_valid_o[b]                = row_valid_i[b] && !merges;
        assign row_merge_o[b]                     = row_valid_i[b] && merges;
        assign row_coll_o[b*CollBits +: CollBits] = CollBits'(reader);
        assign row_mask1_o[b*4 +: 4] = merges ? mask : coll_mask1_i[b*4 +: 4];
        assign row_mask2_o[b*4 +: 4] = merges ? 4'd0 : coll_mask2_i[b*4 +: 4];
    end
    always @* begin
        merge_row_o = '0;
        for (int b = 0; b < Banks; b = b + 1)
            if (row_merge_o[b]) merge_row_o = merge_row_o | row_first_i[b*Row +: Row];
    end

    `CHECK_RANGE(rf_merge, NumColl, 2, 31)
    `CHECK_RANGE(rf_merge, NumWr, 1, 4)
    `CHECK_RANGE(rf_merge, Banks, 1, 32)
    `CHECK_RANGE(rf_merge, Entries, 2, 1024)
endmodule
