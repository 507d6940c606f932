// SPDX-License-Identifier: Apache-2.0
// Observation port of dual_scoreboard.
`ifdef RF_OBS
    logic [WarpBits-1:0] obs_warp;
    logic [NumRegs-1:0]  obs_n_pend, obs_n_long, obs_p_pend, obs_p_long;
    logic [RegBits-1:0]  obs_trig;
    assign obs_warp   = WarpBits'(obs_addr_i);
    assign obs_n_pend = n_pend_q[obs_warp];
    assign obs_n_long = n_long_q[obs_warp];
    assign obs_p_pend = p_pend_q[obs_warp];
    assign obs_p_long = p_long_q[obs_warp];
    assign obs_trig   = trig_q[obs_warp];
    always @* begin
        obs_data_o = '0;
        if (obs_addr_i < NumWarps) begin
            obs_data_o[0 +: NumRegs]   = obs_n_pend;
            obs_data_o[64 +: NumRegs]  = obs_n_long;
            obs_data_o[128 +: NumRegs] = obs_p_pend;
            obs_data_o[192 +: NumRegs] = obs_p_long;
            obs_data_o[256]            = mode_q[obs_warp];
            obs_data_o[257 +: RegBits] = obs_trig;
            obs_data_o[288 +: NumPreds] = preds(pn_wait_q, obs_warp);
            obs_data_o[296 +: NumPreds] = preds(pp_wait_q, obs_warp);
            obs_data_o[304 +: NumPreds] = preds(pp_skip_q, obs_warp);
        end else if (obs_addr_i == 32'hffff_0000) obs_data_o[31:0] = NumWarps;
        else if (obs_addr_i == 32'hffff_0001) obs_data_o[31:0] = NumRegs;
        else if (obs_addr_i == 32'hffff_0002) obs_data_o[31:0] = NumQuery;
        else if (obs_addr_i == 32'hffff_0003) obs_data_o[31:0] = NumWr;
    end
`endif
