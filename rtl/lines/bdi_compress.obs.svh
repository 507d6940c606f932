// SPDX-License-Identifier: Apache-2.0
// Observation port of bdi_compress.
`ifdef RF_OBS
    always @* begin
        obs_data_o = '0;
        if (obs_addr_i == 32'hffff_0000) obs_data_o[31:0] = Base;
        if (obs_addr_i == 0) obs_data_o[4:0] = there_q;
        for (int s = 0; s < 3; s = s + 1)
            if (obs_addr_i == s + 1 && there_q[s]) obs_data_o = row_q[s*1024 +: 1024];
    end
`endif
