// SPDX-License-Identifier: Apache-2.0
// Purpose:    recovers full-width registers from rows of the register file. A pair of unpackers per
//             row shifts the slices of two allocation masks down and extends their signs. A
//             coalesced read thus delivers both registers at once. Contract:
//             models/pack/unpacker.h.
// Parameters: NumRows, 1..32: rows per cycle.
// Timing:     combinational: outputs in the cycle of the inputs. Outputs up_first_o and up_second_o
//             are defined where their valid bit is 1.
// Reset:      no state; every block has clk_i and rst_ni.
// Left out:   a pipeline register, which is the operand row of the collector.
// Shapes:     - ; NumRows=1 ; NumRows=6
// Proof:      1:1:NumRows=1
// Proof:      1:1:NumRows=2

`include "macros.svh"

module unpacker #(
    parameter int NumRows = 4,
    localparam int Lanes = `NARROW(2, 32),  // lanes are independent: two represent all in the proof
    localparam int Row   = Lanes * 32,
    localparam int Slice = Lanes * 8
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    // rows as the banks deliver them
    input  logic [NumRows-1:0]     up_valid_i,
    input  logic [NumRows*Row-1:0] up_row_i,
    input  logic [NumRows*4-1:0]   up_mask1_i,
    input  logic [NumRows*4-1:0]   up_mask2_i,
    // observation: parameters only
    `OBS_PORT(input  logic [31:0]            obs_addr_i)
    `OBS_PORT(output logic [31:0]            obs_data_o)
    // registers
    output logic [NumRows-1:0]     up_first_valid_o,
    output logic [NumRows-1:0]     up_second_valid_o,
    output logic [NumRows*Row-1:0] up_first_o,
    output logic [NumRows*Row-1:0] up_second_o
);

    logic unused;
    assign unused = clk_i ^ rst_ni;

    // Bit 4*k + i: byte k of a register is slice i of the row. This holds if slice i and k of the
    // slices below it are in the mask. No byte is above its slice.
    function automatic [15:0] places(input [3:0] mask, input [3:0] low);   // low: slice of byte 0
        places = {mask == 4'b1111, 3'b000,
                  mask == 4'b1011 || mask == 4'b1101 || mask == 4'b1110, mask[2:0] == 3'b111, 2'b00,
                  mask == 4'b1001 || mask == 4'b1010 || mask == 4'b1100,
                  mask[2:0] == 3'b101 || mask[2:0] == 3'b110, mask[1:0] == 2'b11, 1'b0,
                  low == 4'b1000, low[2:0] == 3'b100, low[1:0] == 2'b10, low[0]};
    endfunction
    // Bytes that a register does not have, which are copies of its sign; none when there is no register.
    function automatic [3:0] lacks(input [3:0] mask, input [15:0] place);
        integer k;
        begin
            lacks = '0;
            for (k = 1; k < 4; k = k + 1) lacks[k] = mask != '0 && place[4*k +: 4] == '0;
        end
    endfunction

    // A register that is not in the row is 0 because its selects are 0. No bit of it requires a
    // gate of its own, and simulation copies nothing.
    for (genvar v = 0; v < 2*NumRows; v = v + 1) begin : g_value
        localparam int R = v / 2;
        logic [3:0]       mask1, mask, lack;
        logic [15:0]      place;
        logic [Slice-1:0] sign;             // per lane 8 copies; the sign is that of the highest slice of the mask
        logic [Row-1:0]   value;
        assign mask1 = up_valid_i[R] ? up_mask1_i[R*4 +: 4] : '0;
        assign mask  = v % 2 == 0 ? mask1 : up_valid_i[R] ? up_mask2_i[R*4 +: 4] : '0;
        assign place = places(mask, mask);
        assign lack  = lacks(mask, place);
        always @* begin
            sign  = '0;
            value = '0;
            for (int k = 0; k < 4; k = k + 1)
                for (int i = k; i < 4; i = i + 1)
                    if (place[4*k + i])
                        value[k*Slice +: Slice] = value[k*Slice +: Slice] | up_row_i[R*Row + i*Slice +: Slice];
            if (lack != '0)
                for (int l = 0; l < Lanes; l = l + 1)
                    sign[l*8 +: 8] = {8{mask[3]      ? up_row_i[R*Row + 3*Slice + l*8 + 7]
                                        : mask[2]      ? up_row_i[R*Row + 2*Slice + l*8 + 7]
                                        : mask[1]      ? up_row_i[R*Row + Slice + l*8 + 7]
                                                       : up_row_i[R*Row + l*8 + 7]}};
            for (int k = 1; k < 4; k = k + 1)
                if (lack[k]) value[k*Slice +: Slice] = value[k*Slice +: Slice] | sign;
        end
        if (v % 2 == 0) begin : g_first
            assign up_first_o[R*Row +: Row] = value;
            assign up_first_valid_o[R]      = mask != '0;
        end else begin : g_second
            assign up_second_o[R*Row +: Row] = value;
            assign up_second_valid_o[R]      = mask != '0;
        end
    end

    `CHECK_RANGE(unpacker, NumRows, 1, 32)
    `include "pack/unpacker.obs.svh"
endmodule
