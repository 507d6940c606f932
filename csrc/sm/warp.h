// SPDX-License-Identifier: Apache-2.0
// A resident warp: its SIMT stack, predicates, and where it is fetched. Sets of warps are 64-bit masks, sets
// of registers too, so that no stage loops over all warps.
#ifndef SMCOSIM_SM_WARP_H
#define SMCOSIM_SM_WARP_H

#include <stdbool.h>
#include <stdint.h>

enum {
    SM_MAX_WARPS = 64,
    SM_MAX_SIMT = 64,
    SM_NONE = -1,
};

static inline uint64_t bit64(int n) { return 1ull << n; }
static inline int lowest(uint64_t set) { return __builtin_ctzll(set); }

typedef struct SimtEntry { int32_t pc, reconv; uint32_t mask; } SimtEntry;

typedef struct Warp {
    uint8_t ib_count;                           // instructions in the buffer: pc, pc + 1, ...
    uint8_t hazard;                             // Hazard of the head instruction
    uint8_t cta;                                // slot
    int32_t reconv;                             // top of the SIMT stack: pc, reconv, mask
    uint32_t pc, mask;                          //   (32-bit words: waves point at them)
    uint8_t depth;                              // entries below the top
    int32_t fetch_pc;
    uint16_t flights;                           // instructions not finished
    uint32_t threads;                           // lanes the warp has
    uint32_t pred[8];                           // P0..P6, PT
    uint64_t wake;                              // nanosleep: cycle
    int first_thread;                           // linear thread number of lane 0 in its CTA
    int number;                                 // of the warp in its CTA
    SimtEntry stack[SM_MAX_SIMT];
} Warp;

// Why the instruction at a warp's head cannot issue: a result from memory is outstanding; another result, or a read of
// what it writes; memory order within the warp; it is a barrier or fence that waits for memory instructions.
typedef enum Hazard { HAZARD_NONE, HAZARD_LONG, HAZARD_SHORT, HAZARD_ORDER, HAZARD_MEMBAR } Hazard;

#endif
