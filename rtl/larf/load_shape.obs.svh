// SPDX-License-Identifier: Apache-2.0
// Observation port of load_shape.
`ifdef RF_OBS
    always @* begin
        obs_data_o = '0;
        if (obs_addr_i == 32'hffff_0000) obs_data_o = NumTags;
        for (int s = 0; s < 3; s = s + 1)
            if (valid_q[s]) begin
                if (obs_addr_i == s) begin
                    obs_data_o[31]           = 1'b1;
                    obs_data_o[0 +: TagBits] = tag_q[s*TagBits +: TagBits];
                end
                if (obs_addr_i == 3 + s) obs_data_o[0 +: Lanes] = mask_q[s*Lanes +: Lanes];
            end
    end
`endif
