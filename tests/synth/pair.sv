// SPDX-License-Identifier: Apache-2.0
// Two flip-flops with a NAND between them, in the place of a block.
module width_detect #(
    parameter int NumPorts = 2
) (
    input  logic clk_i,
    input  logic rst_ni,
    input  logic a_i,
    input  logic b_i,
    output logic q_o
);
    logic first_q, second_q;
    always_ff @(posedge clk_i) begin
        first_q  <= a_i;
        second_q <= ~(first_q & b_i);
    end
    assign q_o = second_q;
endmodule
