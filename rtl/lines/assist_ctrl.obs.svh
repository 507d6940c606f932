// SPDX-License-Identifier: Apache-2.0
// Observation port of assist_ctrl.
`ifdef RF_OBS
    always @* begin
        obs_data_o = '0;
        if (obs_addr_i == 32'hffff_0000) obs_data_o[31:0] = NumWarps;
        if (obs_addr_i == 32'hffff_0001) obs_data_o[31:0] = NumIssue;
        if (obs_addr_i == 32'hffff_0002) obs_data_o[31:0] = Cycles;
        if (obs_addr_i == Entries) obs_data_o[15:0] = {8'(second_q), 8'(first_q)};
        for (int e = 0; e < Entries; e = e + 1)
            if (obs_addr_i == e && busy_q[e])
                obs_data_o = {mask_q[e*32 +: 32], 4'd0, end_q[e*8 +: 8], inst_q[e*8 +: 8], 3'd0, sr_q[e*5 +: 5], 1'b0,
                              pinned_q[e], killed_q[e], 1'b1};
    end
`endif
