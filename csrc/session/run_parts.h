// SPDX-License-Identifier: Apache-2.0
// The parts of a run. The run of a launch file (session_run) and the run of a program (csrc/device)
// share them.
//
//   Setup     options and machine parameters
//   Program   program.c   modules and their compiled kernels
//   Machine   machine.c   blocks, SMs and trace
//   Run       steps.c     both, with the memories, the oracle's findings and the report
#ifndef SMCOSIM_SESSION_RUN_PARTS_H
#define SMCOSIM_SESSION_RUN_PARTS_H

#include "oracle/oracle.h"
#include "session/hooks.h"
#include "session/session.h"
#include "sm/sm.h"

typedef struct Setup {
    Arena *arena;
    const SessionOptions *o;
    const MachineConfig *cfg;  // machine after the architecture's changes
} Setup;

// The machine after the architecture's changes.
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
    const uint8_t *params;  // parameter block; NULL: not set yet
} KernelLaunch;

// The properties of a launch that the compiled program depends on.
typedef struct KernelDims {
    int threads;  // of a CTA; 0: any
    // largest number of registers with which a CTA of the launch fits the SM; 0: any number fits
    int fit;
    uint32_t dynamic_shared;
    uint32_t grid[3], block[3];  // dimensions, if the CTA has a scalar thread; otherwise 0
    const char *scalar;          // the launch file's program of that thread; NULL: none
} KernelDims;

typedef struct LoadedKernel {
    const LoadedModule *module;
    const PtxFunc *entry;
    SharedLayout shared;
    KernelDims dims;
    const uint8_t *params;  // parameters of its first launch, for estimates; NULL: not set
    const IsaProgram *program;
    KernelReport *report;
    const char *refused;  // why the compiler rejected the kernel; NULL: compiled
} LoadedKernel;

typedef struct Program {
    const Setup *setup;
    DeviceMemory *memory;    // holds the modules' variables
    LoadedModule **modules;  // pointers stay valid while the list grows
    int nmodules, cap_modules;
    LoadedKernel *kernels;  // one per module, entry and KernelDims
    int nkernels, cap_kernels;
    int stack_bytes;  // stack bytes of a thread, if more than compiler.stack
} Program;

// The module of the file, parsed, with addresses for its variables. Each file is loaded once.
LoadedModule *program_module(Program *p, const char *path, Diag *d);
KernelDims program_dims(const Program *p, const KernelLaunch *l);
// The kernel of this entry, compiled for dims. NULL: not added yet. The pointer is valid until the
// next kernel is added.
LoadedKernel *program_find(Program *p, const LoadedModule *m, const char *entry,
                           const KernelDims *dims);
// Lays out a kernel that is not compiled yet.
bool program_lay_out(Program *p, LoadedKernel *k, Diag *d);
// Compiles the kernel with addresses of `addr_bits` bits.
bool program_compile(Program *p, LoadedKernel *k, int addr_bits, Diag *d);
LoadedKernel *program_add(Program *p, const LoadedKernel *k);

// ---- machine.c ----

// A run's requirements of its machine besides the options.
typedef struct MachineUse {
    const SessionAgain *again;  // a second run up to a mismatch; NULL: the first run
    FILE *print_to;             // printf of kernels; NULL: dropped
    int threads;                // threads of the blocks, including the SM's own; 0: one
    bool no_snapshots;          // the run cannot be resumed without its program
} MachineUse;

typedef struct Machine {
    Arena *arena;
    // blocks of the first mismatch, otherwise of the first SM: for reports
    Cosim *cosim;
    Cosim *cosims[GPU_MAX_SMS];  // of all SMs
    int nsms, mismatch_sm;
    Gpu *gpu;
    TraceHooks *trace;
} Machine;

