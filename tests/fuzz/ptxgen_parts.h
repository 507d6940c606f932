// SPDX-License-Identifier: Apache-2.0
// The two halves of the generator: ptxgen_text.c writes instructions, ptxgen.c the shape of the
// program.
#ifndef SMCOSIM_TESTS_FUZZ_PTXGEN_PARTS_H
#define SMCOSIM_TESTS_FUZZ_PTXGEN_PARTS_H

#include "ptxgen.h"

#include <stdbool.h>

// Registers: %r words, %h halves, %d pairs, %f f32, %g f64, %p predicates. Random instructions use
// the numbered ones. Behind these are those of the frame: addresses (%u, %b), scratch (%t), loops
// (%c, %e, %q), lanes (%m).
enum { CLASSES = 6, MOST_DEPTH = 4, MOST_NEST = 3, MOST_LOOPS = 3, FUNCTIONS = 3, MOST_PARAMS = 4 };
enum { SLOT = 16, LOCAL_WORDS = 16, COUNTERS = 8, SCRATCH_BYTES = 64 };

// A function's parameters and results by the class of their registers; `S` is an array of 32 bytes.
typedef struct Func {
    int nparams, nresults;
    char params[MOST_PARAMS + 1], results[MOST_PARAMS + 1];
    bool in_regs;
} Func;

typedef struct Gen {
    FILE *out;
    uint64_t state;
    // registers of each class letter that random instructions use; 0: none
    int count[128];
    int labels, budget;  // statements that are left
    int loop_end[MOST_LOOPS], loop_next[MOST_LOOPS], loops;
    bool leavable[MOST_LOOPS];  // a thread may leave this loop by itself
    bool callee;                // inside of a function: no barriers, no memory of the CTA
    bool whole;                 // all warps are full
    bool ends;                  // threads end early: no barriers, no lane operations
    int functions;
    Func funcs[FUNCTIONS];
    int weight[8];  // of the kinds of straight code, enum Kind
    PtxgenOptions o;
} Gen;

int gen_below(Gen *g, int n);
bool gen_chance(Gen *g, int percent);
uint32_t gen_word_value(Gen *g);
void gen_reg(Gen *g, char class);

// A template with its operands. `guard` precedes each instruction in it, or the last alone.
void gen_fill(Gen *g, const char *text, const char *guard);
// `buf`: "" or "@!%p3 ".
void gen_guard(Gen *g, char buf[12], int percent);

// Actions of a single thread, at any point.
void gen_straight(Gen *g);
// Common actions of all threads of a warp or of the CTA.
void gen_warp(Gen *g);
void gen_exchange(Gen *g);

#endif
