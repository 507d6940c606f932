// SPDX-License-Identifier: Apache-2.0
// Observation port of merge_unit.
`ifdef RF_OBS
    always @* begin
        obs_data_o = '0;
        if (obs_addr_i == 0) begin
            obs_data_o[0 +: CntBits]  = cnt_q;
            obs_data_o[32 +: PtrBits] = head_q;
        end else if (obs_addr_i == 32'hffff_0000) obs_data_o[31:0] = Slots;
        for (int p = 0; p < Slots; p = p + 1)
            if ((p + Slots - 32'(head_q)) % Slots < 32'(cnt_q)) begin
                if (obs_addr_i == 0) obs_data_o[(2 + p)*32 +: Lanes] = lane_q[p*Lanes +: Lanes];
                if (obs_addr_i == p + 1) obs_data_o[0 +: Row] = row_q[p*Row +: Row];
            end
    end
`endif
