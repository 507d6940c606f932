// SPDX-License-Identifier: Apache-2.0
// Purpose:    one bank of the register file: 8 single-port sub-banks of 128 bits that work in step
//             on one 1024-bit warp register. Byte slice i of all lanes is in sub-banks 2i (lanes
//             0..15) and 2i+1 (lanes 16..31), so a narrow value touches only its slices. The slices
//             of one access may be in two entries (dual address).
// Parameters: Entries, 2..1024: warp registers.
// Timing:     cycle t: en_i with we_i writes the slices of slice_i, the lanes of lane_i, at
//             addr1_i. Without we_i, en_i reads: slice i from addr2_i where bit i of sel_i is set,
//             else from addr1_i. Output rdata_o holds the value read from cycle t+1 until the next
//             read.
// Reset:      none, see rf_subbank.
// Left out:   energy gating of slices that a reader does not use.
// Shapes:     - ; Entries=2 ; Entries=1000
// Proof:      2:6:Entries=4
// Proof:      2:6:Entries=3

`include "macros.svh"

module rf_bank #(
    parameter int Entries = 256,
    localparam int Lanes = `NARROW(4, 32),  // lanes are independent: four represent all in proofs
    localparam int Row  = Lanes * 32,
    localparam int Half = Lanes / 2,
    localparam int EntryBits = Entries > 1 ? $clog2(Entries) : 1
) (
    input  logic                 clk_i,
    // the one request of the cycle
    input  logic                 en_i,
    input  logic                 we_i,
    input  logic [EntryBits-1:0] addr1_i,
    input  logic [EntryBits-1:0] addr2_i,
    input  logic [3:0]           sel_i,
    input  logic [3:0]           slice_i,
    input  logic [Lanes-1:0]     lane_i,
    input  logic [Row-1:0]       wdata_i,
    // observation: row obs_addr_i while obs_en_i, else 0
    `OBS_PORT(input  logic                 obs_en_i)
    `OBS_PORT(input  logic [EntryBits-1:0] obs_addr_i)
    `OBS_PORT(output logic [Row-1:0]       obs_data_o)
    // the value read in the cycle before
    output logic [Row-1:0]       rdata_o
);

    logic [3:0] use2, wr_slice;
    assign use2     = we_i ? 4'b0000 : sel_i;
    assign wr_slice = slice_i;

    for (genvar i = 0; i < 4; i = i + 1) begin : g_slice
        logic                 en;
        logic [EntryBits-1:0] addr;
        assign en   = en_i && (!we_i || wr_slice[i]);
        assign addr = use2[i] ? addr2_i : addr1_i;
        for (genvar h = 0; h < 2; h = h + 1) begin : g_half
            logic [Half-1:0] be;
            assign be = lane_i[h*Half +: Half];
            rf_subbank #(.Entries(Entries)) u_sub (
                .clk_i,
                .en_i    (en),
                .we_i,
                .addr_i  (addr),
                .be_i    (be),
                .wdata_i (wdata_i[(2*i+h)*Half*8 +: Half*8]),
                `OBS_PORT(.obs_en_i)
                `OBS_PORT(.obs_addr_i)
                `OBS_PORT(.obs_data_o (obs_data_o[(2*i+h)*Half*8 +: Half*8]))
                .rdata_o (rdata_o[(2*i+h)*Half*8 +: Half*8])
            );
        end
    end

    `CHECK_RANGE(rf_bank, Entries, 2, 1024)
endmodule
