// SPDX-License-Identifier: Apache-2.0
// An SRAM of 64 x 32 bits that wires of a generate block read within the cycle: ports of the macro
// get their names.
module width_detect #(
    parameter int NumPorts = 2
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        we_i,
    input  logic [5:0]  wa_i,
    input  logic [11:0] ra_i,
    input  logic [31:0] d_i,
    output logic [63:0] q_o
);
    logic [31:0] mem_q [0:63];
    always_ff @(posedge clk_i) if (we_i) mem_q[wa_i] <= d_i;
    for (genvar p = 0; p < 2; p++) begin : g_port
        wire [31:0] word = mem_q[ra_i[6*p +: 6]];
        assign q_o[32*p +: 32] = ~word;
    end
endmodule
