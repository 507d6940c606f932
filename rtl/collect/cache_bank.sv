// SPDX-License-Identifier: Apache-2.0
// Purpose:    the memory of one bank of the register file cache: Depth rows of 1024 bits behind a single port that
//             reads a row, writes lanes of a row, or exchanges a row: the old one is read while a new one is written.
// Parameters: Depth, 1..1024: rows.
// Timing:     cycle t: en_i alone reads; en_i with we_i writes the lanes of lane_i; en_i with we_i and swap_i writes
//             them and reads the row as it was. rdata_o holds the row that was read from cycle t+1 until the next read
//             or exchange.
// Reset:      none. Contents and rdata_o are undefined until written or read (0 in simulation).
// Left out:   error correction, power gating, redundancy. An SRAM macro that cannot read before it writes needs a
//             second port for the exchange.
// Shapes:     - ; Depth=1 ; Depth=5
// Proof:      2:6:Depth=2
// Proof:      2:6:Depth=3
// Proof:      2:6:Depth=3,RF_MERGE

module cache_bank #(
    parameter int Depth = 72,
`ifdef RF_NARROW
    localparam int Lanes  = 2,  // slices and lanes do not see each other: these stand for all in proofs
    localparam int Slices = 1,
`else
    localparam int Lanes  = 32,
    localparam int Slices = 4,
`endif
    localparam int Row      = 8 * Slices * Lanes,
    localparam int AddrBits = Depth > 1 ? $clog2(Depth) : 1
) (
    input  logic                clk_i,
    // the one access of the cycle
    input  logic                en_i,
    input  logic                we_i,
    input  logic                swap_i,
    input  logic [AddrBits-1:0] addr_i,
    input  logic [Lanes-1:0]    lane_i,
    input  logic [Row-1:0]      wdata_i,
`ifdef RF_OBS
    // observation: row obs_addr_i while obs_en_i, else 0
    input  logic                obs_en_i,
    input  logic [AddrBits-1:0] obs_addr_i,
    output logic [Row-1:0]      obs_data_o,
`endif
    // the row read in the cycle before
    output logic [Row-1:0]      rdata_o
);

    logic [Row-1:0]   rdata_q;
    logic [Lanes-1:0] lane;
    assign lane    = lane_i;
    assign rdata_o = rdata_q;

    // Two spellings of one thing, both proved: synthesis infers memories with write enables, 128 bits wide as those of
    // the register file, from the second only; the first, one write of one row, simulates several times as fast.
`ifdef SIM
`define RF_MERGE
`endif
`ifdef RF_MERGE
    logic [Row-1:0] mem_q [0:Depth-1];
    function automatic [Row-1:0] merge(input [Row-1:0] old, input [Row-1:0] data, input [Lanes-1:0] lanes);
        integer s, l;
        begin
            merge = old;
            for (s = 0; s < Slices; s = s + 1)
                for (l = 0; l < Lanes; l = l + 1)
                    if (lanes[l]) merge[8*(s*Lanes + l) +: 8] = data[8*(s*Lanes + l) +: 8];
        end
    endfunction
    always_ff @(posedge clk_i) begin
        if (en_i && we_i)
            mem_q[addr_i] <= lane == {Lanes{1'b1}} ? wdata_i : merge(mem_q[addr_i], wdata_i, lane);
        if (en_i && (!we_i || swap_i)) rdata_q <= mem_q[addr_i];
    end
`ifdef RF_OBS
    assign obs_data_o = obs_en_i ? mem_q[obs_addr_i] : '0;
`endif
`else
    localparam int Part = Row < 128 ? 8 : 128;
    for (genvar k = 0; k < Row / Part; k = k + 1) begin : g_part
        logic [Part-1:0] mem_q [0:Depth-1];
        always_ff @(posedge clk_i) begin
            for (int i = 0; i < Part / 8; i = i + 1)
                if (en_i && we_i && lane[(k * Part / 8 + i) % Lanes])
                    mem_q[addr_i][8*i +: 8] <= wdata_i[k*Part + 8*i +: 8];
            if (en_i && (!we_i || swap_i))
                rdata_q[k*Part +: Part] <= mem_q[addr_i];
        end
`ifdef RF_OBS
        assign obs_data_o[k*Part +: Part] = obs_en_i ? mem_q[obs_addr_i] : '0;
`endif
    end
`endif

`ifdef SIM
    integer init;
    initial begin
        if (Depth < 1 || Depth > 1024) $fatal(1, "cache_bank: Depth = %0d, legal is 1..1024", Depth);
        for (init = 0; init < Depth; init = init + 1) mem_q[init] = '0;
    end
`endif

`ifdef FORMAL
    // Contract, for any row f_a and lane f_l: what is read, by a read or an exchange, is what was written last before,
    // and rdata_o keeps it until the next one.
    (* anyconst *) logic [AddrBits-1:0] f_a;
    (* anyconst *) logic                f_l;
    logic       f_known, f_was_read;
    logic [7:0] f_value, f_expect;
    initial f_known    = 1'b0;
    initial f_was_read = 1'b0;
    always_ff @(posedge clk_i) begin
        if (en_i && we_i && addr_i == f_a && lane_i[f_l]) begin
            f_known <= 1'b1;
            f_value <= wdata_i[{f_l, 3'b000} +: 8];
        end
        if (en_i && (!we_i || swap_i)) begin
            f_was_read <= addr_i == f_a && f_known;
            f_expect   <= f_value;
        end
    end
    always_comb begin
        assume (f_a < Depth);
        if (en_i) assume (addr_i < Depth);
        assume (obs_en_i && obs_addr_i == f_a);
        if (f_known) assert (obs_data_o[{f_l, 3'b000} +: 8] == f_value);
        if (f_was_read) assert (rdata_o[{f_l, 3'b000} +: 8] == f_expect);
        cover (f_was_read && f_value != f_expect && f_expect == 8'ha5);
        cover (f_known && en_i && we_i && swap_i && addr_i == f_a && !lane_i[f_l] && lane_i != '0);
    end
`endif
endmodule
