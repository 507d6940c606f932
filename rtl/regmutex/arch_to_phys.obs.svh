// SPDX-License-Identifier: Apache-2.0
// Observation port of arch_to_phys.
`ifdef RF_OBS
    always @*
        case (obs_addr_i)
        32'hffff_0000: obs_data_o = Warps;
        32'hffff_0001: obs_data_o = Regs;
        32'hffff_0002: obs_data_o = Banks;
        32'hffff_0003: obs_data_o = Entries;
        32'hffff_0004: obs_data_o = NumAlloc;
        32'hffff_0005: obs_data_o = NumRegs;
        default:       obs_data_o = '0;
        endcase
`endif
