// SPDX-License-Identifier: Apache-2.0
// Observation port of coalescer.
`ifdef RF_OBS
    always @* begin
        obs_data_o = '0;
        if (obs_addr_i == 32'hffff_0000) obs_data_o = NumAlloc;
        else if (obs_addr_i == 32'hffff_0001) obs_data_o = NumOps;
        else if (obs_addr_i == 32'hffff_0002) obs_data_o = Banks;
        else if (obs_addr_i == 32'hffff_0003) obs_data_o = Entries;
    end
`endif
