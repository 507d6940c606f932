// SPDX-License-Identifier: Apache-2.0
// Contract of block owf_locks: pairs of warps that share registers, owner warps first (OWF, a
// comparator of RegMutex).
//
// CTA slot c owns the warps c * W .. c * W + W - 1 (W = cfg_warps, warps of a CTA). Slots 2k and 2k
// + 1 are a CTA pair for k < cfg_pairs. Warp i of one is the partner of warp i of the other. The
// two share one set of registers, those from a threshold on, which the SM applies. A warp of any
// other slot has all its registers to itself.
//
// State:
//   `live`: bit per warp: it has started and not drained.
//   `held`: bit per warp: it holds its pair's lock. At most one of the two bits of a pair is set
//     (held, and the side).
//   `owner`: per CTA pair: whether one of the two CTAs is the owner, and which side.
//   W and the number of CTA pairs, as loaded.
// Acquire: acq_valid[r]: warp acq_warp[r] issues an instruction that names a shared register. The
//   answer is valid in the same cycle and takes effect at the clock edge:
//     Its CTA is in no pair: granted, nothing changes.
//     It holds the lock: granted, nothing changes.
//     The pair has no owner: granted: the warp holds the lock, its CTA is the owner.
//     Its CTA is the owner: granted: the warp holds the lock.
//     The other CTA is the owner: granted if the partner is not live, else refused.
//   Ports act in order: a port sees the locks and the owners of the previous ports. It does not see
//   starts and drains at the edge.
// Drain: exit_mask: the warp has nothing in flight: it is not live, its lock is free. A warp that
//   is not live ignores it. Only a drain releases a lock.
// Start: start_mask: these warps are live from the next cycle on.
// Owner: evaluated after the acquires, drains and starts of a cycle. If the owner CTA has no live
//   warp left, the other one becomes the owner if it has a live warp, else there is none. So a CTA
//   that starts in the free slot is not the owner.
// Load: cfg_valid (a kernel is placed): cfg_warps and cfg_pairs are latched. No warp is live, no
//   lock held, no owner. A load overrides all else at that edge. In that cycle acq_grant is 0.
// State alone, for the schedulers before they pick, one bit per warp, 0 for a warp that is not
// live.
//   `may`: a lone acquire would be granted.
//   `held`: it holds its pair's lock.
//   `owner`: its CTA is the owner of its pair.
// Progress: while a warp of a CTA pair is live, all live warps of one of its CTAs may acquire.
//   These are the warps of the owner, or of both. A CTA waits for no other. So it ends, and the
//   next one is the owner.
// Reset: as a load of one warp per CTA and no pair.
// Never driven:
//   An acquire by a warp that is not live, or that drains in this cycle.
//   A start of a warp while a warp of its slot is live.
//   A cfg_warps of 0 or above Warps. A cfg_pairs above CtaPairs or with 2 * cfg_pairs * cfg_warps
//   above Warps.
// Left out: the choice of the shared registers. Releasing a lock before the warp ends.
//
// Diagram  Warps 0 and 1 of two CTAs share. The first becomes the owner. The other gets the lock
//          when the first has drained. (Warps=4 Ctas=4 NumReq=1)
//   cycle          0   1   2   3   4   5   6
//   cfg_valid      1   .   .   .   .   .   .
//   cfg_warps      1   .   .   .   .   .   .
//   cfg_pairs      1   .   .   .   .   .   .
//   start_mask     .   3   .   .   .   .   .
//   acq_valid      .   .   1   1   .   1   .
//   acq_warp[0]    .   .   .   1   .   1   .
//   acq_grant      .   .   1   .   .   1   .
//   exit_mask      .   .   .   .   1   .   .
//   may            .   .   3   1   1   2   2
//   held           .   .   .   1   1   .   2
//   owner          .   .   .   1   1   2   2
#ifndef SMCOSIM_MODELS_OWF_LOCKS_H
#define SMCOSIM_MODELS_OWF_LOCKS_H

#include "models/block.h"

enum { OWF_MAX_REQ = 4, OWF_MAX_WARPS = 64, OWF_MAX_PAIRS = 16 };

// clang-format off
#define OWF_LOCKS_PARAMS(P) \
    P(Warps, 48, 2, 64, "sm.warps", "resident warps") \
    P(Ctas, 8, 1, 32, "sm.ctas", "resident CTAs") \
    P(NumReq, 2, 1, 4, "sm.schedulers", "acquires per cycle, one of each scheduler")

#define OWF_LOCKS_PORTS(W, V) \
    W(IN, cfg_valid, 1, 1, 1, ALWAYS, -, "a kernel is placed") \
    W(IN, cfg_warps, 1, 1, CountBits, ALWAYS, -, "warps of a CTA") \
    W(IN, cfg_pairs, 1, 1, PairBits, ALWAYS, -, "pairs of CTAs") \
    W(IN, start_mask, OWF_MAX_WARPS, Warps, 1, ALWAYS, -, "the warp starts") \
    W(IN, exit_mask, OWF_MAX_WARPS, Warps, 1, ALWAYS, -, "the warp has drained") \
    W(IN, acq_valid, 1, 1, NumReq, ALWAYS, -, "a shared register is named") \
    W(IN, acq_warp, OWF_MAX_REQ, NumReq, WarpBits, ALWAYS, -, "by this warp") \
    W(OUT, acq_grant, 1, 1, NumReq, WORK, -, "it may") \
    W(OUT, may, OWF_MAX_WARPS, Warps, 1, ALWAYS, -, "the warp may name a shared register") \
    W(OUT, held, OWF_MAX_WARPS, Warps, 1, WORK, -, "the warp holds its pair's lock") \
    W(OUT, owner, OWF_MAX_WARPS, Warps, 1, ALWAYS, -, "the warp's CTA is the owner of its pair")
// clang-format on

// CTA pairs: as many as the slots allow, with at least two warps each.
#define OWF_LOCKS_WIDTHS \
    const int WarpBits = block_bits(Warps), CountBits = block_bits(Warps + 1), \
              CtaPairs = (Ctas + 1) / 2 < Warps / 2 ? (Ctas + 1) / 2 : Warps / 2, \
              PairBits = block_bits(CtaPairs + 1)

typedef struct OwfLocksIn {
    OWF_LOCKS_PORTS(BLOCK_W_IN, BLOCK_V_IN)
} OwfLocksIn;
typedef struct OwfLocksOut {
    OWF_LOCKS_PORTS(BLOCK_W_OUT, BLOCK_V_OUT)
} OwfLocksOut;

static inline int owf_locks_cta_pairs(int warps, int ctas) {
    return (ctas + 1) / 2 < warps / 2 ? (ctas + 1) / 2 : warps / 2;
}

// Observation, obs_words 1. Address w: bit 0 live, 1 held. Address Warps + k: bit 0: CTA pair k has
// an owner, 1: its side (0 if none). Address Warps + CtaPairs: cfg_warps, one more: cfg_pairs.
extern const BlockModel owf_locks_model;

#endif
