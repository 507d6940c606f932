// SPDX-License-Identifier: Apache-2.0
// Reports of a run: the table on stdout and the JSON document (csrc/report/run.schema.json).
//   table.c   human-readable table, generated from the counter table
//   run_json.c    the same as JSON
//   spread_report.c   numbers over perturbed runs
//   work.c    blocks with work; whether results were checked
//   trace_file.c   Perfetto (Chrome trace event) stream of a run
#ifndef SMCOSIM_REPORT_REPORT_H
#define SMCOSIM_REPORT_REPORT_H

#include "config/config.h"
#include "config/memory_limits.h"
#include "cosim/cosim.h"
#include "counters/counters.h"

#include <jansson.h>

// One kernel of a launch file; launches of the same kernel are summed.
typedef struct KernelReport {
    const char *name;
    uint32_t grid[3], block[3];  // dimensions of the last launch
    int launches;
    int registers, insts;  // per thread; static machine instructions
    int64_t spill_bytes, local_bytes, shared_bytes;
    int ctas_per_sm, warps_per_sm;
    // "warps", "threads", "CTAs", "registers", "shared memory", "grid"
    const char *limited_by;
    int room;  // CTAs that fit the SM, independent of the grid
    const char *room_limited_by;
    // warp registers allocated to the resident warps; size of the register file
    int rows, all_rows;
    uint64_t cycles, warp_insts;
    // work of the scalar unit for the kernel, or the reason for none; NULL: no scalar unit
    // requested
    const char *scalar;
} KernelReport;

// A finding about the program: a race, a read of uninitialized memory, ...
typedef struct ReportFinding {
    const char *kind, *text;  // text: the first occurrence
    uint64_t count;
    bool note;        // harmless
    bool in_message;  // part of the verdict's message
} ReportFinding;

// A block of the architecture in this run.
typedef struct BlockReport {
    const char *block, *rtl;  // rtl: the user's own files, NULL: ours
    BlockMode mode;
    int64_t states;  // comparisons of the whole state, -1: it cannot be observed
    // cycles in which its outputs showed work (not counted in mode model)
    uint64_t worked;
    // its RTL ran without work, although work was possible
    bool idle;
} BlockReport;

// With caba.profile measured: the figures that decide whether a launch file uses assist warps.
typedef struct ReportProfile {
    bool measured, on;
    double busy;  // share of cycles in which the DRAM bus is busy on the baseline
    // raw bursts / moved bursts with assist warps; 0: not measured, because the bus decides
    double ratio;
} ReportProfile;

typedef struct Profile Profile;  // report/profile_report.h

typedef struct LaunchReport {
    // limits of the machine after the architecture's changes; no names: the run ended earlier
    MemoryLimit limits[MEMORY_LIMITS];
    int limit_binds;  // the smallest limit, LIMIT_*
    const char *name, *path;
    ExitStatus status;
    // another word (race, undefined, an injected fault that was not observed); NULL: the word of
    // the status
    const char *verdict;
    const char *message;  // "" when passed
    const char *replay;   // result of repeating a mismatch for its wave, NULL: none
    const char *fault;    // result of the injected fault, NULL: none
    // end of the CUDA program ("status 0", "signal 11"), NULL: a launch file
    const char *program;
    const char *notes;  // warnings of the tools about the user's RTL, "" or NULL: none
    KernelReport *kernels;
    int nkernels;
    Counters counters;      // sums over all SMs; cycles are the machine's
    int sms;                // 0, 1: one
    const Counters *of_sm;  // counters of each SM; NULL with one SM
    CosimPortCount *ports;  // comparisons with valid data, per block and port
    int nports;
    BlockReport *blocks;
    int nblocks;
    int64_t unclocked;    // cycles in which RTL was not clocked, -1: no RTL ran
    uint64_t start_seed;  // of the RTL's start values, 0: all are 0
    bool retire_checked, oracle_checked, race_checked, strict_checked, codec_checked;
    uint64_t retire_compared, oracle_compared, result_compared;
    uint64_t race_compared;    // accesses of threads
    uint64_t strict_examined;  // thread instructions
    ReportFinding *findings;   // about the program
    int nfindings;
    int nexpects;
    ReportProfile profile;
    Profile *lines;  // counts by instruction, NULL: none
    // counters of this run and of its perturbed runs (--spread), NULL: none
    Counters *spread;
    int nspread;
    double seconds;            // host time of the simulation proper
    double times[TIME_COUNT];  // host seconds by part
} LaunchReport;

// A block without work, with the user's RTL or the project's, and its number of launches.
typedef struct ReportWork {
    const char *block, *rtl;
    int idle;
} ReportWork;

typedef struct RunReport {
    const char *version, *command, *arch;
    const MachineConfig *cfg;
    uint64_t preset_rf_bytes;  // size of the register file without --set
    int bow_rows;              // rows of a bypassing collector, if the architecture has one
    LaunchReport *launches;
    int nlaunches;
    // blocks without work in all launches; none with one launch or if idle blocks are allowed
    ReportWork *work;
    int nwork;
} RunReport;

const char *report_verdict(const LaunchReport *l);
// The launch that decides the exit status: the first failure, or NULL. A launch that did not
// observe its fault counts only if no other launch failed.
const LaunchReport *report_first_failure(const RunReport *run);
// Were the kernels' results compared with `expect` of the launch file, the retire check or the
// oracle? Lockstep does not count, because it compares only blocks.
bool report_results_checked(const LaunchReport *l);
// The verdict and its restriction: "pass, results not checked".
const char *report_verdict_text(const LaunchReport *l);
// Names of the idle blocks: "srp_allocator, arch_to_phys"; "" for none.
const char *report_idle(const LaunchReport *l, Arena *arena);
// Blocks that were idle in a launch and had work in none of n launches, taken from `launches` in
// steps of `stride`. Returns their number.
int report_without_work(const LaunchReport *launches, int n, int stride, Arena *arena,
                        ReportWork **work);
// "vacuous: no launch file gave work to srp_allocator (idle in 3), ..".
const char *report_work_text(const ReportWork *work, int n, Arena *arena);
const char *report_mode_name(BlockMode mode);
const char *report_time_name(CosimTime t);  // "sm", "mem", "model", "rtl", "compare", "trace"

// Reads and writes of register-file banks per cycle.
typedef struct BankUse {
    double mean, most, least;  // over the banks
    uint64_t most_accesses, least_accesses;
} BankUse;
BankUse report_bank_use(const Counters *c, int banks);
// Share of the register file that the resident warps of a kernel occupy, 0 to 1.
double report_file_full(const KernelReport *k);
// One object per bank: its reads and writes.
json_t *report_banks_json(const Counters *c, int banks);
// Each block by name: mode, comparisons, cycles with work; names of the idle ones.
json_t *report_blocks_json(const LaunchReport *l);
json_t *report_idle_json(const LaunchReport *l);
json_t *report_without_work_json(const ReportWork *work, int n);

uint64_t report_rf_bytes(const MachineConfig *cfg);  // an entry holds 32 bits of 32 lanes
// The spread of a launch over its perturbed runs: mean, interval, extremes of cycles, IPC, energy.
void report_spread(FILE *out, const LaunchReport *l, const MachineConfig *cfg);
json_t *report_spread_json(const LaunchReport *l, const MachineConfig *cfg);
// Prints one launch. color: ANSI colors for the verdict.
void report_table(FILE *out, const RunReport *run, const LaunchReport *l, bool color);
// Writes the whole run; path "-" is standard output. The file appears only when complete.
bool report_json(const char *path, const RunReport *run, Diag *d);

#endif
