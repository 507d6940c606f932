// SPDX-License-Identifier: Apache-2.0
// The contract of cache_result, proved by ci/formal, which includes it at the end of the module.
    // Contract: the result requests the bank of its row, or of the row that it replaces. It waits
    // only for the write of an older value and for a full buffer. An allocation changes the way to
    // replace, and no other.
    (* anyconst *) logic [31:0] f_way;
    logic [Banks-1:0] f_both;
    assign f_both = at_o & (at_o - 1'b1);
    always_comb begin
        assume (f_way < Ways && 32'(next_i) < Ways && 32'(warp_i) < Warps);
        for (int k = 0; k < Ways; k = k + 1)
            for (int m = 0; m < k; m = m + 1)
                assume (!(rows_i[k] && rows_i[m] && tags_i[k*LocBits +: LocBits] == tags_i[m*LocBits +: LocBits]));
        if (rows_i[f_way] && LocBits'(tags_i >> f_way * LocBits) == place_i) assert (hit_o == valid_i);
        assert ((go_o & ~at_o) == '0 && f_both == '0);
        if (!valid_i || waits_i) assert (at_o == '0 && !through_o);
        if (valid_i && !waits_i && (hit_o || whole_i)) assert (at_o != '0);
        if (at_o != '0 && go_o == '0) assert (!hit_o && evicts_o && full_i && !rf_ready_i);
        if (through_o) assert (!hit_o && !whole_i && !full_i && at_o == '0);
        assert (evicts_o == (valid_i && !hit_o && whole_i && rows_i[next_i]));
        assert (fill_rows_o[f_way] == (f_way == 32'(next_i) || (rows_i[f_way] && !dead_i[f_way])));
        assert (LocBits'(fill_tags_o >> f_way * LocBits) ==
                (f_way == 32'(next_i) ? place_i : LocBits'(tags_i >> f_way * LocBits)));
        assert (32'(fill_next_o) == (32'(next_i) + 1) % Ways);
        if (f_way == 32'(next_i)) assert (old_place_o == LocBits'(tags_i >> f_way * LocBits) && kill_moved_o == dead_i[f_way]);
        for (int l = 0; l < Lanes; l = l + 1)
            if (valid_i) assert (row_o[8*l +: 8] == (lane_i[l] ? data_i[8*l +: 8] : 8'd0));
        cover (hit_o && go_o != '0);
        cover (evicts_o && go_o != '0 && kill_moved_o);
        cover (through_o);
    end
