// SPDX-License-Identifier: Apache-2.0
// The contract of rf_datapath, proved by ci/formal, which includes it at the end of the module.
    // Contract of the logic between the parts. The parts are cut off (see Cut in the header): they
    // have any behavior that their own contracts, assumed here and proved there, allow. Entries:
    // each that finds no collector becomes the first, and then waits no more. The coalescer gets
    // for any register f_warp, f_reg the place that the table has for it. A destination arrives
    // with its own hints. Results of this register: the request for a place carries the place of
    // the map. Table and map agree about the register whenever nothing of it is in flight. A
    // mapping that the table frees goes to the map in the same cycle. Environment: at most one
    // result of a register is in flight, with the place it has. Nothing reads or frees the register
    // before the cycle in which the result is done.
    localparam int PlaceBits = 4 + BankBits + EntryBits;   // {mask, bank, entry}
    (* anyconst *) logic [WarpBits-1:0] f_warp;
    (* anyconst *) logic [RegBits-1:0]  f_reg;
    (* anyseq *)   logic                f_walk;        // a walk frees the register in this cycle
    logic f_past;
    initial f_past = 1'b0;
    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!f_past) assume (!rst_ni);
    end
    function automatic [2:0] ones(input [3:0] mask);
        ones = (3'(mask[0]) + 3'(mask[1])) + (3'(mask[2]) + 3'(mask[3]));
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
        // the collectors: a request may be served
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
        // guarantees of rf_lookup: a valid instruction, its sources (not looked up yet, answered
        // now)
        logic                        taken, open, dst_due;
        logic [NumOps-1:0]           need, left, due;
        logic [WarpBits-1:0]         warp;
        logic [NumOps*RegBits-1:0]   regs;
        logic [NumOps*PlaceBits-1:0] places;
        assign taken = is_valid_i[a] && is_ready_o[a];
        always_ff @(posedge clk_i) begin
            if (!rst_ni) begin
                open    <= 1'b0;
                left    <= '0;
                due     <= '0;
                dst_due <= 1'b0;
            end else begin
                due     <= src_valid[a*NumOps +: NumOps] & src_ready[a*NumOps +: NumOps];
                dst_due <= dst_valid[a] && dst_ready[a];
                open    <= taken || (open && !en_valid_o[a]);
                if (taken) begin
                    left <= is_need_i[a*NumOps +: NumOps] & ~src_ready[a*NumOps +: NumOps];
                    need <= is_need_i[a*NumOps +: NumOps];
                    warp <= is_warp_i[a*WarpBits +: WarpBits];
                    regs <= is_reg_i[a*NumOps*RegBits +: NumOps*RegBits];
                end else left <= left & ~src_ready[a*NumOps +: NumOps];
            end
        end
        always_comb begin
            assume (is_ready_o[a] == (!open || en_valid_o[a]));
            assume (!complete[a] || (open && left == '0));
            assume (src_valid[a*NumOps +: NumOps] ==
                    (taken ? is_need_i[a*NumOps +: NumOps] : open ? left : '0));
            assume (!(dst_ready[a] && !dst_valid[a]));
            assume ((src_ready[a*NumOps +: NumOps] & ~src_valid[a*NumOps +: NumOps]) == '0);
            assume (ds_valid_o[a] == dst_due);
            if (complete[a]) assume (entry_need[a*NumOps +: NumOps] == need);
        end
        // Invariants
        always_comb if (f_past) begin
            assert (((left | due) == '0 || open) && (left & due) == '0);
            if (open) assert (((left | due) & ~need) == '0);
        end
        always_comb if (f_past) begin
            if (dst_valid[a]) assert (hq_reg[a*6 +: 6] == 6'(dst_reg[a*RegBits +: RegBits]));
            assert (ds_pair_o[a] == (dst_due && ha_pair[a]) && ds_late_o[a] == (dst_due && shown_late[a]));
        end
        for (genvar o = 0; o < NumOps; o = o + 1) begin : g_op
            localparam int L = a * NumOps + o;
            logic [PlaceBits-1:0] answer;
            assign answer = {src_mask[L*4 +: 4], src_bank[L*BankBits +: BankBits],
                             src_entry[L*EntryBits +: EntryBits]};
            always_ff @(posedge clk_i) if (due[o]) places[o*PlaceBits +: PlaceBits] <= answer;
            assign f_of_reg[L]  = regs[o*RegBits +: RegBits] == f_reg && warp == f_warp;
            assign f_looking[L] = open && need[o] && f_of_reg[L];
            always_comb begin
                // the entry: places as the table gave them; the table: ready when asked, then it answers
                if (complete[a] && need[o])
                    assume ({co_mask[L*4 +: 4], co_bank[L*BankBits +: BankBits], co_entry[L*EntryBits +: EntryBits]} ==
                            (due[o] ? answer : places[o*PlaceBits +: PlaceBits]));
                assume (src_answer[L] == due[o]);
                if (due[o] && f_of_reg[L])
                    assume (src_mask[L*4 +: 4] == f_map[PlaceBits-1 -: 4] &&
                            (src_mask[L*4 +: 4] == '0 || answer == f_map));
                if (f_past) begin
                    if (open && need[o] && !left[o] && !due[o] && f_of_reg[L])
                        assert (places[o*PlaceBits + EntryBits + BankBits +: 4] == f_map[PlaceBits-1 -: 4]);
                    if (complete[a] && need[o] && f_of_reg[L])
                        assert (co_mask[L*4 +: 4] == f_map[PlaceBits-1 -: 4]);
                end
            end
        end
    end

    // ---- Table and map, as they see f_reg; what is freed
    logic [PlaceBits-1:0] f_map, f_own;                  // mapping in the table; place that it was given
    logic                 f_frees, f_gone, f_given, f_updated;
    logic [PlaceBits-1:0] f_gone_place, f_given_place, f_update_place;
    logic [NumWr-1:0]    f_on_way, f_ends;              // a result of f_reg is in flight; is done
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
        // the table frees the mapping in the next cycle
        if (f_gone) assume (f_lane_frees != '0);
        // and the map receives each then
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
        // no result in flight: table and map agree
        if (f_past && f_on_way == '0) assert (f_map == f_own);
        if (f_past) assert ((f_on_way & (f_on_way - NumWr'(1))) == '0);
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
        // guarantees of rf_writer: results in flight; one of f_reg (it), behind another one
        // (ahead), that has its place, with which the table is updated
        logic                 takes, done, it, ahead, has, told, keeps, gets, tells;
        logic [1:0]           count;
        logic [PlaceBits-1:0] old, old_in, new_place, place, given;
        assign takes  = wr_valid_i[w] && wr_ready_o[w];
        assign done   = wr_done_o[w];
        assign old_in = {wr_old_mask_i[w*4 +: 4], wr_old_bank_i[w*BankBits +: BankBits],
                         wr_old_entry_i[w*EntryBits +: EntryBits]};
        assign given  = {al_mask[w*4 +: 4], al_bank[w*BankBits +: BankBits], al_entry[w*EntryBits +: EntryBits]};
        assign gets   = rq_valid[w] && al_done[w] && rq_warp[w*WarpBits +: WarpBits] == f_warp &&
                        rq_reg[w*6 +: 6] == 6'(f_reg);
        assign tells  = up_valid[w] && up_ready[w] && up_warp[w*WarpBits +: WarpBits] == f_warp &&
                        up_reg[w*RegBits +: RegBits] == f_reg;
        assign place  = has ? new_place : given;
        assign keeps  = ones(old[PlaceBits-1 -: 4]) == ones(place[PlaceBits-1 -: 4]);
        assign f_wants[w] = wr_valid_i[w] && wr_warp_i[w*WarpBits +: WarpBits] == f_warp &&
                            wr_reg_i[w*RegBits +: RegBits] == f_reg;
        assign f_on_way[w]  = it;
        assign f_ends[w]    = done && it && !ahead;
        assign f_given_w[w] = gets;
        assign f_given_at[w*PlaceBits +: PlaceBits] = given;
        assign f_updated_w[w] = tells;
        assign f_updated_at[w*PlaceBits +: PlaceBits] =
            {bk_mask[w*4 +: 4], bk_bank[w*BankBits +: BankBits], bk_entry[w*EntryBits +: EntryBits]};
        always_ff @(posedge clk_i)
            if (!rst_ni) begin
                count <= 2'd0;
                it    <= 1'b0;
            end else begin
                count <= count + 2'(takes) - 2'(done);
                if (takes && f_wants[w]) begin
                    it    <= 1'b1;
                    ahead <= count != 2'(done);
                    has   <= 1'b0;
                    told  <= 1'b0;
                    old   <= old_in;
                end else begin
                    if (done) ahead <= 1'b0;
                    if (f_ends[w]) it <= 1'b0;
                    if (gets) has <= 1'b1;
                    if (gets) new_place <= given;
                    if (tells) told <= 1'b1;
                end
            end
        always_comb begin
            // the environment: a result arrives with the place that its register has
            if (f_wants[w])
                assume (old_in[PlaceBits-1 -: 4] == f_map[PlaceBits-1 -: 4] &&
                        (old_in[PlaceBits-1 -: 4] == '0 || old_in == f_map));
            // the writer: a result asks until it has its place, updates the table if the place is
            // another, then is done
            assume (!(wr_ready_o[w] && !wr_valid_i[w]) && !(done && count == 2'd0));
            assume (!(takes && count == 2'd2 && !done));
            if (rq_valid[w] && rq_warp[w*WarpBits +: WarpBits] == f_warp && rq_reg[w*6 +: 6] == 6'(f_reg))
                assume (it && !has && {rq_old_mask[w*4 +: 4], rq_old_bank[w*BankBits +: BankBits],
                                       rq_old_entry[w*EntryBits +: EntryBits]} == old);
            if (tells) assume (it && !ahead && !told && !keeps && (has || gets) && f_updated_at[w*PlaceBits +: PlaceBits] == place);
            if (f_ends[w]) assume ((has || gets) && (keeps || told || tells));
            // alloc_unit: an answer to a request; a place that is kept is the old one; the table:
            // ready when asked
            assume (!(al_done[w] && !rq_valid[w]) && !(up_ready[w] && !up_valid[w]));
            if (gets) assume (given[PlaceBits-1 -: 4] != '0 && 32'(al_bank[w*BankBits +: BankBits]) < Banks &&
                              (!keeps || given == old));
        end
        always_comb if (f_past) begin
            // the request for a place carries the place that the map has
            if (it && !has && rq_valid[w] && rq_warp[w*WarpBits +: WarpBits] == f_warp && rq_reg[w*6 +: 6] == 6'(f_reg)) begin
                assert (rq_old_mask[w*4 +: 4] == f_own[PlaceBits-1 -: 4]);
                if (f_own[PlaceBits-1 -: 4] != '0)
                    assert ({rq_old_bank[w*BankBits +: BankBits], rq_old_entry[w*EntryBits +: EntryBits]} == f_own[PlaceBits-5:0]);
            end
            if (it && !has) assert (f_map == f_own && old[PlaceBits-1 -: 4] == f_map[PlaceBits-1 -: 4] &&
                                    (f_map[PlaceBits-1 -: 4] == '0 || old == f_map));
            if (it && has) assert (f_own == new_place && f_map[PlaceBits-1 -: 4] ==
                                   (told || keeps ? new_place[PlaceBits-1 -: 4] : old[PlaceBits-1 -: 4]));
            if (it && has && (told || keeps)) assert (f_map == new_place);
            if (it && told) assert (has && !keeps);
            assert (count <= 2'd2 && (!it || count != 2'd0) && (!(it && ahead) || count == 2'd2));
        end
        always_comb begin
            cover (f_past && f_ends[w] && told && !keeps);
            cover (f_past && f_ends[w] && tells && has);
            cover (f_past && it && ahead && has);
        end
    end

    // ---- Reads: the collectors' and the merge read
    always_comb if (f_past)
        assert (obs_merge_o == (row_merge != '0) && obs_bank_read_o == row_valid);
    always_comb begin
        if (NumOps > 1) cover (f_past && g_f_entry[0].left != '0 && g_f_entry[0].due != '0);
        cover (f_past && en_valid_o[0] && is_valid_i[0] && f_looking[0] && ds_valid_o[0] &&
               f_map[PlaceBits-1 -: 4] == 4'b0110);
        if (NumAlloc > 1) cover (f_past && f_waited && f_was_first && f_a == '1);
        cover (f_past && f_gone);
    end
