// SPDX-License-Identifier: Apache-2.0
// Observation port of addr_map_stores.
`ifdef RF_OBS
    always @* begin
        obs_data_o = '0;
        if (obs_addr_i == 32'd0) begin
            obs_data_o[2:0]         = count_q;
            obs_data_o[16 +: Steps] = todo_q;
        end
        for (int i = 0; i < Depth; i = i + 1)
            if (obs_addr_i == 1 + i && 3'(i) < count_q) begin
                obs_data_o[31]             = 1'b1;
                obs_data_o[29:28]          = age_q[2*i +: 2];
                obs_data_o[0 +: LineBits]  = last_q[i*LineBits +: LineBits];
                obs_data_o[32 +: AddrBits] = low_q[i*AddrBits +: AddrBits];
            end
    end
`endif
