// SPDX-License-Identifier: Apache-2.0
// The registers of the scalar unit as one array of words. The lowest address bit selects the bank.
// Its ports are those of rtl/scalar/scalar_rf.sv. It has a fault that page 7 of the tutorial finds.
module scalar_rf #(
    parameter int Words = 1024,
    localparam int RowBits = $clog2(Words / 2)
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  logic                 en_i,
    input  logic [1:0]           rd_valid_i,
    input  logic [2*RowBits-1:0] rd_addr_i,
    input  logic [1:0]           wr_valid_i,
    input  logic [2*RowBits-1:0] wr_addr_i,
    input  logic [63:0]          wr_data_i,
    output logic [1:0]           rd_data_valid_o,
    output logic [63:0]          rd_data_o
);
    logic [31:0] word_q [0:Words-1];

    for (genvar b = 0; b < 2; b = b + 1) begin : g_bank
        logic [RowBits:0] from, to;
        logic [31:0]      word;
        logic             writes;
        assign from   = {rd_addr_i[b*RowBits +: RowBits], 1'(b)};
        assign to     = {wr_addr_i[b*RowBits +: RowBits], 1'(b)};
        assign writes = wr_valid_i[b] && en_i && rst_ni;
        assign word   = writes && from == to ? wr_data_i[b*32 +: 32] : word_q[from];
        always_ff @(posedge clk_i) begin
            if (writes)                word_q[to]            <= wr_data_i[b*32 +: 32];
            if (rd_valid_i[b] && en_i) rd_data_o[b*32 +: 32] <= word;
        end
    end

    always_ff @(posedge clk_i)
        if (!rst_ni)   rd_data_valid_o <= '0;
        else if (en_i) rd_data_valid_o <= rd_valid_i;
endmodule
