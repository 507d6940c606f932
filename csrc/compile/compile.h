// SPDX-License-Identifier: Apache-2.0
// The compiler: one PTX entry -> one IsaProgram. compile.c is the pass order. Each pass is one file
// whose head lists its requirements, results and destroyed properties.
#ifndef SMCOSIM_COMPILE_COMPILE_H
#define SMCOSIM_COMPILE_COMPILE_H

#include "compile/hints/window_hints.h"
#include "config/config.h"
#include "isa/isa.h"
#include "launch/device_memory.h"

// Stages whose text --dump can show.
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
// (CORF++), places where registers die (register virtualization).
enum {
    COMPILE_HINT_PAIRS = 1 << ISA_HINT_PAIRS,
    COMPILE_HINT_ALIGN = 1 << ISA_HINT_ALIGN,
    COMPILE_HINT_RELEASE = 1 << ISA_HINT_RELEASE,
};

// Transformation of a kernel for the scalar unit (csrc/compile/scalar/): none, one of three, or
// `auto`. `auto` takes the first legal one of extraction (if profitable), divergence elimination,
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
    bool packs;                // registers are stored in as few bytes as their values need
    unsigned hints;            // COMPILE_HINT_* that go out as metadata
    bool regions;              // registers are split in base and extended ones (regions/); or:
    // those behind the base ones are shared by two warps. For these dimensions of a CTA:
    bool shared;
    int threads;              //   0: as the kernel's bounds say, else unknown
    uint64_t dynamic_shared;  //   beside the kernel's own
    WindowNeed window;        // write bits of results; places 0: none
    // registers of warps that may lie in a scalar file (scalar/gcn.c); 0: none
    int scalar_regs;
    // computations for assist warps to memoize are marked (assist/), and
    bool memo;
    bool strides;          // ... loads for them to prefetch for
    CompileScalar scalar;  // for these dimensions of a launch, 0: unknown:
    uint32_t block[3], grid[3];
    const uint8_t *params;  // of a launch, for estimates; NULL: not known
    // CTAs of the untransformed program that an SM holds; 0: compile_kernel finds out
    int resident;
    CompileDump dump;
    FILE *dump_to;
} CompileOptions;

// Lowers, inlines functions, schedules, allocates. All results are on `arena`. Unsupported code
// (recursion, textures, ...) is refused at file:line:column. NULL on error.
IsaProgram *compile_kernel(Arena *arena, const PtxModule *module, const PtxFunc *entry,
                           const ModuleLayout *layout, const SharedLayout *shared,
                           const CompileOptions *options, Diag *d);

#endif
