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

    // All sums of a level are side by side in one word, so that a simulator adds them at once. The
    // word is as wide as the set: the sum of n bits fits in n bits.
    localparam logic [Width-1:0] Ones = Width'(32'h5555_5555), Twos = Width'(32'h3333_3333), Fours = Width'(32'h0f0f_0f0f);
    logic [Width-1:0] by_two;
    assign by_two = (set_i & Ones) + (set_i >> 1 & Ones);
    if (Width > 4) begin : g_wide
        logic [Width-1:0] by_four, by_eight;
        assign by_four  = (by_two & Twos) + (by_two >> 2 & Twos);
        assign by_eight = (by_four & Fours) + (by_four >> 4 & Fours);
        assign count_o  = Bits'((by_eight + (by_eight >> 8)) + ((by_eight >> 16) + (by_eight >> 24)));
    end else begin : g_narrow
        assign count_o = Bits'(by_two & Twos) + Bits'(by_two >> 2);
    end

    `CHECK_RANGE(popcount, Width, 1, 32)
endmodule
