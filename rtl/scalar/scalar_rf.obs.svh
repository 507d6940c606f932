// SPDX-License-Identifier: Apache-2.0
// Observation port of scalar_rf.
`ifdef RF_OBS
    logic [31:0]        obs_even, obs_odd;
    logic [RowBits-1:0] obs_row;
    assign obs_row  = obs_addr_i[RowBits:1];
    assign obs_even = g_bank[0].mem_q[obs_row];
    assign obs_odd  = g_bank[1].mem_q[obs_row];
    always @*
        if (obs_addr_i == 32'hffff_0000) obs_data_o = Words;
        else if (obs_addr_i < Words) obs_data_o = obs_addr_i[0] ? obs_odd : obs_even;
        else if (obs_addr_i == Words) obs_data_o = 32'(valid_q);
        else obs_data_o = '0;
`endif
