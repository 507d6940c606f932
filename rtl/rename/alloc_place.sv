// SPDX-License-Identifier: Apache-2.0
// Purpose:    finds a place for one port's request in the open rows of a bank. If a side is
//             requested and a row has it free, the slices are at that side; else they are the
//             lowest free ones. A partly used row precedes a wholly free one. Part of alloc_bank,
//             see models/rename/alloc_unit.h (`State`).
// Parameters: Entries, 2..1024: physical registers of the bank; High, 0..1: whether it takes the
//             last of several rows, so that two ports select different rows.
// Timing:     combinational; all outputs are 0 unless ask_i.
// Reset:      no state.
// Left out:   ports that select the same row (alloc_bank detects them, alloc_unit arbitrates).
// Shapes:     - ; Entries=2,High=1 ; Entries=100
// Proof:      1:1:Entries=9,High=0
// Proof:      1:1:Entries=20,High=1

`include "macros.svh"

module alloc_place #(
    parameter int Entries = 256,
    parameter int High    = 0,
    localparam int EntryBits = Entries > 1 ? $clog2(Entries) : 1,
    localparam int Open      = 5
) (
    // a wholly free row, a number of slices 1..4, a side (not with either of the others: whole row, 4 slices)
    input  logic                      ask_i,
    input  logic                      full_i,
    input  logic [2:0]                size_i,
    input  logic                      left_i,
    input  logic                      right_i,
    // the open rows: a row offers places, its slices in use, its entry
    input  logic [Open-1:0]           offered_i,
    input  logic [Open-1:0]           whole_i,
    input  logic [Open*4-1:0]         used_i,
    input  logic [Open*EntryBits-1:0] entry_i,
    // beside the open rows no row is wholly free; each of the others has fewer free slices
    input  logic                      dry_full_i,
    input  logic [2:0]                level_i,
    // an open row fits; one may, now or later
    output logic                      fit_o,
    output logic                      may_o,
    // at the requested side; the row, one-hot; it was wholly free; the place
    output logic                      side_o,
    output logic [Open-1:0]           row_o,
    output logic                      whole_o,
    output logic [EntryBits-1:0]      entry_o,
    output logic [3:0]                mask_o
);

    `include "rename/slices.svh"
    // The first of open rows, in the order of High, one-hot.
    function automatic [Open-1:0] first(input [Open-1:0] of);
        integer k;
        reg [Open-1:0] turned;
        begin
            for (k = 0; k < Open; k = k + 1) turned[k] = of[High == 1 ? Open - 1 - k : k];
            turned = turned & (~turned + Open'(1));
            for (k = 0; k < Open; k = k + 1) first[k] = turned[High == 1 ? Open - 1 - k : k];
        end
    endfunction

    logic              side;                  // a side was requested
    logic              some_part, end_part;   // a partly used row fits, fits at the side
    logic [3:0]        end_mask;              // the slices at the side
    logic [Open-1:0]   fits, ends;            // rows that fit, that fit at the side
    logic [Open*4-1:0] row_mask;
    always @* begin
        side      = 1'b0;
        end_mask  = '0;
        fits      = '0;
        fit_o     = 1'b0;
        may_o     = 1'b0;
        ends      = '0;
        some_part = 1'b0;
        end_part  = 1'b0;
        row_mask  = '0;
        row_o     = '0;
        side_o    = 1'b0;
        whole_o   = 1'b0;
        mask_o    = '0;
        entry_o   = '0;
        if (ask_i) begin
            side     = left_i || right_i;
            end_mask = at_end(left_i, size_i);
            for (int k = 0; k < Open; k = k + 1) fits[k] = offered_i[k] && many(~used_i[k*4 +: 4], size_i);
            fit_o = full_i ? (offered_i & whole_i) != '0 : fits != '0;
            may_o = fits != '0 || !dry_full_i || (!size_i[2] && size_i < level_i);
            for (int k = 0; k < Open; k = k + 1)
                ends[k] = offered_i[k] && side && (used_i[k*4 +: 4] & end_mask) == '0;
            some_part = (fits & ~whole_i) != '0;
            end_part  = (ends & ~whole_i) != '0;
            side_o    = ends != '0;
            whole_o   = full_i || (ends != '0 ? !end_part : !some_part);
            // of all the choices the first, side by side
            row_o = full_i       ? first(offered_i & whole_i)
                  : ends != '0   ? (end_part ? first(ends & ~whole_i) : first(ends & whole_i))
                  : some_part    ? first(fits & ~whole_i)
                                 : first(fits & whole_i);
            for (int k = 0; k < Open; k = k + 1) begin
                row_mask[k*4 +: 4] = ends != '0 ? end_mask : lowest(~used_i[k*4 +: 4], size_i);
                if (row_o[k]) begin
                    mask_o  = mask_o | row_mask[k*4 +: 4];
                    entry_o = entry_o | entry_i[k*EntryBits +: EntryBits];
                end
            end
        end
    end

    `CHECK_RANGE(alloc_place, Entries, 2, 1024)
    `CHECK_RANGE(alloc_place, High, 0, 1)
endmodule
