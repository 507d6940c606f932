// SPDX-License-Identifier: Apache-2.0
// Observation port of md_cache.
`ifdef RF_OBS
    logic [255:0] obs_bytes;
    assign obs_bytes = bytes_q[Index'(obs_addr_i - Lines)];
    always @* begin
        obs_data_o = '0;
        if (obs_addr_i == 32'hffff_0000) obs_data_o[31:0] = Bytes;
        if (obs_addr_i == 32'hffff_0001) obs_data_o[31:0] = Ways;
        for (int i = 0; i < Lines; i = i + 1) begin
            if (obs_addr_i == i) begin
                obs_data_o[0] = valid_q[i];
                obs_data_o[1] = valid_q[i] && dirty_q[i];
                obs_data_o[4 +: WayBits] = age_q[i*WayBits +: WayBits];
                if (valid_q[i]) obs_data_o[8 +: 18] = line_q[i*18 +: 18];
            end
            if (obs_addr_i == Lines + i && valid_q[i]) obs_data_o = obs_bytes;
        end
    end
`endif
