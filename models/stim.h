// SPDX-License-Identifier: Apache-2.0
// Stimuli of a single block: constrained-random transactions and functional coverage bins.
//
// Beside its contract (models/<family>/<name>.h) a block has models/<family>/<name>_stim.c with one
// BlockStim: an environment that speaks the block's protocol. The engine (csrc/verify) owns the
// random numbers, the clock, the comparison of RTL and golden model, and the counting. The
// environment only defines the legal inputs, their likelihood, and the events that count. A cycle:
//
//     randomize(in)          new transactions, any weights; it may use the environment's state
//     [golden eval -> out]   only with needs_out: outputs from state alone are right here
//     constrain(in, out)     drops inputs that the contract forbids
//     golden eval, RTL eval, compare
//     observe(in, out, hits) follows the block (grants, allocations, ..) and counts bins
//     tick
//
// `constrain` alone decides legality. A recorded or shrunk stimulus passes it too, so that leaving
// a transaction out never makes another one illegal. `constrain` is idempotent, changes nothing in
// a legal record, and draws no random numbers. Inputs that a contract lists as "ignored" are legal
// and must be driven now and then.
#ifndef SMCOSIM_MODELS_STIM_H
#define SMCOSIM_MODELS_STIM_H

#include "models/block.h"

// xorshift64*: small, and the same on every machine.
typedef struct StimRandom {
    uint64_t state;
} StimRandom;

static inline uint32_t stim_random(StimRandom *r) {
    r->state ^= r->state >> 12;
    r->state ^= r->state << 25;
    r->state ^= r->state >> 27;
    return (uint32_t)(r->state * 0x2545f4914f6cdd1dull >> 32);
}
// the low bits are less random than the high ones
static inline uint64_t stim_random64(StimRandom *r) {
    r->state ^= r->state >> 12;
    r->state ^= r->state << 25;
    r->state ^= r->state >> 27;
    return r->state * 0x2545f4914f6cdd1dull;
}
// Uniform below n (n > 0), and a weighted coin.
static inline uint32_t stim_below(StimRandom *r, uint32_t n) {
    return (uint32_t)((uint64_t)stim_random(r) * n >> 32);
}
static inline bool stim_percent(StimRandom *r, int percent) {
    return stim_below(r, 100) < (uint32_t)percent;
}

// 32 coins at once: each bit is 1 with this probability, in steps of 1/32.
static inline uint32_t stim_bits(StimRandom *r, int percent) {
    const int p = percent * 32 / 100;
    if (p <= 0) return 0;
    if (p >= 32) return 0xffffffffu;
    uint32_t bits = 0;
    for (int b = __builtin_ctz((unsigned)p); b < 5; b++)
        bits = p >> b & 1 ? bits | stim_random(r) : bits & stim_random(r);
    return bits;
}
// Lanes of a result or of an instruction, the one draw of all blocks. It draws kinds that a circuit
// may confuse (all lanes but one with all, one lane with none), equally often. A random mask is
// none of these kinds.
enum {
    STIM_LANES_ALL,
    STIM_LANES_NONE,
    STIM_LANES_ONE,
    STIM_LANES_BUT_ONE,
    STIM_LANES_LOW,    // lanes from lane 0 up to one lane
    STIM_LANES_HIGH,   // lanes from one lane up to lane 31
    STIM_LANES_TURNS,  // every other one
    STIM_LANES_SOME,
    STIM_LANES
};
static inline uint32_t stim_lanes(StimRandom *r) {
    const uint32_t random = stim_random(r), lane = random & 31;
    switch ((int)(random >> 29)) {
    case STIM_LANES_ALL: return UINT32_MAX;
    case STIM_LANES_NONE: return 0;
    case STIM_LANES_ONE: return 1u << lane;
    case STIM_LANES_BUT_ONE: return ~(1u << lane);
    case STIM_LANES_LOW: return UINT32_MAX >> lane;
    case STIM_LANES_HIGH: return UINT32_MAX << lane;
    case STIM_LANES_TURNS: return lane & 1 ? 0xaaaaaaaau : 0x55555555u;
    default: return stim_random(r);
    }
}
// The first kind that a mask is of.
static inline int stim_lanes_kind(uint32_t lanes) {
    const uint32_t off = ~lanes;
    return !off                                        ? STIM_LANES_ALL
        : !lanes                                       ? STIM_LANES_NONE
        : !(lanes & (lanes - 1))                       ? STIM_LANES_ONE
        : !(off & (off - 1))                           ? STIM_LANES_BUT_ONE
        : !(lanes & (lanes + 1))                       ? STIM_LANES_LOW
        : !(off & (off + 1))                           ? STIM_LANES_HIGH
        : lanes == 0x55555555u || lanes == 0xaaaaaaaau ? STIM_LANES_TURNS
                                                       : STIM_LANES_SOME;
}
// A 1024-bit row: any bits, now and then all 0 or all 1.
static inline void stim_row(StimRandom *r, uint32_t row[32]) {
    const uint32_t kind = stim_random(r) >> 27;
    for (int i = 0; i < 32; i += 2) {
        r->state ^= r->state >> 12;
        r->state ^= r->state << 25;
        r->state ^= r->state >> 27;
        const uint64_t two = kind > 1 ? r->state * 0x2545f4914f6cdd1dull : kind ? UINT64_MAX : 0;
        row[i] = (uint32_t)two;
        row[i + 1] = (uint32_t)(two >> 32);
    }
}

