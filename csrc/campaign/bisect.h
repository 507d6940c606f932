// SPDX-License-Identifier: Apache-2.0
// Finds the commit that broke a case.
#ifndef SMCOSIM_CAMPAIGN_BISECT_H
#define SMCOSIM_CAMPAIGN_BISECT_H

#include "campaign/campaign.h"

#include <stdio.h>

typedef struct BisectOptions {
    const char *good, *bad;  // commits: the case passes, the case fails
    // folder for work trees, whose builds are kept: "COMMIT", and the case's output, "COMMIT.case"
    const char *cache;
    // command that builds a work tree's build/smcosim, run in it, ends with NULL
    const char *const *build;
    int limit;  // seconds of processor time of the case
    volatile int *stop;
} BisectOptions;

// Bisects the commits of the first-parent line from good to bad. Each commit is built in a work
// tree of its own. A commit that does not build is skipped. dir: folder of the suite, in the work
// tree of git. Prints its result to `out`. Errors: EXIT_USAGE (no such commits; the case fails at
// good or passes at bad), EXIT_ENVIRONMENT, EXIT_INTERRUPTED.
bool regress_bisect(const RegressCase *c, const char *dir, const BisectOptions *o, FILE *out,
                    Diag *d);

#endif
