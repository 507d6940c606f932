// SPDX-License-Identifier: Apache-2.0
// Purpose:    one 128-bit sub-bank: byte slice i of 16 lanes of every warp register of a bank. A
//             single port (1RW) with byte enables, shaped like an SRAM macro and inferred as one.
// Parameters: Entries, 2..1024: words.
// Timing:     cycle t: en_i with we_i writes the bytes of wdata_i whose be_i bit is set; en_i
//             without we_i reads. rdata_o holds the word read from cycle t+1 until the next read.
// Reset:      none. Contents and rdata_o are undefined until written or read (0 in simulation).
// Left out:   error correction, power gating, redundancy.
// Shapes:     - ; Entries=2 ; Entries=1000
// Proof:      2:6:Entries=4
// Proof:      2:6:Entries=3
// Proof:      2:6:Entries=4,RF_MERGE

module rf_subbank #(
    parameter int Entries = 256,
`ifdef RF_NARROW
    localparam int Lanes = 2,  // lanes do not see each other: two stand for all in the proof
`else
    localparam int Lanes = 16,
`endif
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
`ifdef RF_OBS
    // observation: word obs_addr_i while obs_en_i, else 0
    input  logic                 obs_en_i,
    input  logic [EntryBits-1:0] obs_addr_i,
    output logic [WordBits-1:0]  obs_data_o,
`endif
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

    // Two spellings of one thing, both proved against the contract below. Synthesis infers an SRAM
    // with byte enables from the second only; the first, one write of one word under a mask,
    // simulates several times as fast.
`ifdef SIM
`define RF_MERGE
`endif
`ifdef RF_MERGE
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
`else
    always_ff @(posedge clk_i) begin
        for (int i = 0; i < Lanes; i = i + 1)
            if (en_i && we_i && be[i]) mem_q[addr_i][i*8 +: 8] <= wdata_i[i*8 +: 8];
        if (en_i && !we_i) rdata_q <= mem_q[raddr];
    end
`endif

`ifdef RF_OBS
    assign obs_data_o = obs_en_i ? mem_q[obs_addr_i] : '0;
`endif

`ifdef SIM
    integer init;
    initial begin
        if (Entries < 2 || Entries > 1024)
            $fatal(1, "rf_subbank: Entries = %0d, legal is 2..1024", Entries);
        for (init = 0; init < Entries; init = init + 1) mem_q[init] = '0;
    end
`endif

`ifdef FORMAL
    // Contract: the byte read is the byte last written there, for any entry and byte; and rdata_o
    // keeps it until the next read. Ghost: the value of one byte, chosen once.
    (* anyconst *) logic [EntryBits-1:0] f_entry;
    (* anyconst *) logic                 f_byte;
    logic       f_known, f_was_read;
    logic [7:0] f_value, f_expect;
    initial f_known    = 1'b0;
    initial f_was_read = 1'b0;

    always_ff @(posedge clk_i) begin
        if (en_i && we_i && addr_i == f_entry && be_i[f_byte]) begin
            f_known <= 1'b1;
            f_value <= wdata_i[{f_byte, 3'b000} +: 8];
        end
        if (en_i && !we_i) begin
            f_was_read <= addr_i == f_entry && f_known;
            f_expect   <= f_value;
        end
    end
    always_comb begin
        assume (f_entry < Entries);
        if (en_i) assume (addr_i < Entries);
        assume (obs_en_i && obs_addr_i == f_entry);
        // invariant
        if (f_known) assert (mem_q[f_entry][{f_byte, 3'b000} +: 8] == f_value);
        // contract
        if (f_was_read) assert (rdata_o[{f_byte, 3'b000} +: 8] == f_expect);
        if (f_known) assert (obs_data_o[{f_byte, 3'b000} +: 8] == f_value);
        // not vacuous: a byte was written, its neighbour later without it, and the byte came back
        cover (f_was_read && f_expect == 8'ha5 && en_i && we_i && addr_i == f_entry &&
               !be_i[f_byte] && be_i != '0);
        cover (f_was_read && f_value != f_expect);
    end
`endif
endmodule
