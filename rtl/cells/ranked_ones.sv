// SPDX-License-Identifier: Apache-2.0
// Purpose:    the lowest ones of a set, each as one bit: the lowest, the second lowest, and so on.
// Parameters: Width, 1..256: bits of the set; Ranks, 1..8: how many of its ones.
// Timing:     combinational, log2 Width levels for any Ranks: sums of ones up to each bit, none
//             above Ranks.
// Reset:      no state.
// Left out:   from the highest down: the reversed set.
// Shapes:     - ; Width=1,Ranks=1 ; Width=5,Ranks=8 ; Width=64,Ranks=3
// Proof:      1:1:Width=1,Ranks=2
// Proof:      1:1:Width=6,Ranks=1
// Proof:      1:1:Width=6,Ranks=4

`include "macros.svh"

module ranked_ones #(
    parameter int Width = 48,
    parameter int Ranks = 2
) (
    input  logic [Width-1:0]       set_i,
    // rank k: all zeros where the set has no more than k ones
    output logic [Ranks*Width-1:0] rank_o,
    // the set has more than k ones
    output logic [Ranks-1:0]       any_o
);

    localparam int Levels = Width > 1 ? $clog2(Width) : 1;

    // Bit (n - 1) * Width + i of level l: n ones or more among the 2**l bits up to bit i.
    for (genvar l = 0; l <= Levels; l = l + 1) begin : g_level
        localparam int Half = l == 0 ? 0 : 1 << (l - 1);
        logic [Ranks*Width-1:0] ones;
        for (genvar n = 1; n <= Ranks; n = n + 1) begin : g_ones
            if (l == 0) begin : g_bits
                assign ones[(n-1)*Width +: Width] = n == 1 ? set_i : '0;
            end else begin : g_sum
                logic [Width-1:0] sum;
                always @* begin
                    sum = g_level[l-1].ones[(n-1)*Width +: Width];
                    sum = sum | (sum << Half);
                    for (int m = 1; m < n; m = m + 1)
                        sum = sum | (g_level[l-1].ones[(m-1)*Width +: Width] &
                                     (g_level[l-1].ones[(n-m-1)*Width +: Width] << Half));
                end
                assign ones[(n-1)*Width +: Width] = sum;
            end
        end
    end
    for (genvar k = 0; k < Ranks; k = k + 1) begin : g_rank
        logic [Width-1:0] upto;  // ones from the one of this rank on
        assign upto = g_level[Levels].ones[k*Width +: Width];
        assign rank_o[k*Width +: Width] = upto & ~(upto << 1);
        assign any_o[k] = upto[Width-1];
    end

    `CHECK_RANGE(ranked_ones, Width, 1, 256)
    `CHECK_RANGE(ranked_ones, Ranks, 1, 8)
endmodule
