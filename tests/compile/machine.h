// SPDX-License-Identifier: Apache-2.0
// Common parts of the compiler's tests: a machine to compile for, the compilation of a few lines,
// and an untimed interpreter of machine programs.
#ifndef SMCOSIM_TESTS_COMPILE_MACHINE_H
#define SMCOSIM_TESTS_COMPILE_MACHINE_H

#include "compile/compile.h"
#include "isa/isa.h"
#include "launch/device_memory.h"

extern const MachineConfig machine_fermi;  // as the preset, with the compiler's requirements

// `body` as kernel k(u64 column, u64 a, u64 x) with registers %r0..8, %rd0..8, %f0..8, %p0..2 and 4
// KB of shared memory s; `bounds`: its .maxntid and the like. Ends in ret. NULL with a diagnostic.
IsaProgram *machine_compile(Arena *arena, const CompileOptions *o, const char *bounds,
                            const char *body, Diag *d);

// Interpreter: no pipeline, no caches, warps of a CTA in turn. Registers start with a pattern that
// no program should depend on; extended registers of a split program are filled with another one at
// each ACQ and REL, and may not be named between.
typedef struct MachineRun {
    const IsaProgram *program;
    const ModuleLayout *layout;
    uint32_t grid[3], block[3];
    uint32_t shared_bytes;  // dynamic
    const uint8_t *params;
    DeviceMemory *memory;
    uint64_t max_insts;        // warp instructions; 0: no limit
    uint64_t insts, sections;  // out: warp instructions, sections taken
    // Scalar threads (IsaProgram.scalar): run before or behind the warps of their CTA, from CTA to
    // CTA in turn.
    uint32_t resident;                             // %ncta_resident
    void (*touched)(void *ctx, uint64_t address);  // may be NULL
    uint32_t (*clock)(void *ctx);                  // %clock of scalar threads; NULL: 0
    void *ctx;
    uint64_t thread_insts;  // out
} MachineRun;

bool machine_run(MachineRun *run, Diag *d);

#endif
