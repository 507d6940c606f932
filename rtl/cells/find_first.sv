// SPDX-License-Identifier: Apache-2.0
// Purpose:    the first of a set in cyclic order, as one bit: the lowest of those from a place on.
//             If there is none, the lowest of all.
// Parameters: Width, 1..1024: bits of the set.
// Timing:     combinational, log2 Width levels; first_o is 0 where set_i is.
// Reset:      no state.
// Left out:   the number of the first: onehot_index gives it.
// Shapes:     - ; Width=1 ; Width=48
// Proof:      1:1:Width=1
// Proof:      1:1:Width=5
// Proof:      1:1:Width=8

`include "macros.svh"

module find_first #(
    parameter int Width = 8
) (
    input  logic [Width-1:0] set_i,
    // ones from the place on upwards; all: the lowest is first
    input  logic [Width-1:0] from_i,
    output logic [Width-1:0] first_o
);

    logic [Width-1:0] here, upto;  // searched for the lowest; ones from the lowest on
    assign here = (set_i & from_i) != '0 ? set_i & from_i : set_i;
    always @* begin
        upto = here;
        for (int k = 1; k < Width; k = k * 2) upto = upto | (upto << k);
    end
    assign first_o = here & ~(upto << 1);

    `CHECK_RANGE(find_first, Width, 1, 1024)
endmodule
