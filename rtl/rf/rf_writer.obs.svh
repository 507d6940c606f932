// SPDX-License-Identifier: Apache-2.0
// Observation ports of rf_writer.
`ifdef RF_OBS
    `include "rf/rf_place.obs.svh"
    always @* begin
        obs_data_o = '0;
        if (obs_en_i && busy1_q) begin
            obs_data_o[31:0]        = {5'd0, need_q, 8'(warp1_q), 8'(reg1_q), 4'd0, step_q, 1'b1};
            obs_data_o[63:32]       = obs_place(place1_q);
            obs_data_o[64 +: Lanes] = lane1_q;
            obs_data_o[99:96]       = {seek_q, align_q, pair_q};
            if (has_place) obs_data_o[101:100] = kind_q;
            if (pair_q) obs_data_o[104 +: RegBits] = buddy_q;
            obs_data_o[110]         = found_q;
            obs_data_o[159:128]     = obs_place(bd_q);
        end
        if (obs_en_i && busy2_q) begin
            obs_data_o[160 +: 32]       = {8'd0, 8'(warp2_q), 8'(reg2_q), 5'd0, update2_q, bank2_q, 1'b1};
            obs_data_o[192 +: 32]       = obs_place(place2_q);
            obs_data_o[160+64 +: Lanes] = lane2_q;
        end
    end
    always @* begin
        obs_rows_o = '0;
        if (obs_rows_en_i && busy1_q) obs_rows_o[0 +: Row] = data1_q;
        if (obs_rows_en_i && busy2_q) obs_rows_o[Row +: Row] = data2_q;
    end
`endif
