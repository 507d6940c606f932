// SPDX-License-Identifier: Apache-2.0
// The contract of boc_rows, proved by ci/formal, which includes it at the end of the module.
    // Contract, for any row f_a: it holds the value written last.
    (* anyconst *) logic [ValueBits-1:0] f_a;
    logic           f_past, f_known, f_arrives, f_stores;
    logic [Row-1:0] f_value, f_next;
    initial f_past  = 1'b0;
    initial f_known = 1'b0;
    always_comb begin
        f_arrives = arr_valid_i && arr_row_i == f_a;
        f_stores  = res_valid_i && res_row_i == f_a;
        f_next    = f_arrives ? arr_data_i : !f_stores ? f_value :
                    res_lane_i[0] ? res_data_i : f_value;
        assume (!(f_arrives && f_stores));
        assume (f_a < Values && arr_row_i < Values && res_row_i < Values);
        assume (obs_en_i && obs_row_i == f_a);
    end
    always_ff @(posedge clk_i) begin
        f_past  <= 1'b1;
        f_value <= f_next;
        f_known <= f_known || f_arrives || (f_stores && res_lane_i[0]);
    end
    always_comb if (f_past && f_known) begin
        assert (obs_data_o == f_value);
        for (int r = 0; r < NumRd; r = r + 1)
            begin
            if (rd_en_i[r] && rd_row_i[r*ValueBits +: ValueBits] == f_a) assert (rd_data_o[r*Row +: Row] == f_value);
            if (!rd_en_i[r]) assert (rd_data_o[r*Row +: Row] == '0);
        end
    end
    always_comb begin
        cover (f_past && f_known && f_value == 8'h5a && rd_en_i[0] && rd_row_i[ValueBits-1:0] == f_a);
        cover (f_past && f_known && f_stores && !res_lane_i[0]);
    end
