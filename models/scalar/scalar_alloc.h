// SPDX-License-Identifier: Apache-2.0
// Contract of block scalar_alloc: contexts and registers of scalar threads. The flexible scalar
// unit has one thread per CTA (section III of its paper). The division of the files is not from the
// paper.
//
// A scalar thread needs a context and cfg_words registers in the file of its unit. One kernel runs
// at a time. So each file is cut into cfg_parts parts of cfg_words words and cannot fragment: part
// p begins at word p * cfg_words.
//
// Load: cfg_valid (a kernel is placed): cfg_words and cfg_parts are latched, no context and no part
//   is in use. A load overrides all else at that edge. In that cycle start_grant is 0.
// Offer: ready[u], from state alone: a context is free and a part of unit u.
// Start: start_valid: a thread for unit start_unit. `start_grant` in the same cycle if
//   ready[start_unit]. Then start_ctx is the lowest free context and start_base the first word of
//   the unit's lowest free part. Both are in use from the next cycle on. At most one start per
//   cycle. Without a grant there is no effect.
// End: end_mask: these contexts, and their parts, are free from the next cycle on. A start of this
//   cycle does not see them.
// Parts of contexts in use are disjoint at all times.
// Reset: as a load of 0 parts.
// Never driven: cfg_words odd or below 2. A cfg_parts above Threads. A cfg_parts * cfg_words above
//   Words. A unit of Units or more in a valid start. The end of a context that is not in use.
// Timing: of a cycle of 1.43 ns, at 45 nm on kepler. An input may change 0.5 ns after the edge. An
//   output is valid 1.1 ns after the edge (0.75 ns after start_unit, if that is later).
// Left out: several kernels at once.
//
// Diagram  Files of eight words, threads of four. Two start. The third waits until a context has
//          ended. (Words=8 Units=1 Threads=4)
//   cycle          0   1   2   3   4   5   6
//   cfg_valid      1   .   .   .   .   .   .
//   cfg_words      4   .   .   .   .   .   .
//   cfg_parts      2   .   .   .   .   .   .
//   start_valid    .   1   1   1   1   1   .
//   end_mask       .   .   .   1   .   .   .
//   ready          .   1   1   .   1   .   .
//   start_grant    .   1   1   .   1   .   .
//   start_ctx      -   .   1   -   .   -   -
//   start_base     -   .   4   -   .   -   -
#ifndef SMCOSIM_MODELS_SCALAR_ALLOC_H
#define SMCOSIM_MODELS_SCALAR_ALLOC_H

#include "models/block.h"

enum { SA_MAX_THREADS = 64, SA_MAX_UNITS = 8 };

// clang-format off
#define SCALAR_ALLOC_PARAMS(P) \
    P(Words, 1024, 8, 4096, "scalar.words", "32-bit registers of one scalar unit, an even number") \
    P(Units, 1, 1, 8, "scalar.units", "scalar units") \
    P(Threads, 32, 2, 64, "scalar.threads", "contexts of scalar threads, of all units")

#define SCALAR_ALLOC_PORTS(W, V) \
    W(IN, cfg_valid, 1, 1, 1, ALWAYS, -, "a kernel is placed") \
    W(IN, cfg_words, 1, 1, WordBits, ALWAYS, -, "registers of a thread") \
    W(IN, cfg_parts, 1, 1, CountBits, ALWAYS, -, "threads that a unit's file has room for") \
    W(IN, start_valid, 1, 1, 1, ALWAYS, -, "a thread starts") \
    W(IN, start_unit, 1, 1, UnitBits, ALWAYS, -, "on this unit") \
    W(IN, end_mask, SA_MAX_THREADS, Threads, 1, ALWAYS, -, "the thread of the context ends") \
    W(OUT, ready, 1, 1, Units, ALWAYS, -, "unit u takes a thread") \
    W(OUT, start_grant, 1, 1, 1, WORK, -, "the thread has a place") \
    W(OUT, start_ctx, 1, 1, CtxBits, WHEN, start_grant, "its context") \
    W(OUT, start_base, 1, 1, WordBits, WHEN, start_grant, "its first register")
// clang-format on

#define SCALAR_ALLOC_WIDTHS \
    const int WordBits = block_bits(Words + 1), CountBits = block_bits(Threads + 1), \
              UnitBits = block_bits(Units), CtxBits = block_bits(Threads)

typedef struct ScalarAllocIn {
    SCALAR_ALLOC_PORTS(BLOCK_W_IN, BLOCK_V_IN)
} ScalarAllocIn;
typedef struct ScalarAllocOut {
    SCALAR_ALLOC_PORTS(BLOCK_W_OUT, BLOCK_V_OUT)
} ScalarAllocOut;

// Observation, obs_words 1. Address 0: cfg_words, 1: cfg_parts. Address 2 + c: context c: bit 0 in
// use, bits 8:1 part, bits 12:9 unit (0 while not in use).
extern const BlockModel scalar_alloc_model;

#endif
