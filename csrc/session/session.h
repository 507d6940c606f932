// SPDX-License-Identifier: Apache-2.0
// One launch file from text to verdict: load, compile, place, simulate, check.
#ifndef SMCOSIM_SESSION_SESSION_H
#define SMCOSIM_SESSION_SESSION_H

#include "compile/compile.h"
#include "launch/launch.h"
#include "report/report.h"
#include "sm/parts/system.h"
#include "sm/sm.h"

enum { SESSION_MAX_SETS = 64, SESSION_MAX_RTL = 32, SESSION_MAX_PLUSARGS = 8 };
// Cycles. Measured by bench/snapshots: armed snapshots then cost less than 5 % of a run.
#define SESSION_SNAPSHOT_INTERVAL "100000"  // default of the option
enum { SESSION_SNAPSHOT_LEAST = 1000 };

typedef struct SessionOptions {
    Arch arch;
    const char *machine, *blocks, *wave, *trace, *pipe, *json, *testbug, *fault, *bundle_dir;
    const char *sets[SESSION_MAX_SETS];
    int nsets;
    const char *rtl[SESSION_MAX_RTL + 1], *plusargs[SESSION_MAX_PLUSARGS + 1];  // NULL-terminated
    int nrtl, nplusargs;
    bool check_retire, check_oracle, check_race, check_strict, check_codec;
    bool no_expect;     // results are not compared with `expect` of the launch file
    bool by_line;       // counts by instruction, for a profile
    bool flat;          // blocks are Verilated in one piece
    uint64_t start;     // 1 + seed of the RTL's start values; 0: by session_start_seed
    bool skip_idle;     // RTL is not clocked in cycles without work
    bool allow_idle;    // blocks without work are reported, but are no failure
    uint64_t threads;   // maximum number of simulating threads; 0, 1: one
    bool threads_auto;  // use one thread if more do not pay off
    uint64_t sms;       // number of SMs on one memory system; 0, 1: one
    // 1 + the SM to which `blocks` applies; other SMs run golden models; 0: all SMs
    int lockstep_sm;
    uint64_t max_cycles;         // 0: the machine's
    uint64_t snapshot_interval;  // cycles, 0: none
    // Called when the verdict is known, before the time is spent on a wave of a mismatch. May be
    // NULL.
    void (*verdict)(void *ctx, const LaunchReport *report);
    void *verdict_ctx;
    // called when all files are read and compiled: from now on a stop must close files. May be NULL
    void (*loaded)(void);
    // locations of the files that the launch file names; NULL: beside it
    const LaunchFiles *files;
    ReportProfile profile;  // session_run's measurement for caba.profile
    // For tests of the threads: CosimOptions.queue and .kept.
    uint64_t queue;
    const char *kept;
    const char *command_line, *data_dir, *cache_dir;
    volatile int *stop;
} SessionOptions;

// Adds the names of a --check value.
bool session_set_checks(SessionOptions *o, const char *value, Diag *d);

// Sets the value of --threads. EXIT_USAGE. "auto" cannot fail: it takes the cores that this process
// may use and that are idle now. It takes one thread if the RTL is too fast for threads to pay off.
bool session_set_threads(SessionOptions *o, const char *value, Diag *d);

// Seed of the RTL's start values, 0: all are 0. Without --start they are random if some RTL is the
// user's.
uint64_t session_start_seed(const SessionOptions *o);

// The checked machine of the options.
bool session_config(MachineConfig *cfg, Arena *arena, const SessionOptions *o, Diag *d);

// The compiler's options for an architecture.
CompileOptions session_compile_options(const Arch *arch, const MachineConfig *cfg);
// The compiler's scalar mode for scalar.paradigm.
CompileScalar session_scalar(const MachineConfig *cfg);

// Checks the options that name blocks, before any file is read.
bool session_check(Arena *arena, const MachineConfig *cfg, const SessionOptions *o, Diag *d);

// Runs one launch file. The report is filled up to the end of the run; its status and message are
// the verdict. The arena owns the memory of the report. A mismatch writes a bundle with the wave
// around it, made by resuming a snapshot or by running again. If the repetition does not meet the
// same mismatch, the status becomes EXIT_NONDETERMINISTIC.
bool session_run(LaunchReport *report, Arena *arena, const char *path, const MachineConfig *cfg,
                 const SessionOptions *o, Diag *d);

// A run that is repeated up to its mismatch: for its wave, for a bundle, or to record a block's
// inputs.
typedef struct SessionAgain {
    const char *wave;  // value for --wave
    // block in lockstep whose inputs are recorded at every clock edge; NULL: none
    const char *recorded;
    void (*record)(void *ctx, const void *in, bool fault);
    void *record_ctx;
    bool found;  // a mismatch occurred: `met`
    Mismatch met;
    bool waved;         // the wave was written and covers it
    ExitStatus status;  // status of the run itself
} SessionAgain;

// False, with *d, if the run could not begin or was interrupted. Prints nothing and checks only the
// blocks.
bool session_again(Arena *arena, const char *path, const MachineConfig *cfg,
                   const SessionOptions *o, SessionAgain *a, Diag *d);

#endif
