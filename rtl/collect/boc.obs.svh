// SPDX-License-Identifier: Apache-2.0
// Observation port of boc.
`ifdef RF_OBS
    logic [ValueBits-1:0] obs_next;
    onehot_index #(.Width(Values)) u_obs_next (
        .one_i(next_q), .index_o(obs_next)
    );
    logic [31:0] obs_word;
    always @* begin
        obs_data_o = '0;
        obs_word   = '0;
        if (obs_en_i && obs_kind_i == 2'd0) begin
            obs_data_o[31:0] = {3'b0, pressed_q, 8'(refused_q), held_q, coming_q ? 5'(from_q) : 5'd0, coming_q,
                                5'(obs_next), 5'(read_q), 3'(head_q)};
            for (int s = 0; s < Window; s = s + 1) begin
                obs_word = {31'b0, wait_q[s]};
                if (wait_q[s]) begin
                    obs_word[3:1]  = 3'(unit_q[s*UnitBits +: UnitBits]);
                    obs_word[6:4]  = 3'(need_q[s*NumOps +: NumOps]);
                    obs_word[13:7] = 7'(follow_q[s*Window +: Window]);
                    for (int o = 0; o < NumOps; o = o + 1)
                        if (need_q[s*NumOps + o])
                            obs_word[16 + 5*o +: 5] = 5'(src_q[(s*NumOps + o)*ValueBits +: ValueBits]);
                end
                obs_data_o[(1 + s)*32 +: 32] = obs_word;
                if (await_q[s*4 +: 4] != '0)
                    obs_data_o[(8 + s)*32 +: 32] = {22'b0, base_q[s*6 +: 6], await_q[s*4 +: 4]};
            end
        end
        if (obs_en_i && obs_kind_i == 2'd1)
            for (int e = 0; e < Values; e = e + 1)
                if (used[e]) begin
                    obs_word = {10'b0, {6{1'b0}}, 9'b0, empty_q[e], rsv_q[e], save_q[e],
                                only_q[e], dirty_q[e], ask_q[e], inwin_q[e]};
                    for (int k = 0; k < 6; k = k + 1) obs_word[16 + k] = name_q[k*Values + e];
                    for (int k = 0; k < SlotBits; k = k + 1) obs_word[8 + k] = inwin_q[e] && last_q[k*Values + e];
                    obs_data_o[e*32 +: 32] = obs_word;
                end
        if (obs_en_i && obs_kind_i == 2'd2) obs_data_o = 1024'(obs_value);
    end
`endif
