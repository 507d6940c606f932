// SPDX-License-Identifier: Apache-2.0
// Observation port of rf_lookup.
`ifdef RF_OBS
    `include "rf/rf_place.obs.svh"
    always @* begin
        obs_data_o = '0;
        if (obs_en_i && busy_q) begin
            obs_data_o[0]              = 1'b1;
            obs_data_o[1 +: NumOps]    = again_q;
            obs_data_o[4 +: NumOps]    = known_q;
            obs_data_o[7 +: NumOps]    = need_q;
            obs_data_o[12:10]          = dst_n_q;
            obs_data_o[15:13]          = served_q;
            obs_data_o[16 +: WarpBits] = warp_q;
            obs_data_o[24 +: UnitBits] = unit_q;
            for (int o = 0; o < NumOps; o = o + 1)
                if (need_q[o]) begin
                    obs_data_o[(1 + 2*o)*32 +: RegBits] = reg_q[o*RegBits +: RegBits];
                    if (known_q[o]) obs_data_o[(2 + 2*o)*32 +: 32] = obs_place(place_q[o*PlaceBits +: PlaceBits]);
                end
            for (int i = 0; i < MaxDst; i = i + 1)
                if (3'(i) < dst_n_q)
                    obs_data_o[7*32 + 8*i +: RegBits] = dst_q[i*RegBits +: RegBits];
        end
        if (obs_en_i && late_q) begin
            obs_data_o[27]                      = 1'b1;
            obs_data_o[8*32 +: 6]               = {late_served_q, late_n_q};
            obs_data_o[8*32 + 8 +: WarpBits]    = late_warp_q;
            for (int i = 0; i < MaxDst; i = i + 1)
                if (3'(i) < late_n_q)
                    obs_data_o[9*32 + 8*i +: RegBits] = late_dst_q[i*RegBits +: RegBits];
        end
    end
`endif
