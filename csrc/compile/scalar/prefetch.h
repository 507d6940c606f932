// SPDX-License-Identifier: Apache-2.0
// Prefetch candidates that prefetch.c finds in a kernel and prefetch_worth.c evaluates (the paper's
// section IV.A).
#ifndef SMCOSIM_COMPILE_PREFETCH_H
#define SMCOSIM_COMPILE_PREFETCH_H

#include "compile/scalar/scalar_program.h"

enum {
    MOST_TOUCHES = 256,  // limit of touches of one address in one iteration
    MOST_PHIS = 16,
    FIRST_SKIP = 2,
};

typedef struct Span {
    int64_t at, end;
} Span;

// Loads of one loop with the same address register.
typedef struct Target {
    IrSrc base;
    CtaValue value;
    int loop, block, line;
    Span *span;  // offsets of the loads
    int nspans, cap_spans, loads;
    int64_t step;  // step of the address per iteration in bytes; 0: unknown, or a line or more
    int moved;     // register of the thread: bytes since the last iteration with a touch
} Target;

// A register of the loop that grows by the same amount in each iteration.
typedef struct Induction {
    int phi, next;
    IrSrc init;
} Induction;

// The end of a loop: it continues while `var` cmp `bound`.
typedef struct Control {
    bool ok;
    const char *why;
    int line;
    IsaCmp cmp;
    bool is_signed, after;  // after: `var` is the induction's next value
    int var, ind;
    IrSrc bound;
    int block;  // block of the comparison
    int body;   // block of the thread with the touches of an iteration
} Control;

typedef struct Prefetch {
    ScalarJob *j;
    const MachineConfig *cfg;
    const Ir *ir;
    CtaValues v;
    Arena arena;
    Target *target;
    int ntargets, cap_targets;
    Induction *ind;  // inductions of all loops
    int *ind_loop, ninds, cap_inds, cap_ind_loop;
    Control *control;  // per loop
    Ir *t;
    int touches, loops;
    // the iteration in progress has unconditional touches; otherwise `came` holds
    bool always;
    IrPred came;  // true if its last row entered a new line
} Prefetch;

// The checks of `auto` before it accepts a load (prefetch_worth.c). Refuses unprofitable loads with
// a note.
void prefetch_worth(Prefetch *p);
// Call after the thread is written: refuses the loads of a loop that the warps execute faster than
// the thread. True: the loads were refused.
bool prefetch_too_slow(Prefetch *p);
// Bytes by which the address of a target changes per iteration of its loop; 0: not constant.
int64_t prefetch_step(const Prefetch *p, const Target *t);
// Generates code in the thread that branches to `leave` if the lines of the resident CTAs map to
// too few of L1's sets. Returns the block after this code.
int prefetch_set_check(Prefetch *p, int block, int leave);

// ---- prefetch.c ----
bool prefetch_constant_step(const Prefetch *p, const Induction *i, int64_t *step);
// Can the thread compute the value that block b reads? (The function calls itself with depth + 1.)
bool prefetch_can_copy(Prefetch *p, const IrSrc *s, int b, int depth);
// The factor of a TidCoef, one word, in the thread.
IrSrc prefetch_symbol(Slice *s, int sym);
// Lines that a CTA reads by the address of a target, per iteration if the target is in a loop.
int64_t prefetch_lines(Prefetch *p, const Target *t);

#endif
