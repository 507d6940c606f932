// SPDX-License-Identifier: Apache-2.0
// Common parts of every fuzzing target: a scratch folder that is removed at the end, inputs as
// files. A limit in CPU seconds ends the process cleanly (FUZZ_CPU_SECONDS).
#ifndef SMCOSIM_TESTS_FUZZ_FUZZ_H
#define SMCOSIM_TESTS_FUZZ_FUZZ_H

#include "base/arena.h"
#include "config/config.h"

// Counts the input. Ends the process with status 0 when the CPU time is spent.
void fuzz_begin(void);
// Writes the input to a file of this name in the scratch folder. Returns its path.
const char *fuzz_file(const char *name, const uint8_t *data, size_t size);
// The defaults of every key.
void fuzz_machine(MachineConfig *cfg);

#endif
