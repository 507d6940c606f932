// SPDX-License-Identifier: Apache-2.0
// Purpose:    one queue per warp with the instructions that P-mode executed ahead, in program order.
//             N-mode compares what it fetches with the head, by PC and number in the session, and takes
//             the results over. Contract: models/pmode/p_queue.h.
// Parameters: NumWarps, 1..64; Depth, 1..32: entries of a queue; Distance, 1..128: instructions of 8
//             bytes that a PC offset reaches in each direction; NumRegs, 2..63: architected
//             registers; NumPhy, 1..256: physical registers of renaming; NumPush, 1..4, NumFetch,
//             1..4, NumWr, 1..4: instructions that enter, are fetched, are written per cycle. The
//             widths follow.
// Timing:     cycle t: push_ok_o, push_idx_o and fetch_*_o answer the requests of the same cycle, from
//             state, start_i and flush_i; what they say happens at the clock edge. wb_i and pw_i of
//             cycle t are seen by fetch from t+1 on. free_*_o and idle_o depend on state alone; the
//             entry of free_o, or the first word of its pair, leaves at the clock edge.
// Reset:      all queues empty, none drains, heads, tails and bases 0. Entries are not reset.
// Left out:   the decoded form beside the three register fields. The entries are one memory of NumWarps *
//             Depth words with a read port per fetch and one for draining, which gives one id of a
//             flushed queue back per cycle; draining Depth entries at once would take a wide row. The
//             predicate results are another memory with a write port per result and a read port per
//             fetch: they come later than the rest. A pair is an entry with two different ids.
// Shapes:     - ; NumWarps=1,Depth=1,Distance=1,NumRegs=2,NumPhy=1,NumPush=1,NumFetch=1,NumWr=1
// Shapes:     NumWarps=5,Depth=3,Distance=10,NumRegs=16,NumPhy=100,NumPush=3,NumFetch=4,NumWr=3
// Proof:      1:9:NumWarps=2,Depth=2,Distance=1,NumRegs=2,NumPhy=2,NumPush=2,NumFetch=1,NumWr=1
// Proof:      1:9:NumWarps=2,Depth=3,Distance=3,NumRegs=3,NumPhy=3,NumPush=1,NumFetch=2,NumWr=1
// Proof:      1:9:NumWarps=3,Depth=1,Distance=2,NumRegs=2,NumPhy=2,NumPush=1,NumFetch=1,NumWr=2

module p_queue #(
    parameter int NumWarps = 48,
    parameter int Depth    = 8,
    parameter int Distance = 64,
    parameter int NumRegs  = 63,
    parameter int NumPhy   = 128,
    parameter int NumPush  = 2,
    parameter int NumFetch = 2,
    parameter int NumWr    = 2,
`ifdef RF_NARROW
    localparam int PcBits   = 12, // in proofs: more than any offset of their shapes, and it wraps
    localparam int SeqBits  = 2,
    localparam int Lanes    = 1,
`else
    localparam int PcBits   = 32,
    localparam int SeqBits  = 8,
    localparam int Lanes    = 32,
