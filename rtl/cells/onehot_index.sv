// SPDX-License-Identifier: Apache-2.0
// Purpose:    the number of the one bit that is set.
// Parameters: Width, 1..1024: bits.
// Timing:     combinational: an OR of half the bits for each bit of the number; 0 where none is set.
// Reset:      no state.
// Left out:   priority: if several bits are set, the output is the OR of their numbers; find_first
//             picks one.
// Shapes:     - ; Width=1 ; Width=48
// Proof:      1:1:Width=1
// Proof:      1:1:Width=5
// Proof:      1:1:Width=8

`include "macros.svh"

module onehot_index #(
    parameter int Width = 8,
    localparam int Bits = Width > 1 ? $clog2(Width) : 1
) (
    input  logic [Width-1:0] one_i,
    output logic [Bits-1:0]  index_o
);

    for (genvar b = 0; b < Bits; b = b + 1) begin : g_bit
        // places whose number has bit b
        localparam logic [Width-1:0] With = Width'({(Width / (2 << b) + 1){{(1 << b){1'b1}}, {(1 << b){1'b0}}}});
        assign index_o[b] = (one_i & With) != '0;
    end

    `CHECK_RANGE(onehot_index, Width, 1, 1024)
endmodule
