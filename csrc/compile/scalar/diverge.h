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
    int threads, known;  // threads of the CTA; registers before the transformation
    // the loop, or the side of an `if`: then `body` is synthetic, and once is true
    const Loop *body;
    bool once;
    int header, top;  // top: the branch that lets some threads bypass it, otherwise the header
    int behind;       // block in which all paths out of it and past it join
    bool *in;         // blocks of the loop and of its exit paths
    ThreadPath path;  // the path of all threads to it
    int line;
    int state[MOST_STATE], nstate, out[MOST_STATE], nout;
    int inner[MOST_STATE];     // registers inside the loop for those of `out`
    bool changes[MOST_STATE];  // the loop writes this register of the state
    bool *beside;
    int nold;  // number of blocks before the transformation added its own
    // offsets in shared memory
    int64_t actives, masks, bases, count, moved, results, bytes;
    int warps;
    int every;  // iterations between two remappings
    // an atomic assigns positions; the lanes find positions (scan), also with simt
    bool simt, scan;
    bool ends;  // threads may have ended before it
    // per register: all threads that have not ended load it from one address
    bool *common;
    // the common registers that the loop reads, if threads may have ended
    int fetched[MOST_COMMON], nfetched;
    int64_t fetched_at;  // offset in shared memory
    int own, had;        // predicates: this thread has not ended; it has an item of its own
} Diverge;

// ---- diverge_worth.c ----
// Issue slots of the body; slots in inner loops are weighted.
int diverge_cost(const Diverge *g);
// Chooses the interval of regrouping for a loop whose items have `state` words; with `auto`,
// returns the reason if there is no gain.
const char *diverge_worth_loop(Diverge *g, int state);
// With `auto`: returns the reason why regrouping for an `if`, whose items carry `state` words in
// and `leave` words out, has no gain.
const char *diverge_worth_if(Diverge *g, int state, int out);

#endif
