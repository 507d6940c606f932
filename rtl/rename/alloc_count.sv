// SPDX-License-Identifier: Apache-2.0
// Purpose:    the counts of alloc_unit: slices in use, from assignments and releases; rows in use,
//             from reports of the banks. Contract: models/rename/alloc_unit.h.
// Parameters: Banks, 1..32, and Entries, 2..1024, of the register file; NumWr, 1..4: requests per cycle; NumFree, 1..8: registers
//             freed per cycle.
// Timing:     used_slices_o in cycle t counts moved_i and free_mask_i up to t-2. Output used_regs_o
//             counts more_i and less_i up to t-1. The differences of a cycle are summed before they
//             are added to the count.
// Reset:      nothing in use.
// Left out:   -
// Shapes:     - ; Banks=1,Entries=2,NumWr=1,NumFree=1 ; Banks=3,Entries=20,NumWr=4,NumFree=3
// Proof:      1:8:Banks=2,Entries=4,NumWr=2,NumFree=2
// Proof:      1:8:Banks=1,Entries=2,NumWr=1,NumFree=3

`include "macros.svh"

module alloc_count #(
    parameter int Banks   = 4,
    parameter int Entries = 256,
    parameter int NumWr   = 2,
    parameter int NumFree = 4,
    localparam int SliceCountBits = $clog2(4*Banks*Entries + 1),
    localparam int RegCountBits   = $clog2(Banks*Entries + 1)
) (
    input  logic                      clk_i,
    input  logic                      rst_ni,
    // registers that got as many slices in place of those of a mask
    input  logic [NumWr-1:0]          moved_i,
    input  logic [NumWr*3-1:0]        size_i,
    input  logic [NumWr*4-1:0]        old_mask_i,
    // slices of registers that were freed
    input  logic [NumFree*4-1:0]      free_mask_i,
    // rows that began or ceased to be used, by bank
    input  logic [Banks*NumWr-1:0]    more_i,
    input  logic [Banks-1:0]          less_i,
    output logic [SliceCountBits-1:0] used_slices_o,
    output logic [RegCountBits-1:0]   used_regs_o
);

    localparam int DeltaBits = $clog2(4*(NumFree + 2*NumWr) + 1) + 1;

    logic [SliceCountBits-1:0] slices_q, slices_d;
    logic [RegCountBits-1:0]   regs_q, regs_d;
    logic [DeltaBits-1:0]      delta_q, delta_d;
    logic [DeltaBits-2:0]      freed_q, freed_d;
    assign used_slices_o = slices_q;
    assign used_regs_o   = regs_q;

    logic [NumWr*3-1:0]   old_count;
    logic [NumFree*3-1:0] free_count;
    for (genvar w = 0; w < NumWr; w = w + 1) begin : g_old
        popcount #(.Width(4)) u_count (
            .set_i(old_mask_i[w*4 +: 4]), .count_o(old_count[w*3 +: 3])
        );
    end
    for (genvar f = 0; f < NumFree; f = f + 1) begin : g_free
        popcount #(.Width(4)) u_count (
            .set_i(free_mask_i[f*4 +: 4]), .count_o(free_count[f*3 +: 3])
        );
    end
    always @* begin
        delta_d = '0;
        freed_d = '0;
        for (int w = 0; w < NumWr; w = w + 1)
            if (moved_i[w]) delta_d = delta_d + DeltaBits'(size_i[w*3 +: 3]) - DeltaBits'(old_count[w*3 +: 3]);
        for (int f = 0; f < NumFree; f = f + 1) freed_d = freed_d + (DeltaBits-1)'(free_count[f*3 +: 3]);
    end
    logic [SliceCountBits-1:0] delta_ext;       // with its sign
    for (genvar i = 0; i < SliceCountBits; i = i + 1) begin : g_sign
        assign delta_ext[i] = delta_q[i < DeltaBits ? i : DeltaBits - 1];
    end
    always @* begin
        regs_d   = regs_q;
        slices_d = slices_q + delta_ext - SliceCountBits'(freed_q);
        for (int b = 0; b < Banks; b = b + 1) begin
            for (int w = 0; w < NumWr; w = w + 1) regs_d = regs_d + RegCountBits'(more_i[b*NumWr + w]);
            regs_d = regs_d - RegCountBits'(less_i[b]);
        end
    end
    always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
            slices_q <= '0;
            delta_q  <= '0;
            freed_q  <= '0;
            regs_q   <= '0;
        end else begin
            slices_q <= slices_d;
            delta_q  <= delta_d;
            freed_q  <= freed_d;
            regs_q   <= regs_d;
        end
    end

    `CHECK_RANGE(alloc_count, Banks, 1, 32)
    `CHECK_RANGE(alloc_count, Entries, 2, 1024)
    `CHECK_RANGE(alloc_count, NumWr, 1, 4)
    `CHECK_RANGE(alloc_count, NumFree, 1, 8)
endmodule
