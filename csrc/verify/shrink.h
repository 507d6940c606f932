// SPDX-License-Identifier: Apache-2.0
// Delta debugging of a failing stimulus: drops cycles, transactions, lanes and bits as long as the
// first divergence stays at the same block and port (mismatch_same_place). Every candidate passes
// the environment's constrain, so that what is left is legal, and the result is what was driven.
#ifndef SMCOSIM_VERIFY_SHRINK_H
#define SMCOSIM_VERIFY_SHRINK_H

#include "verify/verify.h"

typedef struct ShrinkLimits {
    uint64_t runs;    // candidates tried at most
    uint64_t cycles;  // cycles simulated at most, all candidates together
} ShrinkLimits;
extern const ShrinkLimits shrink_automatic;  // a few seconds: after a failure of smcosim verify
extern const ShrinkLimits shrink_thorough;   // smcosim replay --shrink

typedef struct ShrinkResult {
    Stimulus *stimulus;  // the smallest found, up to its mismatch; stimulus_free
    Mismatch mismatch;   // what it meets
    size_t cycles, transactions, cycles_before, transactions_before;
    uint64_t runs;  // candidates tried
    bool complete;  // nothing more can be left out one by one; false: a limit ended it, or the stop
} ShrinkResult;

// False with EXIT_NONDETERMINISTIC when `s` itself does not fail at the place of `want` (NULL: it
// does not fail).
bool shrink_stimulus(Harness *h, const Stimulus *s, const Mismatch *want,
                     const ShrinkLimits *limits, ShrinkResult *r, Diag *d);

// Leaves out the records before some of the last ones, where the mismatch is met without them;
// else, and besides, makes the inputs before some of the last records 0. Up to the mismatch. Adds
// to *runs and *cycles, and ends at `limits`.
Stimulus *shrink_coarsely(Harness *h, const Stimulus *s, const Mismatch *want,
                          const ShrinkLimits *limits, uint64_t *runs, uint64_t *cycles);

#endif
