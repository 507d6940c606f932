// SPDX-License-Identifier: Apache-2.0
// What alloc_bank shows through its observation port.
`ifdef RF_OBS
    // Nothing is looked for while nobody looks.
    for (genvar j = 0; j < 2; j = j + 1) begin : g_obs
        logic [31:0]          nr;
        logic [8*RowBits-1:0] word;
        assign nr   = 32'(obs_pair_i)*2 + j;
        assign word = mem_q[obs_en_i && nr < Words ? WordBits'(nr) : '0];
        always @* begin
            obs_map_o[j*64 +: 64] = '0;
            if (obs_en_i && nr < Words)
                for (int r = 0; r < 8; r = r + 1)
                    if (nr*8 + r < Entries) obs_map_o[(j*8 + r)*8 +: 8] = 8'(word[r*RowBits +: RowBits]);
        end
    end
    always @* begin
        obs_row_o  = '0;
        obs_scan_o = '0;
        if (obs_en_i) begin
            for (int k = 0; k < Open; k = k + 1)
                if (obs_row_i == 3'(k) && valid_q[k])
                    obs_row_o = {1'b1, closing_q[k], rsv_q[k], used_q[k*4 +: 4],
                                 10'(entry_q[k*EntryBits +: EntryBits])};
            obs_scan_o = {32'(clear_q), 32'(some_q), 32'(full_q), 8'd0, 8'(ptr_q), 1'b0, victim_q, 1'b0,
                          wish_q && demand_q, wish_q ? wish_side_q : 2'd0, 1'b0, wish_q ? wish_n_q : 2'd0, wish_q,
                          1'b0, level_q};
        end
    end
`endif
