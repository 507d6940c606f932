// SPDX-License-Identifier: Apache-2.0
// Purpose:    the class of a stride, one-hot: 0, then the smallest power of two that is not below it. Part of
//             addr_map_table: entries of a class lie in windows of the same size.
// Parameters: CodeBits, 2..8: bits of a code, which is stride / 4.
// Timing:     combinational.
// Reset:      -
// Left out:   whether a table takes such a stride (addr_map_find).
// Shapes:     - ; CodeBits=2
// Proof:      1:1:CodeBits=3
// Proof:      1:1:CodeBits=8

module addr_map_class #(
    parameter int CodeBits = 8,
    localparam int Classes = CodeBits + 1
) (
    input  logic [CodeBits-1:0] code_i,
    output logic [Classes-1:0]  class_o
);

    logic [CodeBits-1:0] less;
    assign less       = code_i - CodeBits'(1);
    assign class_o[0] = code_i == '0;
    assign class_o[1] = less == '0;
    for (genvar b = 1; b < CodeBits; b = b + 1) begin : g_bit
        assign class_o[b+1] = less[b-1] && (less >> b) == '0;
    end
endmodule
