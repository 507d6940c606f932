// SPDX-License-Identifier: Apache-2.0
// Observation port of bdi_decompress.
`ifdef RF_OBS
    always @* begin
        obs_data_o = '0;
        if (obs_addr_i == 32'hffff_0000) obs_data_o[31:0] = Cycles;
        for (int s = 0; s < Cycles; s = s + 1) begin
            if (obs_addr_i == 0) obs_data_o[32*s +: 2] = {error_q[s], valid_q[s]};
            if (obs_addr_i == s + 1 && valid_q[s]) obs_data_o[0 +: Line] = lines[s*Line +: Line];
        end
    end
`endif
