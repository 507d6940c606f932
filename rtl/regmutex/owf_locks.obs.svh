// SPDX-License-Identifier: Apache-2.0
// Observation port of owf_locks.
`ifdef RF_OBS
    always @* begin
        obs_data_o = '0;
        case (obs_addr_i)
        Warps + CtaPairs:     obs_data_o = 32'(warps_q);
        Warps + CtaPairs + 1: obs_data_o = 32'(pairs_q);
        32'hffff_0000: obs_data_o = Warps;
        32'hffff_0001: obs_data_o = Ctas;
        32'hffff_0002: obs_data_o = NumReq;
        default: begin
            for (int w = 0; w < Warps; w = w + 1)
                if (obs_addr_i == 32'(w)) obs_data_o[1:0] = {held_q[w], live_q[w]};
            for (int k = 0; k < CtaPairs; k = k + 1)
                if (obs_addr_i == 32'(Warps + k)) obs_data_o[1:0] = {side_q[k], owned_q[k]};
        end
        endcase
    end
`endif
