// SPDX-License-Identifier: Apache-2.0
// Number of CTAs that an SM can hold, and registers that cost no CTA. The SM admits CTAs
// (stages/cta.c) and the compiler limits registers (csrc/compile/alloc/limit.c, color.c) by the
// same computation.
#ifndef SMCOSIM_CONFIG_OCCUPANCY_H
#define SMCOSIM_CONFIG_OCCUPANCY_H

#include "config/config.h"

typedef struct CtaNeed {
    // 0: unknown, treated as single warps without a limit on CTAs
    int threads;
    int regs;               // per thread
    uint64_t shared_bytes;  // static and dynamic, before rounding
} CtaNeed;

// The limiting resource: its name, the requirement of one CTA, the amount in the SM.
typedef struct CtaLimit {
    const char *what, *need, *have;
    uint64_t needed, there;
} CtaLimit;

// Registers that the register file allocates per thread for a kernel with `regs` registers: a
// multiple of rf.granularity.
int occupancy_given_regs(const MachineConfig *cfg, int regs);
uint64_t occupancy_shared(uint64_t bytes);  // shared memory that is allocated for a CTA
// Maximum number of resident CTAs; 0: not even one fits. `limit` may be NULL.
uint64_t occupancy_ctas(const MachineConfig *cfg, const CtaNeed *need, CtaLimit *limit);
// The largest number of registers, at most `most`, with which `ctas` CTAs are resident at the same
// time; 0: none.
int occupancy_regs_for(const MachineConfig *cfg, CtaNeed need, uint64_t ctas, int most);
// The largest number of registers, at most `most`, with which as many CTAs are resident as with
// need.regs.
int occupancy_free_regs(const MachineConfig *cfg, CtaNeed need, int most);

// Residency when a warp owns `base` registers and temporarily acquires `ext` more (RegMutex).
// need.regs is ignored.
typedef struct SplitOccupancy {
    uint64_t ctas, warps;
    // sections of `ext` registers, for all warps together; at most the SM's number of warps
    uint64_t sections;
} SplitOccupancy;
SplitOccupancy occupancy_split(const MachineConfig *cfg, CtaNeed need, int base, int ext);

#endif
