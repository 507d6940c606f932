// SPDX-License-Identifier: Apache-2.0
// Purpose:    how many bits of a set are 1.
// Parameters: Width, 1..32: bits of the set.
// Timing:     combinational: sums of pairs, of four; in a wider set of eight, then of these.
// Reset:      no state.
// Left out:   wider sets: they are counted in parts.
// Shapes:     - ; Width=1 ; Width=28
// Proof:      1:1:Width=1
// Proof:      1:1:Width=4
// Proof:      1:1:Width=11

`include "macros.svh"

module popcount #(
    parameter int Width = 32,
    localparam int Bits = $clog2(Width + 1)
) (
    input  logic [Width-1:0] set_i,
    output logic [Bits-1:0]  count_o
);

    // All sums of a level stand side by side in one word, so that a simulator adds them at once.
    logic [31:0] by_two, by_four;
    assign by_two  = (32'(set_i) & 32'h5555_5555) + (32'(set_i) >> 1 & 32'h5555_5555);
    assign by_four = (by_two & 32'h3333_3333) + (by_two >> 2 & 32'h3333_3333);
    if (Width > 4) begin : g_wide
        logic [31:0] by_eight;
        assign by_eight = (by_four & 32'h0f0f_0f0f) + (by_four >> 4 & 32'h0f0f_0f0f);
        assign count_o  = Bits'((by_eight[5:0] + by_eight[13:8]) + (by_eight[21:16] + by_eight[29:24]));
        logic unused_eight;
        assign unused_eight = ^by_eight;
    end else begin : g_narrow
        assign count_o = Bits'(by_four);
    end
    logic unused;  // bits that are 0
    assign unused = ^by_four;

    `CHECK_RANGE(popcount, Width, 1, 32)
endmodule
