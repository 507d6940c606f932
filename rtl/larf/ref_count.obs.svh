// SPDX-License-Identifier: Apache-2.0
// Observation port of ref_count.
`ifdef RF_OBS
    always @* begin
        obs_data_o = '0;
        if (obs_addr_i < Regs) begin
            for (int k = 0; k < CountBits; k = k + 1) obs_data_o[k] = 1'(count_q[k*Regs +: Regs] >> obs_addr_i);
            obs_data_o[29] = 1'(entered_q >> obs_addr_i);
            obs_data_o[30] = 1'(pending_q >> obs_addr_i);
            obs_data_o[31] = 1'(sent_q >> obs_addr_i);
        end else if (obs_addr_i == 32'hffff_0000) obs_data_o = Banks;
        else if (obs_addr_i == 32'hffff_0001) obs_data_o = Entries;
        else if (obs_addr_i == 32'hffff_0002) obs_data_o = CountBits;
        else if (obs_addr_i == 32'hffff_0003) obs_data_o = NumAlloc;
        else if (obs_addr_i == 32'hffff_0004) obs_data_o = NumDec;
    end
`endif
