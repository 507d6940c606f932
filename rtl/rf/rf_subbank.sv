// SPDX-License-Identifier: Apache-2.0
// Purpose:    one 128-bit sub-bank: byte slice i of 16 lanes of every warp register of a bank. A
//             single port (1RW) with byte enables, shaped like an SRAM macro and inferred as one.
// Parameters: Entries, 2..1024: words.
// Timing:     cycle t: en_i with we_i writes the bytes of wdata_i whose be_i bit is set; en_i
//             without we_i reads. Output rdata_o holds the word read from cycle t+1 until the next
//             read.
// Reset:      none. Contents and rdata_o are undefined until written or read (0 in simulation).
// Left out:   error correction, power gating, redundancy.
// Shapes:     - ; Entries=2 ; Entries=1000
// Proof:      2:6:Entries=4
// Proof:      2:6:Entries=3
// Proof:      2:6:Entries=4,RF_MERGE

`include "macros.svh"

module rf_subbank #(
    parameter int Entries = 256,
    localparam int Lanes = `NARROW(2, 16),  // lanes are independent: two represent all in the proof
    localparam int WordBits  = Lanes * 8,
    localparam int EntryBits = Entries > 1 ? $clog2(Entries) : 1
) (
    input  logic                 clk_i,
    // the one request of the cycle
    input  logic                 en_i,
    input  logic                 we_i,
    input  logic [EntryBits-1:0] addr_i,
    input  logic [Lanes-1:0]     be_i,
    input  logic [WordBits-1:0]  wdata_i,
    // observation: word obs_addr_i while obs_en_i, else 0
    `OBS_PORT(input  logic                 obs_en_i)
    `OBS_PORT(input  logic [EntryBits-1:0] obs_addr_i)
    `OBS_PORT(output logic [WordBits-1:0]  obs_data_o)
    // the word read in the cycle before
    output logic [WordBits-1:0]  rdata_o
);

    logic [WordBits-1:0] mem_q [0:Entries-1];
    logic [WordBits-1:0] rdata_q;
    assign rdata_o = rdata_q;

    logic [EntryBits-1:0] raddr;
    assign raddr = addr_i;

    logic [Lanes-1:0] be;
    assign be = be_i;

    // Two descriptions of the same memory, both proved against the contract below. Only from the
    // second does synthesis infer an SRAM with byte enables. The first, one write of one word under
    // a mask, simulates several times as fast.
    if (`MERGE) begin : g_merge
        function automatic [WordBits-1:0] merge(input [WordBits-1:0] old, input [WordBits-1:0] data,
                                                input [Lanes-1:0] enable);
            integer i;
            logic [WordBits-1:0] mask;
            begin
                for (i = 0; i < Lanes; i = i + 1) mask[i*8 +: 8] = {8{enable[i]}};
                merge = (data & mask) | (old & ~mask);
            end
        endfunction
        always_ff @(posedge clk_i) begin
            if (en_i) begin
                if (we_i) mem_q[addr_i] <= merge(mem_q[addr_i], wdata_i, be);
                else      rdata_q <= mem_q[raddr];
            end
        end
    end else begin : g_enable
        always_ff @(posedge clk_i) begin
            for (int i = 0; i < Lanes; i = i + 1)
                if (en_i && we_i && be[i]) mem_q[addr_i][i*8 +: 8] <= wdata_i[i*8 +: 8];
            if (en_i && !we_i) rdata_q <= mem_q[raddr];
        end
    end

    `CHECK_RANGE(rf_subbank, Entries, 2, 1024)
    `CLEAR_MEMORY(mem_q, Entries)
    `include "rf/rf_subbank.obs.svh"
endmodule
