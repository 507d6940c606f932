// SPDX-License-Identifier: Apache-2.0
// Contract of block p_queue: one queue per warp with the pre-executed instructions, in program
// order. N-mode takes their results instead of executing them again (P-mode paper, sections 5.1 and
// 5.2, Figure 9).
//
// State of a warp: Depth entries in a ring, head, tail, base PC, draining. An entry is {PC offset,
// seq, dst, src0, src1, phy, phy2, pred, two predicate results, rdy per word and for the
// predicates, valid}. Valid distinguishes full from empty (full: the entry at the tail is valid;
// empty: the one at the head is not).
// PCs are byte addresses of 32 bits. The offset is PC - base in two's complement, OffBits wide. An
// instruction is in reach if -8*Distance <= PC - base < 8*Distance (paper: 10 bits, 512 bytes). The
// loop's branch goes backwards, so the sign is needed.
// Seq is the number of the instruction in the session, counted along the path that the warp takes:
// 0 the stalled one. The PC alone does not identify the turn of a loop that a result belongs to. An
// instruction skipped in one turn and executed in the next would be taken one turn too early.
//
// Start: start_valid: warp start_warp enters P-mode, stalled at start_pc: base := start_pc. The
//   queue's rest from the previous P-mode is flushed. Its offsets and numbers belong to the old
//   session, and P-mode enters the same instructions a second time.
// Push: push_valid[i]: an instruction that P-mode issues, with its renamed destination.
//   `push_ok[i]` in the same cycle: it enters at the tail, entry push_idx[i], not ready. It is
//   refused (push_ok 0, no effect) in these cases:
//     The queue is full.
//     The PC is out of reach.
//     The warp drains, or is started or flushed in this cycle.
//     A lower push port with push_valid names the same warp.
//   A refused instruction may still execute in P-mode, for the address of a pre-load, but is not
//   reused. In the paper one out of reach is skipped. `push_dst` >= NumRegs: no destination
//   register, push_phy has no meaning. `push_pair[i]`: the destination is a pair of registers,
//   (dst, dst + 1), in push_phy and push_phy2. These are two different ids. Without a destination
//   there is no pair.
//   `push_pred[i]`: it writes predicates. Words that it does not write are ready from the start. An
//   instruction without a result may enter or not, because seq makes its entry needless.
// Ready: wb_valid[j]: a result word of entry wb_idx[j] of wb_warp[j] is written. It is the first
//   word, or the second word of a pair (wb_word[j] = 1). `pw_valid[j]`: its predicate results have
//   arrived, pw_first[j] and pw_second[j], one bit per lane, as the instruction names them. Fetch
//   sees them from the next cycle on. Ignored if the entry is not valid. An entry is ready when all
//   its results have arrived, in any order.
// Fetch: fetch_valid[f]: N-mode of warp fetch_warp[f] requests fetch_pc[f], number fetch_seq[f]
//   since it resumed. `fetch_hit[f]` in the same cycle: the queue is not empty, and its head has
//   this PC and seq. `fetch_rdy[f]`: its results have arrived as well (0 without hit). Exactly then
//   the entry is popped at the clock edge. The fetching instruction gets its physical registers:
//   fetch_phy[f] if fetch_dst[f] < NumRegs, and fetch_phy2[f] if fetch_pair[f].
//   `fetch_pred[f]`: ready, with predicate results, fetch_first[f] and fetch_second[f].
//   A hit that is not ready waits: fetch repeats it. The paper pops at once and lets the
//   instruction buffer wait. Issue is in order, so the instruction finishes no earlier. Here an
//   entry keeps its place until its results are written, so that the index alone finds it.
//   No hit: the instruction was skipped in P-mode and is executed. There is no hit while the warp
//   drains, or is started or flushed in this cycle. There is none if a lower fetch port with
//   fetch_valid names the same warp. `fetch_clash[f]`: where a hit is possible, the head has this
//   seq and another PC. Then the two modes took different paths, an error of the SM.
// Flush: flush_valid: warp flush_warp ends or is killed. A start flushes too.
//   A flushed warp that is not empty drains, one id per cycle for the whole SM, because the entries
//   are in a memory. Each cycle the lowest-numbered draining warp with a ready head loses its head.
//   The head's register, if any, is released by free_valid with free_phy. A pair takes two cycles:
//   phy, then phy2. The head leaves with phy2. No other warp drains in between. A head that is not
//   ready waits, because no register is freed while a write to it is in flight. A warp alone drains
//   in at most 2 * Depth cycles.
// `idle[w]`: the queue of warp w is empty (and so it does not drain).
// Outputs: free_*, idle depend on state alone. `push_*` and fetch_* depend on state and on this
// cycle's push_valid, push_warp, push_pc, fetch_valid, fetch_warp, fetch_pc, fetch_seq, start_*,
// flush_*.
// One cycle may hold any mixture of requests. For start, flush, push and pop of one warp in one
// cycle see above. A start and a flush of different warps in one cycle both act. A push clears
// ready bits after the writebacks. These name other entries, because the one at the tail is not
// valid.
// Reset: all queues empty, none drains, head = tail = base = 0.
// Never driven with its valid bit: a warp of NumWarps or more, an index of Depth or more. A pair
// with equal ids or without a destination. Predicates of one entry by two ports.
// Left out: the decoded instruction beside the three register fields (the SM keeps decoded
// programs). `pmode.queue` = 0 (pre-load only) has no queue at all: no block.
//
// Clock: 2.7 ns at 45 nm. The path: the heads, the choice of the draining warp, the read of its
// entry, its head. At 700 MHz a drain takes two cycles. The first is the choice of the warp. So the
// queue frees an id every second cycle. This model does all in one. Answers to push and fetch take
// 2.1 ns from state to output, two cycles of fetch. The page `bench/area/README.md` has the
// measurement.
//
// Bits per warp: Depth * (OffBits + 3*RegBits + PhyBits + 2) = 8 * 37 = 296. With head 3, tail 3,
// base 32: 334, as in the paper (48 warps: 2004 bytes). Added per entry: seq 8, second id 7 and rdy
// 1, predicates 64, their flag and rdy 2: 656. Added per warp: draining 1. Per SM: the warp whose
// pair is half drained, 7. A pair needs no bit: phy2 = phy means no pair.
//
// Diagram  An instruction enters in P-mode and its result is written. N-mode takes it when it
//          fetches it. (NumWarps=2 Depth=2 Distance=4 NumRegs=8 NumPhy=4 NumPush=1 NumFetch=1
//          NumWr=1)
//   cycle           0   1   2   3   4   5   6
//   start_valid     1   .   .   .   .   .   .
//   start_pc       40   .   .   .   .   .   .
//   push_valid      .   1   .   .   .   .   .
//   push_pc[0]      .  48   .   .   .   .   .
//   push_seq[0]     .   1   .   .   .   .   .
//   push_dst[0]     .   3   .   .   .   .   .
//   push_phy[0]     .   2   .   .   .   .   .
//   push_ok         .   1   .   .   .   .   .
//   push_idx[0]     -   .   -   -   -   -   -
//   wb_valid        .   .   .   .   1   .   .
//   fetch_valid     .   .   .   1   1   1   .
//   fetch_pc[0]     .   .   .  48  48  48   .
//   fetch_seq[0]    .   .   .   1   1   1   .
//   fetch_hit       .   .   .   1   1   1   .
//   fetch_rdy       .   .   .   .   .   1   .
//   fetch_phy[0]    -   -   -   2   2   2   -
//   idle[0]         1   1   .   .   .   .   1
#ifndef SMCOSIM_MODELS_P_QUEUE_H
#define SMCOSIM_MODELS_P_QUEUE_H

