// SPDX-License-Identifier: Apache-2.0
// Observation port of pmode_rename.
`ifdef RF_OBS
    localparam int ObsMaps = NumWarps * NumRegs;
    logic [WarpBits-1:0] obs_warp, obs_row;
    logic [31:0]         obs_reg;
    logic [PhyBits-1:0]  obs_n_phy, obs_p_phy;
    logic                obs_n, obs_p, obs_own;
    assign obs_warp  = WarpBits'(obs_addr_i / NumRegs);
    assign obs_row   = WarpBits'(obs_addr_i - ObsMaps);
    assign obs_reg   = obs_addr_i % NumRegs;
    assign obs_n     = 1'(n_ren_q[obs_warp] >> obs_reg);
    assign obs_p     = 1'(p_ren_q[obs_warp] >> obs_reg);
    assign obs_own   = 1'(own_q[obs_warp] >> obs_reg);
    assign obs_n_phy = PhyBits'(n_phy_q[obs_warp] >> obs_reg * PhyBits);
    assign obs_p_phy = PhyBits'(p_phy_q[obs_warp] >> obs_reg * PhyBits);
    always @* begin
        obs_data_o = '0;
        if (obs_addr_i < ObsMaps) begin
            if (obs_n) obs_data_o[1 +: PhyBits]  = obs_n_phy;
            if (obs_p) obs_data_o[10 +: PhyBits] = obs_p_phy;
            obs_data_o[0]  = obs_n;
            obs_data_o[9]  = obs_p;
            obs_data_o[18] = obs_p && obs_own;
        end else if (obs_addr_i < ObsMaps + NumWarps) begin
            obs_data_o[0] = close_p_q[obs_row];
            obs_data_o[1] = close_n_q[obs_row];
        end else if (obs_addr_i == 32'hffff_0000) obs_data_o = NumWarps;
        else if (obs_addr_i == 32'hffff_0001) obs_data_o = NumRegs;
        else if (obs_addr_i == 32'hffff_0002) obs_data_o = NumPhy;
        else if (obs_addr_i == 32'hffff_0003) obs_data_o = NumIssue;
        else if (obs_addr_i == 32'hffff_0004) obs_data_o = NumOps;
    end
`endif
