// SPDX-License-Identifier: Apache-2.0
// Purpose:    the memory of one bank of the register file cache: Depth rows of 1024 bits behind a
//             single port. The port reads a row, writes lanes of a row, or exchanges a row: it
//             reads the old row while it writes a new one.
// Parameters: Depth, 1..1024: rows.
// Timing:     cycle t: en_i alone reads; en_i with we_i writes the lanes of lane_i. With swap_i as
//             well the port writes them and reads the old row. Output rdata_o holds the row that
//             was read from cycle t+1 until the next read or exchange.
// Reset:      none. Contents and rdata_o are undefined until written or read (0 in simulation).
// Left out:   error correction, power gating, redundancy. An SRAM macro that cannot read before it writes needs a
//             second port for the exchange.
// Shapes:     - ; Depth=1 ; Depth=5
// Proof:      2:6:Depth=2
// Proof:      2:6:Depth=3
// Proof:      2:6:Depth=3,RF_MERGE

`include "macros.svh"

module cache_bank #(
    parameter int Depth = 72,
    localparam int Lanes  = `NARROW(2, 32),  // slices and lanes are independent: these represent all in proofs
    localparam int Slices = `NARROW(1, 4),
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
    // observation: row obs_addr_i while obs_en_i, else 0
    `OBS_PORT(input  logic                obs_en_i)
    `OBS_PORT(input  logic [AddrBits-1:0] obs_addr_i)
    `OBS_PORT(output logic [Row-1:0]      obs_data_o)
    // the row read in the cycle before
    output logic [Row-1:0]      rdata_o
);

    logic [Row-1:0]   rdata_q;
    logic [Lanes-1:0] lane;
    assign lane    = lane_i;
    assign rdata_o = rdata_q;

    // Two descriptions of the same memory, both proved. Only from the second does synthesis infer
    // memories with write enables, 128 bits wide as those of the register file. The first, one
    // write of one row, simulates several times as fast.
    if (`MERGE) begin : g_merge
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
        `OBS(assign obs_data_o = obs_en_i ? mem_q[obs_addr_i] : '0;)
        `CLEAR_MEMORY(mem_q, Depth)
    end else begin : g_enables
        localparam int Part = Row < 128 ? 8 : 128;
        for (genvar k = 0; k < Row / Part; k = k + 1) begin : g_part
            logic [Part-1:0] mem_q [0:Depth-1];
            always_ff @(posedge clk_i) begin
                for (int i = 0; i < Part / 8; i = i + 1)
                    if (en_i && we_i && lane[(k * Part / 8 + i) % Lanes])
                        mem_q[addr_i][8*i +: 8] <= wdata_i[k*Part + 8*i +: 8];
                if (en_i && (!we_i || swap_i)) rdata_q[k*Part +: Part] <= mem_q[addr_i];
            end
            `OBS(assign obs_data_o[k*Part +: Part] = obs_en_i ? mem_q[obs_addr_i] : '0;)
        end
    end

    `CHECK_RANGE(cache_bank, Depth, 1, 1024)
endmodule
