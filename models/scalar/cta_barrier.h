// SPDX-License-Identifier: Apache-2.0
// Contract of block cta_barrier: named barriers of the resident CTAs, for warps and for the
// optional scalar thread of a CTA. In the flexible scalar unit (section III of its paper) bar.sync
// with k = 0 counts the SIMT threads, with k = 1 also the scalar thread. From PTX: sync, arrive,
// thread counts.
//
// State:
//   Per CTA: the number of its live warps (not ended), and whether its scalar thread is live.
//   Per CTA and barrier, its phase: arrived warps, expected warps (0: all live ones), with: k = 1.
//     Also whether the scalar thread arrived, and whether it waits.
//   Per warp: whether it waits, at which barrier of which CTA.
// Start: start_valid: CTA start_cta begins with start_warps warps and, with start_scalar, a scalar
//   thread. Its barriers have no phase. In effect from the next cycle on.
// Arrive: arr_valid[r]: warp arr_warp[r] of CTA arr_cta[r] arrives at barrier arr_number[r]. It
//   waits there if bit r of arr_sync is set. `arr_count[r]`: the phase expects this number of
//   warps, which replaces the old number. 0 keeps the old number. `arr_with[r]`: k. `sc_valid[u]`:
//   the scalar thread of CTA sc_cta[u] arrives at barrier sc_number[u], always with k = 1. It waits
//   if bit u of sc_sync is set. The first arrival begins the phase.
// End: end_valid[r]: a warp of CTA end_cta[r] ends. `scalar_end[c]`: the scalar thread of CTA c
//   ends.
// Complete: all arrivals and ends of a cycle count first, in no order. A phase is then complete
//   under two conditions. The arrived warps are at least as many as it expects, or as the live
//   warps if it expects all. With k = 1, the scalar thread arrived or is not live.
//   At the clock edge the lowest-numbered complete phase of each CTA ends. Its arrivals do not
//   count again, and its barrier is released. Other complete phases of the CTA end in later cycles.
// Release: in the next cycle, from state alone: rel_valid[c], rel_number[c], the waiting warps in
//   rel_warps. `rel_scalar[c]`: the scalar thread waited there. A warp or scalar thread may arrive,
//   or end, in the cycle of its release. If the CTA starts in the cycle in which a phase ends,
//   nothing is released.
// Timing: a release appears one cycle after the last arrival at the ports, as if a register held a
//   same-cycle answer. No path connects an input to the rel_ outputs.
// Error: error[c]: the k of an arrival differs from that of the phase, or of another arrival of
//   this cycle at the same barrier. Or a count with k = 1. The phase then counts as k = 1.
// Reset: no warp, no scalar thread, no phase, no release.
// Never driven:
//   A start of a CTA with a live warp or scalar thread. A start together with any other event of
//   that CTA.
//   An arrival of a warp that waits and is not released, or of one warp at two ports.
//   Arrivals or ends of a CTA beyond its live warps that do not wait.
//   The arrival of a scalar thread that is not live, waits and is not released, or ends in that
//   cycle, or at two ports. The end of a scalar thread that is not live or waits.
//   Two different counts above 0 for one barrier in a cycle.
//   Numbers beyond Ctas, Warps, Barriers. Counts above Warps. A start_warps of 0. More than Warps
//   arrivals in a phase.
// Left out: reductions of predicates (bar.red arrives as sync, and the SM computes its value),
// divergence (warps arrive whole).
//
// Diagram  Warps 0 and 1 of CTA 0 meet at barrier 1, then end. (Ctas=2 Warps=4 Barriers=2 NumReq=2
//          Units=1)
//   cycle            0   1   2   3   4   5
//   start_valid      1   .   .   .   .   .
//   start_warps      2   .   .   .   .   .
//   arr_valid        .   1   1   .   .   .
//   arr_warp[0]      .   .   1   .   .   .
//   arr_number[0]    .   1   1   .   .   .
//   arr_sync         .   1   1   .   .   .
//   end_valid        .   .   .   .   3   .
//   rel_valid        .   .   .   1   .   .
//   rel_number[0]    -   -   -   1   -   -
//   rel_warps        .   .   .   3   .   .
#ifndef SMCOSIM_MODELS_CTA_BARRIER_H
#define SMCOSIM_MODELS_CTA_BARRIER_H

#include "models/block.h"

enum {
    CB_MAX_CTAS = 32,
    CB_MAX_WARPS = 64,
    CB_MAX_BARRIERS = 16,
    CB_MAX_REQ = 4,
    CB_MAX_UNITS = 8
};

