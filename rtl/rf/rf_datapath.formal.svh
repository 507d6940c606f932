// SPDX-License-Identifier: Apache-2.0
// The contract of rf_datapath, proved by ci/formal, which includes it at the end of the module.
    // Contract of what lies between the parts. The parts are cut off (see Cut in the header): they
    // may do whatever their own contracts, assumed here and proved there, allow.
    // Entries, at each port: an instruction's sources are looked up until each was once; then, and not
    // before, its places go to the coalescer and it may move, with what arrived when; no instruction
    // is lost, or taken before. Its destinations are looked up one after the other, those of an
    // earlier instruction first; those left when it moves go to the late register, which is empty then.
    // Results, of any register f_warp, f_reg, at any bit {f_byte, f_lane, f_bit} of it: it asks for a
    // place with what came with it, after its buddy was looked up, until it has one, once; it is
    // in its bank, at that place, once, all of it; the table is told once if the place is another;
    // then, and not before, it is done. Table and map agree about the register whenever nothing of it
    // is on the way. What the table frees goes to the map in the cycle it comes.
    // Environment: at most one result of a register on the way, with the place it has; nothing
    // reads or frees it before the cycle in which it is done.
    (* anyconst *) logic [WarpBits-1:0] f_warp;
    (* anyconst *) logic [RegBits-1:0]  f_reg;
    (* anyconst *) logic [1:0]          f_byte;
    (* anyconst *) logic                f_lane;
    (* anyconst *) logic [2:0]          f_bit;
    (* anyconst *) logic [1:0]          f_policy;
    (* anyseq *)   logic                f_walk;        // a walk frees the register in this cycle
    logic f_past;
    initial f_past = 1'b0;
    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!f_past) assume (!rst_ni);
    end
    localparam int BitBits = $clog2(Row);
    logic [BitBits-1:0] f_at;                           // place of the bit in a row
    assign f_at = BitBits'(f_byte) * BitBits'(Lanes*8) + BitBits'(f_lane) * BitBits'(8) + BitBits'(f_bit);
    function automatic f_one(input [Row-1:0] data, input [BitBits-1:0] at);
        f_one = 1'(data >> at);
    endfunction

    // ---- Entries
    (* anyconst *) logic [AllocBits-1:0] f_a;
    logic              f_waited, f_was_first;           // entry f_a found no collector; was first
    logic [AllocBits:0] f_steps, f_steps_had;           // from the first to f_a
    logic              f_first_held;
    assign f_steps = f_a >= en_first_q ? {1'b0, f_a} - {1'b0, en_first_q}
                   : {1'b0, f_a} + (AllocBits+1)'(NumAlloc) - {1'b0, en_first_q};
    always_ff @(posedge clk_i) begin
        f_waited     <= rst_ni && complete[f_a] && !en_valid_o[f_a];
        f_was_first  <= en_first_q == f_a;
        f_first_held <= complete[en_first_q] && !en_valid_o[en_first_q];
        f_steps_had  <= f_steps;
    end
    always_comb begin
        assume (32'(f_a) < NumAlloc);
        // the collectors: who asks may be served
        assume ((en_valid_o & ~complete) == '0);
        if (f_past) begin
            assert (32'(en_first_q) < NumAlloc);
            if (f_waited) assert (f_first_held ? f_steps <= f_steps_had
                                               : f_steps == '0 || f_steps < f_steps_had);
            if (f_waited && f_was_first) assert (en_first_q == f_a);
        end
    end
    logic [NumSrc-1:0] f_of_reg, f_looking;             // lookups of f_reg; in an entry
    for (genvar a = 0; a < NumAlloc; a = a + 1) begin : g_f_entry
        logic                        taken, open;       // an instruction enters; is there
        logic [NumOps-1:0]           need, left, due;   // its operands; not looked up; answered now
        logic [WarpBits-1:0]         warp;
        logic [UnitBits-1:0]         unit;
        logic [NumOps*RegBits-1:0]   regs;
        logic [NumOps*PlaceBits-1:0] places;
        // destinations: of the instruction there, of the one that moved last; the one answered now
        logic [2:0]                  dst_n, dst_served, dst_known, late_n, late_served;
        logic [MaxDst*RegBits-1:0]   dst_regs, late_regs;
        logic [WarpBits-1:0]         late_warp;
        logic                        dst_due, due_late, late, of_entry;
        logic [1:0]                  due_index;
        assign of_entry  = open && dst_served != dst_n && !late;
        assign dst_known = of_entry && dst_ready[a] ? dst_served + 3'd1 : dst_served;
        assign taken = is_valid_i[a] && is_ready_o[a];
        always_ff @(posedge clk_i) begin
            if (!rst_ni) begin
                open    <= 1'b0;
                left    <= '0;
                due     <= '0;
                dst_due <= 1'b0;
                late    <= 1'b0;
            end else begin
                due_late  <= late || (of_entry && en_valid_o[a]);
                due_index <= 2'(late ? late_served : of_entry ? dst_served : 3'd0);
                late      <= late ? !dst_ready[a] || late_served + 3'd1 != late_n
                                  : en_valid_o[a] && dst_known != dst_n;
                if (late) late_served <= late_served + 3'(dst_ready[a]);
                else begin
                    late_n      <= dst_n;
                    late_served <= dst_known;
                    late_regs   <= dst_regs;
                    late_warp   <= warp;
                end
                due     <= src_valid[a*NumOps +: NumOps] & src_ready[a*NumOps +: NumOps];
                dst_due <= dst_valid[a] && dst_ready[a];
                open    <= taken || (open && !en_valid_o[a]);
                if (taken) begin
                    left       <= is_need_i[a*NumOps +: NumOps] & ~src_ready[a*NumOps +: NumOps];
                    need       <= is_need_i[a*NumOps +: NumOps];
                    warp       <= is_warp_i[a*WarpBits +: WarpBits];
                    unit       <= is_unit_i[a*UnitBits +: UnitBits];
                    regs       <= is_reg_i[a*NumOps*RegBits +: NumOps*RegBits];
                    dst_n      <= is_dst_n_i[a*3 +: 3];
                    dst_regs   <= is_dst_reg_i[a*MaxDst*RegBits +: MaxDst*RegBits];
                    dst_served <= 3'(dst_ready[a] && !late && !of_entry);
                end else begin
                    left <= left & ~src_ready[a*NumOps +: NumOps];
                    dst_served <= dst_known;
                end
            end
        end
        always_comb begin
            assume (is_dst_n_i[a*3 +: 3] <= 3'(MaxDst));
            assume (!(dst_ready[a] && !dst_valid[a]));
            assume ((src_ready[a*NumOps +: NumOps] & ~src_valid[a*NumOps +: NumOps]) == '0);
            assume (ds_valid_o[a] == dst_due);
        end
        always_comb if (f_past) begin
            // who is there moves when all is known; one enters when nobody is there or he moves
            assert (complete[a] == (open && left == '0 && (dst_served == dst_n || !late)));
            assert (is_ready_o[a] == (!open || en_valid_o[a]));
            // what is asked: all sources at once, then what was refused
            assert (src_valid[a*NumOps +: NumOps] ==
                    (taken ? is_need_i[a*NumOps +: NumOps] : open ? left : '0));
            if (src_valid[a*NumOps +: NumOps] != '0)
                assert (src_warp[a*WarpBits +: WarpBits] == (taken ? is_warp_i[a*WarpBits +: WarpBits] : warp));
            assert (src_reg[a*NumOps*RegBits +: NumOps*RegBits] ==
                    (taken ? is_reg_i[a*NumOps*RegBits +: NumOps*RegBits] : g_entry[a].reg_q));
            // the destinations one after the other, the earliest instruction's first, with their hints
            assert (dst_late[a] == late);
            assert (dst_valid[a] == (late || of_entry || (taken && is_dst_n_i[a*3 +: 3] != 3'd0)));
            if (dst_valid[a])
                assert (dst_reg[a*RegBits +: RegBits] == RegBits'(
                            late     ? late_regs >> late_served * RegBits
                          : of_entry ? dst_regs >> dst_served * RegBits
                                     : is_dst_reg_i >> a * MaxDst * RegBits) &&
                        dst_warp[a*WarpBits +: WarpBits] ==
                            (late ? late_warp : of_entry ? warp : is_warp_i[a*WarpBits +: WarpBits]) &&
                        hq_reg[a*6 +: 6] == 6'(dst_reg[a*RegBits +: RegBits]));
            if (dst_due) assert (ds_late_o[a] == due_late && ds_index_o[a*2 +: 2] == due_index);
            if (dst_due && !due_late) assert (open && 3'(due_index) < dst_served);
            assert (ds_pair_o[a] == (dst_due && ha_pair[a]));
            // to the collector
            assert (co_valid[a*NumOps +: NumOps] == (complete[a] ? need : '0));
            if (complete[a])
                assert (entry_unit[a*UnitBits +: UnitBits] == unit &&
                        entry_need[a*NumOps +: NumOps] == need);
        end
        // Invariants
        always_comb if (f_past) begin
            assert (open == g_entry[a].busy_q && !((due != '0 || (dst_due && !due_late)) && !open));
            assert (late == g_entry[a].late_q);
            if (late)
                assert (late_served == g_entry[a].late_served_q && late_n == g_entry[a].late_n_q &&
                        late_regs == g_entry[a].late_dst_q && late_warp == g_entry[a].late_warp_q &&
                        late_served < late_n && late_n <= 3'(MaxDst));
            if (dst_due) assert (due_late == g_entry[a].shown_late_q && due_index == g_entry[a].shown_index_q);
            if (open) begin
                assert (left == g_entry[a].again_q && (left & due) == '0 && (left & ~need) == '0);
                assert (need == g_entry[a].need_q && warp == g_entry[a].warp_q);
                assert (unit == g_entry[a].unit_q && regs == g_entry[a].reg_q);
                assert ((g_entry[a].known_q & need) == (need & ~left & ~due) && (due & ~need) == '0);
                assert (dst_n == g_entry[a].dst_n_q && dst_regs == g_entry[a].dst_q);
                assert (dst_served == g_entry[a].served_q && dst_served <= dst_n && dst_n <= 3'(MaxDst));
                if (dst_due && !due_late) assert (3'(due_index) < dst_served);
            end
        end
        for (genvar o = 0; o < NumOps; o = o + 1) begin : g_op
            localparam int L = a * NumOps + o;
            logic [PlaceBits-1:0] place;
            logic                 known;
            assign place = {co_mask[L*4 +: 4], co_bank[L*BankBits +: BankBits],
                            co_entry[L*EntryBits +: EntryBits]};
            assign known = open && need[o] && !left[o] && !due[o];
            always_ff @(posedge clk_i)
                if (due[o])
                    places[o*PlaceBits +: PlaceBits] <=
                        {src_mask[L*4 +: 4], src_bank[L*BankBits +: BankBits],
                         src_entry[L*EntryBits +: EntryBits]};
            assign f_of_reg[L]  = regs[o*RegBits +: RegBits] == f_reg && warp == f_warp;
            assign f_looking[L] = open && need[o] && f_of_reg[L];
            always_comb begin
                // the table: ready when asked, then it answers; f_reg with its mapping
                assume (src_answer[L] == due[o]);
                if (due[o] && f_of_reg[L])
                    assume (src_mask[L*4 +: 4] == f_map[PlaceBits-1 -: 4] &&
                            (src_mask[L*4 +: 4] == '0 ||
                             {src_bank[L*BankBits +: BankBits],
                              src_entry[L*EntryBits +: EntryBits]} == f_map[PlaceBits-5:0]));
                if (f_past) begin
                    if (known)
                        assert (places[o*PlaceBits +: PlaceBits] ==
                                g_entry[a].place_q[o*PlaceBits +: PlaceBits]);
                    if (known && f_of_reg[L])
                        assert (places[o*PlaceBits + EntryBits + BankBits +: 4] ==
                                f_map[PlaceBits-1 -: 4]);
                    // the places that the table gave, with their registers
                    if (complete[a] && need[o]) begin
                        assert (place == (due[o] ? {src_mask[L*4 +: 4], src_bank[L*BankBits +: BankBits],
                                                    src_entry[L*EntryBits +: EntryBits]}
                                                 : places[o*PlaceBits +: PlaceBits]));
                        assert (co_reg[L*6 +: 6] == 6'(regs[o*RegBits +: RegBits]));
                        if (f_of_reg[L]) assert (co_mask[L*4 +: 4] == f_map[PlaceBits-1 -: 4]);
                    end
                end
            end
        end
    end

    // ---- Table and map, as they see f_reg; what is freed
    logic [PlaceBits-1:0] f_map, f_own;                  // mapping in the table; place that it was given
    logic                 f_frees, f_gone, f_given, f_updated;
    logic [PlaceBits-1:0] f_gone_place, f_given_place, f_update_place;
    logic [NumWr-1:0]    f_on_way, f_ends;              // a result of f_reg is on the way; is done
    assign f_frees = (fr_valid_i && fr_ready_o && fr_warp_i == f_warp && fr_reg_i == f_reg) || f_walk;
    always_ff @(posedge clk_i) begin
        f_gone <= rst_ni && f_frees && f_map[PlaceBits-1 -: 4] != '0;
        f_gone_place <= f_map;
        if (!rst_ni || f_frees) begin
            f_map <= '0;
            f_own <= '0;
        end else begin
            if (f_updated) f_map <= f_update_place;
            if (f_given)   f_own <= f_given_place;
        end
    end
    logic [NumFreed-1:0] f_lane_frees;
    logic [NumWr-1:0]    f_wants, f_takes, f_leaves;     // results of f_reg at the ports
    logic [NumSrc-1:0]   f_reads_it;
    always_comb begin
        for (int g = 0; g < NumFreed; g = g + 1)
            f_lane_frees[g] = freed_valid[g] &&
                {freed_mask[g*4 +: 4], freed_bank[g*BankBits +: BankBits],
                 freed_entry[g*EntryBits +: EntryBits]} == f_gone_place;
        for (int l = 0; l < NumSrc; l = l + 1)
            f_reads_it[l] = is_valid_i[l / NumOps] && is_need_i[l] &&
                is_warp_i[(l / NumOps)*WarpBits +: WarpBits] == f_warp &&
                is_reg_i[l*RegBits +: RegBits] == f_reg;
        // the table frees what was mapped in the next cycle
        if (f_gone) assume (f_lane_frees != '0);
        // and the map is told of each then
        if (f_past) assert (given_back == freed_valid);
        if (f_past && f_gone) assert ((f_lane_frees & given_back) != '0);
        // environment: one at a time, see the contract
        assume ((f_wants & (f_wants - NumWr'(1))) == '0);
        if (f_on_way != '0) assume (f_wants == '0);
        if ((f_on_way & ~f_ends) != '0 || f_wants != '0)
            assume (!(fr_valid_i && fr_warp_i == f_warp && fr_reg_i == f_reg) && f_reads_it == '0);
        if (f_on_way != '0 || f_wants != '0) assume (!f_walk);
        // the table frees and updates one register not in one cycle
        if (f_frees) assume (!f_updated);
        if (f_frees) assume (f_reads_it == '0);
        if (f_looking != '0)
            assume (f_wants == '0 && !f_frees);
        // nothing of it on the way: table and map agree
        if (f_past && f_on_way == '0) assert (f_map == f_own);
        if (f_past) assert ((f_on_way & (f_on_way - NumWr'(1))) == '0);
        if (f_past) assert ((merge_get & (merge_get - NumWr'(1))) == '0);
        if (f_past && f_map[PlaceBits-1 -: 4] != '0) assert (32'(f_map[EntryBits +: BankBits]) < Banks);
        if (f_past && f_own[PlaceBits-1 -: 4] != '0) assert (32'(f_own[EntryBits +: BankBits]) < Banks);
        if (f_past && f_on_way != '0) assert (f_looking == '0);
    end

    // ---- Results
    logic [NumWr-1:0]           f_given_w, f_updated_w;
    logic [NumWr*PlaceBits-1:0] f_given_at, f_updated_at;
    always_comb begin
        f_given        = f_given_w != '0;
        f_updated      = f_updated_w != '0;
        f_given_place  = '0;
        f_update_place = '0;
        for (int w = 0; w < NumWr; w = w + 1) begin
            if (f_given_w[w])
                f_given_place = f_given_place | f_given_at[w*PlaceBits +: PlaceBits];
            if (f_updated_w[w])
                f_update_place = f_update_place | f_updated_at[w*PlaceBits +: PlaceBits];
        end
    end
    for (genvar w = 0; w < NumWr; w = w + 1) begin : g_f_wr
        logic       takes, done, done_it, first;        // at the ports; the cycle after it was taken
        logic       held;                               // a shrink that waits since then
        logic [1:0] count;                              // results on the way
        logic       it, ahead, behind;                  // that of f_reg is; one before it, one after it
        logic       has, in_bank, told, merged;         // has a place; is in its bank; table told; ..
        logic       seek, sought, comes;                // buddy to be looked up; was; answer comes
        logic       all, lane, data, paired, keeps;     // all lanes written; bit f_at; its hints
        logic [1:0] align;
        logic [RegBits-1:0] partner;
        logic [2:0] wants, ones_old, ones_in, size_in, wants_in;
        logic [PlaceBits-1:0] old, new_place, place, old_in, bd_place, bd_now;
        logic       asks, gets, stores, tells, fills, picks, needs_merge, in1, in2, fill_bit, pairs_in, all_in;
        assign takes    = wr_valid_i[w] && wr_ready_o[w];
        assign done     = wr_done_o[w];
        assign f_wants[w] = wr_valid_i[w] && wr_warp_i[w*WarpBits +: WarpBits] == f_warp &&
                            wr_reg_i[w*RegBits +: RegBits] == f_reg;
        assign f_on_way[w] = it;
        assign f_ends[w]   = done_it;
        assign in1      = g_wr[w].busy1_q && g_wr[w].warp1_q == f_warp && g_wr[w].reg1_q == f_reg;
        assign in2      = g_wr[w].busy2_q && g_wr[w].warp2_q == f_warp && g_wr[w].reg2_q == f_reg;
        // what comes
        assign old_in   = {wr_old_mask_i[w*4 +: 4], wr_old_bank_i[w*BankBits +: BankBits],
                           wr_old_entry_i[w*EntryBits +: EntryBits]};
        assign ones_in  = ones(wr_old_mask_i[w*4 +: 4]);
        assign all_in   = wr_lane_i[w*Lanes +: Lanes] == '1;
        assign size_in  = pack_q ? wd_size[w*3 +: 3] : 3'd4;
        assign wants_in = (!all_in || hold_q) && ones_in > size_in ? ones_in : size_in;
        assign pairs_in = wr_valid_i[w] && wr_pair_i[w] && policy_q == Pair;
        assign ones_old = ones(old[PlaceBits-1 -: 4]);
        assign needs_merge = !all && ones_old != 3'd0 && wants > ones_old;
        assign bd_now   = comes ? {bd_mask[w*4 +: 4], bd_bank[w*BankBits +: BankBits],
                                   bd_entry[w*EntryBits +: EntryBits]} : bd_place;
        // what happens to it in this cycle
        assign asks     = rq_valid[w] && it && !has;
        assign gets     = asks && al_done[w];
        assign picks    = merge_pick[w] && it && !has;
        assign stores   = bk_valid[w] && bk_ready[w] && it && !ahead;
        assign tells    = up_valid[w] && up_ready[w] && it && !ahead;
        assign done_it  = done && it && !ahead;
        assign place    = has ? new_place
                              : {al_mask[w*4 +: 4], al_bank[w*BankBits +: BankBits],
                                 al_entry[w*EntryBits +: EntryBits]};
        assign keeps    = ones_old == wants;
        assign fill_bit = f_one(row_first[32'(old[EntryBits +: BankBits])*Row +: Row], f_at);
        assign f_given_w[w] = gets;
        assign f_given_at[w*PlaceBits +: PlaceBits] = place;
        assign f_updated_w[w] = tells;
        assign f_updated_at[w*PlaceBits +: PlaceBits] =
            {up_mask[w*4 +: 4], up_bank[w*BankBits +: BankBits], up_entry[w*EntryBits +: EntryBits]};
        always_comb if (f_wants[w])
            assume (old_in[PlaceBits-1 -: 4] == f_map[PlaceBits-1 -: 4] &&
                    (old_in[PlaceBits-1 -: 4] == '0 || old_in == f_map));
        always_ff @(posedge clk_i) begin
            first <= rst_ni && takes && f_wants[w];
            held  <= rst_ni && (first || held) && asks && !gets && ones_old > wants;
            fills <= rst_ni && picks && merge_grant;
            if (!rst_ni) begin
                count <= 2'd0;
                it    <= 1'b0;
                comes <= 1'b0;
            end else begin
                count <= count + 2'(takes) - 2'(done);
                if (takes && f_wants[w]) begin
                    it      <= 1'b1;
                    ahead   <= count != 2'(done);
                    behind  <= 1'b0;
                    has     <= 1'b0;
                    in_bank <= 1'b0;
                    told    <= 1'b0;
                    merged  <= 1'b0;
                    all     <= all_in;
                    lane    <= wr_lane_i[w*Lanes + 32'(f_lane)];
                    data    <= wr_lane_i[w*Lanes + 32'(f_lane)] && f_one(wr_data_i[w*Row +: Row], f_at);
                    wants   <= wants_in;
                    old     <= old_in;
                    paired  <= wr_pair_i[w];
                    partner <= wr_buddy_i[w*RegBits +: RegBits];
                    align   <= wr_align_i[w*2 +: 2];
                    comes   <= pairs_in && bd_ready[w];
                    sought  <= pairs_in && bd_ready[w];
                    seek    <= pairs_in && !bd_ready[w] && ones_in < wants_in;
                    bd_place <= '0;
                end else begin
                    if (takes) behind <= 1'b1;
                    if (done) ahead <= 1'b0;
                    if (done_it) it <= 1'b0;
                    if (gets) has <= 1'b1;
                    if (gets) new_place <= place;
                    if (stores) in_bank <= 1'b1;
                    if (tells) told <= 1'b1;
                    comes <= it && seek && bd_ready[w];
                    if (comes) bd_place <= bd_now;
                    if (seek && bd_ready[w]) sought <= 1'b1;
                    if (seek && bd_ready[w]) seek <= 1'b0;
                    if (fills) begin
                        merged <= 1'b1;
                        if (!lane) data <= fill_bit;
                    end
                end
            end
        end
        // Contracts of the parts
        always_comb begin
            assume ((up_ready[w] && !up_valid[w]) == 1'b0 && (bk_ready[w] && !bk_valid[w]) == 1'b0);
            assume ((bd_ready[w] && !bd_valid[w]) == 1'b0);
            assume (wd_size[w*3 +: 3] >= 3'd1 && wd_size[w*3 +: 3] <= 3'd4);
            assume (!(al_done[w] && (!rq_valid[w] || al_none[w])) && !(al_none[w] && !rq_valid[w]));
            if (rq_valid[w]) begin
                assume (al_kind[w*2 +: 2] == rq_kind[w*2 +: 2]);
                if (!al_kind[w*2 + 1])
                    assume (al_done[w] == (al_kind[w*2 +: 2] == Keep || rq_ready[w]) && al_bank[w*BankBits +: BankBits] == rq_old_bank[w*BankBits +: BankBits] &&
                            al_entry[w*EntryBits +: EntryBits] == rq_old_entry[w*EntryBits +: EntryBits] &&
                            (al_mask[w*4 +: 4] & ~rq_old_mask[w*4 +: 4]) == '0);
                if (al_done[w]) assume (ones(al_mask[w*4 +: 4]) == rq_size[w*3 +: 3] &&
                                        32'(al_bank[w*BankBits +: BankBits]) < Banks);
                for (int i = 1; i < 4; i = i + 1)
                    for (int j = 0; j < i; j = j + 1)
                        if (al_kind[w*2 +: 2] == 2'd1 && rq_old_mask[w*4 + i] && rq_old_mask[w*4 + j])
                            assume (policy_q == Align && rq_align[w*2 +: 2] == Left
                                    ? al_mask[w*4 + i] || !al_mask[w*4 + j]
                                    : al_mask[w*4 + j] || !al_mask[w*4 + i]);
            end
            // the merge read is delivered, by its bank
            if (fills)
                for (int b = 0; b < Banks; b = b + 1)
                    assume ((row_valid[b] && row_reader[b*ReaderBits +: ReaderBits] == ReaderBits'(NumColl)) ==
                            (old[EntryBits +: BankBits] == BankBits'(b)));
        end
        always_comb if (f_past) begin
            // one done for each that was taken, at most two on the way
            if (wr_ready_o[w]) assert (wr_valid_i[w]);
            if (done) assert (count != 2'd0);
            if (count == 2'd2 && !done) assert (!wr_ready_o[w]);
            // asks for a place with what came with it, until it has one
            if (asks) begin
                assert (rq_warp[w*WarpBits +: WarpBits] == f_warp && rq_reg[w*6 +: 6] == 6'(f_reg));
                assert (rq_old_mask[w*4 +: 4] == f_own[PlaceBits-1 -: 4]);
                if (f_own[PlaceBits-1 -: 4] != '0)
                    assert ({rq_old_bank[w*BankBits +: BankBits],
                             rq_old_entry[w*EntryBits +: EntryBits]} == f_own[PlaceBits-5:0]);
                assert (rq_size[w*3 +: 3] == wants && rq_pair[w] == paired);
                assert (rq_kind[w*2 +: 2] == (ones_old == 3'd0 ? First : keeps ? Keep : ones_old > wants ? Shrink : Grow));
                assert (rq_align[w*2 +: 2] == align);
                assert (!needs_merge || merged || fills);
                if (f_policy == Pair && paired && ones_old < wants) assert (sought);
                assert ({rq_bd_mask[w*4 +: 4], rq_bd_bank[w*BankBits +: BankBits],
                         rq_bd_entry[w*EntryBits +: EntryBits]} == bd_now);
            end
            if (it && has && !behind) assert (!rq_valid[w]);
            // its row is looked up ahead of the request where it grows
            assert (!(lk_valid[w] && move_q));
            if (it && in1 && !move_q && needs_merge && !merged && !fills)
                assert (lk_valid[w] && {lk_bank[w*BankBits +: BankBits], lk_entry[w*EntryBits +: EntryBits]} ==
                                       old[PlaceBits-5:0]);
            if (takes && !g_wr[w].busy1_q && !move_q && ones_in != 3'd0 && wants_in > ones_in && all_in)
                assert (lk_valid[w] && {lk_bank[w*BankBits +: BankBits], lk_entry[w*EntryBits +: EntryBits]} ==
                                       old_in[PlaceBits-5:0]);
            // its buddy is looked up with it, or after it as long as that is refused
            if (it && seek)
                assert (bd_valid[w] && bd_warp[w*WarpBits +: WarpBits] == f_warp &&
                        bd_reg[w*RegBits +: RegBits] == partner && !takes);
            if (takes && pairs_in)
                assert (bd_valid[w] && bd_warp[w*WarpBits +: WarpBits] == wr_warp_i[w*WarpBits +: WarpBits] &&
                        bd_reg[w*RegBits +: RegBits] == wr_buddy_i[w*RegBits +: RegBits]);
            // reads its old value: what it holds, unpacked as it is packed
            if (picks) assert (needs_merge && merge_bank == old[EntryBits +: BankBits] &&
                               merge_entry == old[EntryBits-1:0] && !merged);
            if (fills) begin
                assert (row_mask1[32'(old[EntryBits +: BankBits])*4 +: 4] == old[PlaceBits-1 -: 4]);
                assert (!row_coll_valid[old[EntryBits +: BankBits]]);
            end
            // the bank: once, at its place, all that belongs there
            if (it && !ahead && bk_valid[w]) begin
                assert (!in_bank && (has || gets));
                assert ({bk_mask[w*4 +: 4], bk_bank[w*BankBits +: BankBits],
                         bk_entry[w*EntryBits +: EntryBits]} == place);
                assert (bk_lane[w*Lanes + 32'(f_lane)] == (lane || merged || ones_old == 3'd0));
                if (bk_lane[w*Lanes + 32'(f_lane)])
                    assert (f_one(bk_data[w*Row +: Row], f_at) == data);
            end
            // the table: once, when the place is another
            if (it && !ahead && up_valid[w]) begin
                assert (!told && !keeps && (has || gets));
                assert (up_warp[w*WarpBits +: WarpBits] == f_warp && up_reg[w*RegBits +: RegBits] == f_reg);
                assert (f_updated_at[w*PlaceBits +: PlaceBits] == place);
            end
            // done: has its place, is in its bank, the table knows
            if (done_it) assert ((has || gets) && (in_bank || stores) && (keeps || told || tells));
            if (it && !ahead && has && (in_bank || stores) && (keeps || told || tells)) assert (done);
        end
        // Invariants
        always_comb if (f_past) begin
            assert (count == 2'(g_wr[w].busy1_q) + 2'(g_wr[w].busy2_q));
            assert (it == (in1 || in2) && !(in1 && in2));
            if (g_wr[w].busy1_q) assert (g_wr[w].step_q <= StepPlaced);
            if (g_wr[w].busy1_q && g_wr[w].seek_q)
                assert (g_wr[w].step_q != StepPlaced && (g_wr[w].had == 3'd0 || g_wr[w].need_q > g_wr[w].had));
            assert (!(first || held) || (it && in1));
            assert (!(first && held));
            if (g_wr[w].busy1_q) assert (g_wr[w].need_q >= 3'd1 && g_wr[w].need_q <= 3'd4);
        end
        always_comb if (f_past && it) begin
            if (in1) begin
                assert (ahead == g_wr[w].busy2_q && !behind && !in_bank && !told);
                // in step 0 in its first cycle, and as long as it cannot give back what it leaves
                assert ((first || held) == (g_wr[w].step_q == StepFirst));
                assert (g_wr[w].had_q == ones_old || has);
                if (held) assert (ones_old > wants && !has && !merged && !fills);
                assert (has == (g_wr[w].step_q == StepPlaced));
                assert (g_wr[w].need_q == wants && wants >= 3'd1 && wants <= 3'd4);
                assert (g_wr[w].full == (all || merged) && (!(all || merged) || g_wr[w].lane1_q[f_lane]));
                assert (g_wr[w].lane1_q[f_lane] == (lane || merged) && (!all || lane));
                assert (f_one(g_wr[w].data1_q, f_at) == data && (lane || merged || !data));
                assert (g_wr[w].place1_q == (has ? new_place : old));
                assert (paired == g_wr[w].pair_q && align == g_wr[w].align_q && partner == g_wr[w].buddy_q);
                assert (seek == g_wr[w].seek_q && comes == g_wr[w].found_q && bd_place == g_wr[w].bd_q);
                assert (!seek || (paired && ones_old < wants && !has && !sought && f_policy == Pair));
                if (f_policy == Pair && paired && ones_old < wants) assert (sought || seek);
                if (!has) assert (old[PlaceBits-1 -: 4] == f_map[PlaceBits-1 -: 4]);
                if (!has && f_map[PlaceBits-1 -: 4] != '0) assert (old == f_map);
                if (first) assert (!merged && !has && !fills);
                else if (held) assert (!seek);
                else if (g_wr[w].step_q == StepMergeAsk || g_wr[w].step_q == StepMergeGet)
                    assert (needs_merge && !merged);
                else assert (!needs_merge || merged);
                assert (fills == (g_wr[w].step_q == StepMergeGet));
                if (!first && !held && !has) assert (ones_old < wants);
                if (!has) assert (f_map == f_own);
                if (has && keeps) assert (new_place == old);
                if (has) assert (g_wr[w].kind_q == (ones_old == 3'd0 ? 2'd2 : keeps ? 2'd0
                                                    : ones_old > wants ? 2'd1 : 2'd3));
                if (merged) assert (ones_old != 3'd0 && ones_old < wants);
            end
            if (in2) begin
                assert (has && !ahead && behind == g_wr[w].busy1_q && !first && !held && !fills && !seek);
                assert (g_wr[w].place2_q == new_place);
                assert (g_wr[w].bank2_q == in_bank && g_wr[w].update2_q == (told || keeps));
                assert (!(in_bank && (told || keeps)));
                if (!in_bank) begin
                    assert (g_wr[w].lane2_q[f_lane] == (lane || merged || ones_old == 3'd0));
                    if (lane || merged || ones_old == 3'd0) assert (f_one(g_wr[w].data2_q, f_at) == data);
                end
                if (keeps) assert (new_place == old && f_map == new_place);
            end
            if (has) assert (f_own == new_place && ones(new_place[PlaceBits-1 -: 4]) == wants);
            if (has && !told) assert (keeps ? f_map == new_place
                                            : f_map[PlaceBits-1 -: 4] == old[PlaceBits-1 -: 4]);
            if (told) assert (f_map == new_place && !keeps);
            if (needs_merge && has) assert (merged);
        end
        always_comb begin
            // the hints and the policy of a kernel stay as they are
            if (f_on_way != '0 || f_wants != '0) assume (f_policy == policy_q);
            if (NumWr == 1) cover (f_past && done_it && in2 && merged && !lane && data && !keeps);
            cover (f_past && done_it && in1 && ones_old == 3'd3 && wants == 3'd1);
            cover (f_past && it && ahead && first && needs_merge);
            cover (f_past && done_it && sought && told && in_bank == 1'b0);
            cover (f_past && it && in2 && !in_bank && told && behind);
        end
    end

    // ---- Reads: the merge read before all collectors, those as their pool says; each gets its rows
    for (genvar c = 0; c < NumColl; c = c + 1) begin : g_f_reader
        always_comb if (f_past) begin
            assert (rd_older[c*Readers + NumColl] && !rd_older[NumColl*Readers + c]);
            assert (rd_older[c*Readers +: NumColl] == coll_older[c*NumColl +: NumColl]);
            assert (rd_valid[c] == coll_valid[c]);
        end
    end
    for (genvar b = 0; b < Banks; b = b + 1) begin : g_f_row
        always_comb begin
            assume (row_reader[b*ReaderBits +: ReaderBits] <= ReaderBits'(NumColl));
            if (f_past && row_valid[b] && row_reader[b*ReaderBits +: ReaderBits] != ReaderBits'(NumColl))
                assert (row_coll_valid[b] &&
                        ReaderBits'(row_coll[b*CollBits +: CollBits]) == row_reader[b*ReaderBits +: ReaderBits] &&
                        row_mask1[b*4 +: 4] == coll_mask1[b*4 +: 4] &&
                        row_mask2[b*4 +: 4] == coll_mask2[b*4 +: 4]);
        end
    end
    always_comb begin
        if (NumOps > 1) cover (f_past && g_f_entry[0].left != '0 && g_f_entry[0].due != '0);
        cover (f_past && en_valid_o[0] && is_valid_i[0] && f_looking[0] && ds_valid_o[0] &&
               f_map[PlaceBits-1 -: 4] == 4'b0110);
        cover (f_past && ds_late_o[0] && ds_index_o[1:0] == 2'd2 && dst_valid[0]);
        if (NumAlloc > 1) cover (f_past && f_waited && f_was_first && f_a == '1);
        cover (f_past && f_gone);
    end
