// SPDX-License-Identifier: Apache-2.0
// Purpose:    aligns the bytes of a result with the slices that its allocation mask names, on each
//             write port of the register file. Contract: models/pack/packer.h.
// Parameters: NumPorts, 1..4: results per cycle.
// Timing:     combinational: outputs in the cycle of the inputs. pk_out_o is defined where
//             pk_out_valid_o is 1; slices outside the mask are 0.
// Reset:      no state; every block has clk_i and rst_ni.
// Left out:   nothing.
// Shapes:     - ; NumPorts=1 ; NumPorts=4
// Proof:      1:1:NumPorts=1
// Proof:      1:1:NumPorts=2

`include "macros.svh"

module packer #(
    parameter int NumPorts = 2,
    localparam int Lanes = `NARROW(2, 32),  // lanes are independent: two represent all in the proof
    localparam int Row   = Lanes * 32,
    localparam int Slice = Lanes * 8
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,
    // values and where they go
    input  logic [NumPorts-1:0]     pk_valid_i,
    input  logic [NumPorts*Row-1:0] pk_data_i,
    input  logic [NumPorts*4-1:0]   pk_mask_i,
    // observation: parameters only
    `OBS_PORT(input  logic [31:0]             obs_addr_i)
    `OBS_PORT(output logic [31:0]             obs_data_o)
    // to the register file
    output logic [NumPorts-1:0]     pk_out_valid_o,
    output logic [NumPorts*4-1:0]   pk_slice_o,
    output logic [NumPorts*Row-1:0] pk_out_o
);

    logic unused;
    assign unused = clk_i ^ rst_ni;

    for (genvar p = 0; p < NumPorts; p = p + 1) begin : g_port
        logic [3:0]       mask, go;     // go: nothing without a valid input, so that nothing toggles
        logic [Slice-1:0] b0, b1, b2, b3;
        // Slice i can hold byte i or a lower one: byte k when k of the slices below are in the mask.
        logic             s1b0, s1b1, s2b0, s2b1, s2b2, s3b0, s3b1, s3b2, s3b3;
        assign mask = pk_mask_i[p*4 +: 4];
        assign b0   = pk_data_i[p*Row           +: Slice];
        assign b1   = pk_data_i[p*Row +   Slice +: Slice];
        assign b2   = pk_data_i[p*Row + 2*Slice +: Slice];
        assign b3   = pk_data_i[p*Row + 3*Slice +: Slice];
        assign go   = pk_valid_i[p] ? mask : '0;
        assign s1b0 = go[1:0] == 2'b10;
        assign s1b1 = go[1:0] == 2'b11;
        assign s2b0 = go[2:0] == 3'b100;
        assign s2b1 = go[2:0] == 3'b101 || go[2:0] == 3'b110;
        assign s2b2 = go[2:0] == 3'b111;
        assign s3b0 = go == 4'b1000;
        assign s3b1 = go == 4'b1001 || go == 4'b1010 || go == 4'b1100;
        assign s3b2 = go == 4'b1011 || go == 4'b1101 || go == 4'b1110;
        assign s3b3 = go == 4'b1111;
        assign pk_out_o[p*Row           +: Slice] = {Slice{go[0]}} & b0;
        assign pk_out_o[p*Row +   Slice +: Slice] = ({Slice{s1b0}} & b0) | ({Slice{s1b1}} & b1);
        assign pk_out_o[p*Row + 2*Slice +: Slice] =
            ({Slice{s2b0}} & b0) | ({Slice{s2b1}} & b1) | ({Slice{s2b2}} & b2);
        assign pk_out_o[p*Row + 3*Slice +: Slice] =
            ({Slice{s3b0}} & b0) | ({Slice{s3b1}} & b1) | ({Slice{s3b2}} & b2) | ({Slice{s3b3}} & b3);
        assign pk_slice_o[p*4 +: 4] = go;
        assign pk_out_valid_o[p]    = go != '0;
    end

    `CHECK_RANGE(packer, NumPorts, 1, 4)
    `include "pack/packer.obs.svh"
endmodule
