// SPDX-License-Identifier: Apache-2.0
// Purpose:    finds how many bytes each result of a cycle needs, over all lanes of the warp. Contract:
//             models/pack/width_detect.h.
// Parameters: NumPorts, 1..4: results per cycle.
// Timing:     combinational: outputs in the cycle of the inputs; 0 where wd_valid_i is 0.
// Reset:      no state; every block has clk_i and rst_ni.
// Left out:   a pipeline register, which is that of the execution unit's last stage.
// Shapes:     - ; NumPorts=1 ; NumPorts=4
// Proof:      1:1:NumPorts=1
// Proof:      1:1:NumPorts=2

`include "macros.svh"

module width_detect #(
    parameter int NumPorts = 2,
    localparam int Lanes = `NARROW(2, 32),  // lanes meet in an OR only: two represent all in the proof
    localparam int Row   = Lanes * 32,
    localparam int Slice = Lanes * 8
) (
    input  logic                      clk_i,
    input  logic                      rst_ni,
    // results at the end of the execution units
    input  logic [NumPorts-1:0]       wd_valid_i,
    input  logic [NumPorts*Row-1:0]   wd_data_i,
    input  logic [NumPorts*Lanes-1:0] wd_lane_i,
    input  logic [NumPorts*3-1:0]     wd_old_i,
    // observation: parameters only
    `OBS_PORT(input  logic [31:0]               obs_addr_i)
    `OBS_PORT(output logic [31:0]               obs_data_o)
    // bytes needed above the lowest, bytes to store
    output logic [NumPorts*3-1:0]     wd_wide_o,
    output logic [NumPorts*3-1:0]     wd_size_o
);

    logic unused;
    assign unused = clk_i ^ rst_ni;

    localparam logic [Slice-1:0] Top = {Lanes{8'h80}};

    // A byte above the size holds copies of the sign. An exclusive OR with the sign precedes
    // the test for 0. The test is then the paper's OR if the value is positive, its NAND if negative.
    for (genvar p = 0; p < NumPorts; p = p + 1) begin : g_port
        logic [Slice-1:0] sign, look;      // per lane 8 copies: the value is negative, lane counts
        logic [Lanes-1:0] lane;
        logic [2:0]       wide, size, old, floor;
        assign lane = wd_lane_i[p*Lanes +: Lanes];
        always @* begin                    // no input is read without a result
            sign = '0;
            look = '0;
            wide = '0;
            if (wd_valid_i[p]) begin
                for (int l = 0; l < Lanes; l = l + 1) begin
                    sign[l*8 +: 8] = {8{wd_data_i[p*Row + 3*Slice + l*8 + 7]}};
                    look[l*8 +: 8] = {8{lane[l]}};
                end
                // bits [14:7], [22:15], [30:23] of the lanes
                wide[0] = ((((wd_data_i[p*Row +   Slice +: Slice] ^ sign) & ~Top) |
                            ((wd_data_i[p*Row +: Slice] ^ sign) & Top)) & look) != '0;
                wide[1] = ((((wd_data_i[p*Row + 2*Slice +: Slice] ^ sign) & ~Top) |
                            ((wd_data_i[p*Row +   Slice +: Slice] ^ sign) & Top)) & look) != '0;
                wide[2] = ((((wd_data_i[p*Row + 3*Slice +: Slice] ^ sign) & ~Top) |
                            ((wd_data_i[p*Row + 2*Slice +: Slice] ^ sign) & Top)) & look) != '0;
            end
        end
        assign old     = wd_old_i[p*3 +: 3];
        assign floor   = (lane == '1) ? 3'd0 : old;
        assign size    = wide[2] ? 3'd4 : wide[1] ? 3'd3 : wide[0] ? 3'd2 : 3'd1;
        assign wd_wide_o[p*3 +: 3] = wide;
        assign wd_size_o[p*3 +: 3] = !wd_valid_i[p] ? '0 : floor > size ? floor : size;
    end

    `CHECK_RANGE(width_detect, NumPorts, 1, 4)
    `include "pack/width_detect.obs.svh"
endmodule
