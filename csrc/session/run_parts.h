// SPDX-License-Identifier: Apache-2.0
// The parts of a run. A launch file's (session_run) and that of a program (csrc/device) have them
// in common.
//
//   Setup     options and machine parameters
//   Program   program.c   modules, the kernels that were compiled of them
//   Machine   machine.c   blocks, SMs and trace
//   Run       steps.c     both, with the memories, what the oracle found and the report
#ifndef SMCOSIM_SESSION_RUN_PARTS_H
#define SMCOSIM_SESSION_RUN_PARTS_H

#include "oracle/oracle.h"
#include "session/hooks.h"
#include "session/session.h"
#include "sm/sm.h"

typedef struct Setup {
    Arena *arena;
    const SessionOptions *o;
    const MachineConfig *cfg;  // with what the architecture changes in it
} Setup;

// The machine with what the architecture changes in it.
MachineConfig *setup_machine(Arena *arena, const Arch *arch, const MachineConfig *cfg);
bool setup_needs_oracle(const SessionOptions *o);

// ---- program.c ----

typedef struct LoadedModule {
    const char *path;
    const PtxModule *module;
    ModuleLayout layout;
} LoadedModule;

// A launch of a kernel, by a step of a launch file or by a program.
typedef struct KernelLaunch {
    uint32_t grid[3], block[3], shared_bytes;
    const char *scalar;     // path of its scalar threads' program, NULL: none
    const uint8_t *params;  // parameter block; NULL: not known yet
} KernelLaunch;

// What of a launch the program depends on.
typedef struct KernelShape {
    int threads;  // of a CTA; 0: any
    // registers with which a CTA of the launch fits the SM; 0: any number does
    int fit;
    uint32_t dynamic_shared;
    uint32_t grid[3], block[3];  // with a scalar thread; else 0
    const char *scalar;          // the launch file's program of that thread; NULL: none
} KernelShape;

typedef struct LoadedKernel {
    const LoadedModule *module;
    const PtxFunc *entry;
    SharedLayout shared;
    KernelShape shape;
    const uint8_t *params;  // of its first launch, for estimates; NULL: not known
    const IsaProgram *program;
    KernelReport *report;
    const char *refused;  // why the compiler made no program; NULL: it did
} LoadedKernel;

typedef struct Program {
    const Setup *setup;
    DeviceMemory *memory;    // has the modules' variables
    LoadedModule **modules;  // pointers stay valid while the list grows
    int nmodules, cap_modules;
    LoadedKernel *kernels;  // one per module, entry and shape
    int nkernels, cap_kernels;
    int stack_bytes;  // of a thread; compiler.stack where that is more
} Program;

// The module of the file, parsed and with places for its variables; once for each file.
LoadedModule *program_module(Program *p, const char *path, Diag *d);
KernelShape program_shape(const Program *p, const KernelLaunch *l);
// The kernel with the module's name for it, compiled for the shape. NULL: there is none yet. Valid
// until the next one is added.
LoadedKernel *program_find(Program *p, const LoadedModule *m, const char *entry,
                           const KernelShape *shape);
// A kernel that is not compiled yet.
bool program_lay_out(Program *p, LoadedKernel *k, Diag *d);
// Compiles it with addresses of so many bits.
bool program_compile(Program *p, LoadedKernel *k, int addr_bits, Diag *d);
LoadedKernel *program_add(Program *p, const LoadedKernel *k);

// ---- machine.c ----

// What a run asks of its machine beside the options.
typedef struct MachineUse {
    const SessionAgain *again;  // a second run up to a mismatch; NULL: the first
    FILE *print_to;             // printf of kernels; NULL: nowhere
    int threads;                // of the blocks, with the SM's own; 0: one
    bool no_snapshots;          // the run cannot go on without its program
} MachineUse;

typedef struct Machine {
    Arena *arena;
    Cosim *cosim;                // of the first mismatch, else of the first SM: for reports
    Cosim *cosims[GPU_MAX_SMS];  // of all SMs
    int nsms, mismatch_sm;
    Gpu *gpu;
    TraceHooks *trace;
} Machine;

