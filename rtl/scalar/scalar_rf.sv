// SPDX-License-Identifier: Apache-2.0
// Purpose:    registers of one scalar unit: two banks of 32-bit words, one read and one write port each,
//             shaped like a two-port SRAM macro and inferred as one. Contract: models/scalar/scalar_rf.h.
// Parameters: Words, 8..4096, even.
// Timing:     cycle t with en_i: rd_valid_i[b] reads, wr_valid_i[b] writes. rd_data_o and rd_data_valid_o from t+1
//             until the next cycle with en_i has passed. Same word read and written: the old one is read. en_i is a
//             clock enable: nothing moves without it. 0.59 ns at 45 nm, the estimate of the memory's access.
// Reset:      rd_data_valid_o; words are not reset (0 in simulation).
// Left out:   byte enables, forwarding.
// Shapes:     - ; Words=8 ; Words=170
// Proof:      3:8:Words=8
// Proof:      3:8:Words=10

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
`ifdef RF_OBS
    // observation: words, valid bits, then parameters
    input  logic [31:0]          obs_addr_i,
    output logic [31:0]          obs_data_o,
`endif
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
`ifdef SIM
        integer init;
        initial for (init = 0; init < Rows; init = init + 1) mem_q[init] = '0;
`endif
    end

`ifdef RF_OBS
    logic [31:0]        obs_even, obs_odd;
    logic [RowBits-1:0] obs_row;
    assign obs_row  = obs_addr_i[RowBits:1];
    assign obs_even = g_bank[0].mem_q[obs_row];
    assign obs_odd  = g_bank[1].mem_q[obs_row];
    always @*
        if (obs_addr_i == 32'hffff_0000) obs_data_o = Words;
        else if (obs_addr_i < Words) obs_data_o = obs_addr_i[0] ? obs_odd : obs_even;
        else if (obs_addr_i == Words) obs_data_o = 32'(valid_q);
        else obs_data_o = '0;
`endif

`ifdef SIM
    initial if (Words < 8 || Words > 4096 || Words % 2 != 0)
        $fatal(1, "scalar_rf: Words is %0d, expected an even number from 8 to 4096", Words);
`endif

`ifdef FORMAL
    // Contract, for any word: it is what was written last, a read delivers it as it was before its cycle, and an answer
    // stays while en_i is low.
    (* anyconst *) logic [RowBits-1:0] f_row;
    (* anyconst *) logic               f_bank;
    logic        f_past, f_known, f_read;
    logic [31:0] f_value, f_expect;
    initial {f_past, f_known, f_read} = '0;
    logic [RowBits-1:0] f_raddr, f_waddr;
    assign f_raddr = f_bank ? rd_addr_i[RowBits +: RowBits] : rd_addr_i[0 +: RowBits];
    assign f_waddr = f_bank ? wr_addr_i[RowBits +: RowBits] : wr_addr_i[0 +: RowBits];
    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!rst_ni) f_read <= 1'b0;
        else if (en_i) begin
            f_read   <= rd_valid_i[f_bank] && f_raddr == f_row && f_known;
            f_expect <= f_value;
            if (wr_valid_i[f_bank] && f_waddr == f_row) begin
                f_known <= 1'b1;
                f_value <= f_bank ? wr_data_i[63:32] : wr_data_i[31:0];
            end
        end
    end
    always @* begin
        assume (32'(f_row) < Rows);
        assume (obs_addr_i == {{(31-RowBits){1'b0}}, f_row, f_bank});
        for (int b = 0; b < 2; b = b + 1) begin
            if (rd_valid_i[b]) assume (32'(rd_addr_i[b*RowBits +: RowBits]) < Rows);
            if (wr_valid_i[b]) assume (32'(wr_addr_i[b*RowBits +: RowBits]) < Rows);
        end
        if (!f_past) assume (!rst_ni);
        if (f_past && f_known) assert (obs_data_o == f_value);
        if (f_past && f_read)
            assert (rd_data_valid_o[f_bank] && (f_bank ? rd_data_o[63:32] : rd_data_o[31:0]) == f_expect);
    end
    always_ff @(posedge clk_i)
        if (f_past && $past(rst_ni))
            assert (rd_data_valid_o == ($past(en_i) ? $past(rd_valid_i) : $past(rd_data_valid_o)));
    always_ff @(posedge clk_i)
        if (f_past && rst_ni) begin
            cover (f_read && f_value != f_expect);
            cover (f_read && !en_i && $past(!en_i));
        end
`endif
endmodule