`endif
    localparam int WarpBits = NumWarps > 1 ? $clog2(NumWarps) : 1,
    localparam int IdxBits  = Depth > 1 ? $clog2(Depth) : 1,
    localparam int RegBits  = $clog2(NumRegs + 1),
    localparam int PhyBits  = NumPhy > 1 ? $clog2(NumPhy) : 1,
    localparam int OffBits  = $clog2(16 * Distance)
) (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    // a warp enters P-mode, stalled at this PC; a warp ends
    input  logic                         start_valid_i,
    input  logic [WarpBits-1:0]          start_warp_i,
    input  logic [PcBits-1:0]            start_pc_i,
    input  logic                         flush_valid_i,
    input  logic [WarpBits-1:0]          flush_warp_i,
    // P-mode issues
    input  logic [NumPush-1:0]           push_valid_i,
    input  logic [NumPush*WarpBits-1:0]  push_warp_i,
    input  logic [NumPush*PcBits-1:0]    push_pc_i,
    input  logic [NumPush*SeqBits-1:0]   push_seq_i,
    input  logic [NumPush*RegBits-1:0]   push_dst_i,
    input  logic [NumPush*RegBits-1:0]   push_src0_i,
    input  logic [NumPush*RegBits-1:0]   push_src1_i,
    input  logic [NumPush*PhyBits-1:0]   push_phy_i,
    input  logic [NumPush-1:0]           push_pair_i,
    input  logic [NumPush*PhyBits-1:0]   push_phy2_i,
    input  logic [NumPush-1:0]           push_pred_i,
    output logic [NumPush-1:0]           push_ok_o,
    output logic [NumPush*IdxBits-1:0]   push_idx_o,
    // results are written
    input  logic [NumWr-1:0]             wb_valid_i,
    input  logic [NumWr*WarpBits-1:0]    wb_warp_i,
    input  logic [NumWr*IdxBits-1:0]     wb_idx_i,
    input  logic [NumWr-1:0]             wb_word_i,
    // predicate results are there
    input  logic [NumWr-1:0]             pw_valid_i,
    input  logic [NumWr*WarpBits-1:0]    pw_warp_i,
    input  logic [NumWr*IdxBits-1:0]     pw_idx_i,
    input  logic [NumWr*Lanes-1:0]       pw_first_i,
    input  logic [NumWr*Lanes-1:0]       pw_second_i,
    // N-mode fetches
    input  logic [NumFetch-1:0]          fetch_valid_i,
    input  logic [NumFetch*WarpBits-1:0] fetch_warp_i,
    input  logic [NumFetch*PcBits-1:0]   fetch_pc_i,
    input  logic [NumFetch*SeqBits-1:0]  fetch_seq_i,
    output logic [NumFetch-1:0]          fetch_hit_o,
    output logic [NumFetch-1:0]          fetch_rdy_o,
    output logic [NumFetch-1:0]          fetch_clash_o,
    output logic [NumFetch*RegBits-1:0]  fetch_dst_o,
    output logic [NumFetch*RegBits-1:0]  fetch_src0_o,
    output logic [NumFetch*RegBits-1:0]  fetch_src1_o,
    output logic [NumFetch*PhyBits-1:0]  fetch_phy_o,
    output logic [NumFetch-1:0]          fetch_pair_o,
    output logic [NumFetch*PhyBits-1:0]  fetch_phy2_o,
    output logic [NumFetch-1:0]          fetch_pred_o,
    output logic [NumFetch*Lanes-1:0]    fetch_first_o,
    output logic [NumFetch*Lanes-1:0]    fetch_second_o,
`ifdef RF_OBS
    // observation: entries, then pointers and bases, then parameters
    input  logic [31:0]                  obs_addr_i,
    output logic [127:0]                 obs_data_o,