// clang-format off
#define CTA_BARRIER_PARAMS(P) \
    P(Ctas, 8, 1, 32, "sm.ctas", "resident CTAs") \
    P(Warps, 48, 2, 64, "sm.warps", "resident warps") \
    P(Barriers, 16, 1, 16, "sm.barriers", "named barriers of a CTA") \
    P(NumReq, 2, 1, 4, "sm.schedulers", "warps that arrive, and warps that end, per cycle") \
    P(Units, 1, 1, 8, "scalar.units", "scalar threads that arrive per cycle")

#define CTA_BARRIER_PORTS(W, V) \
    W(IN, start_valid, 1, 1, 1, ALWAYS, -, "a CTA begins") \
    W(IN, start_cta, 1, 1, CtaBits, ALWAYS, -, "this one") \
    W(IN, start_warps, 1, 1, CountBits, ALWAYS, -, "its warps") \
    W(IN, start_scalar, 1, 1, 1, ALWAYS, -, "it has a scalar thread") \
    W(IN, arr_valid, 1, 1, NumReq, ALWAYS, -, "a warp arrives") \
    W(IN, arr_cta, CB_MAX_REQ, NumReq, CtaBits, ALWAYS, -, "of this CTA") \
    W(IN, arr_warp, CB_MAX_REQ, NumReq, WarpBits, ALWAYS, -, "this warp of the SM") \
    W(IN, arr_number, CB_MAX_REQ, NumReq, NumberBits, ALWAYS, -, "at this barrier") \
    W(IN, arr_sync, 1, 1, NumReq, ALWAYS, -, "and waits") \
    W(IN, arr_count, CB_MAX_REQ, NumReq, CountBits, ALWAYS, -, "warps that the barrier expects, 0: all") \
    W(IN, arr_with, 1, 1, NumReq, ALWAYS, -, "k: the scalar thread is expected too") \
    W(IN, end_valid, 1, 1, NumReq, ALWAYS, -, "a warp ends") \
    W(IN, end_cta, CB_MAX_REQ, NumReq, CtaBits, ALWAYS, -, "of this CTA") \
    W(IN, sc_valid, 1, 1, Units, ALWAYS, -, "a scalar thread arrives") \
    W(IN, sc_cta, CB_MAX_UNITS, Units, CtaBits, ALWAYS, -, "of this CTA") \
    W(IN, sc_number, CB_MAX_UNITS, Units, NumberBits, ALWAYS, -, "at this barrier") \
    W(IN, sc_sync, 1, 1, Units, ALWAYS, -, "and waits") \
    W(IN, scalar_end, CB_MAX_CTAS, Ctas, 1, ALWAYS, -, "the scalar thread of CTA c ends") \
    W(OUT, rel_valid, 1, 1, Ctas, WORK, -, "a barrier of CTA c is released") \
    W(OUT, rel_number, CB_MAX_CTAS, Ctas, NumberBits, WHEN, rel_valid, "this one") \
    W(OUT, rel_warps, CB_MAX_WARPS, Warps, 1, ALWAYS, -, "warp w goes on") \
    W(OUT, rel_scalar, 1, 1, Ctas, ALWAYS, -, "the scalar thread of CTA c goes on") \
    W(OUT, error, 1, 1, Ctas, ALWAYS, -, "k = 0 and k = 1 in one phase of CTA c, or a count with k = 1")
// clang-format on

#define CTA_BARRIER_WIDTHS \
    const int CtaBits = block_bits(Ctas), WarpBits = block_bits(Warps), \
              NumberBits = block_bits(Barriers), CountBits = block_bits(Warps + 1)

typedef struct CtaBarrierIn {
    CTA_BARRIER_PORTS(BLOCK_W_IN, BLOCK_V_IN)
} CtaBarrierIn;
typedef struct CtaBarrierOut {
    CTA_BARRIER_PORTS(BLOCK_W_OUT, BLOCK_V_OUT)
} CtaBarrierOut;

// Observation, obs_words 1. By address:
//   `c`: bits 6:0 live warps of CTA c, bit 8 its scalar thread is live.
//   `Ctas + c * Barriers + n`: barrier n of CTA c: 6:0 arrived, 14:8 expected, 16 with.
//     Bit 17 the scalar thread arrived, 18 it waits, 19 released in this cycle. Then 18 is of the
//     phase that ended, the rest of the new one.
//   `Ctas + Ctas * Barriers + w`: warp w: bit 0 waits, 5:1 CTA, 9:6 barrier (0 while it does not
//     wait).
extern const BlockModel cta_barrier_model;

#endif
