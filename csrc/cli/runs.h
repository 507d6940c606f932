// SPDX-License-Identifier: Apache-2.0
// Runs of this program for sweep and repro, stored in a folder of results (campaign/store.h).
#ifndef SMCOSIM_CLI_RUNS_H
#define SMCOSIM_CLI_RUNS_H

#include "campaign/store.h"

// dir NULL: a folder in the cache.
bool runs_open(Results *r, Arena *arena, const char *dir, Diag *d);
// Runs the missing commands, `jobs` in parallel, with a progress line and the failures on stderr.
bool runs_make(const Results *r, const ResultCommand *commands, int n, int jobs, Diag *d);

#endif