// Are blocks, modes, own RTL and faults of the options named as they must be? runs_rtl: does one of
// them run RTL?
bool machine_check_blocks(const Setup *s, bool *runs_rtl, Diag *d);
// Blocks, SMs and trace of the options.
bool machine_open(Machine *m, const Setup *s, const MachineUse *use, DeviceMemory *memory, Diag *d);
void machine_close(Machine *m);
// The first mismatch of all SMs: of those in one cycle that of the first SM. m->cosim is that SM's
// from then on.
const Mismatch *machine_find_mismatch(Machine *m);
// cosim_finish of all SMs: the blocks' own verdict, which a mismatch makes that of the run (ok: so
// far it passed).
bool machine_finish(Machine *m, bool ok, Diag *d);
bool machine_end_trace(Machine *m, Diag *d);

// ---- collect.c: what the report says of a machine ----

// What the SMs counted, what their blocks did.
void collect_counters(const Machine *m, LaunchReport *r);
void collect_blocks(const Machine *m, LaunchReport *r);
// After the last kernel: comparisons, states.
void collect_compared(const Machine *m, LaunchReport *r);
CosimFault collect_fault(const Machine *m, LaunchReport *r);

// ---- profile_gather.c ----

typedef struct Run Run;
// After a launch that passed: its counts by instruction, into the report, where the options ask for
// them. EXIT_MISMATCH: they are not those of the counters.
bool gather_launch(Run *r, const LoadedKernel *k, const KernelLaunch *l, const Counters *before,
                   Diag *d);

// ---- a run ----

struct Run {
    Setup setup;
    const MachineConfig *given;  // before the architecture changed it
    const char *name;            // of what runs
    Launch *launch;              // NULL: a program launches
    Program program;
    Machine machine;
    MachineUse use;
    DeviceMemory memory, pristine;  // pristine: before the first step, for the oracle
    LaunchReport *report;
    OracleFindings found;  // what the oracle noticed
    FILE *oracle_prints;   // printf of kernels in the oracle; NULL: nowhere
    bool oracle_quiet;     // it looks for neither findings nor races
    uint32_t unordered;    // allocation that the order of threads fills, 0: none
};

// The rest of *r is 0 then. r stays where it is.
void run_begin(Run *r, Arena *arena, const SessionOptions *o, LaunchReport *report);
// Opens r->machine. Where only the architecture's machine is in the way, the message names others
// (suit.c).
bool run_open_machine(Run *r, Diag *d);
void run_end(Run *r);

// A launch on the SM or on the oracle (steps.c).
typedef bool StepRun(Run *r, LoadedKernel *k, const KernelLaunch *l, DeviceMemory *memory, Diag *d);
StepRun step_on_sm, step_on_oracle;
// All steps of the launch file.
bool run_steps(Run *r, StepRun *run, DeviceMemory *memory, Diag *d);

// ---- launch_file.c, session.c, rerun.c: runs of a launch file ----

KernelLaunch launch_file_step(const LaunchStep *step);
// r->launch with its modules and kernels, r->memory filled.
bool launch_file_load(Run *r, const char *path, Diag *d);
// From the launch file to the last step, on the machine of the options, r->given.
bool session_simulate(Run *r, const char *path, Diag *d);
// .. on this one, which is as setup_machine has it.
bool session_simulate_on(Run *r, const char *path, const MachineConfig *cfg, Diag *d);

// rerun.c: after a mismatch, meets it again with a wave. Fills the report's `replay`; false: it was
// not the same.
bool rerun_for_wave(Run *r, Diag *d);
// session_run without caba.profile: with threads that follow the SM where that is possible, again
// without them after a mismatch.
bool rerun_chosen(LaunchReport *report, Arena *arena, const char *path, const MachineConfig *cfg,
                  const SessionOptions *o, Diag *d);
// How one of its runs is done. threads > 1: a mismatch is not reported but left in `ahead`; what
// the kernels printed goes to `prints`.
typedef struct Attempt {
    int threads;
    FILE *prints;
    Mismatch ahead;
} Attempt;
bool session_attempt(LaunchReport *report, Arena *arena, const char *path, const MachineConfig *cfg,
                     const SessionOptions *o, Attempt *a, Diag *d);

// ---- checks.c ----

// All allocations of r->pristine, byte for byte: buffers and module variables.
bool checks_memory(Run *r, Diag *d);
// The oracle's pass, and its comparison when it was asked for. A result that is wrong so far (in d)
// or differs is looked at for races; without one it stays as it was.
bool checks_program(Run *r, Diag *d);
// A check that was asked for and had nothing to compare has shown nothing.
bool checks_compared(const LaunchReport *report, const SessionOptions *o, Diag *d);
// After all checks passed: an injected fault, or a seeded one, that nothing showed is the verdict.
bool checks_fault(Run *r, CosimFault injected, Diag *d);

#endif
