// SPDX-License-Identifier: Apache-2.0
// Observation port of banked_rf.
`ifdef RF_OBS
    always @* begin
        obs_data_o = '0;
        if (obs_addr_i < Rows)
            for (int b = 0; b < Banks; b = b + 1)
                obs_data_o = obs_data_o | 1024'(obs_row[b*Row +: Row]);
        else if (obs_addr_i < Rows + Banks) obs_data_o[WrBits-1:0] = obs_first;
        else if (obs_addr_i == 32'hffff_0000) obs_data_o[31:0] = Banks;
        else if (obs_addr_i == 32'hffff_0001) obs_data_o[31:0] = Entries;
        else if (obs_addr_i == 32'hffff_0002) obs_data_o[31:0] = NumColl;
        else if (obs_addr_i == 32'hffff_0003) obs_data_o[31:0] = NumWr;
    end
`endif