// Checks the names of blocks, modes, the user's RTL and faults in the options. runs_rtl: a block
// runs RTL.
bool machine_check_blocks(const Setup *s, bool *runs_rtl, Diag *d);
// Opens blocks, SMs and trace as the options say.
bool machine_open(Machine *m, const Setup *s, const MachineUse *use, DeviceMemory *memory, Diag *d);
void machine_close(Machine *m);
// The first mismatch of all SMs. If several SMs mismatch in one cycle, the lowest SM decides.
// m->cosim becomes that of the SM with the mismatch.
const Mismatch *machine_find_mismatch(Machine *m);
// cosim_finish of all SMs. A mismatch of the blocks becomes the verdict of the run. `ok` is the
// verdict so far.
bool machine_finish(Machine *m, bool ok, Diag *d);
bool machine_end_trace(Machine *m, Diag *d);

// ---- collect.c: the machine's part of the report ----

// Counters of the SMs, and the activity of their blocks.
void collect_counters(const Machine *m, LaunchReport *r);
void collect_blocks(const Machine *m, LaunchReport *r);
// After the last kernel: comparisons, states.
void collect_compared(const Machine *m, LaunchReport *r);
CosimFault collect_fault(const Machine *m, LaunchReport *r);

// ---- profile_gather.c ----

typedef struct Run Run;
// After a launch that passed: adds its counts by instruction to the report, if the options request
// them. EXIT_MISMATCH: the counts differ from the counters.
bool gather_launch(Run *r, const LoadedKernel *k, const KernelLaunch *l, const Counters *before,
                   Diag *d);

// ---- a run ----

struct Run {
    Setup setup;
    const MachineConfig *given;  // machine before the architecture changed it
    const char *name;            // name of the launch file or program
    Launch *launch;              // NULL: a program launches the kernels
    Program program;
    Machine machine;
    MachineUse use;
    DeviceMemory memory, pristine;  // pristine: before the first step, for the oracle
    LaunchReport *report;
    OracleFindings found;  // the oracle's findings
    FILE *oracle_prints;   // printf of kernels in the oracle; NULL: dropped
    bool oracle_quiet;     // the oracle checks for neither findings nor races
    uint32_t unordered;    // allocation that the order of threads fills, 0: none
};

// Sets the other members of *r to 0. The caller must not move *r.
void run_begin(Run *r, Arena *arena, const SessionOptions *o, LaunchReport *report);
// Opens r->machine. If only the selected machine does not suit the architecture, the message names
// machines that do (suit.c).
bool run_open_machine(Run *r, Diag *d);
void run_end(Run *r);

// A launch on the SM or on the oracle (steps.c).
typedef bool StepRun(Run *r, LoadedKernel *k, const KernelLaunch *l, DeviceMemory *memory, Diag *d);
StepRun step_on_sm, step_on_oracle;
// All steps of the launch file.
bool run_steps(Run *r, StepRun *run, DeviceMemory *memory, Diag *d);

// ---- launch_file.c, session.c, rerun.c: runs of a launch file ----

KernelLaunch launch_file_step(const LaunchStep *step);
// Loads r->launch with its modules and kernels, and fills r->memory.
bool launch_file_load(Run *r, const char *path, Diag *d);
// Simulates from the launch file to the last step, on the machine of the options, r->given.
bool session_simulate(Run *r, const char *path, Diag *d);
// As session_simulate, on this machine, a result of setup_machine.
bool session_simulate_on(Run *r, const char *path, const MachineConfig *cfg, Diag *d);

// rerun.c: after a mismatch, runs to it again with a wave. Fills the report's `replay`. False: the
// mismatch was not the same.
bool rerun_for_wave(Run *r, Diag *d);
// session_run without caba.profile. Threads follow the SM if possible. After a mismatch it runs
// again without them.
bool rerun_chosen(LaunchReport *report, Arena *arena, const char *path, const MachineConfig *cfg,
                  const SessionOptions *o, Diag *d);
// Settings of one attempt. If threads > 1, a mismatch is not reported but stored in `ahead`. The
// kernels' printf writes to `prints`.
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
// The oracle's pass, and its comparison if requested. If the result is already wrong (in d) or
// differs, the check searches for races. Without a race the result is unchanged.
bool checks_program(Run *r, Diag *d);
// Fails if a requested check had nothing to compare.
bool checks_compared(const LaunchReport *report, const SessionOptions *o, Diag *d);
// After all checks passed. If no check showed an injected or seeded fault, this becomes the
// verdict.
bool checks_fault(Run *r, CosimFault injected, Diag *d);

#endif
