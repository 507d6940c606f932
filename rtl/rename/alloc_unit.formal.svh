// SPDX-License-Identifier: Apache-2.0
// The contract of alloc_unit, proved by ci/formal, which includes it at the end of the module.
    // Contract, for any row f_l.
    // Each slice in use belongs to one register or waits in one give register.
    // New slices are as many as requested and were free (G1).
    // Ports that select the same row exclude each other, and a port takes exactly if its bank sees
    // the take.
    // Requests to banks satisfy the assumptions of alloc_bank.
    // The count of slices is the number assigned less the number freed.
    // Environment: requests fit their old masks; old places and freed slices are in use, each named
    // once.
    // Banks are cut: they do as the contract of alloc_bank proves.
    (* anyconst *) logic [LocBits-1:0] f_l;
    localparam int F_Count = SliceCountBits;
    logic                 f_past;
    logic [3:0]           f_own, f_own_d, f_map, f_map_d, f_given, f_named, f_twice, f_new, f_new_twice;
    logic [NumWr*4-1:0]   f_old, f_al;
    logic [NumWr-1:0]     f_takes, f_row;           // a bank sees that port w takes, of f_l
    logic [Banks-1:0]     f_at;
    logic [F_Count-1:0]   f_count, f_count_d, f_later;
    logic [F_Count-1:0]   f_slices, f_change, f_change_q;    // counted by u_count; in flight to it
    logic                 f_in_give_twice;
    function automatic [2:0] ones(input [3:0] mask);
        ones = (3'(mask[0]) + 3'(mask[1])) + (3'(mask[2]) + 3'(mask[3]));
    endfunction
    localparam logic [1:0] Shrink = 2'd1, First = 2'd2, Grow = 2'd3;
    localparam logic [2:0] InPlace = 3'd0, Own = 3'd4;
    logic [NumWr-1:0]     stays;                    // it grows in its old row
    logic [NumWr-1:0]     room;                     // the row that was looked up has room for it
    initial f_past = 1'b0;
    for (genvar b = 0; b < Banks; b = b + 1) begin : g_f_bank
        assign f_at[b] = f_l[EntryBits +: BankBits] == BankBits'(b);
    end
    always_comb begin
        for (int w = 0; w < NumWr; w = w + 1) begin
            room[w] = 1'b0;
            for (int b = 0; b < Banks; b = b + 1) if (bank_known[w*Banks + b] && bank_room[b]) room[w] = 1'b1;
            stays[w] = room[w] && al_kind_o[w*2 +: 2] == Grow && al_done_o[w] && !leaves[w];
        end
        // takes that a bank sees
        f_takes = '0;
        f_row   = '0;
        for (int b = 0; b < Banks; b = b + 1)
            for (int w = 0; w < NumWr; w = w + 1)
                if (want[w] && opens[w] && bank[w*Banks + b]) begin
                    f_takes[w] = 1'b1;
                    for (int v = 0; v < NumWr; v = v + 1)
                        if (want[v] && bank[v*Banks + b] && order[w*NumWr + v] && same[(b*NumWr + w)*NumWr + v])
                            f_takes[w] = 1'b0;
                    f_row[w] = f_takes[w] && f_at[b] &&
                               at_entry[(w*Banks + b)*EntryBits +: EntryBits] == f_l[EntryBits-1:0];
                end
        // slices of f_l in give registers
        f_given         = '0;
        f_in_give_twice = 1'b0;
        for (int g = 0; g < NumGive; g = g + 1)
            if (give_q[g] && give_loc_q[g*LocBits +: LocBits] == f_l) begin
                if ((f_given & give_mask_q[g*4 +: 4]) != '0) f_in_give_twice = 1'b1;
                f_given = f_given | give_mask_q[g*4 +: 4];
            end
        // named slices: old places and freed ones; new slices
        f_named     = '0;
        f_twice     = '0;
        f_new       = '0;
        f_new_twice = '0;
        f_own_d     = f_own;
        f_map_d     = f_map;
        f_count_d   = f_count;
        for (int w = 0; w < NumWr; w = w + 1) begin
            f_old[w*4 +: 4] = rq_valid_i[w] && al_kind_o[w*2 +: 2] != First &&
                       {rq_old_bank_i[w*BankBits +: BankBits], rq_old_entry_i[w*EntryBits +: EntryBits]} == f_l
                       ? rq_old_mask_i[w*4 +: 4] : '0;
            f_twice  = f_twice | (f_named & f_old[w*4 +: 4]);
            f_named  = f_named | f_old[w*4 +: 4];
            f_al[w*4 +: 4]  = al_done_o[w] &&
                       {al_bank_o[w*BankBits +: BankBits], al_entry_o[w*EntryBits +: EntryBits]} == f_l
                       ? al_mask_o[w*4 +: 4] : '0;
            f_new_twice = f_new_twice | (f_new & f_al[w*4 +: 4]);
            f_new       = f_new | f_al[w*4 +: 4];
            if (al_done_o[w]) f_own_d = f_own_d & ~f_old[w*4 +: 4];
            if (al_done_o[w] && al_kind_o[w*2 +: 2] != Keep)
                f_count_d = f_count_d + F_Count'(rq_size_i[w*3 +: 3]) - F_Count'(ones(rq_old_mask_i[w*4 +: 4]));
            if (stays[w]) f_map_d = f_map_d & ~f_old[w*4 +: 4];
        end
        for (int f = 0; f < NumFree; f = f + 1)
            if (fr_valid_i[f]) begin
                if ({fr_bank_i[f*BankBits +: BankBits], fr_entry_i[f*EntryBits +: EntryBits]} == f_l) begin
                    f_twice = f_twice | (f_named & fr_mask_i[f*4 +: 4]);
                    f_named = f_named | fr_mask_i[f*4 +: 4];
                    if (fr_ready_o[f]) f_own_d = f_own_d & ~fr_mask_i[f*4 +: 4];
                end
                if (fr_ready_o[f]) f_count_d = f_count_d - F_Count'(ones(fr_mask_i[f*4 +: 4]));
            end
        f_own_d = f_own_d | f_new;
        for (int g = 0; g < NumGive; g = g + 1)
            if (pop[g] && give_loc_q[g*LocBits +: LocBits] == f_l) f_map_d = f_map_d & ~give_mask_q[g*4 +: 4];
        f_map_d = f_map_d | f_new;
        // the count after all changes in flight
        f_change = '0;
        for (int w = 0; w < NumWr; w = w + 1)
            if (moved_q[w]) f_change = f_change + F_Count'(was_size_q[w*3 +: 3]) - F_Count'(ones(was_mask_q[w*4 +: 4]));
        for (int f = 0; f < NumFree; f = f + 1) f_change = f_change - F_Count'(ones(was_free_q[f*4 +: 4]));
        f_later = f_slices + f_change_q + f_change;
    end
    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!f_past) assume (!rst_ni);
        f_own   <= rst_ni ? f_own_d : '0;
        f_map   <= rst_ni ? f_map_d : '0;
        f_count <= rst_ni ? f_count_d : '0;
        f_change_q <= rst_ni ? f_change : '0;
        f_slices   <= rst_ni ? f_slices + f_change_q : '0;
    end

    // Environment
    always_comb begin
        assume (32'(f_l[EntryBits +: BankBits]) < Banks && 32'(f_l[EntryBits-1:0]) < Entries && policy_i != 2'd3);
        for (int w = 0; w < NumWr; w = w + 1)
            if (rq_valid_i[w]) begin
                assume (rq_size_i[w*3 +: 3] >= 3'd1 && rq_size_i[w*3 +: 3] <= 3'd4 &&
                        32'(rq_warp_i[w*WarpBits +: WarpBits]) < Warps);
                case (rq_kind_i[w*2 +: 2])
                Keep:    assume (rq_old_mask_i[w*4 +: 4] != '0 && ones(rq_old_mask_i[w*4 +: 4]) >= rq_size_i[w*3 +: 3]);
                Shrink:  assume (ones(rq_old_mask_i[w*4 +: 4]) > rq_size_i[w*3 +: 3]);
                First:   assume (rq_old_mask_i[w*4 +: 4] == '0);
                default: assume (rq_old_mask_i[w*4 +: 4] != '0 && ones(rq_old_mask_i[w*4 +: 4]) < rq_size_i[w*3 +: 3]);
                endcase
                if (rq_kind_i[w*2 +: 2] != First)
                    assume (32'(rq_old_bank_i[w*BankBits +: BankBits]) < Banks &&
                            32'(rq_old_entry_i[w*EntryBits +: EntryBits]) < Entries);
            end
        for (int f = 0; f < NumFree; f = f + 1)
            if (fr_valid_i[f])
                assume (fr_mask_i[f*4 +: 4] != '0 && 32'(fr_bank_i[f*BankBits +: BankBits]) < Banks &&
                        32'(fr_entry_i[f*EntryBits +: EntryBits]) < Entries);
        assume (f_twice == '0 && (f_named & ~f_own) == '0);
    end
    // The counts, as alloc_count proves of them
    always_comb assume (used_slices_o == f_slices);
    // The banks, as alloc_bank proves of them
    for (genvar b = 0; b < Banks; b = b + 1) begin : g_f_part
        always_comb begin
            assume ((pops[b*NumGive +: NumGive] & ~g_bank[b].give_here) == '0 &&
                    (pops[b*NumGive +: NumGive] & (pops[b*NumGive +: NumGive] - NumGive'(1))) == '0);
            assume ((g_bank[b].known_here & ~(g_bank[b].row_here & g_bank[b].looking_here)) == '0);
            assume ((g_bank[b].known_here & (g_bank[b].known_here - NumWr'(1))) == '0);
            assume (!(bank_room[b] && bank_short[b]));
            for (int w = 0; w < NumWr; w = w + 1) begin
                if (bank_known[w*Banks + b] && bank_room[b]) begin
                    assume (ready[w] && ones(bank_mask[b*4 +: 4]) == rq_size_i[w*3 +: 3]);
                    if (target[w*LocBits +: LocBits] == f_l)
                        assume ((bank_mask[b*4 +: 4] & f_map & ~target_own[w*4 +: 4]) == '0);
                end
                if (bank_known[w*Banks + b] && target[w*LocBits +: LocBits] == f_l)
                    assume ((f_row & {NumWr{f_at[b]}}) == '0);
                if (fit[w*Banks + b]) begin
                    assume (rsv[w] ? may_full[b] : may[w*Banks + b]);
                    assume (ones(at_mask[(w*Banks + b)*4 +: 4]) == rq_size_i[w*3 +: 3]);
                    if (f_row[w] && f_at[b]) assume ((at_mask[(w*Banks + b)*4 +: 4] & f_map) == '0);
                end
                for (int v = 0; v < NumWr; v = v + 1)
                    if (f_at[b] && fit[w*Banks + b] && fit[v*Banks + b] &&
                        at_entry[(w*Banks + b)*EntryBits +: EntryBits] == f_l[EntryBits-1:0])
                        assume (same[(b*NumWr + w)*NumWr + v] ==
                                (at_entry[(v*Banks + b)*EntryBits +: EntryBits] == f_l[EntryBits-1:0]));
            end
        end
    end
    // Contract
    always_comb if (f_past) begin
        // each slice is someone's, or in one give register, and then in use
        assert (!f_in_give_twice);
        assert ((f_own & f_given) == '0 && (f_own | f_given) == f_map);
        // new: free, as much as requested, by one port
        assert (f_new_twice == '0);
        for (int w = 0; w < NumWr; w = w + 1) begin
            assert ((f_al[w*4 +: 4] & f_map & ~f_old[w*4 +: 4]) == '0);
            if (al_done_o[w]) begin
                assert (rq_valid_i[w]);
                if (al_kind_o[w*2 +: 2] != Keep) assert (ones(al_mask_o[w*4 +: 4]) == rq_size_i[w*3 +: 3]);
                if (al_kind_o[w*2 +: 2] == Keep || al_kind_o[w*2 +: 2] == Shrink)
                    assert (al_how_o[w*3 +: 3] == InPlace && (al_mask_o[w*4 +: 4] & ~rq_old_mask_i[w*4 +: 4]) == '0);
                else assert (al_how_o[w*3 +: 3] != InPlace);
                assert (!al_none_o[w]);
            end
            // a port takes exactly if its bank sees the take
            assert (take[w] == f_takes[w] && !(take[w] && room[w]));
            if (al_none_o[w]) assert (rq_valid_i[w]);
            // assumptions of alloc_bank
            assert (!(left[w] && right[w]) && !(rq_size_i[w*3 + 2] && (left[w] || right[w] || rsv[w])) &&
                    !(rsv[w] && (left[w] || right[w])));
            assert ((bank[w*Banks +: Banks] & (bank[w*Banks +: Banks] - Banks'(1))) == '0);
            for (int b = 0; b < Banks; b = b + 1) if (want[w] && bank[w*Banks + b]) assert (fit[w*Banks + b]);
            assert (!order[w*NumWr + w]);
            for (int v = 0; v < w; v = v + 1) assert (order[w*NumWr + v] != order[v*NumWr + w]);
        end
        for (int g = 0; g < NumGive; g = g + 1)
            if (give_q[g]) assert (give_mask_q[g*4 +: 4] != '0 && 32'(give_loc_q[g*LocBits +: EntryBits]) < Entries &&
                                   32'(give_loc_q[g*LocBits + EntryBits +: BankBits]) < Banks);
        assert (f_later == f_count);
        cover (f_own == 4'b0011 && f_given == 4'b1100);
        cover (al_done_o == '1 && f_new == '1);
        cover (al_done_o[0] && al_how_o[2:0] == Own && f_al[3:0] == 4'b0111);
    end
