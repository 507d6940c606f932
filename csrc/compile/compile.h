// SPDX-License-Identifier: Apache-2.0
// The compiler translates one PTX entry into one IsaProgram. compile.c calls the passes in order.
// Each pass is one file whose head lists its requirements, results and destroyed properties.
#ifndef SMCOSIM_COMPILE_COMPILE_H
#define SMCOSIM_COMPILE_COMPILE_H

#include "compile/hints/window_hints.h"
#include "config/config.h"
#include "isa/isa.h"
#include "launch/device_memory.h"

// Stages whose text --dump can print.
typedef enum CompileDump {
    DUMP_NONE,
    DUMP_PTX,
    DUMP_IR,
    DUMP_REGS,
    DUMP_HINTS,
    DUMP_DOT,
    DUMP_SCALAR
} CompileDump;

// Metadata for the register path (csrc/compile/hints/hints.h): exclusive pairs (CORF), sides
// (CORF++), last uses of registers (register virtualization).
enum {
    COMPILE_HINT_PAIRS = 1 << ISA_HINT_PAIRS,
    COMPILE_HINT_ALIGN = 1 << ISA_HINT_ALIGN,
    COMPILE_HINT_RELEASE = 1 << ISA_HINT_RELEASE,
};

// Transformation of a kernel for the scalar unit (csrc/compile/scalar/): none, one of three, or
// `auto`. `auto` selects the first legal one of extraction (if profitable), divergence elimination,
// prefetching.
typedef enum CompileScalar {
    COMPILE_SCALAR_NONE,
    COMPILE_SCALAR_PREFETCH,
    COMPILE_SCALAR_DIVERGENCE,
    COMPILE_SCALAR_EXTRACT,
    COMPILE_SCALAR_AUTO
} CompileScalar;

typedef struct CompileOptions {
    int max_regs;              // 16..63
    const MachineConfig *cfg;  // latencies for the scheduler
    bool packs;                // registers are stored in as few bytes as their values require
    unsigned hints;            // COMPILE_HINT_* that the program carries as metadata
    bool regions;              // registers are divided into base and extended ones (regions/); or:
    // two warps share the registers after the base ones. For these dimensions of a CTA:
    bool shared;
    int threads;              // 0: from the kernel's bounds, otherwise unknown
    uint64_t dynamic_shared;  // in addition to the kernel's static shared memory
    WindowNeed window;        // settings for write bits of results; places 0: no write bits
    // registers of warps that may be in a scalar file (scalar/gcn.c); 0: none
    int scalar_regs;
    // marks computations that assist warps memoize (assist/)
    bool memo;
    bool strides;          // marks loads for which assist warps prefetch
    CompileScalar scalar;  // settings for the dimensions of a launch; 0: unknown
    uint32_t block[3], grid[3];
    const uint8_t *params;  // parameters of a launch, for estimates; NULL: unknown
    // CTAs of the untransformed program that an SM holds; 0: compile_kernel computes the number
    int resident;
    CompileDump dump;
    FILE *dump_to;
} CompileOptions;

// Lowers, inlines functions, schedules, and allocates registers. All results are on `arena`.
// Unsupported code (recursion, textures, ...) is refused at file:line:column. NULL on error.
IsaProgram *compile_kernel(Arena *arena, const PtxModule *module, const PtxFunc *entry,
                           const ModuleLayout *layout, const SharedLayout *shared,
                           const CompileOptions *options, Diag *d);

#endif
