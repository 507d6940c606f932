// SPDX-License-Identifier: Apache-2.0
// Contract of block srp_allocator: the holders of the sections of the shared register pool
// (RegMutex; thesis chapter on RegMutex, "Extended set allocation").
//
// State:
//   `status`: bit per warp: the warp holds a section.
//   `srp`: bit per section: taken. Sections that the pool does not have stay set.
//   `lut`: per warp: the section it holds.
//   `paired`: the paired-warps variant: warps 2p and 2p + 1 share one section, number p. With an
//     odd number of warps the last one has a section of its own.
//   With 48 warps: 48 + 48 + 48 x 6 = 384 bits. Paired needs only the 24 low bits of srp, beside
//   status.
// Load: cfg_valid at a clock edge (a kernel is placed): srp bit s = (s >= cfg_sections). Paired:
//   bit p = (p >= ceil(Warps / 2) or p >= cfg_sections). Status becomes 0, and cfg_paired is
//   latched. A load overrides all else at that edge. In that cycle acq_grant is 0. It is legal
//   while warps hold sections: they hold none afterwards. (The SM places a kernel only when no warp
//   is resident, and asserts that.)
// Acquire: acq_valid[r] of acq_warp[r]. The answer is valid in the same cycle and takes effect at
//   the clock edge.
//     Holds already: granted, its section, nothing changes (nested).
//     Not paired: the lowest section whose srp bit is 0. If there is none, the acquire is refused,
//       and the warp retries when it is scheduled.
//     Paired: section warp / 2 if its bit is 0, else refused.
//   Ports act in order: port 1 sees the section that port 0 took, and that a warp of port 0 holds.
//   Releases at the edge are not visible.
// Release: rel_valid[r] of rel_warp[r]: at the clock edge status and the section's srp bit are
//   cleared. Without a held section there is no effect (nested). `exit_mask`: warps that end, as a
//   release.
// Look up: lk_held[l], lk_section[l]: the section that warp lk_warp[l] holds now (state), for
//   arch_to_phys. It has a port for each instruction that operand collection accepts and one for
//   each written result.
// Progress: a released section is granted to the first acquire from the next cycle on. An acquire
//   is refused only while all sections (paired: the pair's) are held by other warps or taken by an
//   earlier port of the cycle. The compiler (no barrier while a section is held) and the SM ensure
//   that every holder reaches its release or its end.
// Reset: no section exists (srp all 1), status 0, lut 0, not paired.
// Never driven: an acquire with a release or exit of the same warp in one cycle. A warp of Warps or
//   more with a valid request or a look-up. A cfg_sections above Warps.
// Left out: fairness (a refused warp waits for its scheduler), more than one section per warp.
//
// Diagram  One section: warp 0 takes it, warp 1 is refused until it is released. (Warps=4 NumReq=1
//          NumLook=1)
//   cycle             0   1   2   3   4   5
//   cfg_valid         1   .   .   .   .   .
//   cfg_sections      1   .   .   .   .   .
//   acq_valid         .   1   1   1   1   .
//   acq_warp[0]       .   .   1   1   1   .
//   acq_grant         .   1   .   .   1   .
//   acq_section[0]    -   .   -   -   .   -
//   rel_valid         .   .   .   1   .   .
//   lk_held           .   .   1   1   .   .
#ifndef SMCOSIM_MODELS_SRP_ALLOCATOR_H
#define SMCOSIM_MODELS_SRP_ALLOCATOR_H

#include "models/block.h"

enum { SRP_MAX_REQ = 4, SRP_MAX_LOOK = 8, SRP_MAX_WARPS = 64 };

// clang-format off
#define SRP_ALLOCATOR_PARAMS(P) \
    P(Warps, 48, 2, 64, "sm.warps", "resident warps") \
    P(NumReq, 2, 1, 4, "sm.schedulers", "acquires and releases per cycle, one of each scheduler") \
    P(NumLook, 4, 1, 8, "oc.alloc_ports + rf.write_ports", "look-ups per cycle, of instructions and of results")

#define SRP_ALLOCATOR_PORTS(W, V) \
    W(IN, cfg_valid, 1, 1, 1, ALWAYS, -, "a kernel is placed") \
    W(IN, cfg_sections, 1, 1, CountBits, ALWAYS, -, "sections of the pool") \
    W(IN, cfg_paired, 1, 1, 1, ALWAYS, -, "paired-warps variant") \
    W(IN, acq_valid, 1, 1, NumReq, ALWAYS, -, "acquire") \
    W(IN, acq_warp, SRP_MAX_REQ, NumReq, WarpBits, ALWAYS, -, "by this warp") \
    W(IN, rel_valid, 1, 1, NumReq, ALWAYS, -, "release") \
    W(IN, rel_warp, SRP_MAX_REQ, NumReq, WarpBits, ALWAYS, -, "by this warp") \
    W(IN, exit_mask, SRP_MAX_WARPS, Warps, 1, ALWAYS, -, "the warp ends") \
    W(IN, lk_warp, SRP_MAX_LOOK, NumLook, WarpBits, ALWAYS, -, "look up this warp") \
    W(OUT, acq_grant, 1, 1, NumReq, WORK, -, "the warp holds a section from the next cycle on") \
    W(OUT, acq_section, SRP_MAX_REQ, NumReq, WarpBits, WHEN, acq_grant, "that section") \
    W(OUT, lk_held, 1, 1, NumLook, WORK, -, "the warp holds a section") \
    W(OUT, lk_section, SRP_MAX_LOOK, NumLook, WarpBits, WHEN, lk_held, "that section")
// clang-format on

#define SRP_ALLOCATOR_WIDTHS \
    const int WarpBits = block_bits(Warps), CountBits = block_bits(Warps + 1)

typedef struct SrpAllocatorIn {
    SRP_ALLOCATOR_PORTS(BLOCK_W_IN, BLOCK_V_IN)
} SrpAllocatorIn;
typedef struct SrpAllocatorOut {
    SRP_ALLOCATOR_PORTS(BLOCK_W_OUT, BLOCK_V_OUT)
} SrpAllocatorOut;

// Observation, obs_words 1. Addresses 0, 1: status, low and high word. 2, 3: srp (bits from Warps
// on 0). 4: paired. 5 + w: lut of warp w (0 while it holds none).
extern const BlockModel srp_allocator_model;

#endif
