// SPDX-License-Identifier: Apache-2.0
// The project's own kernels by name: "sgemm" (its small size), "sgemm/paper".
#ifndef SMCOSIM_CLI_KERNELS_H
#define SMCOSIM_CLI_KERNELS_H

#include "base/arena.h"
#include "base/diag.h"

#include <stdio.h>

// Prints name, size and launch file of every kernel with data. Returns the number of kernels.
// kernels_print_names: one name per line.
int kernels_list(FILE *out, Arena *arena);
int kernels_print_names(FILE *out, Arena *arena);

// Names of the kernels with data of the small size, sorted.
int kernels_small(Arena *arena, const char *const **names);

// Modules whose header has a line "// Proof:" (ci/formal), sorted.
int proofs_list(Arena *arena, const char *const **list);

// The launch file for an operand. A file of that name has priority, and an operand with a dot or a
// second slash is always a file. NULL after EXIT_USAGE with a suggestion.
const char *kernels_launch(Arena *arena, const char *operand, Diag *d);
// As kernels_launch, for a list, in place.
bool kernels_launches(Arena *arena, char **operands, int n, Diag *d);
// Checks that each launch file occurs once. Otherwise a mean over kernels would count it twice.
// EXIT_USAGE.
bool kernels_distinct(char **launches, int n, Diag *d);

#endif
