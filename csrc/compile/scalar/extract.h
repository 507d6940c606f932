// SPDX-License-Identifier: Apache-2.0
// Interface between the files of the extraction of `if (tid == K)` bodies. `extract.c` finds bodies
// and writes the thread. `extract_bars.c` places the barriers between warps and thread and rewrites
// the SIMT program.
#ifndef SMCOSIM_COMPILE_SCALAR_EXTRACT_H
#define SMCOSIM_COMPILE_SCALAR_EXTRACT_H

#include "compile/scalar/scalar_program.h"

enum { MOST_TRANSFERS = 32, LOOP_WEIGHT = 10, BARRIER = 20 };

typedef struct Body {
    // its last instruction is the branch, or the branch of the guarded exit at `at`
    int block;
    int at;           // -1: a branch
    int first, join;  // blocks of the body and after the body; with an exit: none
    bool *in;         // blocks of the body (without the rest of `block`)
    IrPred is_k;      // the condition in the SIMT program
    // the condition is always true for thread K; otherwise the thread evaluates it too
    bool exact;
    int line;
    int ins[MOST_TRANSFERS], nins, outs[MOST_TRANSFERS], nouts;
    bool second;         // a barrier follows the body
    int insts;           // weighted
    const IrInst *mark;  // the branch, or the exit
    // synchronization of the SIMT program and the thread (extract_bars.c):
    bool no_start;        // the thread starts with the CTA
    const IrInst *start;  // the barrier, with the live-ins, precedes this instruction
    // the second barrier, with the live-outs, follows the first one, because other paths reach
    // `join` too
    bool waits_at_once;
    int wait_block, wait_phis;
    // otherwise the barrier follows this instruction; NULL: it follows the PHIs
    const IrInst *wait;
    int early, late;  // weighted instructions past which the barriers were moved
} Body;

typedef struct Extract {
    ScalarJob *j;
    Ir *ir;
    CtaValues v;
    Arena arena;
    ThreadPath path;  // path of thread K
    bool has_k;
    Body *body;
    int nbodies, cap_bodies;
    int64_t bytes;  // bytes of scratch memory in use
    int simt_added;
} Extract;

// ---- extract.c ----
typedef struct Spaces {
    int reads, writes;
} Spaces;  // bits 1 global, 2 shared
void extract_accesses(const IrInst *in, Spaces *s);
int extract_weight(const Extract *e, int block);  // estimated executions, by the depth of loops
void extract_reach(const Ir *ir, int from, bool *seen);
// Is the instruction in the body?
bool extract_inside(const Extract *e, const Body *b, const IrInst *in, int block);

// ---- extract_bars.c ----
// In SSA form, with all bodies found: moves the first barrier as early and the second as late as
// the ordered accesses allow.
void extract_place_bars(Extract *e);
int extract_bars(const Body *b);
// `at_in`, `at_out`: offsets in shared memory; `out_reg`: per live-out, the register that holds it
// until the PHI. Works after SSA form.
void extract_rewrite_simt(Extract *e, Ir *ir, const Body *b, const int64_t *at_in,
                          const int64_t *at_out, const int *out_reg);
void extract_store(Ir *t, int block, int *pos, int reg, int64_t at, IrPred guard);
void extract_load(Ir *t, int block, int *pos, int reg, int64_t at);
void extract_bar(Ir *t, int block, int *pos, const Extract *e);

#endif
