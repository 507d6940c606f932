// SPDX-License-Identifier: Apache-2.0
// Purpose:    the number of the lowest bit that is set.
// Parameters: Width, 1..64: bits.
// Timing:     combinational, a tree: log2 Width levels of a selection each, whose select is there one OR per level after set_i.
// Reset:      no state.
// Left out:   a number where no bit is set: index_o is then all ones.
// Shapes:     - ; Width=1 ; Width=48
// Proof:      1:1:Width=1
// Proof:      1:1:Width=5
// Proof:      1:1:Width=32

`include "macros.svh"

module lowest_index #(
    parameter int Width = 8,
    localparam int Bits = Width > 1 ? $clog2(Width) : 1
) (
    input  logic [Width-1:0] set_i,
    output logic             any_o,
    output logic [Bits-1:0]  index_o
);

    // Node n of the tree has two nodes below it: 2 n, the lower half of its bits, and 2 n + 1. The
    // bits are the last nodes.
    localparam int Leaves = 1 << Bits;
    logic [Leaves-1:0]           leaf;
    logic [2*Leaves-1:1]         any;
    logic [2*Leaves*Bits-1:Bits] index;
    logic                        lower;  // the lowest bit is in the lower half
    assign leaf = Leaves'(set_i);
    always @* begin
        any   = {leaf, {(Leaves-1){1'b0}}};
        index = '0;
        lower = 1'b0;
        for (int n = Leaves - 1; n > 0; n = n - 1) begin
            lower  = any[2*n];
            any[n] = lower || any[2*n+1];
            index[n*Bits +: Bits] = lower ? index[2*n*Bits +: Bits]
                                          : index[(2*n+1)*Bits +: Bits] | Bits'(Leaves >> $clog2(n + 1));
        end
    end
    assign any_o   = any[1];
    assign index_o = index[Bits +: Bits];

    `CHECK_RANGE(lowest_index, Width, 1, 64)
endmodule
