// SPDX-License-Identifier: Apache-2.0
// Purpose:    one queue per warp with the instructions that P-mode executed ahead, in program
//             order. N-mode compares a fetched instruction with the head, by PC and number in the
//             session, and takes over the results. Contract: models/pmode/p_queue.h.
// Parameters: NumWarps, 1..64; Depth, 1..32: entries of a queue; Distance, 1..128: instructions of
//             8 bytes that a PC offset reaches in each direction. NumRegs, 2..63: architected
//             registers; NumPhy, 1..256: physical registers of renaming. NumPush, 1..4, NumFetch,
//             1..4, NumWr, 1..4: instructions that enter, are fetched, are written per cycle. The
//             widths follow.
// Timing:     cycle t: push_ok_o, push_idx_o and fetch_*_o answer the requests of the same cycle,
//             from state, start_i and flush_i. Their actions take effect at the clock edge. Fetch
//             sees wb_i and pw_i of cycle t from t+1 on. Outputs free_*_o and idle_o depend on
//             state alone; the entry of free_o, or the first word of its pair, leaves at the clock
//             edge.
// Reset:      all queues empty, none drains, heads, tails and bases 0. Entries are not reset.
// Left out:   the decoded form beside the three register fields. The entries are one memory of
//             NumWarps * Depth words with a read port per fetch and one for draining. Draining
//             releases one id of a flushed queue per cycle, because draining Depth entries at once
//             would take a wide row. The predicate results are another memory with a write port per
//             result and a read port per fetch, because they arrive later than the rest. A pair is
//             an entry with two different ids.
// Shapes:     - ; NumWarps=1,Depth=1,Distance=1,NumRegs=2,NumPhy=1,NumPush=1,NumFetch=1,NumWr=1
// Shapes:     NumWarps=5,Depth=3,Distance=10,NumRegs=16,NumPhy=100,NumPush=3,NumFetch=4,NumWr=3
// Proof:      1:9:NumWarps=2,Depth=2,Distance=1,NumRegs=2,NumPhy=2,NumPush=2,NumFetch=1,NumWr=1
// Proof:      1:9:NumWarps=2,Depth=3,Distance=3,NumRegs=3,NumPhy=3,NumPush=1,NumFetch=2,NumWr=1
// Proof:      1:9:NumWarps=3,Depth=1,Distance=2,NumRegs=2,NumPhy=2,NumPush=1,NumFetch=1,NumWr=2

`include "macros.svh"

module p_queue #(
    parameter int NumWarps = 48,
    parameter int Depth    = 8,
    parameter int Distance = 64,
    parameter int NumRegs  = 63,
    parameter int NumPhy   = 128,
    parameter int NumPush  = 2,
    parameter int NumFetch = 2,
    parameter int NumWr    = 2,
    localparam int PcBits   = `NARROW(12, 32), // in proofs: more than any offset of their shapes, and it wraps
    localparam int SeqBits  = `NARROW(2, 8),
    localparam int Lanes    = `NARROW(1, 32),
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
    // observation: entries, then pointers and bases, then parameters
    `OBS_PORT(input  logic [31:0]                  obs_addr_i)
    `OBS_PORT(output logic [127:0]                 obs_data_o)
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
    (* mem2reg *) logic [Depth-1:0]    valid_q [0:NumWarps-1];
    (* mem2reg *) logic [Depth-1:0]    rdy_q   [0:NumWarps-1];  // first word
    (* mem2reg *) logic [Depth-1:0]    rdy2_q  [0:NumWarps-1];  // second word
    (* mem2reg *) logic [Depth-1:0]    rdyp_q  [0:NumWarps-1];  // predicates
    logic [2*Lanes-1:0]  pred_q  [0:Slots-1];     // {second, first} predicate result
    (* mem2reg *) logic [IdxBits-1:0]  head_q  [0:NumWarps-1];
    (* mem2reg *) logic [IdxBits-1:0]  tail_q  [0:NumWarps-1];
    (* mem2reg *) logic [PcBits-1:0]   base_q  [0:NumWarps-1];
    logic [NumWarps-1:0] drain_q;
    logic                half_q;       // the first word of a pair is released
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
    logic [WarpBits-1:0] drain_warp, first_warp;
    logic [IdxBits-1:0]  drain_head;
    logic [RegBits+2*PhyBits-1:0] drain_word;  // dst, phy, phy2
    logic [Depth-1:0]    drain_left;
    logic                drain, drain_pair, drain_pops, drain_some;  // some: it has a destination
    onehot_index #(.Width(NumWarps)) u_first_warp (
        .one_i(first), .index_o(first_warp)
    );
    assign drain        = half_q || first != '0;
    assign drain_warp   = half_q ? half_warp_q : first_warp;
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

    `CHECK_RANGE(p_queue, NumWarps, 1, 64)
    `CHECK_RANGE(p_queue, Depth, 1, 32)
    `CHECK_RANGE(p_queue, Distance, 1, 128)
    `CHECK_RANGE(p_queue, NumRegs, 2, 63)
    `CHECK_RANGE(p_queue, NumPhy, 1, 256)
    `CHECK_RANGE(p_queue, NumPush, 1, 4)
    `CHECK_RANGE(p_queue, NumFetch, 1, 4)
    `CHECK_RANGE(p_queue, NumWr, 1, 4)
    `include "pmode/p_queue.obs.svh"
endmodule
