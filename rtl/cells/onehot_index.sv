// SPDX-License-Identifier: Apache-2.0
// Purpose:    the number of the one bit that is set.
// Parameters: Width, 1..256: bits.
// Timing:     combinational: an OR of half the bits for each bit of the number; 0 where none is set.
// Reset:      no state.
// Left out:   priority: of several bits the OR of their numbers comes out; find_first picks one.
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

    always @* begin
        index_o = '0;
        if (one_i != '0)
            for (int k = 0; k < Width; k = k + 1)
                if (one_i[k]) index_o = index_o | Bits'(k);
    end

    `CHECK_RANGE(onehot_index, Width, 1, 256)
endmodule