`endif
    // flushed entries give their registers back
    output logic                         free_valid_o,
    output logic [PhyBits-1:0]           free_phy_o,
    output logic [NumWarps-1:0]          idle_o
);

    localparam int Slots    = NumWarps * Depth;
    localparam int SlotBits = Slots > 1 ? $clog2(Slots) : 1;
    // An entry: {offset, seq, dst, src0, src1, phy, phy2, pred}; bit positions in it.
    localparam int Phy2     = 1;
    localparam int Phy      = Phy2 + PhyBits;
    localparam int Src1     = Phy + PhyBits;
    localparam int Src0     = Src1 + RegBits;
    localparam int Dst      = Src0 + RegBits;
    localparam int Seq      = Dst + RegBits;
    localparam int Off      = Seq + SeqBits;
    localparam int Word     = Off + OffBits;
    localparam int HeadAt   = $clog2(NumWarps * IdxBits + 1);

    function automatic [SlotBits-1:0] slot(input [WarpBits-1:0] warp, input [IdxBits-1:0] idx);
        slot = SlotBits'(warp) * SlotBits'(Depth) + SlotBits'(idx);
    endfunction
    function automatic [Depth-1:0] all_rdy(input [Depth-1:0] a, input [Depth-1:0] b, input [Depth-1:0] c);
        all_rdy = a & b & c;
    endfunction
    function automatic [IdxBits-1:0] after(input [IdxBits-1:0] idx);
        after = idx == IdxBits'(Depth - 1) ? '0 : idx + IdxBits'(1);
    endfunction

    logic [Word-1:0]     mem_q   [0:Slots-1];
    logic [Depth-1:0]    valid_q [0:NumWarps-1];
    logic [Depth-1:0]    rdy_q   [0:NumWarps-1];  // first word
    logic [Depth-1:0]    rdy2_q  [0:NumWarps-1];  // second word
    logic [Depth-1:0]    rdyp_q  [0:NumWarps-1];  // predicates
    logic [2*Lanes-1:0]  pred_q  [0:Slots-1];     // {second, first} predicate result
    logic [IdxBits-1:0]  head_q  [0:NumWarps-1];
    logic [IdxBits-1:0]  tail_q  [0:NumWarps-1];
    logic [PcBits-1:0]   base_q  [0:NumWarps-1];
    logic [NumWarps-1:0] drain_q;
    logic                half_q;       // the first word of a pair is given back
    logic [WarpBits-1:0] half_warp_q;  // at the head of this warp

    // Warps that are started or flushed in this cycle take no push and give no hit.
    logic [NumWarps-1:0] flush, closed;
    assign flush  = (start_valid_i ? NumWarps'(1) << start_warp_i : '0) |
                    (flush_valid_i ? NumWarps'(1) << flush_warp_i : '0);
    assign closed = flush | drain_q;

    // ---- Push
    logic [NumPush*Word-1:0] push_word;
    for (genvar p = 0; p < NumPush; p = p + 1) begin : g_push
        logic [WarpBits-1:0] warp;
        logic [IdxBits-1:0]  tail;
        logic [Depth-1:0]    valid;
        logic [PcBits-1:0]   distance;
        logic                reach, second;
        assign warp     = push_warp_i[p*WarpBits +: WarpBits];
        assign tail     = tail_q[warp];
        assign valid    = valid_q[warp];
        assign distance = push_pc_i[p*PcBits +: PcBits] - base_q[warp];
        assign reach    = $signed(distance) >= -8 * Distance &&
                          ($signed(distance) < 8 * Distance);
        if (p == 0) begin : g_first
            assign second = 1'b0;
        end else begin : g_later
            logic [p-1:0] same;
            for (genvar l = 0; l < p; l = l + 1) begin : g_lower
                assign same[l] =
                    push_valid_i[l] && push_warp_i[l*WarpBits +: WarpBits] == warp;
            end
            assign second = same != '0;
        end
        assign push_ok_o[p] =
            push_valid_i[p] && !valid[tail] && reach && !second && !closed[warp];
        assign push_idx_o[p*IdxBits +: IdxBits] = tail;
        assign push_word[p*Word +: Word] =
            {distance[OffBits-1:0], push_seq_i[p*SeqBits +: SeqBits], push_dst_i[p*RegBits +: RegBits],
             push_src0_i[p*RegBits +: RegBits], push_src1_i[p*RegBits +: RegBits],
             push_phy_i[p*PhyBits +: PhyBits],
             push_pair_i[p] ? push_phy2_i[p*PhyBits +: PhyBits] : push_phy_i[p*PhyBits +: PhyBits],
             push_pred_i[p]};
    end

    // ---- Fetch: the head of the warp's queue against PC and number
    logic [NumFetch-1:0]         pop;
    logic [NumFetch*IdxBits-1:0] fetch_head;
    for (genvar f = 0; f < NumFetch; f = f + 1) begin : g_fetch
        logic [WarpBits-1:0] warp;
        logic [IdxBits-1:0]  head;
        logic [Depth-1:0]    valid, rdy;
        logic [Word-1:0]     word;
        logic [PcBits-1:0]   distance;
        logic                second, asked, same_pc, same_seq;
        assign warp     = fetch_warp_i[f*WarpBits +: WarpBits];
        assign head     = head_q[warp];
        assign valid    = valid_q[warp];
        assign rdy      = all_rdy(rdy_q[warp], rdy2_q[warp], rdyp_q[warp]);
        assign word     = mem_q[slot(warp, head)];
        assign distance = fetch_pc_i[f*PcBits +: PcBits] - base_q[warp];
        if (f == 0) begin : g_first
            assign second = 1'b0;
        end else begin : g_later
            logic [f-1:0] same;
            for (genvar l = 0; l < f; l = l + 1) begin : g_lower
                assign same[l] =
                    fetch_valid_i[l] && fetch_warp_i[l*WarpBits +: WarpBits] == warp;
            end
            assign second = same != '0;
        end
        assign fetch_head[f*IdxBits +: IdxBits] = head;
        assign asked    = fetch_valid_i[f] && valid[head] && !second && !closed[warp];
        assign same_pc  = distance == {{(PcBits-OffBits){word[Word-1]}}, word[Off +: OffBits]};
        assign same_seq = fetch_seq_i[f*SeqBits +: SeqBits] == word[Seq +: SeqBits];
        assign fetch_hit_o[f]   = asked && same_pc && same_seq;
        assign fetch_clash_o[f] = asked && !same_pc && same_seq;
        assign fetch_rdy_o[f]   = fetch_hit_o[f] && rdy[head];
        assign pop[f]           = fetch_rdy_o[f];
        assign fetch_pair_o[f]  = fetch_hit_o[f] && word[Phy +: PhyBits] != word[Phy2 +: PhyBits];
        assign fetch_pred_o[f]  = fetch_rdy_o[f] && word[0];
        assign fetch_dst_o[f*RegBits +: RegBits]  = word[Dst +: RegBits];
        assign fetch_src0_o[f*RegBits +: RegBits] = word[Src0 +: RegBits];
        assign fetch_src1_o[f*RegBits +: RegBits] = word[Src1 +: RegBits];
        assign fetch_phy_o[f*PhyBits +: PhyBits]  = word[Phy +: PhyBits];
        assign fetch_phy2_o[f*PhyBits +: PhyBits] = word[Phy2 +: PhyBits];
        assign {fetch_second_o[f*Lanes +: Lanes], fetch_first_o[f*Lanes +: Lanes]} =
            pred_q[slot(warp, head)];
    end

    // ---- Drain: the lowest-numbered draining warp whose head is ready
    logic [NumWarps-1:0]         drains, first;
    logic [NumWarps*IdxBits-1:0] heads;
    for (genvar w = 0; w < NumWarps; w = w + 1) begin : g_warp
        logic [IdxBits-1:0] head;
        logic [Depth-1:0]   rdy;
        assign head      = head_q[w];
        assign heads[w*IdxBits +: IdxBits] = head;
        assign rdy       = all_rdy(rdy_q[w], rdy2_q[w], rdyp_q[w]);
        assign drains[w] = drain_q[w] && rdy[head];
        assign idle_o[w] = valid_q[w] == '0;
    end
    assign first = drains & (~drains + NumWarps'(1));
    function automatic [WarpBits-1:0] index_of(input [NumWarps-1:0] one);
        integer w;
        begin
            index_of = '0;
            if (one != '0)
                for (w = 0; w < NumWarps; w = w + 1)
                    if (one[w]) index_of = index_of | WarpBits'(w);
        end
    endfunction
    logic [WarpBits-1:0] drain_warp;
    logic [IdxBits-1:0]  drain_head;
    logic [RegBits+2*PhyBits-1:0] drain_word;  // dst, phy, phy2
    logic [Depth-1:0]    drain_left;
    logic                drain, drain_pair, drain_pops, drain_some;  // some: it has a destination
    assign drain        = half_q || first != '0;
    assign drain_warp   = half_q ? half_warp_q : index_of(first);
    assign drain_head   = IdxBits'(heads >> HeadAt'(drain_warp) * HeadAt'(IdxBits));
    assign drain_word   = {mem_q[slot(drain_warp, drain_head)][Dst +: RegBits],
                           mem_q[slot(drain_warp, drain_head)][Phy2 +: 2*PhyBits]};
    assign drain_left   = valid_q[drain_warp] & ~(Depth'(1) << drain_head);
    assign drain_pair   = drain_word[PhyBits +: PhyBits] != drain_word[0 +: PhyBits];
    assign drain_pops   = drain && (half_q || !drain_pair);
    assign drain_some   = 32'(drain_word[2*PhyBits +: RegBits]) < NumRegs;
    assign free_valid_o = (drain && drain_some);
    assign free_phy_o   = half_q ? drain_word[0 +: PhyBits] : drain_word[PhyBits +: PhyBits];

    // ---- Ready
    logic [NumWr*IdxBits-1:0] wb_idx;
    for (genvar j = 0; j < NumWr; j = j + 1) begin : g_wb
        assign wb_idx[j*IdxBits +: IdxBits] = wb_idx_i[j*IdxBits +: IdxBits];
    end

    // ---- Next state. What one warp does in a cycle touches different bits: a queue that is empty
    // pops nothing, a full one takes nothing, a flushed one neither.
    always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
            drain_q     <= '0;
            half_q      <= 1'b0;
            half_warp_q <= '0;
            for (int w = 0; w < NumWarps; w = w + 1) begin
                valid_q[w] <= '0;
                rdy_q[w]   <= '0;
                rdy2_q[w]  <= '0;
                rdyp_q[w]  <= '0;
                head_q[w]  <= '0;
                tail_q[w]  <= '0;
                base_q[w]  <= '0;
            end
        end else begin
            drain_q <= (drain_q | (flush & ~idle_o)) &
                       ~(drain_pops && drain_left == '0 ? NumWarps'(1) << drain_warp : '0);
            half_q  <= drain && !drain_pops;
            if (drain && !drain_pops) half_warp_q <= drain_warp;
            for (int j = 0; j < NumWr; j = j + 1) begin
                if (wb_valid_i[j] && !wb_word_i[j])
                    rdy_q[wb_warp_i[j*WarpBits +: WarpBits]]
                         [wb_idx[j*IdxBits +: IdxBits]] <= 1'b1;
                if (wb_valid_i[j] && wb_word_i[j])
                    rdy2_q[wb_warp_i[j*WarpBits +: WarpBits]]
                          [wb_idx[j*IdxBits +: IdxBits]] <= 1'b1;
                if (pw_valid_i[j])
                    rdyp_q[pw_warp_i[j*WarpBits +: WarpBits]]
                          [pw_idx_i[j*IdxBits +: IdxBits]] <= 1'b1;
            end
            for (int f = 0; f < NumFetch; f = f + 1)
                if (pop[f]) begin
                    valid_q[fetch_warp_i[f*WarpBits +: WarpBits]]
                           [fetch_head[f*IdxBits +: IdxBits]] <= 1'b0;
                    head_q[fetch_warp_i[f*WarpBits +: WarpBits]] <=
                        after(fetch_head[f*IdxBits +: IdxBits]);
                end
            if (drain_pops) begin
                valid_q[drain_warp][drain_head] <= 1'b0;
                head_q[drain_warp]              <= after(drain_head);
            end
            for (int p = 0; p < NumPush; p = p + 1)
                if (push_ok_o[p]) begin
                    valid_q[push_warp_i[p*WarpBits +: WarpBits]]
                           [push_idx_o[p*IdxBits +: IdxBits]] <= 1'b1;
                    rdy_q[push_warp_i[p*WarpBits +: WarpBits]]
                         [push_idx_o[p*IdxBits +: IdxBits]] <=
                        32'(push_dst_i[p*RegBits +: RegBits]) >= NumRegs;
                    rdy2_q[push_warp_i[p*WarpBits +: WarpBits]]
                          [push_idx_o[p*IdxBits +: IdxBits]] <= !push_pair_i[p];
                    rdyp_q[push_warp_i[p*WarpBits +: WarpBits]]
                          [push_idx_o[p*IdxBits +: IdxBits]] <= !push_pred_i[p];
                    tail_q[push_warp_i[p*WarpBits +: WarpBits]] <=
                            after(push_idx_o[p*IdxBits +: IdxBits]);
                end
            if (start_valid_i)
                base_q[start_warp_i] <= start_pc_i;
        end
    end
    // The entries and the predicate results: memories without reset.
    always_ff @(posedge clk_i) begin
        for (int j = 0; j < NumWr; j = j + 1)
            if (pw_valid_i[j])
                pred_q[slot(pw_warp_i[j*WarpBits +: WarpBits], pw_idx_i[j*IdxBits +: IdxBits])] <=
                    {pw_second_i[j*Lanes +: Lanes], pw_first_i[j*Lanes +: Lanes]};
        for (int p = 0; p < NumPush; p = p + 1)
            if (push_ok_o[p])
                mem_q[slot(push_warp_i[p*WarpBits +: WarpBits], push_idx_o[p*IdxBits +: IdxBits])] <=
                    push_word[p*Word +: Word];
    end

`ifdef RF_OBS
    logic [WarpBits-1:0] obs_warp, obs_row;
    logic [IdxBits-1:0]  obs_idx;
    logic [Depth-1:0]    obs_valid, obs_rdy, obs_rdy2, obs_rdyp;
    logic [2*Lanes-1:0]  obs_pred;
    logic [Word-1:0]     obs_word;
    logic [PcBits-1:0]   obs_base;
    logic [IdxBits-1:0]  obs_head, obs_tail;
    assign obs_warp  = WarpBits'(obs_addr_i / Depth);
    assign obs_idx   = IdxBits'(obs_addr_i % Depth);
    assign obs_row   = WarpBits'(obs_addr_i - Slots);
    assign obs_valid = valid_q[obs_warp];
    assign obs_rdy   = rdy_q[obs_warp];
    assign obs_rdy2  = rdy2_q[obs_warp];
    assign obs_rdyp  = rdyp_q[obs_warp];
    assign obs_pred  = pred_q[SlotBits'(obs_addr_i)];
    assign obs_word  = mem_q[SlotBits'(obs_addr_i)];
    assign obs_base  = base_q[obs_row];
    assign obs_head  = head_q[obs_row];
    assign obs_tail  = tail_q[obs_row];
    always @* begin
        obs_data_o = '0;
        if (obs_addr_i < Slots) begin
            if (obs_valid[obs_idx]) begin
                obs_data_o[0]             = 1'b1;
                obs_data_o[1]             = obs_rdy[obs_idx];
                obs_data_o[2]             = obs_rdy2[obs_idx];
                obs_data_o[3]             = obs_rdyp[obs_idx];
                obs_data_o[4]             = obs_word[0];
                obs_data_o[5 +: OffBits]  = obs_word[Off +: OffBits];
                obs_data_o[17 +: RegBits] = obs_word[Dst +: RegBits];
                obs_data_o[23 +: RegBits] = obs_word[Src0 +: RegBits];
                obs_data_o[32 +: RegBits] = obs_word[Src1 +: RegBits];
                obs_data_o[40 +: PhyBits] = obs_word[Phy +: PhyBits];
                obs_data_o[48 +: PhyBits] = obs_word[Phy2 +: PhyBits];
                obs_data_o[56 +: SeqBits] = obs_word[Seq +: SeqBits];
                if (obs_word[0] && obs_rdyp[obs_idx]) obs_data_o[64 +: 2*Lanes] = obs_pred;
            end
        end else if (obs_addr_i < Slots + NumWarps) begin
            obs_data_o[0 +: IdxBits] = obs_head;
            obs_data_o[8 +: IdxBits] = obs_tail;
            obs_data_o[16]           = drain_q[obs_row];
            obs_data_o[32 +: PcBits] = obs_base;
        end else if (obs_addr_i == Slots + NumWarps) begin
            obs_data_o[0] = half_q;
            if (half_q) obs_data_o[1 +: WarpBits] = half_warp_q;
        end else if (obs_addr_i == 32'hffff_0000) obs_data_o[31:0] = NumWarps;
        else if (obs_addr_i == 32'hffff_0001) obs_data_o[31:0] = Depth;
        else if (obs_addr_i == 32'hffff_0002) obs_data_o[31:0] = Distance;
        else if (obs_addr_i == 32'hffff_0003) obs_data_o[31:0] = NumRegs;
        else if (obs_addr_i == 32'hffff_0004) obs_data_o[31:0] = NumPhy;
        else if (obs_addr_i == 32'hffff_0005) obs_data_o[31:0] = NumPush;
        else if (obs_addr_i == 32'hffff_0006) obs_data_o[31:0] = NumFetch;
        else if (obs_addr_i == 32'hffff_0007) obs_data_o[31:0] = NumWr;
    end
`endif

`ifdef SIM
    initial begin
        if (NumWarps < 1 || NumWarps > 64)
            $fatal(1, "p_queue: NumWarps = %0d, legal is 1..64", NumWarps);
        if (Depth < 1 || Depth > 32) $fatal(1, "p_queue: Depth = %0d, legal is 1..32", Depth);
        if (Distance < 1 || Distance > 128)
            $fatal(1, "p_queue: Distance = %0d, legal is 1..128", Distance);
        if (NumRegs < 2 || NumRegs > 63)
            $fatal(1, "p_queue: NumRegs = %0d, legal is 2..63", NumRegs);
        if (NumPhy < 1 || NumPhy > 256)
            $fatal(1, "p_queue: NumPhy = %0d, legal is 1..256", NumPhy);
        if (NumPush < 1 || NumPush > 4) $fatal(1, "p_queue: NumPush = %0d, legal is 1..4", NumPush);
        if (NumFetch < 1 || NumFetch > 4)
            $fatal(1, "p_queue: NumFetch = %0d, legal is 1..4", NumFetch);
        if (NumWr < 1 || NumWr > 4) $fatal(1, "p_queue: NumWr = %0d, legal is 1..4", NumWr);
    end
`endif

`ifdef FORMAL
    // Contract, for any warp f_w and any one instruction that enters its queue ("the marked one"):
    // it leaves once, in the order of entering, as it entered; either popped by a fetch of its PC and
    // number, or drained, and then its ids are given back, each once; not before its results are
    // written; and a fetch hits exactly when it should.
    (* anyconst *) logic [WarpBits-1:0] f_w;
    (* anyseq *)   logic                f_pick;   // mark what enters now
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

    // What happens to warp f_w, at the ports.
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
                // enters exactly when there is room, in reach, and nothing stands against it
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
            // the marked one is hit when its PC is fetched and nothing stands against it
            if (f_marked && f_ahead == 0 && !f_flushed && !f_flush && f_asks[0] &&
                fetch_pc_i[PcBits-1:0] == f_pc && fetch_seq_i[SeqBits-1:0] == f_fields[Seq +: SeqBits])
                assert (f_hit[0]);
            // it leaves with its results there; by draining only when flushed, and then its ids are
            // given back: the first word of a pair a cycle before it leaves, while nothing else drains
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
`endif
endmodule
