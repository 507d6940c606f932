// SPDX-License-Identifier: Apache-2.0
// Observation port of alloc_bank.
`ifdef RF_OBS
    // The search is idle while observation is disabled. Words that are still to be cleared show 0.
    for (genvar j = 0; j < 2; j = j + 1) begin : g_obs
        logic [31:0]          obs_nr;
        logic                 obs_known;
        logic [8*RowBits-1:0] word;
        assign obs_nr    = 32'(obs_pair_i)*2 + j;
        assign obs_known = obs_en_i && obs_nr < Words && obs_nr >= 32'(clear_q);
        assign word      = mem_q[obs_known ? WordBits'(obs_nr) : '0];
        always @* begin
            obs_map_o[j*64 +: 64] = '0;
            if (obs_known)
                for (int r = 0; r < 8; r = r + 1)
                    if (obs_nr*8 + r < Entries) obs_map_o[(j*8 + r)*8 +: 8] = 8'(word[r*RowBits +: RowBits]);
        end
    end
    always @* begin
        obs_row_o  = '0;
        obs_scan_o = '0;
        if (obs_en_i) begin
            for (int k = 0; k < Open; k = k + 1)
                if (obs_row_i == 3'(k) && valid[k])
                    obs_row_o = {1'b1, closing[k], rsv[k], used[k*4 +: 4],
                                 10'(entry[k*EntryBits +: EntryBits])};
            obs_scan_o = {32'(clear_q), obs_some, obs_full, 8'd0, 8'(obs_ptr), 1'b0, obs_victim, 1'b0,
                          demand, wish ? obs_wish[3:2] : 2'd0, 1'b0, wish ? obs_wish[1:0] : 2'd0, wish,
                          1'b0, level};
        end
    end
`endif
