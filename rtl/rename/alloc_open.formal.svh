// SPDX-License-Identifier: Apache-2.0
// The contract of alloc_open, proved by ci/formal, which includes it at the end of the module. For
// any open row f_e: its slices in use are the previous ones, less released slices, plus slices that
// ports take. A look replaces them. The row is open until it closes or leaves, and at most once.
    (* anyconst *) logic [EntryBits-1:0] f_e;
    logic            f_past, f_was, f_now, f_closes, f_leaves, f_rsv, f_rsv_d;
    logic [3:0]      f_used, f_used_d, f_taken;
    logic [Open-1:0] f_at;
    logic [NumWr-1:0] f_takes;
    initial f_past = 1'b0;
    for (genvar k = 0; k < Open; k = k + 1) begin : g_f_at
        assign f_at[k] = valid_q[k] && entry_q[k*EntryBits +: EntryBits] == f_e;
    end
    assign f_closes = closes_i && (hit_i & f_at) != '0;
    assign f_leaves = leaves_o && leaving_entry_o == f_e;
    assign f_now    = f_at != '0;
    always_comb begin
        f_taken  = '0;
        f_takes  = '0;
        f_rsv_d  = 1'b0;
        for (int w = 0; w < NumWr; w = w + 1)
            if (come_i[w] && open_i[w] && (row_i[w*Open +: Open] & f_at) != '0) begin
                f_takes[w] = 1'b1;
                for (int v = 0; v < NumWr; v = v + 1)
                    if (come_i[v] && ahead_i[w*NumWr + v] && (row_i[v*Open +: Open] & f_at) != '0) f_takes[w] = 1'b0;
                if (f_takes[w]) f_taken = f_taken | mask_i[w*4 +: 4];
                if (f_takes[w] && take_rsv_i[w]) f_rsv_d = 1'b1;
            end
        f_used_d = '0;
        for (int k = 0; k < Open; k = k + 1)
            if (f_at[k]) begin
                f_used_d = used_q[k*4 +: 4];
                f_rsv_d  = f_rsv_d || rsv_q[k];
            end
        if ((hit_i & f_at) != '0) begin
            if (gives_i) f_used_d = f_used_d & ~given_i;
            if (grows_i) f_used_d = look_used_i;
        end
        f_used_d = f_used_d | f_taken;
        if (!f_now) {f_used_d, f_rsv_d} = {load_data_i[3:0], load_data_i[4]};
    end
    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!f_past) assume (!rst_ni);
        // open after the edge: it was and does not go, or it is loaded
        f_was  <= rst_ni && ((f_now && !f_closes && !f_leaves) || (load_i && load_entry_i == f_e && valid_q != '1));
        f_used <= f_used_d;
        f_rsv  <= f_rsv_d;
    end
    always_comb begin
        // Environment: at most one operation executes, and it hits its open row. A port takes one
        // row, which is offered. A row that is loaded is not open yet.
        assume (32'(f_e) < Entries);
        assume ((hit_i & (hit_i - Open'(1))) == '0 && (hit_i & ~valid_q) == '0);
        assume (32'(grows_i) + 32'(gives_i) + 32'(closes_i) + 32'(load_i) <= 32'd1);
        if (grows_i || gives_i) assume (on_row_i);
        if (grows_i || gives_i || closes_i || load_i) assume (op_i);
        if (load_i) assume (hit_i == '0 || !on_row_i);
        if (op_i || filled_o || closing_q != '0 || renew_i) assume (stirs_i);
        if (stirs_i || come_i != '0) assume (awake_i);
        for (int w = 0; w < NumWr; w = w + 1) begin
            assume ((row_i[w*Open +: Open] & (row_i[w*Open +: Open] - Open'(1))) == '0);
            if (come_i[w]) assume ((row_i[w*Open +: Open] & ~offered_o) == '0);
            for (int k = 0; k < Open; k = k + 1)
                if (row_i[w*Open + k]) assume ((mask_i[w*4 +: 4] & used_q[k*4 +: 4]) == '0 && mask_i[w*4 +: 4] != '0);
        end
        for (int k = 0; k < Open; k = k + 1)
            if (load_i && valid_q[k]) assume (entry_q[k*EntryBits +: EntryBits] != load_entry_i);
        if (closes_i) assume ((hit_i & ~closing_q) == '0);
    end
    always_comb if (f_past) begin
        assert (f_now == f_was);
        assert ((f_at & (f_at - Open'(1))) == '0);
        for (int k = 0; k < Open; k = k + 1)
            if (f_at[k]) begin
                assert (used_q[k*4 +: 4] == f_used);
                if (rsv_q[k]) assert (f_rsv);
                assert (offered_o[k] == (!closing_q[k] && (yield_i || !rsv_q[k]) && !(on_row_i && hit_i[k])));
                assert (whole_o[k] == (f_used == '0));
            end
        // A row that leaves is full and open, and the operation does not hit it.
        if (f_leaves) assert (f_now && f_used == '1 && !write_i && !(op_i && (hit_i & f_at) != '0));
        assert ((closing_q & (closing_q - Open'(1))) == '0 && (closing_q & ~valid_q) == '0);
        assert (32'(victim_q) < Open);
        for (int k = 0; k < Open; k = k + 1)
            for (int j = 0; j < k; j = j + 1)
                if (valid_q[k] && valid_q[j] && entry_q[k*EntryBits +: EntryBits] == f_e)
                    assert (entry_q[j*EntryBits +: EntryBits] != f_e);
        cover (f_now && f_used == 4'b0110);
        cover (f_leaves);
        cover (f_closes);
    end
