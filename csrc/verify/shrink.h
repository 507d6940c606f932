// SPDX-License-Identifier: Apache-2.0
// Delta debugging of a failing stimulus. It removes cycles, transactions, lanes and bits while the
// first divergence remains at the same block and port (mismatch_same_place). Every candidate passes
// through the environment's constrain, so that it is legal. The result is the stimulus that was
// driven.
#ifndef SMCOSIM_VERIFY_SHRINK_H
#define SMCOSIM_VERIFY_SHRINK_H

#include "verify/verify.h"

typedef struct ShrinkLimits {
    uint64_t runs;    // maximum number of candidates
    uint64_t cycles;  // maximum number of simulated cycles over all candidates
} ShrinkLimits;
// limits of a few seconds: after a failure of smcosim verify
extern const ShrinkLimits shrink_automatic;
extern const ShrinkLimits shrink_thorough;  // limits of smcosim replay --shrink

typedef struct ShrinkResult {
    Stimulus *stimulus;  // the smallest failing stimulus, up to its mismatch; stimulus_free
    Mismatch mismatch;   // mismatch of this stimulus
    size_t cycles, transactions, cycles_before, transactions_before;
    uint64_t runs;  // candidates tried
    bool complete;  // no single element can be removed; false: a limit or the stop ended the search
} ShrinkResult;

// False with EXIT_NONDETERMINISTIC if `s` itself does not fail at the block and port of `want`
// (NULL: it does not fail).
bool shrink_stimulus(Harness *h, const Stimulus *s, const Mismatch *want,
                     const ShrinkLimits *limits, ShrinkResult *r, Diag *d);

// Removes leading records if the mismatch occurs without them. Also sets the inputs before some of
// the last records to 0. The result ends at the mismatch. Adds to *runs and *cycles, and ends at
// `limits`.
Stimulus *shrink_coarsely(Harness *h, const Stimulus *s, const Mismatch *want,
                          const ShrinkLimits *limits, uint64_t *runs, uint64_t *cycles);

#endif
