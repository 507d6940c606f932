// SPDX-License-Identifier: Apache-2.0
// Purpose:    registers of one scalar unit: two banks of 32-bit words, one read and one write port each.
//             A bank is shaped like a two-port SRAM macro and inferred as one. Contract: models/scalar/scalar_rf.h.
// Parameters: Words, 8..4096, even.
// Timing:     cycle t with en_i: rd_valid_i[b] reads, wr_valid_i[b] writes. Outputs rd_data_o and
//             rd_data_valid_o hold from t+1 until the next cycle with en_i has passed. If a word is
//             read and written, the old one is read. Input en_i is a clock enable: nothing changes
//             without it. 0.59 ns at 45 nm, the estimate of the memory's access.
// Reset:      rd_data_valid_o; words are not reset (0 in simulation).
// Left out:   byte enables, forwarding.
// Shapes:     - ; Words=8 ; Words=170
// Proof:      3:8:Words=8
// Proof:      3:8:Words=10

`include "macros.svh"

module scalar_rf #(
    parameter int Words = 1024,
    localparam int Rows    = Words / 2,
    localparam int RowBits = Rows > 1 ? $clog2(Rows) : 1
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  logic                 en_i,
    input  logic [1:0]           rd_valid_i,
    input  logic [2*RowBits-1:0] rd_addr_i,
    input  logic [1:0]           wr_valid_i,
    input  logic [2*RowBits-1:0] wr_addr_i,
    input  logic [63:0]          wr_data_i,
    // observation: words, valid bits, then parameters
    `OBS_PORT(input  logic [31:0]          obs_addr_i)
    `OBS_PORT(output logic [31:0]          obs_data_o)
    output logic [1:0]           rd_data_valid_o,
    output logic [63:0]          rd_data_o
);

    logic [1:0] valid_q;
    assign rd_data_valid_o = valid_q;
    always_ff @(posedge clk_i)
        if (!rst_ni) valid_q <= '0;
        else if (en_i) valid_q <= rd_valid_i;

    // The two banks.
    for (genvar b = 0; b < 2; b = b + 1) begin : g_bank
        logic [31:0]        mem_q [0:Rows-1];
        logic [31:0]        data_q;
        logic [RowBits-1:0] raddr, waddr;
        logic               writes;
        assign raddr  = rd_addr_i[b*RowBits +: RowBits];
        assign waddr  = wr_addr_i[b*RowBits +: RowBits];
        assign writes = wr_valid_i[b] && en_i && rst_ni;
        always_ff @(posedge clk_i) begin
            if (writes) mem_q[waddr] <= wr_data_i[b*32 +: 32];
            if (en_i && rd_valid_i[b])
                data_q <= mem_q[raddr];
        end
        assign rd_data_o[b*32 +: 32] = data_q;
        `CLEAR_MEMORY(mem_q, Rows)
    end

    `CHECK_RANGE(scalar_rf, Words, 8, 4096)
    `CHECK(Words % 2 == 0, $sformatf("scalar_rf: Words = %0d is odd", Words))
    `include "scalar/scalar_rf.obs.svh"
endmodule
