// SPDX-License-Identifier: Apache-2.0
// Other programs' short answers (git, sbatch): no shell, arguments as they are.
#ifndef SMCOSIM_REGRESS_TOOL_H
#define SMCOSIM_REGRESS_TOOL_H

#include <stddef.h>

enum { TOOL_MISSING = 127 };

// Runs argv[0] and takes what it prints on both outputs, at most size - 1 bytes, without the last newline. Its exit
// status; TOOL_MISSING: there is no such program; -1: a signal ended it.
int tool_ask(const char *const *argv, char *text, size_t size);

#endif
