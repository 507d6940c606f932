// SPDX-License-Identifier: Apache-2.0
// Loops that diverge.c finds in a kernel and diverge_worth.c evaluates (the paper's section IV.B).
#ifndef SMCOSIM_COMPILE_DIVERGE_H
#define SMCOSIM_COMPILE_DIVERGE_H

#include "compile/scalar/scalar_program.h"

enum { MOST_STATE = 24, MOST_SCRATCH = 16384, LAST_ITEMS = 32 };
enum { MOST_COMMON = 64 };

typedef struct Diverge {
    ScalarJob *j;
    const MachineConfig *cfg;
    Ir *ir;
    CtaValues v;
    Arena arena;
    int threads, known;  // of the CTA; registers before the transformation
    // the loop, or the side of an `if`: then `body` is made up, and once is true
    const Loop *body;
    bool once;
    int header, top;  // top: the branch that lets some threads pass it by, else the header
    int behind;       // block in which all ways out of it and by it meet
    bool *in;         // blocks of the loop and of its ways out
    ThreadPath path;  // the way of all threads to it
    int line;
    int state[MOST_STATE], nstate, out[MOST_STATE], nout;
    int inner[MOST_STATE];     // the loop's own registers for those of `out`
    bool changes[MOST_STATE];  // the loop writes this register of the state
    bool *beside;
    int nold;  // blocks before those of the transformation
    // in shared memory
    int64_t actives, masks, bases, count, moved, results, bytes;
    int warps;
    int every;  // iterations between two remappings
    // places are handed out by an atomic; found by the lanes, with simt too
    bool simt, scan;
    bool ends;  // threads may have ended before
    // per register: loaded by all threads that have not ended, from one place
    bool *common;
    // those of them that the loop reads, where threads may have ended
    int fetched[MOST_COMMON], nfetched;
    int64_t fetched_at;  // in shared memory
    int own, had;        // predicates: this thread had not ended; it has an item of its own
} Diverge;

// ---- diverge_worth.c ----
// Issue slots of the body, with those of loops in it weighted.
int diverge_cost(const Diverge *g);
// Chooses how often the items of a loop, of `state` words, are regrouped; with `auto`, says why it
// is no gain.
const char *diverge_worth_loop(Diverge *g, int state);
// With `auto`: why regrouping for an `if`, whose items take `state` words along and leave `out`, is
// no gain.
const char *diverge_worth_if(Diverge *g, int state, int out);

#endif
