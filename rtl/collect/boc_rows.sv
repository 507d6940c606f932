// SPDX-License-Identifier: Apache-2.0
// Purpose:    the values of one bypassing operand collector (BOC): Values rows of one warp register each.
//             Part of bypass_collector; contract: models/collect/bypass_collector.h.
// Parameters: Values, 2..28: rows; NumRd, 1..3: rows read per cycle.
// Timing:     rd_data_o is row rd_row_i of the same cycle if rd_en_i is set, else 0. A row from a
//             bank (arr_), or a result (res_) in its lanes, is readable from the next cycle on. The
//             two never write one row in one cycle.
// Reset:      none. A row is undefined until written (0 in simulation).
// Storage:    flip-flops or latches with a write enable per lane, 1.5 KB at 12 rows. Two writes:
//             the BOC gets one row from the banks and one result per cycle. Three reads: the
//             operands of one instruction; a row that is saved uses the last. No SRAM has that many
//             ports on 12 rows.
// Left out:   clock gating of rows.
// Shapes:     - ; Values=6,NumRd=2 ; Values=28,NumRd=1
// Proof:      2:6:Values=2,NumRd=1
// Proof:      2:6:Values=3,NumRd=2

`include "macros.svh"

module boc_rows #(
    parameter int Values = 12,
    parameter int NumRd  = 3,
    localparam int Lanes     = `NARROW(1, 32),    // lanes are independent: one represents all in proofs
    localparam int Row       = `NARROW(8, 1024),
    localparam int ValueBits = $clog2(Values)
) (
    input  logic                       clk_i,
    // a row from a bank
    input  logic                       arr_valid_i,
    input  logic [ValueBits-1:0]       arr_row_i,
    input  logic [Row-1:0]             arr_data_i,
    // a result, in the bytes of its lanes
    input  logic                       res_valid_i,
    input  logic [ValueBits-1:0]       res_row_i,
    input  logic [Lanes-1:0]           res_lane_i,
    input  logic [Row-1:0]             res_data_i,
    // observation: row obs_row_i while obs_en_i, else 0
    `OBS_PORT(input  logic                       obs_en_i)
    `OBS_PORT(input  logic [ValueBits-1:0]       obs_row_i)
    `OBS_PORT(output logic [Row-1:0]             obs_data_o)
    // rows read
    input  logic [NumRd-1:0]           rd_en_i,
    input  logic [NumRd*ValueBits-1:0] rd_row_i,
    output logic [NumRd*Row-1:0]       rd_data_o
);

    localparam int Slices = Row / 8 / Lanes;  // a slice: a byte of each lane

    logic [Row-1:0] row_q [0:Values-1];
    logic [8*Lanes-1:0] slice;
    always @* begin
        slice = '0;
        if (res_valid_i)
            for (int l = 0; l < Lanes; l = l + 1) slice[8*l +: 8] = {8{res_lane_i[l]}};
    end
    always_ff @(posedge clk_i) begin
        if (arr_valid_i) row_q[arr_row_i] <= arr_data_i;
        if (res_valid_i)
            row_q[res_row_i] <= (row_q[res_row_i] & ~{Slices{slice}}) | (res_data_i & {Slices{slice}});
    end
    // A row that is not read moves nothing.
    for (genvar r = 0; r < NumRd; r = r + 1) begin : g_rd
        assign rd_data_o[r*Row +: Row] = rd_en_i[r] ? row_q[rd_row_i[r*ValueBits +: ValueBits]] : '0;
    end

    `CHECK_RANGE(boc_rows, Values, 2, 28)
    `CHECK_RANGE(boc_rows, NumRd, 1, 3)
    `include "collect/boc_rows.obs.svh"
endmodule
