// SPDX-License-Identifier: Apache-2.0
// Observation port of srp_allocator.
`ifdef RF_OBS
    logic [63:0] obs_status, obs_srp;
    assign obs_status = 64'(status_q);
    assign obs_srp    = 64'(srp_q);
    always @* begin
        obs_data_o = '0;
        case (obs_addr_i)
        32'd0: obs_data_o = obs_status[31:0];
        32'd1: obs_data_o = obs_status[63:32];
        32'd2: obs_data_o = obs_srp[31:0];
        32'd3: obs_data_o = obs_srp[63:32];
        32'd4: obs_data_o = 32'(paired_q);
        32'hffff_0000: obs_data_o = Warps;
        32'hffff_0001: obs_data_o = NumReq;
        32'hffff_0002: obs_data_o = NumLook;
        default:
            for (int w = 0; w < Warps; w = w + 1)
                if (obs_addr_i == 32'(w + 5)) obs_data_o = 32'(lut_q[w*WarpBits +: WarpBits]);
        endcase
    end
`endif
