// SPDX-License-Identifier: Apache-2.0
// Purpose:    the place of an address in its window: of a load's first lane, in lanes. Part of addr_map_table.
// Parameters: LaneBits, 1..5: log2 of the lanes; AddrBits, 6..32: of an address; CodeBits, 2..8: as in addr_map_class.
// Timing:     combinational.
// Reset:      -
// Left out:   class 0, whose loads have one address: place 0.
// Shapes:     - ; LaneBits=1,AddrBits=6,CodeBits=2
// Proof:      1:1:LaneBits=1,AddrBits=6,CodeBits=2
// Proof:      1:1:LaneBits=3,AddrBits=12,CodeBits=5

module addr_map_place #(
    parameter int LaneBits = 5,
    parameter int AddrBits = 32,
    parameter int CodeBits = 8,
    localparam int Classes = CodeBits + 1
) (
    input  logic [AddrBits-1:0] base_i,
    input  logic [Classes-1:0]  class_i,
    output logic [LaneBits-1:0] place_o
);

    always @* begin
        place_o = '0;
        for (int c = 1; c < Classes; c = c + 1) place_o = place_o | ({LaneBits{class_i[c]}} & base_i[c+1 +: LaneBits]);
    end
    logic unused;
    assign unused = ^base_i ^ class_i[0];
endmodule
