// SPDX-License-Identifier: Apache-2.0
// Purpose:    the first ones of a set, as many as requested, counted from its lowest bit upwards or
//             from its highest down.
// Parameters: Width, 1..8: bits of the set.
// Timing:     combinational: the ones ahead of each bit are counted beside each other.
// Reset:      no state.
// Left out:   wider sets.
// Shapes:     - ; Width=1 ; Width=8
// Proof:      1:1:Width=1
// Proof:      1:1:Width=4
// Proof:      1:1:Width=5

`include "macros.svh"

module first_ones #(
    parameter int Width = 4,
    localparam int Bits = $clog2(Width + 1)
) (
    input  logic [Width-1:0] set_i,
    input  logic [Bits-1:0]  count_i,
    // from the highest down
    input  logic             high_i,
    output logic [Width-1:0] first_o
);

    for (genvar i = 0; i < Width; i = i + 1) begin : g_bit
        localparam logic [Width-1:0] Below = Width'((1 << i) - 1);
        logic [Bits-1:0] ahead;
        popcount #(.Width(Width)) u_before (
            .set_i(set_i & (high_i ? ~Below << 1 : Below)), .count_o(ahead)
        );
        assign first_o[i] = set_i[i] && ahead < count_i;
    end

    `CHECK_RANGE(first_ones, Width, 1, 8)
endmodule
