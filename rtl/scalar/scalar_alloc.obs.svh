// SPDX-License-Identifier: Apache-2.0
// Observation port of scalar_alloc.
`ifdef RF_OBS
    always @* begin
        obs_data_o = '0;
        case (obs_addr_i)
        32'd0: obs_data_o = 32'(words_q);
        32'd1: obs_data_o = 32'(parts_q);
        32'hffff_0000: obs_data_o = Words;
        32'hffff_0001: obs_data_o = Units;
        32'hffff_0002: obs_data_o = Threads;
        default:
            for (int c = 0; c < Threads; c = c + 1)
                if (obs_addr_i == 32'(c + 2))
                    obs_data_o = 32'(unit_q[c*UnitBits +: UnitBits]) << 9 | 32'(part_q[c*CtxBits +: CtxBits]) << 1 |
                                 32'(used_q[c]);
        endcase
    end
`endif
