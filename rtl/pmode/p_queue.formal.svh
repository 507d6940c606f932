// SPDX-License-Identifier: Apache-2.0
// The contract of p_queue, proved by ci/formal, which includes it at the end of the module.
    // Contract, for any warp f_w and any one instruction that enters its queue ("the marked one").
    // It leaves once, in the order of entering, unchanged. A fetch of its PC and number pops it, or
    // it drains and each of its ids is released once. It does not leave before its results are
    // written. A fetch hits exactly when it should.
    (* anyconst *) logic [WarpBits-1:0] f_w;
    (* anyseq *)   logic                f_pick;   // mark the instruction that enters now
    logic                f_past, f_marked, f_written, f_flushed;
    logic                f_w0, f_w1, f_wp;        // of the marked one: words, predicates are there
    logic [2*Lanes-1:0]  f_value;                 // its predicate results
    logic [IdxBits:0]    f_count, f_ahead;        // entries; those before the marked one
    logic [IdxBits-1:0]  f_idx, f_entered_idx;
    logic [31:0]         f_pc, f_base, f_entered_pc;
    logic [Off-1:0]      f_fields, f_entered_fields;
    logic                f_enters, f_popped, f_drained, f_leaves, f_marked_leaves, f_flush;
    logic                f_none, f_pair, f_half, f_turn;
    initial f_past = 1'b0;

    // Events of warp f_w at the ports.
    logic [NumPush-1:0]  f_push;
    logic [NumFetch-1:0] f_pop, f_hit, f_asks;
    logic [NumWr-1:0]    f_wb, f_wb2, f_pw;
    for (genvar p = 0; p < NumPush; p = p + 1) begin : g_f_push
        logic f_asked_before;
        logic [PcBits-1:0] f_distance;
        assign f_distance = push_pc_i[p*PcBits +: PcBits] - f_base;
        if (p == 0) begin : g_none
            assign f_asked_before = 1'b0;
        end else begin : g_some
            assign f_asked_before = g_f_push[p-1].f_asked_before || (push_valid_i[p-1] &&
                push_warp_i[(p-1)*WarpBits +: WarpBits] == f_w);
        end
        assign f_push[p] = push_ok_o[p] && push_warp_i[p*WarpBits +: WarpBits] == f_w;
        always_comb begin
            if (push_valid_i[p]) assume (push_warp_i[p*WarpBits +: WarpBits] < NumWarps);
            if (push_pair_i[p])
                assume (push_dst_i[p*RegBits +: RegBits] < NumRegs &&
                        push_phy_i[p*PhyBits +: PhyBits] != push_phy2_i[p*PhyBits +: PhyBits]);
            if (f_past && push_warp_i[p*WarpBits +: WarpBits] == f_w) begin
                // enters exactly when there is room, its PC is in reach, and nothing prevents it
                assert (push_ok_o[p] == (push_valid_i[p] && f_count < Depth && !f_flushed &&
                    !f_flush && !f_asked_before &&
                    $signed(f_distance) >= -8 * Distance && $signed(f_distance) < 8 * Distance));
            end
        end
    end
    for (genvar f = 0; f < NumFetch; f = f + 1) begin : g_f_fetch
        assign f_asks[f] = fetch_valid_i[f] && fetch_warp_i[f*WarpBits +: WarpBits] == f_w;
        assign f_hit[f]  = fetch_hit_o[f] && fetch_warp_i[f*WarpBits +: WarpBits] == f_w;
        assign f_pop[f]  = pop[f] && fetch_warp_i[f*WarpBits +: WarpBits] == f_w;
        always_comb begin
            if (fetch_valid_i[f]) assume (fetch_warp_i[f*WarpBits +: WarpBits] < NumWarps);
            if (f_past) begin
                assert (!fetch_hit_o[f] || fetch_valid_i[f]);
                assert (fetch_rdy_o[f] == pop[f]);
                if (f_hit[f]) assert (f_count != 0 && !f_flushed && !f_flush);
                if (f_hit[f] && f_marked && f_ahead == 0) begin
                    assert (fetch_pc_i[f*PcBits +: PcBits] == f_pc);
                    assert ({fetch_seq_i[f*SeqBits +: SeqBits], fetch_dst_o[f*RegBits +: RegBits],
                             fetch_src0_o[f*RegBits +: RegBits], fetch_src1_o[f*RegBits +: RegBits],
                             fetch_phy_o[f*PhyBits +: PhyBits], fetch_phy2_o[f*PhyBits +: PhyBits],
                             f_fields[0]} == f_fields);
                    assert (fetch_pair_o[f] == f_pair);
                    assert (fetch_rdy_o[f] == f_written);
                    assert (fetch_pred_o[f] == (f_written && f_fields[0]));
                    if (fetch_pred_o[f])
                        assert ({fetch_second_o[f*Lanes +: Lanes], fetch_first_o[f*Lanes +: Lanes]} == f_value);
                end
                // a clash is no hit, and has the number of the head
                assert (!(fetch_clash_o[f] && fetch_hit_o[f]));
                if (fetch_clash_o[f] && fetch_warp_i[f*WarpBits +: WarpBits] == f_w && f_marked && f_ahead == 0)
                    assert (fetch_seq_i[f*SeqBits +: SeqBits] == f_fields[Seq +: SeqBits] &&
                            fetch_pc_i[f*PcBits +: PcBits] != f_pc);
            end
        end
    end
    for (genvar j = 0; j < NumWr; j = j + 1) begin : g_f_wb
        assign f_wb[j] = wb_valid_i[j] && wb_warp_i[j*WarpBits +: WarpBits] == f_w &&
            wb_idx_i[j*IdxBits +: IdxBits] == f_idx && !wb_word_i[j];
        assign f_wb2[j] = wb_valid_i[j] && wb_warp_i[j*WarpBits +: WarpBits] == f_w &&
            wb_idx_i[j*IdxBits +: IdxBits] == f_idx && wb_word_i[j];
        assign f_pw[j] = pw_valid_i[j] && pw_warp_i[j*WarpBits +: WarpBits] == f_w &&
            pw_idx_i[j*IdxBits +: IdxBits] == f_idx;
        always_comb begin
            if (wb_valid_i[j])
                assume (wb_warp_i[j*WarpBits +: WarpBits] < NumWarps &&
                        wb_idx_i[j*IdxBits +: IdxBits] < Depth);
            if (pw_valid_i[j])
                assume (pw_warp_i[j*WarpBits +: WarpBits] < NumWarps &&
                        pw_idx_i[j*IdxBits +: IdxBits] < Depth);
        end
    end
    logic [2*Lanes-1:0] f_value_now;
    always_comb begin
        assume ((f_pw & (f_pw - 1'b1)) == '0);   // one entry, one port
        f_value_now = f_value;
        for (int j = 0; j < NumWr; j = j + 1)
            if (f_pw[j]) f_value_now = {pw_second_i[j*Lanes +: Lanes], pw_first_i[j*Lanes +: Lanes]};
    end
    assign f_enters  = f_push != '0;
    assign f_popped  = f_pop != '0;
    assign f_drained = drain_pops && drain_warp == f_w;
    assign f_leaves  = f_popped || f_drained;
    assign f_marked_leaves = f_marked && f_leaves && f_ahead == 0;
    assign f_written = f_w0 && f_w1 && f_wp;
    assign f_half    = half_q && half_warp_q == f_w;
    assign f_turn    = drain && drain_warp == f_w;   // it drains, or gives a first word back
    assign f_flush   = (start_valid_i && start_warp_i == f_w) ||
                       (flush_valid_i && flush_warp_i == f_w);
    assign f_none    = f_fields[Dst +: RegBits] >= NumRegs;
    assign f_pair    = f_fields[Phy +: PhyBits] != f_fields[Phy2 +: PhyBits];
    always_comb begin
        f_entered_idx    = '0;
        f_entered_pc     = '0;
        f_entered_fields = '0;
        for (int p = 0; p < NumPush; p = p + 1)
            if (f_push[p]) begin
                f_entered_idx    = push_idx_o[p*IdxBits +: IdxBits];
                f_entered_pc     = push_pc_i[p*PcBits +: PcBits];
                f_entered_fields =
                    {push_seq_i[p*SeqBits +: SeqBits],
                     push_dst_i[p*RegBits +: RegBits], push_src0_i[p*RegBits +: RegBits],
                     push_src1_i[p*RegBits +: RegBits], push_phy_i[p*PhyBits +: PhyBits],
                     push_pair_i[p] ? push_phy2_i[p*PhyBits +: PhyBits]
                                    : push_phy_i[p*PhyBits +: PhyBits],
                     push_pred_i[p]};
            end
    end

    always_ff @(posedge clk_i) begin
        f_past <= 1'b1;
        if (!f_past) assume (!rst_ni);
        if (!rst_ni) begin
            f_marked  <= 1'b0;
            f_flushed <= 1'b0;
            f_count   <= '0;
            f_base    <= '0;
        end else begin
            f_count   <= f_count + (IdxBits+1)'(f_enters) - (IdxBits+1)'(f_leaves);
            f_flushed <= (f_flushed || (f_flush && f_count != 0)) &&
                         !(f_drained && f_count == 1);
            if (start_valid_i && start_warp_i == f_w) f_base <= start_pc_i;
            if (f_marked) begin
                if (f_leaves) f_ahead <= f_ahead - 1'b1;
                if (f_wb != '0) f_w0 <= 1'b1;
                if (f_wb2 != '0) f_w1 <= 1'b1;
                if (f_pw != '0) f_wp <= 1'b1;
                f_value <= f_value_now;
                if (f_marked_leaves) f_marked <= 1'b0;
            end else if (f_enters && f_pick) begin
                f_marked  <= 1'b1;
                f_w0      <= f_entered_fields[Dst +: RegBits] >= NumRegs;
                f_w1      <= f_entered_fields[Phy +: PhyBits] == f_entered_fields[Phy2 +: PhyBits];
                f_wp      <= !f_entered_fields[0];
                f_value   <= '0;
                f_ahead   <= f_count - (IdxBits+1)'(f_leaves);
                f_idx     <= f_entered_idx;
                f_pc      <= f_entered_pc;
                f_fields  <= f_entered_fields;
            end
        end
    end

    // The state of f_w: valid entries are the f_count ones from the head on; the marked one is the
    // f_ahead-th of them.
    logic [IdxBits-1:0] f_head, f_tail;
    logic [Depth-1:0]   f_valid, f_rdy, f_rdy2, f_rdyp;
    logic [Word-1:0]    f_word;
    logic [PcBits-1:0]  f_entry_pc;
    assign f_head  = head_q[f_w];
    assign f_tail  = tail_q[f_w];
    assign f_valid = valid_q[f_w];
    assign f_rdy   = rdy_q[f_w];
    assign f_rdy2  = rdy2_q[f_w];
    assign f_rdyp  = rdyp_q[f_w];
    assign f_word  = mem_q[slot(f_w, f_idx)];
    assign f_entry_pc =
        f_base + {{(PcBits-OffBits){f_word[Word-1]}}, f_word[Off +: OffBits]};
    for (genvar i = 0; i < Depth; i = i + 1) begin : g_f_entry
        always_comb if (f_past) assert (f_valid[i] ==
            ((i >= f_head ? i - f_head : i + Depth - f_head) < f_count));
    end
    // (a pointer beyond Depth would reach into the entries of another warp)
    for (genvar w = 0; w < NumWarps; w = w + 1) begin : g_f_warp
        always_comb if (f_past) assert (head_q[w] < Depth && tail_q[w] < Depth);
    end
    logic f_was_full, f_wrapped;
    always_ff @(posedge clk_i)
        if (!rst_ni) begin
            f_was_full <= 1'b0;
            f_wrapped  <= 1'b0;
        end else begin
            f_was_full <= f_was_full || f_count == Depth;
            f_wrapped  <= f_wrapped || (f_marked && f_idx < f_head);
        end
    always_comb begin
        assume (f_w < NumWarps);
        if (start_valid_i) assume (start_warp_i < NumWarps);
        if (flush_valid_i) assume (flush_warp_i < NumWarps);
        if (f_past) begin
            // at most one enters, at most one leaves
            assert ((f_push & (f_push - 1'b1)) == '0);
            assert ((f_hit & (f_hit - 1'b1)) == '0);
            assert (!(f_popped && f_drained));
            assert (idle_o[f_w] == (f_count == 0));
            // the marked one is hit when its PC is fetched and nothing prevents it
            if (f_marked && f_ahead == 0 && !f_flushed && !f_flush && f_asks[0] &&
                fetch_pc_i[PcBits-1:0] == f_pc && fetch_seq_i[SeqBits-1:0] == f_fields[Seq +: SeqBits])
                assert (f_hit[0]);
            // It leaves with its results there. It drains only if flushed, and then its ids are
            // released. The first word of a pair is released a cycle before it leaves, while
            // nothing else drains.
            if (f_marked_leaves) assert (f_written);
            if (f_turn) assert (f_flushed);
            if (f_turn && f_marked && f_ahead == 0) begin
                assert (free_valid_o == !f_none);
                assert (free_phy_o == (f_half ? f_fields[Phy2 +: PhyBits] : f_fields[Phy +: PhyBits]));
                assert (f_drained == (f_half || !f_pair));
            end
            // nothing is freed that does not drain
            if (free_valid_o) assert (drain);
            // a flushed queue whose head is ready drains, unless a lower warp or half a pair does
            if (f_marked && f_ahead == 0 && f_flushed && f_written)
                assert (drain && (half_q || drain_warp <= f_w));
            // half a pair: the warp drains, its head is one and written
            if (half_q) assert (half_warp_q < NumWarps);
            if (f_half) assert (f_flushed);
            if (f_half && f_marked && f_ahead == 0) assert (f_written && f_pair);
            // invariants
            assert (f_count <= Depth && f_head < Depth && f_tail < Depth);
            assert (f_tail == (f_head + f_count >= Depth ? f_head + f_count - Depth
                                                         : f_head + f_count));
            assert (f_flushed == drain_q[f_w] && (!f_flushed || f_count != 0));
            assert (f_base == base_q[f_w]);
            if (f_marked) begin
                assert (f_ahead < f_count);
                assert (f_idx == (f_head + f_ahead >= Depth ? f_head + f_ahead - Depth
                                                            : f_head + f_ahead));
                assert (f_word[Off-1:0] == f_fields);
                assert (f_rdy[f_idx] == f_w0 && f_rdy2[f_idx] == f_w1 && f_rdyp[f_idx] == f_wp);
                if (f_fields[0] && f_wp) assert (pred_q[slot(f_w, f_idx)] == f_value);
                if (!f_flushed)
                    assert (f_pc == f_entry_pc);
                if (f_none) assert (f_w0 && !f_pair);
                if (!f_pair) assert (f_w1);
                if (!f_fields[0]) assert (f_wp);
            end
        end
        cover (f_past && f_was_full && f_popped && f_marked_leaves && f_fields[0]);
        cover (f_past && f_marked_leaves && f_drained && f_was_full && f_half);
        cover (f_past && f_flush && f_marked && !f_written && f_w0 && f_ahead == 0);
        cover (f_past && fetch_clash_o[0] && fetch_warp_i[WarpBits-1:0] == f_w);
    end
    if (Depth > 1) begin : g_f_more
        always_comb begin
            cover (f_past && f_wrapped && f_marked);
            cover (f_past && f_popped && f_enters && f_ahead != 0);
        end
    end
