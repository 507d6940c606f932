// SPDX-License-Identifier: Apache-2.0
// The contract of alloc_bank, proved by ci/formal, which includes it at the end of the module.
    // Contract, for any row f_e, which is in an open row, the write register or the map.
    // The slices in use are those taken and not released.
    // A port takes only free slices.
    // At most one open row holds f_e.
    // The counts follow when use of the row begins and ends.
    // If f_e is not open, its flags, the wish and the level are correct, so that the scanner finds
    // it.
    // Environment: a port that takes has a row that fits, ports have an order, released slices are
    // in use.
    // in use.
    // The search for places is cut: it does as alloc_place proves.
    (* anyconst *) logic [EntryBits-1:0] f_e;
    logic                f_past, f_yield_new, f_yield;
    logic [3:0]          f_used, f_next, f_taken, f_mem_used, f_where;
    logic                f_rsv, f_open, f_writes, f_cleared, f_known, f_part, f_here, f_rose, f_fell;
    logic [Open-1:0]     f_at;
    logic [NumWr-1:0]    f_takes, f_took;
    logic                f_gave;
    logic [WordBits-1:0] f_word;
    logic [8*RowBits-1:0] f_line;
    logic [2:0]          f_free, f_size;
    logic [3:0]          f_own;                     // of the port whose row is looked up
    localparam int Close = 3;
    function automatic [2:0] ones(input [3:0] mask);
        ones = (3'(mask[0]) + 3'(mask[1])) + (3'(mask[2]) + 3'(mask[3]));
    endfunction
    initial f_past = 1'b0;
    assign f_word     = WordBits'(f_e >> 3);
    assign f_line     = mem_q[f_word];
    assign f_mem_used = f_line[32'(3'(f_e))*RowBits +: 4];
    for (genvar k = 0; k < Open; k = k + 1) begin : g_f_at
        assign f_at[k] = valid[k] && entry[k*EntryBits +: EntryBits] == f_e;
    end
    assign f_open    = f_at != '0;
    assign f_writes  = wrote_q && {wrote_word_q, wrote_low_q} == {f_word, 3'(f_e)};
    assign f_cleared = PtrBits'(f_word) < clear_q;          // not yet: the memory may hold anything
    assign f_here    = op && !stale && op_entry == f_e;
    always_comb begin
        f_where = f_writes ? wrote_row_q[3:0] : f_cleared ? '0 : f_mem_used;
        f_rsv   = f_writes ? wrote_row_q[4] : !f_cleared && f_line[32'(3'(f_e))*RowBits + 4];
        for (int k = 0; k < Open; k = k + 1)
            if (f_at[k]) begin
                f_where = used[k*4 +: 4];
                f_rsv   = rsv[k];
            end
        f_own  = '0;
        f_size = '0;
        for (int w = 0; w < NumWr; w = w + 1)
            if (op_port[w]) begin
                f_own  = f_own | own_mask_i[w*4 +: 4];
                f_size = f_size | rq_size_i[w*3 +: 3];
            end
        // slices of the row that ports take, that a give releases, and that a look assigns
        f_taken = '0;
        f_takes = '0;
        for (int w = 0; w < NumWr; w = w + 1)
            if (come_i[w] && open_i[w] && (pick[w*Open +: Open] & f_at) != '0) begin
                f_takes[w] = 1'b1;
                for (int v = 0; v < NumWr; v = v + 1)
                    if (come_i[v] && ahead_i[w*NumWr + v] && (pick[v*Open +: Open] & f_at) != '0) f_takes[w] = 1'b0;
                if (f_takes[w]) f_taken = f_taken | mask_o[w*4 +: 4];
            end
        f_known = f_here && is[Look] && known_o != '0;
        f_next  = f_used;
        if (f_here && is[Give]) f_next = f_used & ~op_mask;
        if (f_known && room_o) f_next = (f_used & ~f_own) | row_mask_o;
        f_next  = f_next | f_taken;
    end
    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!f_past) assume (!rst_ni);
        f_used      <= rst_ni ? f_next : '0;
        f_yield_new <= rst_ni && yield_new_i;
        f_yield     <= rst_ni && yield_i;
        f_rose      <= rst_ni && f_used == '0 && f_next != '0;
        f_fell      <= rst_ni && f_used != '0 && f_next == '0;
        f_took      <= rst_ni ? f_takes | (f_known && room_o ? known_o : '0) : '0;
        f_gave      <= rst_ni && f_here && is[Give];
    end
    assign f_part = f_used != '0 && f_used != '1 && !(f_rsv && !yield_i);
    assign f_free = ones(~f_used);

    // Environment
    always_comb begin
        assume (32'(f_e) < Entries);
        // reservations yield in the cycle after yield_new_i
        if (yield_i) assume (f_yield_new || f_yield);
        for (int w = 0; w < NumWr; w = w + 1) begin
            assume (rq_size_i[w*3 +: 3] >= 3'd1 && rq_size_i[w*3 +: 3] <= 3'd4);
            assume (!(rq_left_i[w] && rq_right_i[w]));
            if (rq_size_i[w*3 + 2]) assume (!rq_left_i[w] && !rq_right_i[w] && !rq_full_i[w]);
            if (rq_full_i[w]) assume (!rq_left_i[w] && !rq_right_i[w]);
            if (come_i[w]) assume (ask_i[w] && fit_o[w]);
            assume (32'(relook_entry_i[w*EntryBits +: EntryBits]) < Entries &&
                    32'(look_entry_i[w*EntryBits +: EntryBits]) < Entries);
            if (was_size_i[w*3 +: 2] == 2'd0) assume (was_size_i[w*3 + 2]);
            assume (!(was_left_i[w] && was_right_i[w]));
            if (f_took[w]) assume (!was_lost_i[w]);             // was_lost_i: result of ahead_i, see alloc_unit
            if (known_o[w] && room_o) assume (!(come_i[w] && open_i[w]));
            for (int v = 0; v < w; v = v + 1) assume (ahead_i[w*NumWr + v] != ahead_i[v*NumWr + w]);
            assume (!ahead_i[w*NumWr + w]);
        end
        for (int g = 0; g < NumGive; g = g + 1)
            assume (32'(give_entry_i[g*EntryBits +: EntryBits]) < Entries && give_mask_i[g*4 +: 4] != '0);
        // released slices and a port's own slices are in use
        if (f_here && is[Give]) assume ((op_mask & ~f_used) == '0);
        if (f_known) assume ((f_own & ~f_used) == '0);
    end
    // Places, as alloc_place proves of them
    always_comb begin
        for (int w = 0; w < NumWr; w = w + 1) begin
            assume ((pick[w*Open +: Open] & (pick[w*Open +: Open] - Open'(1))) == '0);
            assume ((pick[w*Open +: Open] & ~offered) == '0 && fit_o[w] == (pick[w*Open +: Open] != '0));
            if (!ask_i[w]) assume (!fit_o[w] && !pick_whole[w] && entry_o[w*EntryBits +: EntryBits] == '0);
            if (fit_o[w]) assume (may_o[w] && ones(mask_o[w*4 +: 4]) == rq_size_i[w*3 +: 3]);
            for (int k = 0; k < Open; k = k + 1)
                if (pick[w*Open + k]) begin
                    assume ((mask_o[w*4 +: 4] & used[k*4 +: 4]) == '0 && pick_whole[w] == (used[k*4 +: 4] == '0));
                    assume (entry_o[w*EntryBits +: EntryBits] == entry[k*EntryBits +: EntryBits]);
                    if (rq_full_i[w]) assume (used[k*4 +: 4] == '0);
                end
        end
    end
    // Contract
    always_comb if (f_past) begin
        assert (f_where == f_used);
        assert ((f_at & (f_at - Open'(1))) == '0);
        // taken: free, as much as requested, by one port
        assert ((f_takes & (f_takes - NumWr'(1))) == '0);
        for (int w = 0; w < NumWr; w = w + 1)
            if (f_takes[w]) begin
                assert ((mask_o[w*4 +: 4] & f_used) == '0 && ones(mask_o[w*4 +: 4]) == rq_size_i[w*3 +: 3]);
                assert (entry_o[w*EntryBits +: EntryBits] == f_e);
                assert (!(f_rsv && !yield_i));
                if (rq_full_i[w]) assert (f_used == '0);
            end
        if (f_known && room_o)
            assert ((row_mask_o & f_used & ~f_own) == '0 && ones(row_mask_o) == f_size);
        // No port takes from a row that is looked up. Ports that select the same row see it in
        // same_o.
        if (f_known) assert (f_takes == '0);
        for (int w = 0; w < NumWr; w = w + 1)
            if (ask_i[w] && fit_o[w]) begin
                assert (rq_full_i[w] ? may_full_o : may_o[w]);
                assert (ones(mask_o[w*4 +: 4]) == rq_size_i[w*3 +: 3]);
                assert ((entry_o[w*EntryBits +: EntryBits] == f_e) == ((pick[w*Open +: Open] & f_at) != '0));
                for (int v = 0; v < NumWr; v = v + 1)
                    if (ask_i[v] && fit_o[v] && (pick[w*Open +: Open] & f_at) != '0)
                        assert (same_o[w*NumWr + v] == (entry_o[v*EntryBits +: EntryBits] == f_e));
            end
        // a row that began, ceased to be used is counted
        if (f_took != '0) assert (((more_o & f_took) != '0) == f_rose);
        if (f_gave) assert (less_o == f_fell);
        assert (!(f_rose && f_took == '0) && !(f_fell && !f_gave));
        // an answer goes only to a port that asks
        assert ((give_pop_o & ~give_i) == '0 && (give_pop_o & (give_pop_o - NumGive'(1))) == '0);
        assert ((known_o & ~want_i) == '0 && (known_o & ~looking_o) == '0);
        assert (!(room_o && short_o));
        if (f_known && short_o) assert (ones(~f_used | f_own) < f_size);
        // If the row is neither open nor on its way to the map, the scanner finds it again.
        if (clear_q == '0 && !f_open && !f_writes) begin
            if (f_used == '0) assert (obs_full[f_word]);
            if (f_part) begin
                assert (obs_some[f_word]);
                assert (f_free < level);
                if (wish && obs_wish[3:2] == '0 && f_free >= {1'b0, obs_wish[1:0]}) assert (PtrBits'(f_word) >= obs_ptr);
            end
        end
    end
    // Invariants
    always_comb if (f_past) begin
        assert (32'(clear_q) <= Words && 32'(obs_ptr) <= Words && level >= 3'd1 && level <= 3'd4);
        assert ((is & (is - 5'd1)) == '0 && op == (is != '0) && {wishes, freshens, closes, gives, looks} == (stale ? 5'd0 : is));
        if (wish) assert (obs_wish[1:0] != '0);
        if (clear_q != '0) assert (valid == '0 && !op && !wrote_q && f_used == '0 && obs_full == 32'({Words{1'b1}}));
        for (int w = 0; w < NumWr; w = w + 1)
            for (int v = 0; v < w; v = v + 1) assert (!(is[Look] && op_port[w] && op_port[v]));
        if (op) assert (32'(op_entry) < Entries);
        if (wrote_q) assert (32'({wrote_word_q, wrote_low_q}) < Entries);
        // An operation that executes and is not stale has read the current word and hits the open
        // rows.
        if (op && !stale && op_word == f_word) begin
            assert (!(wrote_q && wrote_word_q == f_word));
            assert (read_q[32'(3'(f_e))*RowBits +: RowBits] == f_line[32'(3'(f_e))*RowBits +: RowBits]);
        end
        for (int k = 0; k < Open; k = k + 1) begin
            if (op && !stale)
                assert (hit[k] == (valid[k] && entry[k*EntryBits +: EntryBits] == op_entry));
            if (closing[k]) assert (valid[k]);
            if (valid[k]) assert (32'(entry[k*EntryBits +: EntryBits]) < Entries);
            for (int j = 0; j < k; j = j + 1)
                if (valid[k] && valid[j])
                    assert (entry[k*EntryBits +: EntryBits] != entry[j*EntryBits +: EntryBits]);
        end
        // A scan whose sweep continues: the words that it skipped have no flag.
        if (is[Wish]) assert (wish);
        if (is[Wish] && !moved) begin
            assert (obs_ptr <= PtrBits'(op_word));
            if (PtrBits'(f_word) >= obs_ptr && f_word < op_word) assert (!obs_some[f_word]);
        end
        for (int k = 0; k < Open; k = k + 1)
            if (is[Close] && closing[k]) assert (entry[k*EntryBits +: EntryBits] == op_entry);
        if (is[Close]) assert (closing != '0);
        if (is[Fresh] || is[Wish]) assert (valid != '1);
        assert ((closing & (closing - Open'(1))) == '0);
        // an open row is not in the write register
        for (int k = 0; k < Open; k = k + 1)
            if (wrote_q && valid[k])
                assert ({wrote_word_q, wrote_low_q} !=
                        {WordBits'(entry[k*EntryBits +: EntryBits] >> 3), 3'(entry[k*EntryBits +: EntryBits])});
        cover (f_open && f_used == 4'b0110 && f_takes != '0);
        cover (f_writes && f_used == '1);
        cover (f_here && wishes && load);
        if (NumWr > 1) cover (f_known && room_o && f_used == 4'b0001);
    end
