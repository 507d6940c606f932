// SPDX-License-Identifier: Apache-2.0
// The contract of packer, proved by ci/formal, which includes it at the end of the module.
    // Contract, for any port: going up the slices, each one of the mask takes the next byte.
    (* anyconst *) logic [1:0] f_p;
    logic [Row-1:0] f_in, f_out;
    logic [3:0]     f_mask, f_slice;
    logic [1:0]     f_next;
    always_comb begin
        assume (f_p < NumPorts);
        f_in    = Row'(pk_data_i >> f_p * Row);
        f_out   = Row'(pk_out_o >> f_p * Row);
        f_mask  = 4'(pk_mask_i >> f_p * 4);
        f_slice = 4'(pk_slice_o >> f_p * 4);
        assert (f_slice == (pk_valid_i[f_p] ? f_mask : 4'd0));
        assert (pk_out_valid_o[f_p] == (f_slice != '0));
        f_next = '0;
        for (int i = 0; i < 4; i = i + 1) begin
            if (pk_out_valid_o[f_p])
                assert (f_out[i*Slice +: Slice] == (f_mask[i] ? Slice'(f_in >> f_next * Slice) : '0));
            if (f_mask[i]) f_next = f_next + 1'b1;
        end
        cover (pk_out_valid_o[f_p] && f_mask == 4'b1010 && f_out[Row-1 -: 8] == 8'h42);
        cover (pk_out_valid_o[f_p] && f_mask == 4'b1111);
    end