#include "models/block.h"

enum { PQ_MAX_WARPS = 64, PQ_MAX_DEPTH = 32, PQ_MAX_PUSH = 4, PQ_MAX_FETCH = 4, PQ_MAX_WR = 4 };
enum { PQ_SEQ_BITS = 8 };  // P-mode halts at number 255

// clang-format off
#define P_QUEUE_PARAMS(P) \
    P(NumWarps, 48, 1, 64, "sm.warps", "warps, one queue each") \
    P(Depth, 8, 1, 32, "pmode.queue", "entries of a queue") \
    P(Distance, 64, 1, 128, "pmode.distance", "instructions of 8 bytes that an offset reaches") \
    P(NumRegs, 63, 2, 63, "sm.regs_per_thread", "architected registers") \
    P(NumPhy, 128, 1, 256, "pmode.registers", "physical registers of renaming") \
    P(NumPush, 2, 1, 4, "oc.alloc_ports", "instructions that enter per cycle") \
    P(NumFetch, 2, 1, 4, "sm.schedulers", "instructions fetched per cycle") \
    P(NumWr, 2, 1, 4, "rf.write_ports", "results written per cycle")

#define P_QUEUE_PORTS(W, V) \
    W(IN, start_valid, 1, 1, 1, ALWAYS, -, "a warp enters P-mode") \
    W(IN, start_warp, 1, 1, WarpBits, ALWAYS, -, "that warp") \
    W(IN, start_pc, 1, 1, 32, ALWAYS, -, "its stalled instruction: base") \
    W(IN, flush_valid, 1, 1, 1, ALWAYS, -, "a warp ends") \
    W(IN, flush_warp, 1, 1, WarpBits, ALWAYS, -, "that warp") \
    W(IN, push_valid, 1, 1, NumPush, ALWAYS, -, "P-mode issues an instruction") \
    W(IN, push_warp, PQ_MAX_PUSH, NumPush, WarpBits, ALWAYS, -, "of this warp") \
    W(IN, push_pc, PQ_MAX_PUSH, NumPush, 32, ALWAYS, -, "its PC") \
    W(IN, push_seq, PQ_MAX_PUSH, NumPush, PQ_SEQ_BITS, ALWAYS, -, "its number in the session") \
    W(IN, push_dst, PQ_MAX_PUSH, NumPush, RegBits, ALWAYS, -, "destination; NumRegs or more: none") \
    W(IN, push_src0, PQ_MAX_PUSH, NumPush, RegBits, ALWAYS, -, "first source") \
    W(IN, push_src1, PQ_MAX_PUSH, NumPush, RegBits, ALWAYS, -, "second source") \
    W(IN, push_phy, PQ_MAX_PUSH, NumPush, PhyBits, ALWAYS, -, "physical register of the destination") \
    W(IN, push_pair, 1, 1, NumPush, ALWAYS, -, "the destination has two words") \
    W(IN, push_phy2, PQ_MAX_PUSH, NumPush, PhyBits, ALWAYS, -, "physical register of the second") \
    W(IN, push_pred, 1, 1, NumPush, ALWAYS, -, "it writes predicates") \
    W(IN, wb_valid, 1, 1, NumWr, ALWAYS, -, "a word of the result of an entry is written") \
    W(IN, wb_warp, PQ_MAX_WR, NumWr, WarpBits, ALWAYS, -, "of this warp") \
    W(IN, wb_idx, PQ_MAX_WR, NumWr, IdxBits, ALWAYS, -, "its entry") \
    W(IN, wb_word, 1, 1, NumWr, ALWAYS, -, "the second word of a pair") \
    W(IN, pw_valid, 1, 1, NumWr, ALWAYS, -, "the predicate results of an entry are there") \
    W(IN, pw_warp, PQ_MAX_WR, NumWr, WarpBits, ALWAYS, -, "of this warp") \
    W(IN, pw_idx, PQ_MAX_WR, NumWr, IdxBits, ALWAYS, -, "its entry") \
    W(IN, pw_first, PQ_MAX_WR, NumWr, 32, ALWAYS, -, "first predicate, by lane") \
    W(IN, pw_second, PQ_MAX_WR, NumWr, 32, ALWAYS, -, "second predicate, by lane") \
    W(IN, fetch_valid, 1, 1, NumFetch, ALWAYS, -, "N-mode asks for an instruction") \
    W(IN, fetch_warp, PQ_MAX_FETCH, NumFetch, WarpBits, ALWAYS, -, "of this warp") \
    W(IN, fetch_pc, PQ_MAX_FETCH, NumFetch, 32, ALWAYS, -, "its PC") \
    W(IN, fetch_seq, PQ_MAX_FETCH, NumFetch, PQ_SEQ_BITS, ALWAYS, -, "its number since N-mode resumed") \
    W(OUT, push_ok, 1, 1, NumPush, ALWAYS, -, "it enters") \
    W(OUT, push_idx, PQ_MAX_PUSH, NumPush, IdxBits, WHEN, push_ok, "at this entry") \
    W(OUT, fetch_hit, 1, 1, NumFetch, WORK, -, "it was pre-executed: the head has this PC and seq") \
    W(OUT, fetch_rdy, 1, 1, NumFetch, ALWAYS, -, "and its results are there: popped") \
    W(OUT, fetch_clash, 1, 1, NumFetch, ALWAYS, -, "the head has this seq and another PC: an error") \
    W(OUT, fetch_dst, PQ_MAX_FETCH, NumFetch, RegBits, WHEN, fetch_hit, "destination") \
    W(OUT, fetch_src0, PQ_MAX_FETCH, NumFetch, RegBits, WHEN, fetch_hit, "first source") \
    W(OUT, fetch_src1, PQ_MAX_FETCH, NumFetch, RegBits, WHEN, fetch_hit, "second source") \
    W(OUT, fetch_phy, PQ_MAX_FETCH, NumFetch, PhyBits, WHEN, fetch_hit, "physical register") \
    W(OUT, fetch_pair, 1, 1, NumFetch, ALWAYS, -, "hit of a pair") \
    W(OUT, fetch_phy2, PQ_MAX_FETCH, NumFetch, PhyBits, WHEN, fetch_pair, "physical register of its second word") \
    W(OUT, fetch_pred, 1, 1, NumFetch, ALWAYS, -, "ready, with predicate results") \
    W(OUT, fetch_first, PQ_MAX_FETCH, NumFetch, 32, WHEN, fetch_pred, "first predicate") \
    W(OUT, fetch_second, PQ_MAX_FETCH, NumFetch, 32, WHEN, fetch_pred, "second predicate") \
    W(OUT, free_valid, 1, 1, 1, WORK, -, "a flushed entry gives a register back") \
    W(OUT, free_phy, 1, 1, PhyBits, WHEN, free_valid, "that register") \
    W(OUT, idle, PQ_MAX_WARPS, NumWarps, 1, ALWAYS, -, "the queue of warp w is empty")
