// SPDX-License-Identifier: Apache-2.0
// Observation port of wait_table.
`ifdef RF_OBS
    always @* begin
        obs_data_o = '0;
        case (obs_addr_i)
        32'hffff_0000: obs_data_o[31:0] = Waiters;
        32'hffff_0001: obs_data_o[31:0] = Warps;
        32'hffff_0002: obs_data_o[31:0] = Regs;
        32'hffff_0003: obs_data_o[31:0] = Banks;
        32'hffff_0004: obs_data_o[31:0] = Entries;
        32'hffff_0005: obs_data_o[31:0] = NumWr;
        default:
            for (int p = 0; p < Waiters; p = p + 1)
                if (obs_addr_i == p && valid_q[p]) begin
                    obs_data_o[31]             = 1'b1;
                    obs_data_o[30]             = there_q[p];
                    obs_data_o[0 +: PhyBits]   = entry_q[p*Entry +: PhyBits];
                    obs_data_o[40 +: WarpBits] = entry_q[p*Entry + PhyBits +: WarpBits];
                    obs_data_o[32 +: RegBits]  = entry_q[p*Entry + PhyBits + WarpBits +: RegBits];
                end
        endcase
    end
`endif
