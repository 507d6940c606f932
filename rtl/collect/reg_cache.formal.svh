// SPDX-License-Identifier: Apache-2.0
// The contract of reg_cache, proved by ci/formal, which includes it at the end of the module.
    // Contract, for any place f_x of any warp f_w and any lane f_l. Its value is in one row, or in
    // one buffer, or in the register file. A row is read, overwritten, evicted by the Ways-th
    // allocation after its own, killed or dropped, and nothing else happens to it. An evicted row
    // is written back. Any collectors f_c and f_d, any port f_p: served in order.
    (* anyconst *) logic [WarpBits-1:0] f_w;
    (* anyconst *) logic [LocBits-1:0]  f_x;
    (* anyconst *) logic                f_l;
    (* anyconst *) logic [CollBits-1:0] f_c;
    (* anyconst *) logic [CollBits-1:0] f_d;
    (* anyconst *) logic [WrBits-1:0]   f_p;
    logic                f_past, f_has, f_parked, f_due, f_turn;
    logic [7:0]          f_value, f_written, f_expect;  // of the row, of the buffer, of the read
    logic [WrBits-1:0]   f_port;                        // whose buffer
    logic [NextBits:0]   f_age;                         // allocations of f_w after that of f_x
    logic [Ways-1:0]     f_match;
    logic [NextBits-1:0] f_way;
    initial f_past = 1'b0;
    function automatic [NextBits-1:0] way_of(input [Ways-1:0] match);
        integer k;
        begin
            way_of = '0;
            for (k = 0; k < Ways; k = k + 1) if (match[k]) way_of = way_of | NextBits'(k);
        end
    endfunction
    logic [TagBits-1:0]  f_tags;
    logic [Ways-1:0]     f_rows;
    assign f_tags  = tag_q[f_w];
    assign f_rows  = valid_q[f_w];
    cache_match #(.Ways(Ways), .LocBits(LocBits)) u_f_match (
        .en_i(1'b1), .place_i(f_x), .tags_i(f_tags), .valid_i(f_rows), .match_o(f_match)
    );
    assign f_way   = way_of(f_match);

    // Actions of the ports on f_x of f_w in this cycle.
    logic [NumWr-1:0]   f_stored, f_out, f_fills;
    logic [7:0]         f_new;
    logic               f_killed, f_dropped, f_kept;
    logic [NumColl-1:0] f_asks;
    assign f_killed  = kill_valid_i && kill_warp_i == f_w && {kill_bank_i, kill_entry_i} == f_x;
    assign f_dropped = drop_valid_i && drop_warp_i == f_w;
    always_comb begin
        f_new = f_value;
        for (int p = 0; p < NumWr; p = p + 1) begin
            f_stored[p] = wr_ready_o[p] && wr_warp_i[p*WarpBits +: WarpBits] == f_w && (wr_hit_o[p] || wr_whole_i[p]) &&
                          {wr_bank_i[p*BankBits +: BankBits], wr_entry_i[p*EntryBits +: EntryBits]} == f_x;
            f_fills[p]  = wr_ready_o[p] && wr_warp_i[p*WarpBits +: WarpBits] == f_w && !wr_hit_o[p] && wr_whole_i[p];
            f_out[p]    = evict_o[p] && wr_warp_i[p*WarpBits +: WarpBits] == f_w &&
                          old_place[p*LocBits +: LocBits] == f_x;
            if (f_stored[p]) begin
                if (wr_lane_i[p*Lanes + 32'(f_l)]) f_new = wr_data_i[p*Row + 8*32'(f_l) +: 8];
                else if (!wr_hit_o[p])             f_new = 8'd0;
            end
        end
        f_kept = f_has && f_out == '0 && !f_killed && !f_dropped;
        for (int c = 0; c < NumColl; c = c + 1)
            f_asks[c] = rd_valid_i[c] && rd_warp_i[c*WarpBits +: WarpBits] == f_w &&
                        {rd_bank_i[c*BankBits +: BankBits], rd_entry_i[c*EntryBits +: EntryBits]} == f_x;
    end
    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!f_past) assume (!rst_ni);
        f_due  <= rst_ni && rd_grant_o[f_c] && f_asks[f_c];
        f_turn <= rst_ni && refused[f_p] && first_d == f_p;
        f_expect <= f_value;
        f_value  <= f_new;
        if (!rst_ni) begin
            f_has    <= 1'b0;
            f_parked <= 1'b0;
        end else begin
            f_has    <= f_kept || (f_stored & f_fills) != '0;
            f_parked <= f_out != '0 || (f_parked && !rf_wr_ready_i[f_port]);
        end
        f_age <= (f_stored & f_fills) != '0 ? '0 : f_age + (NextBits+1)'(f_fills != '0);
        for (int p = 0; p < NumWr; p = p + 1)
            if (f_out[p]) begin
                f_port    <= WrBits'(p);
                f_written <= f_value;
            end
    end
    // Environment: warps, banks and entries exist, older_i is a strict total order (here: by some
    // rank). No request of a warp arrives in the cycle in which it is dropped.
    for (genvar c = 0; c < NumColl; c = c + 1) begin : g_assume
        (* anyseq *) logic [CollBits:0] f_rank;
        always_comb if (rd_valid_i[c])
            assume (rd_warp_i[c*WarpBits +: WarpBits] < Warps && rd_bank_i[c*BankBits +: BankBits] < Banks &&
                    rd_entry_i[c*EntryBits +: EntryBits] < Entries);
        for (genvar d = 0; d < NumColl; d = d + 1) begin : g_pair
            always_comb begin
                if (c != d) assume (f_rank != g_assume[d].f_rank);
                assume (older_i[c*NumColl + d] == (g_assume[d].f_rank < f_rank));
            end
        end
    end
    for (genvar p = 0; p < NumWr; p = p + 1) begin : g_assume_wr
        always_comb if (wr_valid_i[p])
            assume (wr_warp_i[p*WarpBits +: WarpBits] < Warps && wr_bank_i[p*BankBits +: BankBits] < Banks &&
                    wr_entry_i[p*EntryBits +: EntryBits] < Entries &&
                    !(drop_valid_i && drop_warp_i == wr_warp_i[p*WarpBits +: WarpBits]));
    end
    logic [Banks-1:0]    f_delivers;    // to f_c
    logic [7:0]          f_data;
    logic [NumWr-1:0]    f_elsewhere;   // buffers that hold f_x
    logic [NumColl-1:0]  f_before;      // collectors that keep f_c waiting
    logic [NumWr-1:0]    f_first;       // ports that keep f_p waiting
    logic [Banks-1:0]    f_bank;        // that it asks
    assign f_bank = rd_at[32'(f_c)*Banks +: Banks];
    always_comb begin
        f_data = '0;
        for (int b = 0; b < Banks; b = b + 1) begin
            f_delivers[b] = rd_data_valid_o[b] && rd_data_coll_o[b*CollBits +: CollBits] == f_c;
            if (f_delivers[b]) f_data = rd_data_o[b*Row + 8*32'(f_l) +: 8];
        end
        for (int p = 0; p < NumWr; p = p + 1) begin
            f_elsewhere[p] = full_q[p] && place_q[p*LocBits +: LocBits] == f_x;
            f_first[p]     = (wr_wins[p*Banks +: Banks] & wr_at[32'(f_p)*Banks +: Banks]) != '0;
        end
        for (int c = 0; c < NumColl; c = c + 1)
            f_before[c] = (rd_at[c*Banks +: Banks] & f_bank) != '0 && older_i[32'(f_c)*NumColl + c];
    end
    always_comb begin
        assume (f_w < Warps && f_c < NumColl && f_d < NumColl && f_p < NumWr);
        assume (!kill_valid_i || (kill_warp_i < Warps && !(drop_valid_i && drop_warp_i == kill_warp_i)));
        assume (!drop_valid_i || drop_warp_i < Warps);
        assume (obs_addr_i == 32'(f_w) * Ways + 32'(f_way));
    end
    // State.
    always_comb if (f_past) begin
        assert (f_has == (f_match != '0) && (f_match & (f_match - Ways'(1))) == '0);
        assert (32'(next_q[f_w]) < Ways && 32'(first_q) < NumWr && (fresh_q & ~full_q) == '0);
        if (f_has) begin
            assert (obs_data_o[8*32'(f_l) +: 8] == f_value);
            assert (32'(f_age) < Ways);
            assert (32'(f_way) + 1 + 32'(f_age) == 32'(next_q[f_w]) + (f_way < next_q[f_w] ? 0 : Ways));
        end
        if (f_parked) begin
            assert (f_elsewhere[f_port] && !f_has);
            assert (rf_wr_valid_o[f_port] && rf_wr_lane_o[32'(f_port)*Lanes + 32'(f_l)] &&
                    {rf_wr_bank_o[32'(f_port)*BankBits +: BankBits],
                     rf_wr_entry_o[32'(f_port)*EntryBits +: EntryBits]} == f_x &&
                    rf_wr_data_o[32'(f_port)*Row + 8*32'(f_l) +: 8] == f_written);
        end
    end
    for (genvar p = 0; p < NumWr; p = p + 1) begin : g_f_from
        always_comb if (f_past && fresh_q[p]) begin
            assert (32'(from_q[p*BankBits +: BankBits]) < Banks);
            assert (!rd_data_valid_o[from_q[p*BankBits +: BankBits]]);
            for (int q = 0; q < p; q = q + 1)
                assert (!fresh_q[q] || from_q[q*BankBits +: BankBits] != from_q[p*BankBits +: BankBits]);
        end
    end
    // Answers.
    always_comb if (f_past) begin
        // a read: from the row, or from the register file when that is up to date
        if (f_asks[f_c]) begin
            assert (rf_rd_valid_o[f_c] == (!f_has && f_elsewhere == '0));
            if (rd_grant_o[f_c]) assert (f_has && f_elsewhere == '0);
            if (f_has && f_elsewhere == '0)
                assert (rd_grant_o[f_c] == (f_before == '0 && (bank_wanted & f_bank) == '0));
        end
        if (rd_grant_o[f_c]) assert (rd_valid_i[f_c]);
        if (f_c != f_d && rd_grant_o[f_c] && rd_grant_o[f_d])
            assert ((rd_first[32'(f_c)*Banks +: Banks] & rd_first[32'(f_d)*Banks +: Banks]) == '0);
        if (f_due) assert (f_delivers != '0 && (f_delivers & (f_delivers - Banks'(1))) == '0 && f_data == f_expect);
        // a result: not before an older value is written; stored, or passed to the register file
        assert ((f_stored & (f_stored - NumWr'(1))) == '0 && (f_fills & (f_fills - NumWr'(1))) == '0);
        if (f_stored != '0) assert (f_elsewhere == '0);
        if (f_out != '0) assert (f_has && 32'(f_age) == Ways - 1);
        if (wr_valid_i[f_p] && wr_warp_i[32'(f_p)*WarpBits +: WarpBits] == f_w &&
            wr_place[32'(f_p)*LocBits +: LocBits] == f_x) begin
            assert (wr_hit_o[f_p] == f_has);
            if (f_has && f_elsewhere == '0) assert (wr_ready_o[f_p] == !refused[f_p]);
            if (f_elsewhere != '0) assert (!wr_ready_o[f_p]);
            if (!f_has && !wr_whole_i[f_p] && !full_q[f_p]) begin
                assert (rf_wr_valid_o[f_p] == (f_elsewhere == '0));
                assert (wr_ready_o[f_p] == (rf_wr_valid_o[f_p] && rf_wr_ready_i[f_p]));
            end
        end
        if (wr_ready_o[f_p]) assert (wr_valid_i[f_p]);
        if (evict_o[f_p]) assert (!full_q[f_p] || rf_wr_ready_i[f_p]);
        // One access per cache bank; a refused result is first in the next cycle. (The proof shows
        // that no other row holds the place for f_x of f_w, which may be any.)
        if (accepted[f_p] && (!wr_hit_o[f_p] || (wr_warp_i[32'(f_p)*WarpBits +: WarpBits] == f_w &&
                                                 wr_place[32'(f_p)*LocBits +: LocBits] == f_x)))
            assert (f_first == NumWr'(1) << f_p && (bank_wanted & wr_at[32'(f_p)*Banks +: Banks]) != '0);
        if (refused[f_p]) assert (f_first != '0 && wr_valid_i[f_p]);
        if (f_turn) assert (!refused[f_p]);
        if (refused[first_q]) assert (1'b0);
        // dead values
        if (f_killed) assert (killed_o == (f_has && f_out == '0));
        if (f_dropped && f_has) assert (dropped_o != '0);
        if (!drop_valid_i) assert (dropped_o == '0);
        if (!kill_valid_i) assert (!killed_o);
    end
    always_comb begin
        cover (f_past && f_due && f_expect == 8'ha5 && !f_has);
        cover (f_past && f_killed && f_out != '0);
        cover (f_past && f_parked && !fresh_q[f_port] && f_written == 8'h5a && refused != '0);
        cover (f_past && f_turn && accepted[f_p] && f_out[f_p] && full_q[f_p]);
        cover (f_past && f_has && f_asks[f_c] && !rd_grant_o[f_c] && f_before != '0);
        cover (f_past && wr_through[f_p] && rf_wr_ready_i[f_p]);
    end
