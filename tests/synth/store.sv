// SPDX-License-Identifier: Apache-2.0
// An SRAM of 64 x 32 bits, and two register arrays that are none (8 x 4 bits, 16 words of 8 bits
// with too few bits).
module width_detect #(
    parameter int NumPorts = 2
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        we_i,
    input  logic [5:0]  wa_i,
    input  logic [5:0]  ra_i,
    input  logic [31:0] d_i,
    output logic [31:0] q_o,
    output logic [3:0]  small_o,
    output logic [7:0]  few_o
);
    logic [31:0] mem_q [0:63];
    logic [31:0] read_q;
    logic [3:0]  small_q [0:7];
    logic [7:0]  few_q [0:15];
    always_ff @(posedge clk_i) begin
        if (we_i) mem_q[wa_i] <= d_i;
        if (we_i) small_q[wa_i[2:0]] <= d_i[3:0];
        if (we_i) few_q[wa_i[3:0]] <= d_i[7:0];
        read_q <= mem_q[ra_i];
    end
    assign q_o     = read_q;
    assign small_o = small_q[ra_i[2:0]];
    assign few_o   = few_q[ra_i[3:0]];
endmodule
