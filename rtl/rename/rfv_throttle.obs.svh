// SPDX-License-Identifier: Apache-2.0
// Observation port of rfv_throttle.
`ifdef RF_OBS
    always @* begin
        obs_data_o = '0;
        case (obs_addr_i)
        3*Ctas:        obs_data_o = 32'(free_q);
        3*Ctas + 1:    obs_data_o = 32'(need_q);
        32'hffff_0000: obs_data_o = Banks;
        32'hffff_0001: obs_data_o = Entries;
        32'hffff_0002: obs_data_o = Ctas;
        32'hffff_0003: obs_data_o = NumReq;
        32'hffff_0004: obs_data_o = NumFree;
        default:
            for (int c = 0; c < Ctas; c = c + 1) begin
                if (obs_addr_i == 32'(c)) obs_data_o = 32'(balance_q[c*RowBits +: RowBits]);
                if (obs_addr_i == 32'(Ctas + c)) obs_data_o = 32'(resident_q[c]);
                if (obs_addr_i == 32'(2*Ctas + c)) obs_data_o = 32'(before_q[c*Ctas +: Ctas]);
            end
        endcase
    end
`endif