// A weight. The engine draws each knob uniformly from least..most at the start of every episode (a
// few hundred cycles). So one run has empty, full, bursty and starved phases.
typedef struct StimKnob {
    const char *name;
    int least, most;
    const char *meaning;
} StimKnob;

// A functional coverage bin: group "conflict", name "bank2.x3". All declared bins must be hit:
// declare no bin that this shape cannot reach.
enum { COVER_MAX_BINS = 4096, STIM_MAX_KNOBS = 24 };
typedef struct CoverBin {
    char group[24], name[40];
} CoverBin;

// A shape that `smcosim verify` drives besides the machine's, because it differs in kind. Its
// parameters of the block replace those of the machine `cover`. That machine is small and verilates
// in a few seconds.
typedef struct StimShape {
    const char *params;  // "Depth=5 NumWarps=3"
    const char *why;     // "a ring depth that is no power of two"
} StimShape;

// Bins that some shapes declare and cannot reach. A hit of such a bin is reported.
typedef struct StimWaiver {
    const char *when;          // "NumWr=1 Banks=2": in shapes with these values; "": in every shape
    const char *group, *name;  // group and name of the bins; * matches anything
    const char *reason;
} StimWaiver;

typedef struct BlockStim {
    const StimKnob *knobs;
    int nknobs;
    // list that ends with a row without params; NULL: only the machine's shape
    const StimShape *shapes;
    const StimWaiver *waivers;  // list that ends with a row without reason; NULL: none
    bool needs_out;
    // Bins of this shape; returns their number (at most COVER_MAX_BINS).
    int (*bins)(const int *params, CoverBin *bins);
    void *(*open)(const int *params);
    void (*close)(void *self);
    void (*reset)(void *self);  // the block was reset: clear the copy of its state
    void (*randomize)(void *self, StimRandom *r, const int *knobs, void *in);
    void (*constrain)(void *self, void *in, const void *out);
    void (*observe)(void *self, const void *in, const void *out, uint64_t *hits);
    // NULL, or whether an event of the last observed cycle shows in the state alone, and only
    // briefly. Then the state is compared after that cycle too, not only at the end and after
    // resets.
    bool (*look)(void *self);
    // NULL, or for blocks whose contract calls a memory entry undefined until it is written. It
    // sets the inputs of cycle i of a sequence after reset that writes 0 to every entry. False ends
    // the sequence. Memories that do not start from 0 need it (4-state simulation, netlists). On
    // entry `in` is all 0.
    bool (*fill)(void *self, uint32_t i, void *in);
} BlockStim;
// Each block defines `const BlockStim <name>_stim`, found through the table in csrc/cosim/blocks.h.

#endif
