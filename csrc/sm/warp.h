// SPDX-License-Identifier: Apache-2.0
// A resident warp: its SIMT stack, predicates and fetch state. Sets of warps and of registers are
// bit masks, so that no stage loops over all warps.
#ifndef SMCOSIM_SM_WARP_H
#define SMCOSIM_SM_WARP_H

#include <stdbool.h>
#include <stdint.h>

enum {
    SM_MAX_WARPS = 128,
    SM_MAX_SIMT = 64,
    SM_NONE = -1,
};

static inline uint64_t word_bit(int n) { return 1ull << n; }

// A set of warps: bit w for slot w. Sets of registers have 64 bits, as do the sets of systems whose
// blocks have 64 warps.
typedef unsigned __int128 WarpSet;
static inline WarpSet warp_bit(int warp) { return (WarpSet)1 << warp; }
static inline bool has_warp(WarpSet set, int warp) {
    return (warp < 64 ? (uint64_t)set : (uint64_t)(set >> 64)) >> (warp & 63) & 1;
}
// One warp of a set in memory: accesses only the half that contains the warp.
typedef uint64_t WarpHalf __attribute__((may_alias));
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the lower half of a set comes first");
static inline bool warp_in(const WarpSet *set, int warp) {
    return ((const WarpHalf *)set)[warp >> 6] >> (warp & 63) & 1;
}
static inline void warp_add(WarpSet *set, int warp) {
    ((WarpHalf *)set)[warp >> 6] |= word_bit(warp & 63);
}
static inline void warp_drop(WarpSet *set, int warp) {
    ((WarpHalf *)set)[warp >> 6] &= ~word_bit(warp & 63);
}
static inline void warp_put(WarpSet *set, int warp, bool in) {
    WarpHalf *half = (WarpHalf *)set + (warp >> 6);
    *half = (*half & ~word_bit(warp & 63)) | (uint64_t)in << (warp & 63);
}
static inline int lowest_bit(uint64_t set) { return __builtin_ctzll(set); }
static inline int lowest_warp(WarpSet set) {
    const uint64_t low = (uint64_t)set;
    return low ? lowest_bit(low) : 64 + lowest_bit((uint64_t)(set >> 64));
}
// A set of a machine with `few` warps, at most 64: its upper half is empty. If `few` is a constant,
// this halves the work on sets.
static inline WarpSet some_warps(WarpSet set, bool few) { return few ? (uint64_t)set : set; }
#define lowest(set) \
    _Generic((set), WarpSet : lowest_warp, default : lowest_bit)(set)  // for a nonempty set
static inline int warps_in(WarpSet set) {
    return __builtin_popcountll((uint64_t)set) + __builtin_popcountll((uint64_t)(set >> 64));
}

typedef struct SimtEntry {
    int32_t pc, reconv;
    uint32_t mask;
} SimtEntry;

// A stream of instructions of a warp slot, with its own control flow and predicates. The warp's own
// stream is fetched from its program. A second stream (parts/inst_stream.h) provides decoded
// instructions. Registers belong to the warp.
typedef struct InstStream {
    const struct SmInst *insts;  // its program; a second stream may have none
    int ninsts;
    int first_line;     // first line of its code in the instruction cache
    uint32_t pc, mask;  // top of the SIMT stack: pc, mask, reconv
    int32_t reconv;     //   (32-bit words: waves point at them)
    uint8_t depth;      // entries below the top
    uint8_t ib_count;   // instructions in the buffer: pc, pc + 1, ...
    int32_t fetch_pc;
    // bit k: instruction k of the buffer already has its result
    uint8_t given;
    // its memory instructions keep no order with those of the program
    bool apart;
    // its prefetches are dropped if L1 has no room for them
    bool drops;
    // its own part of the SM's shared memory; 0 bytes: it uses its CTA's
    uint32_t shared_at, shared_bytes;
    uint32_t pred[8];  // P0..P6, PT
    // SM_MAX_SIMT below the top; NULL: it never diverges
    SimtEntry *stack;
} InstStream;

typedef struct Warp {
    uint8_t hazard;    // Hazard of the head instruction
    uint8_t cta;       // slot
    uint16_t flights;  // instructions not finished
    uint32_t threads;  // lanes the warp has
    uint64_t wake;     // nanosleep: cycle
    int first_thread;  // linear thread number of lane 0 in its CTA
    int number;        // number of the warp in its CTA
    // the stream that is fetched and issued: own, or a second stream in its place
    InstStream *front;
    InstStream own;
} __attribute__((aligned(64))) Warp;

// Why a warp's head cannot issue. LONG: a result from memory is outstanding. SHORT: another result,
// or a read of its destination, is outstanding. ORDER: memory order within the warp. MEMBAR: a
// barrier or fence waits for memory instructions.
typedef enum Hazard { HAZARD_NONE, HAZARD_LONG, HAZARD_SHORT, HAZARD_ORDER, HAZARD_MEMBAR } Hazard;

#endif