// clang-format on

#define P_QUEUE_WIDTHS \
    const int WarpBits = block_bits(NumWarps), IdxBits = block_bits(Depth), \
              RegBits = block_bits(NumRegs + 1), PhyBits = block_bits(NumPhy), \
              OffBits = block_bits(16 * Distance)

typedef struct PQueueIn {
    P_QUEUE_PORTS(BLOCK_W_IN, BLOCK_V_IN)
} PQueueIn;
typedef struct PQueueOut {
    P_QUEUE_PORTS(BLOCK_W_OUT, BLOCK_V_OUT)
} PQueueOut;

// Observation, obs_words 4. By address:
//   `w * Depth + i`: entry i of warp w, 0 while it is not valid.
//     Word 0: bit 0 valid, 1 first word rdy, 2 second word rdy, 3 predicates rdy, 4 pred.
//             16:5 offset (OffBits), 22:17 dst, 28:23 src0.
//     Word 1: 5:0 src1, 15:8 phy, 23:16 phy2 (phy without a pair), 31:24 seq.
//     Words 2, 3: predicate results. 0 unless pred and predicates rdy.
//   `NumWarps*Depth + w`: word 0: 4:0 head, 12:8 tail, bit 16 draining. Word 1: base.
//   `NumWarps*(Depth + 1)`: word 0: bit 0: a pair is half drained, 6:1 its warp (0: none).
extern const BlockModel p_queue_model;

#endif
