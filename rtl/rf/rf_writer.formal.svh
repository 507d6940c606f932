// SPDX-License-Identifier: Apache-2.0
// The contract of rf_writer, proved by ci/formal, which includes it at the end of the module.
    // Contract, for a result of any register f_warp, f_reg, at any bit {f_byte, f_lane, f_bit} of
    // it. After the look-up of its buddy it requests a place with its input values, until it has
    // one, once. All of it is written to its bank, at that place, once. If the place changes, the
    // table gets one update. Then, and not earlier, the result is done. Environment: at most one
    // result of a register in flight. The parts that it uses do as their own contracts say.
    (* anyconst *) logic [WarpBits-1:0] f_warp;
    (* anyconst *) logic [RegBits-1:0]  f_reg;
    (* anyconst *) logic [1:0]          f_byte;
    (* anyconst *) logic                f_lane;
    (* anyconst *) logic [2:0]          f_bit;
    (* anyconst *) logic [1:0]          f_policy;
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
    function automatic [2:0] ones(input [3:0] mask);
        ones = (3'(mask[0]) + 3'(mask[1])) + (3'(mask[2]) + 3'(mask[3]));
    endfunction
    logic       comes_it;                               // a result of the register arrives
    logic       takes, f_done, done_it, f_first;        // at the ports; the cycle after it was taken
    logic       held;                               // a shrink that waits since then
    logic [1:0] count;                              // results in flight
    logic       it, ahead, behind;                  // of f_reg; one precedes it; follows it
    logic       has, in_bank, told, merged;         // has a place; is in its bank; table told; ..
    logic       seek, sought, comes;                // buddy to be looked up; was; answer arrives
    logic       all, lane, data, paired, keeps;     // all lanes written; bit f_at; its hints
    logic [1:0] align;
    logic [RegBits-1:0] partner;
    logic [2:0] wants, ones_old, ones_in, f_size_in, wants_in;
    logic [PlaceBits-1:0] old, new_place, f_place, old_in, bd_place, bd_now;
    logic       asks, gets, stores, tells, fills, picks, needs_merge, in1, in2, fill_bit, f_pairs_in, all_in;
    assign takes    = wr_valid_i && wr_ready_o;
    assign f_done     = wr_done_o;
    assign comes_it = wr_valid_i && wr_warp_i == f_warp &&
                        wr_reg_i == f_reg;
    assign in1      = busy1_q && warp1_q == f_warp && reg1_q == f_reg;
    assign in2      = busy2_q && warp2_q == f_warp && reg2_q == f_reg;
    // the result that arrives
    assign old_in   = {wr_old_mask_i, wr_old_bank_i,
                       wr_old_entry_i};
    assign ones_in  = ones(wr_old_mask_i);
    assign all_in   = wr_lane_i == '1;
    assign f_size_in  = pack_i ? wd_size_i : 3'd4;
    assign wants_in = (!all_in || hold_i) && ones_in > f_size_in ? ones_in : f_size_in;
    assign f_pairs_in = wr_valid_i && wr_pair_i && policy_i == Pair;
    assign ones_old = ones(old[PlaceBits-1 -: 4]);
    assign needs_merge = !all && ones_old != 3'd0 && wants > ones_old;
    assign bd_now   = comes ? {bd_mask_i, bd_bank_i,
                               bd_entry_i} : bd_place;
    // events of the result in this cycle
    assign asks     = rq_valid_o && it && !has;
    assign gets     = asks && al_done_i;
    assign picks    = merge_ask_o && it && !has;
    assign stores   = bk_valid_o && bk_ready_i && it && !ahead;
    assign tells    = up_valid_o && up_ready_i && it && !ahead;
    assign done_it  = f_done && it && !ahead;
    assign f_place    = has ? new_place
                          : {al_mask_i, al_bank_i,
                             al_entry_i};
    assign keeps    = ones_old == wants;
    assign fill_bit = f_one(merge_row_i, f_at);
    always_ff @(posedge clk_i) begin
        f_first <= rst_ni && takes && comes_it;
        held  <= rst_ni && (f_first || held) && asks && !gets && ones_old > wants;
        fills <= rst_ni && picks && merge_go_i;
        if (!rst_ni) begin
            count <= 2'd0;
            it    <= 1'b0;
            comes <= 1'b0;
        end else begin
            count <= count + 2'(takes) - 2'(f_done);
            if (takes && comes_it) begin
                it      <= 1'b1;
                ahead   <= count != 2'(f_done);
                behind  <= 1'b0;
                has     <= 1'b0;
                in_bank <= 1'b0;
                told    <= 1'b0;
                merged  <= 1'b0;
                all     <= all_in;
                lane    <= wr_lane_i[f_lane];
                data    <= wr_lane_i[f_lane] && f_one(wr_data_i, f_at);
                wants   <= wants_in;
                old     <= old_in;
                paired  <= wr_pair_i;
                partner <= wr_buddy_i;
                align   <= wr_align_i;
                comes   <= f_pairs_in && bd_ready_i;
                sought  <= f_pairs_in && bd_ready_i;
                seek    <= f_pairs_in && !bd_ready_i && ones_in < wants_in;
                bd_place <= '0;
            end else begin
                if (takes) behind <= 1'b1;
                if (f_done) ahead <= 1'b0;
                if (done_it) it <= 1'b0;
                if (gets) has <= 1'b1;
                if (gets) new_place <= f_place;
                if (stores) in_bank <= 1'b1;
                if (tells) told <= 1'b1;
                comes <= it && seek && bd_ready_i;
                if (comes) bd_place <= bd_now;
                if (seek && bd_ready_i) sought <= 1'b1;
                if (seek && bd_ready_i) seek <= 1'b0;
                if (fills) begin
                    merged <= 1'b1;
                    if (!lane) data <= fill_bit;
                end
            end
        end
    end
    // Contracts of the parts; one result of the register at a time
    always_comb begin
        if (it) assume (!comes_it);
        assume ((up_ready_i && !up_valid_o) == 1'b0 && (bk_ready_i && !bk_valid_o) == 1'b0);
        assume ((bd_ready_i && !bd_valid_o) == 1'b0);
        assume (wd_size_i >= 3'd1 && wd_size_i <= 3'd4);
        assume (!(al_done_i && !rq_valid_o) && !(merge_go_i && !merge_ask_o));
        if (rq_valid_o) begin
            assume (al_kind_i == rq_kind_o);
            if (!al_kind_i[1])
                assume (al_done_i == (al_kind_i == Keep || rq_ready_i) && al_bank_i == rq_old_bank_o &&
                        al_entry_i == rq_old_entry_o &&
                        (al_mask_i & ~rq_old_mask_o) == '0);
            if (al_done_i) assume (ones(al_mask_i) == rq_size_o);
            for (int i = 1; i < 4; i = i + 1)
                for (int j = 0; j < i; j = j + 1)
                    if (al_kind_i == 2'd1 && rq_old_mask_o[i] && rq_old_mask_o[j])
                        assume (policy_i == Align && rq_align_o == Left
                                ? al_mask_i[i] || !al_mask_i[j]
                                : al_mask_i[j] || !al_mask_i[i]);
        end
    end
    always_comb if (f_past) begin
        // one done for each accepted result, at most two in flight
        if (wr_ready_o) assert (wr_valid_i);
        if (f_done) assert (count != 2'd0);
        if (count == 2'd2 && !f_done) assert (!wr_ready_o);
        // requests a place with its input values, until it has one
        if (asks) begin
            assert (rq_warp_o == f_warp && rq_reg_o == f_reg);
            assert ({rq_old_mask_o, rq_old_bank_o, rq_old_entry_o} == old);
            assert (rq_size_o == wants && rq_pair_o == paired);
            assert (rq_kind_o == (ones_old == 3'd0 ? First : keeps ? Keep : ones_old > wants ? Shrink : Grow));
            assert (rq_align_o == align);
            assert (!needs_merge || merged || fills);
            if (f_policy == Pair && paired && ones_old < wants) assert (sought);
            assert ({rq_bd_mask_o, rq_bd_bank_o,
                     rq_bd_entry_o} == bd_now);
        end
        if (it && has && !behind) assert (!rq_valid_o);
        if (rq_valid_o && rq_warp_o == f_warp && rq_reg_o == f_reg) assert (it && !has);
        if (up_valid_o && up_warp_o == f_warp && up_reg_o == f_reg) assert (it && !ahead && !told && !keeps && (has || gets));
        // its row is looked up ahead of the request where it grows
        assert (!(lk_valid_o && move_i));
        if (it && in1 && !move_i && needs_merge && !merged && !fills)
            assert (lk_valid_o && {lk_bank_o, lk_entry_o} ==
                                   old[PlaceBits-5:0]);
        if (takes && !busy1_q && !move_i && ones_in != 3'd0 && wants_in > ones_in && all_in)
            assert (lk_valid_o && {lk_bank_o, lk_entry_o} ==
                                   old_in[PlaceBits-5:0]);
        // its buddy is looked up with it, or after it as long as that is refused
        if (it && seek)
            assert (bd_valid_o && bd_warp_o == f_warp &&
                    bd_reg_o == partner && !takes);
        if (takes && f_pairs_in)
            assert (bd_valid_o && bd_warp_o == wr_warp_i &&
                    bd_reg_o == wr_buddy_i);
        // reads its old value, unpacked as it is packed
        if (picks) assert (needs_merge && {rq_old_mask_o, rq_old_bank_o, rq_old_entry_o} == old && !merged);
        if (it) assert (!(fills && !merge_get_o));
        // the bank: once, at its place, all that belongs there
        if (it && !ahead && bk_valid_o) begin
            assert (!in_bank && (has || gets));
            assert ({mask_o, bank_o,
                     entry_o} == f_place);
            assert (bk_lane_o[f_lane] == (lane || merged || ones_old == 3'd0));
            if (bk_lane_o[f_lane])
                assert (f_one(bk_data_o, f_at) == data);
        end
        // the table: once, when the place is another
        if (it && !ahead && up_valid_o) begin
            assert (!told && !keeps && (has || gets));
            assert (up_warp_o == f_warp && up_reg_o == f_reg);
            assert ({mask_o, bank_o, entry_o} == f_place);
        end
        // done: it has its place, is in its bank, and the table is up to date
        if (done_it) assert ((has || gets) && (in_bank || stores) && (keeps || told || tells));
        if (it && !ahead && has && (in_bank || stores) && (keeps || told || tells)) assert (f_done);
    end
    // Invariants
    always_comb if (f_past) begin
        assert (count == 2'(busy1_q) + 2'(busy2_q));
        assert (it == (in1 || in2) && !(in1 && in2));
        if (busy1_q) assert (step_q <= StepPlaced);
        if (busy1_q && seek_q)
            assert (step_q != StepPlaced && (had_q == 3'd0 || need_q > had_q));
        assert (!(f_first || held) || (it && in1));
        assert (!(f_first && held));
        if (busy1_q) assert (need_q >= 3'd1 && need_q <= 3'd4);
    end
    always_comb if (f_past && it) begin
        if (in1) begin
            assert (ahead == busy2_q && !behind && !in_bank && !told);
            // in step 0 in its first cycle, and while it cannot release the slices that it leaves
            assert ((f_first || held) == (step_q == StepFirst));
            assert (had_q == ones_old || has);
            if (held) assert (ones_old > wants && !has && !merged && !fills);
            assert (has == (step_q == StepPlaced));
            assert (need_q == wants && wants >= 3'd1 && wants <= 3'd4);
            assert (full == (all || merged) && (!(all || merged) || lane1_q[f_lane]));
            assert (lane1_q[f_lane] == (lane || merged) && (!all || lane));
            assert (f_one(data1_q, f_at) == data && (lane || merged || !data));
            assert (place1_q == (has ? new_place : old));
            assert (paired == pair_q && align == align_q && partner == buddy_q);
            assert (seek == seek_q && comes == found_q && bd_place == bd_q);
            assert (!seek || (paired && ones_old < wants && !has && !sought && f_policy == Pair));
            if (f_policy == Pair && paired && ones_old < wants) assert (sought || seek);
            if (f_first) assert (!merged && !has && !fills);
            else if (held) assert (!seek);
            else if (step_q == StepMergeAsk || step_q == StepMergeGet)
                assert (needs_merge && !merged);
            else assert (!needs_merge || merged);
            assert (fills == (step_q == StepMergeGet));
            if (!f_first && !held && !has) assert (ones_old < wants);
            if (has && keeps) assert (new_place == old);
            if (has) assert (kind_q == (ones_old == 3'd0 ? 2'd2 : keeps ? 2'd0
                                                : ones_old > wants ? 2'd1 : 2'd3));
            if (merged) assert (ones_old != 3'd0 && ones_old < wants);
        end
        if (in2) begin
            assert (has && !ahead && behind == busy1_q && !f_first && !held && !fills && !seek);
            assert (place2_q == new_place);
            assert (bank2_q == in_bank && update2_q == (told || keeps));
            assert (!(in_bank && (told || keeps)));
            if (!in_bank) begin
                assert (lane2_q[f_lane] == (lane || merged || ones_old == 3'd0));
                if (lane || merged || ones_old == 3'd0) assert (f_one(data2_q, f_at) == data);
            end
            if (keeps) assert (new_place == old);
        end
        if (has) assert (ones(new_place[PlaceBits-1 -: 4]) == wants);
        if (told) assert (!keeps);
        if (needs_merge && has) assert (merged);
    end
    always_comb begin
        // the hints and the policy of a kernel stay as they are
        if (it || comes_it) assume (f_policy == policy_i);
        cover (f_past && done_it && in2 && merged && !lane && data && !keeps);
        cover (f_past && done_it && in1 && ones_old == 3'd3 && wants == 3'd1);
        cover (f_past && it && ahead && f_first && needs_merge);
        cover (f_past && done_it && sought && told && in_bank == 1'b0);
        cover (f_past && it && in2 && !in_bank && told && behind);
    end
