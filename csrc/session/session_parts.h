// SPDX-License-Identifier: Apache-2.0
// What a launch file's run (session.c) and a program's launches (context.c) have in common.
#ifndef SMCOSIM_SESSION_SESSION_PARTS_H
#define SMCOSIM_SESSION_SESSION_PARTS_H

#include "session/hooks.h"
#include "session/session.h"
#include "oracle/oracle.h"
#include "sm/sm.h"

typedef struct LoadedModule {
    const char *path;
    const PtxModule *module;
    ModuleLayout layout;
} LoadedModule;

typedef struct LoadedKernel {
    const LoadedModule *module;
    const PtxFunc *entry;
    SharedLayout shared;
    int threads;                     // shape of a CTA that it was compiled for; 0, 0: any
    uint32_t dynamic_shared;
    uint32_t grid[3], block[3];      // ... with a scalar thread: of a launch; else 0
    const uint8_t *params;           // ... and of the first such launch, for the compiler's estimates; NULL: not known
    const char *scalar;              // the launch file's program of that thread; NULL: none
    const IsaProgram *program;
    KernelReport *report;
    const char *refused;             // why the compiler refused it, and program is NULL; NULL: it did not
} LoadedKernel;

typedef struct Session {
    Arena *arena;
    const SessionOptions *o;
    const MachineConfig *cfg;
    const MachineConfig *given;    // before the architecture changed it
    Launch *launch;
    DeviceMemory memory, pristine;   // pristine: before the first step, for the oracle
    bool have_memory, have_pristine;
    LoadedModule **modules;          // pointers stay valid while the list grows
    int nmodules, cap_modules;
    LoadedKernel *kernels;           // one per distinct (module, entry), and shape where the program depends on it
    int nkernels, cap_kernels;
    int stack_bytes;                 // of a thread, where the program asks for more than compiler.stack
    Cosim *cosim;                    // of the SM that reports are about: that of the first mismatch, else the first
    Cosim *cosims[GPU_MAX_SMS];      // of all SMs
    int nsms, mismatch_sm;
    Gpu *gpu;
    TraceHooks *trace;
    LaunchReport *report;
    int most_ctas;                   // that were resident at once, of all launches
    const SessionAgain *again;       // this is a second run up to a mismatch
    FILE *print_to;                  // printf of kernels on the SM; NULL: nowhere
    FILE *oracle_prints;             // .. in the oracle
    bool oracle_quiet;               // looks for neither findings nor races
    int threads;                     // of the blocks, with the SM's own; 0: one
    bool no_snapshots;               // the run cannot go on without its program
    uint32_t unordered;              // allocation whose contents follow the order of threads, 0: none
    bool keep_refused;               // kernels that the compiler refuses are loaded for the oracle
    OracleFindings found;            // what the oracle noticed
} Session;

// The machine with what the architecture changes in it.
MachineConfig *session_machine(Arena *arena, const Arch *arch, const MachineConfig *cfg);
// The launch file on an architecture's golden models, without checks; cfg: as session_machine has it. What the SM
// counted is in scratch->counters; *most_ctas: that were resident at once.
bool session_measure(LaunchReport *scratch, Arena *arena, const char *path, const MachineConfig *cfg,
                     const SessionOptions *options, const Arch *arch, int *most_ctas, Diag *d);
bool session_needs_oracle(const SessionOptions *o);
// The step's kernel, compiled once for each shape that matters to it. Valid until the next one is loaded.
LoadedKernel *session_kernel(Session *s, const LoadedModule *m, const LaunchStep *step, Diag *d);
// Compiles it with addresses of so many bits.
bool session_compile(Session *s, LoadedKernel *k, int addr_bits, Diag *d);
// Blocks, SM and trace of the options, on s->memory.
bool session_open_machine(Session *s, Diag *d);
void session_close_machine(Session *s);
// A step on the SM or on the oracle.
typedef bool StepRun(Session *s, const LaunchStep *step, LoadedKernel *k, const uint8_t *params, DeviceMemory *memory,
                     Diag *d);
StepRun session_sm_step, session_oracle_step;
// All allocations of s->pristine, byte for byte: buffers and module variables.
bool session_compare_memory(Session *s, Diag *d);
// A check that was asked for and had nothing to compare has shown nothing.
bool session_checks_compared(const LaunchReport *r, const SessionOptions *o, Diag *d);
// What the SMs counted, what their blocks did.
void session_collect_counters(Session *s);
void session_collect_blocks(Session *s);
// After the last kernel: comparisons, states.
void session_count_blocks(Session *s);
// The first mismatch of all SMs: of those in one cycle that of the first SM. s->cosim is that SM's from then on.
const Mismatch *session_find_mismatch(Session *s);
// cosim_finish of all SMs: the blocks' own verdict, which a mismatch makes that of the run (ok: so far it passed).
bool session_finish_blocks(Session *s, bool ok, Diag *d);
CosimFault session_injected_fault(Session *s);
// After all checks passed: an injected fault, or a seeded one, that nothing showed is the verdict.
bool session_fault_judge(Session *s, CosimFault injected, Diag *d);

#endif
