// SPDX-License-Identifier: Apache-2.0
// Observation port of avail_vector.
`ifdef RF_OBS
    logic [PhyBits-1:0] obs_id;
    assign obs_id = PhyBits'(obs_addr_i);
    always @* begin
        obs_data_o = '0;
        if (obs_addr_i < NumPhy)
            obs_data_o[2:0] = {dying_q[obs_id], pend_q[obs_id], avail_q[obs_id]};
        else if (obs_addr_i == NumPhy) obs_data_o[CountBits-1:0] = limit_q;
        else if (obs_addr_i == 32'hffff_0000) obs_data_o = NumPhy;
        else if (obs_addr_i == 32'hffff_0001) obs_data_o = Banks;
        else if (obs_addr_i == 32'hffff_0002) obs_data_o = Entries;
        else if (obs_addr_i == 32'hffff_0003) obs_data_o = NumIssue;
        else if (obs_addr_i == 32'hffff_0004) obs_data_o = NumWr;
    end
`endif
