// SPDX-License-Identifier: Apache-2.0
// Untimed interpreter of machine programs, for tests of the compiler: no pipeline, no caches, warps
// of a CTA in turn. Registers start with a pattern that no program should depend on.
#ifndef SMCOSIM_TESTS_COMPILE_MACHINE_H
#define SMCOSIM_TESTS_COMPILE_MACHINE_H

#include "isa/isa.h"
#include "launch/memory.h"

typedef struct MachineRun {
    const IsaProgram *program;
    const ModuleLayout *layout;
    uint32_t grid[3], block[3];
    uint32_t shared_bytes;   // dynamic
    const uint8_t *params;
    DeviceMemory *memory;
    uint64_t max_insts;      // warp instructions; 0: no limit
    uint64_t insts;          // out
} MachineRun;

bool machine_run(MachineRun *run, Diag *d);

#endif
