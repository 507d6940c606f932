// SPDX-License-Identifier: Apache-2.0
// A launch file on a system with a fault in it, on golden models: the run of the tests of seeded
// faults.
#ifndef SMCOSIM_TESTS_SEEDED_RUN_H
#define SMCOSIM_TESTS_SEEDED_RUN_H

#include "sm/state.h"

enum { SEEDED_SETS = 2 };

typedef struct SeededRun {
    const System *system;
    const char *machine, *launch;   // launch: path of the file
    const char *sets[SEEDED_SETS];  // KEY=VALUE; NULL: none
    bool retire, oracle;            // checks
} SeededRun;

// Exit status of the run; d has its report. source: the project's root.
ExitStatus seeded_run(const SeededRun *r, const char *source, Arena *arena, Diag *d);

#endif
