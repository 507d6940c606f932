// SPDX-License-Identifier: Apache-2.0
// The contract of unpacker, proved by ci/formal, which includes it at the end of the module.
    // Contract, for any row and any lane. If `packer` packed two values with masks that do not
    // overlap and are large enough, both return unchanged, for any other contents of the row.
    // Complete: every value, every pair of masks.
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
