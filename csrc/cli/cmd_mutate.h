// SPDX-License-Identifier: Apache-2.0
// smcosim verify --mutate.
#ifndef SMCOSIM_CLI_MUTATE_H
#define SMCOSIM_CLI_MUTATE_H

#include "verify/mutate.h"

// Runs the campaigns of the blocks one after another and reports. json: file or "-"; may be NULL.
// Returns the exit status of the process. Survivors are no failure. EXIT_INTERRUPTED, or the status
// of the first block that could not be mutated.
int cli_mutate(Arena *arena, const MutateOptions *o, int nblocks, const char *json);

#endif
