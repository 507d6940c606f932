// SPDX-License-Identifier: Apache-2.0
// Purpose:    recovers full-width registers from rows of the register file: a pair of unpackers per
//             row shifts the slices of two allocation masks down and extends their signs, so that a
//             coalesced read gives both registers at once. Contract: models/pack/unpacker.h.
// Parameters: NumRows, 1..32: rows per cycle.
// Timing:     combinational: outputs in the cycle of the inputs. up_first_o and up_second_o are
//             defined where their valid bit is 1.
// Reset:      no state; clk_i and rst_ni are there because every block has them.
// Left out:   a pipeline register, which is the operand row of the collector.
// Shapes:     - ; NumRows=1 ; NumRows=6
// Proof:      1:1:NumRows=1
// Proof:      1:1:NumRows=2

module unpacker #(
    parameter int NumRows = 4,
`ifdef RF_NARROW
    localparam int Lanes = 2,  // lanes do not see each other: two stand for all in the proof
`else
    localparam int Lanes = 32,
`endif
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
`ifdef RF_OBS
    // observation: parameters only
    input  logic [31:0]            obs_addr_i,
    output logic [31:0]            obs_data_o,
`endif
    // registers
    output logic [NumRows-1:0]     up_first_valid_o,
    output logic [NumRows-1:0]     up_second_valid_o,
    output logic [NumRows*Row-1:0] up_first_o,
    output logic [NumRows*Row-1:0] up_second_o
);

    logic unused;
    assign unused = clk_i ^ rst_ni;

    // Byte k of a register is slice i of the row when slice i is in the mask and k of the slices below it are: bit
    // 4*k + i. No byte is above its slice.
    function automatic [15:0] places(input [3:0] mask, input [3:0] low);   // low: where byte 0 is looked for
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

    // A register that is not in the row is 0: its selects are, so no bit of it needs a gate of its own, and
    // simulation copies nothing.
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

`ifdef RF_OBS
    assign obs_data_o = obs_addr_i == 32'hffff_0000 ? NumRows : '0;
`endif

`ifdef SIM
    initial
        if (NumRows < 1 || NumRows > 32)
            $fatal(1, "unpacker: NumRows = %0d, legal is 1..32", NumRows);
`endif

`ifdef FORMAL
    // Contract, for any row and any lane: packed by `packer` with masks that do not overlap and are
    // large enough, two values come back unchanged, whatever else the row holds. Complete: every
    // value, every pair of masks.
    (* anyconst *) logic [4:0]    f_r;
    (* anyconst *) logic          f_l;
    (* anyseq *) logic [2*Row-1:0] f_values;
    (* anyseq *) logic [Row-1:0]   f_rest;
    logic [1:0]       f_packed_valid;
    logic [7:0]       f_masks, f_slices;
    logic [2*Row-1:0] f_packed;
    logic [31:0]      f_none;
    packer #(.NumPorts(2)) u_f_packer (
        .clk_i,
        .rst_ni,
        .pk_valid_i     (2'b11),
        .pk_data_i      (f_values),
        .pk_mask_i      (f_masks),
        .obs_addr_i     (32'd0),
        .obs_data_o     (f_none),
        .pk_out_valid_o (f_packed_valid),
        .pk_slice_o     (f_slices),
        .pk_out_o       (f_packed)
    );
    function automatic [31:0] f_lane(input [Row-1:0] row, input l);
        f_lane = {row[3*Slice + l*8 +: 8], row[2*Slice + l*8 +: 8], row[Slice + l*8 +: 8],
                  row[l*8 +: 8]};
    endfunction
    // the value is the sign extension of as many bytes as the mask has ones
    function automatic f_fits(input [31:0] value, input [3:0] mask);
        case (3'(mask[0]) + 3'(mask[1]) + 3'(mask[2]) + 3'(mask[3]))
        3'd0: f_fits = 1'b0;
        3'd1: f_fits = $signed(value) >= -128 && $signed(value) <= 127;
        3'd2: f_fits = $signed(value) >= -32768 && $signed(value) <= 32767;
        3'd3: f_fits = $signed(value) >= -8388608 && $signed(value) <= 8388607;
        default: f_fits = 1'b1;
        endcase
    endfunction
    logic [Row-1:0] f_row, f_first, f_second, f_expected;
    logic [3:0]     f_mask1, f_mask2;
    logic [31:0]    f_value1, f_value2;
    assign f_row    = Row'(up_row_i >> f_r * Row);
    assign f_first  = Row'(up_first_o >> f_r * Row);
    assign f_second = Row'(up_second_o >> f_r * Row);
    assign f_mask1  = 4'(up_mask1_i >> f_r * 4);
    assign f_mask2  = 4'(up_mask2_i >> f_r * 4);
    assign f_masks  = {f_mask2, f_mask1};
    assign f_value1 = f_lane(f_values[0 +: Row], f_l);
    assign f_value2 = f_lane(f_values[Row +: Row], f_l);
    always_comb begin
        assume (f_r < NumRows);
        for (int i = 0; i < 4; i = i + 1)
            f_expected[i*Slice +: Slice] = f_slices[i] ? f_packed[i*Slice +: Slice]
                                     : f_slices[4 + i] ? f_packed[Row + i*Slice +: Slice]
                                                       : f_rest[i*Slice +: Slice];
        assume (f_row == f_expected);
        assert (up_first_valid_o[f_r] == (up_valid_i[f_r] && f_mask1 != '0));
        assert (up_second_valid_o[f_r] == (up_valid_i[f_r] && f_mask2 != '0));
        if (!up_first_valid_o[f_r])  assert (f_lane(f_first, f_l) == '0);
        if (!up_second_valid_o[f_r]) assert (f_lane(f_second, f_l) == '0);
        if (up_valid_i[f_r] && f_fits(f_value1, f_mask1)) assert (f_lane(f_first, f_l) == f_value1);
        if (up_valid_i[f_r] && f_fits(f_value2, f_mask2) && ((f_mask1 & f_mask2) == '0 || f_mask1 == f_mask2))
            assert (f_lane(f_second, f_l) == (f_mask1 == f_mask2 ? f_lane(f_first, f_l) : f_value2));
        cover (up_first_valid_o[f_r] && up_second_valid_o[f_r] && (f_mask1 & f_mask2) == '0 &&
               f_fits(f_value1, f_mask1) && f_fits(f_value2, f_mask2) && f_value1 == 32'hffff_ff80 &&
               f_value2 == 32'h007f_ff80);
        cover (up_first_valid_o[f_r] && f_mask1 == 4'b0101 && f_fits(f_value1, f_mask1) && f_l);
    end
`endif
endmodule
