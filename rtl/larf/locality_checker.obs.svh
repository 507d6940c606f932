// SPDX-License-Identifier: Apache-2.0
// Observation port of locality_checker.
`ifdef RF_OBS
    always @* begin
        obs_data_o = '0;
        if (obs_addr_i == Questions + Left) obs_data_o[0 +: Warps] = pref_q;
        else if (obs_addr_i == 32'hffff_0000) obs_data_o[31:0] = Warps;
        else if (obs_addr_i == 32'hffff_0001) obs_data_o[31:0] = Questions;
        for (int i = 0; i < Questions; i = i + 1)
            if (obs_addr_i == i && CntBits'(i) < count_q) begin
                obs_data_o[31]             = 1'b1;
                obs_data_o[30]             = void_q[i];
                obs_data_o[0 +: WarpBits]  = entry_q[i*Entry +: WarpBits];
                obs_data_o[8 +: CodeBits]  = entry_q[i*Entry + WarpBits +: CodeBits];
                obs_data_o[32 +: AddrBits] = entry_q[i*Entry + WarpBits + CodeBits +: AddrBits];
                obs_data_o[64 +: Lanes]    = entry_q[i*Entry + WarpBits + CodeBits + AddrBits +: Lanes];
            end
        for (int a = 0; a < Left; a = a + 1)
            if (obs_addr_i == Questions + a && left_q[a]) begin
                obs_data_o[31]            = 1'b1;
                obs_data_o[30]            = left_void_q[a];
                obs_data_o[0 +: WarpBits] = left_warp_q[a*WarpBits +: WarpBits];
            end
    end
`endif
