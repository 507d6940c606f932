// SPDX-License-Identifier: Apache-2.0
// Regressions. A suite is turned into a plan. The plan's cases run in worker processes, and each
// writes a folder with its result. Results are collected in a history and in reports.
//
//     suite.yaml -> plan.json -> cases/NNNNN/result.json (one a case, complete or absent) ->
//     history.db, report.*
//
// The folder of a campaign holds all its state. A process can resume the campaign from it, run a
// part of it (a shard, or a task of the cluster's array), or merge several. The history is derived
// from the results and counts each once.
#ifndef SMCOSIM_CAMPAIGN_CAMPAIGN_H
#define SMCOSIM_CAMPAIGN_CAMPAIGN_H

#include "base/arena.h"
#include "base/diag.h"

#include <stdint.h>

enum { REGRESS_LIMIT = 600 /* seconds of processor time of a case, unless the suite says so */ };

// One command of a campaign.
typedef struct RegressCase {
    // names it in its suite and in the history: "blocks/banked_rf machine=tiny seed=3"
    const char *key;
    const char *job;    // name of the job that generated it
    const char *kind;   // run, verify, compare, synth, mutate, exec, formal, command
    const char **argv;  // argv[0] "smcosim": this program. "{}" in a word is the case's folder
    int argc;
    const char **tags;
    int ntags;
    uint64_t seed;  // seed of the stimuli (kinds verify and mutate), otherwise 0
    int limit;      // seconds of processor time of each of its processes
    // expected verdict, or "fail": any verdict but pass; NULL: pass
    const char *expect;
    const char *reason;  // why this verdict is expected
    bool may_idle;       // the suite passes --allow-idle: idle blocks are ignored
} RegressCase;

// The cases of a suite. All random values are already drawn, so that plan and results depend
// neither on the process that reads the plan nor on the time.
typedef struct RegressPlan {
    const char *suite;    // name
    const char *id;       // unique name of this campaign
    const char *started;  // UTC, ISO 8601
    const char *commit;   // commit of the folder at the start, "-dirty" if changed; "" without git
    const char *version, *program, *host, *tools;
    const char *dir;  // folder of the suite: its file names are relative to it, commands run there
    RegressCase *cases;
    int ncases, cap_cases;
} RegressPlan;

typedef struct SuiteOptions {
    const char *const *tags;  // only jobs with one of these; none: all
    int ntags;
    uint64_t random;             // seed of the random seeds
    const char *const *kernels;  // kernels of this program, for "all"
    int nkernels;
    const char *const *blocks;
    int nblocks;
    const char *const *proofs;  // modules that ci/formal proves
    int nproofs;
    const char *source;  // folder of the project's sources
} SuiteOptions;

// Reads a suite. Errors: EXIT_USAGE with the position.
bool suite_load(RegressPlan *p, Arena *arena, const char *path, const SuiteOptions *o, Diag *d);

// plan.json of folder `dir`: complete or absent.
bool plan_write(const RegressPlan *p, const char *dir, Diag *d);
bool plan_read(RegressPlan *p, Arena *arena, const char *dir, Diag *d);

typedef enum RegressOutcome {
    OUTCOME_NONE,  // no result yet
    OUTCOME_PASS,
    OUTCOME_FAIL,
    OUTCOME_EXPECTED,    // failed as the suite says
    OUTCOME_UNEXPECTED,  // passed, or failed with another verdict, although a failure is expected
    OUTCOMES
} RegressOutcome;
const char *outcome_word(RegressOutcome outcome);

typedef struct RegressBins {
    const char *block, *group, *name;
    uint64_t hits;
} RegressBins;

// Lines, branches or toggles of a block's RTL in one case.
typedef struct RegressCode {
    const char *block, *what;
    uint64_t points, hit;
    const char **missing;  // places, in the order of strcmp, without the waived ones
    int nmissing;
} RegressCode;

// A block whose RTL ran in a case of an architecture, and whether it had work.
typedef struct RegressWork {
    const char *arch, *block, *rtl;  // rtl: the user's files, "": ours
    bool worked;                     // false: idle
} RegressWork;

typedef struct RegressResult {
    RegressOutcome outcome;
    int status;             // exit status; 128 + signal when a signal ended it
    const char *verdict;    // word of its report, else of the exit status; crash, timeout
    const char *bucket;     // failures of one cause have one text; "" when passed
    const char *message;    // the case's message of the failure, "" when passed
    const char *reproduce;  // command line
    const char *host, *started;
    double wall, cpu;  // seconds
    uint64_t cycles;   // simulated; 0: not known
    RegressBins *bins;
    int nbins, cap_bins;
    RegressCode *code;
    int ncode, cap_code;
    RegressWork *work;
    int nwork, cap_work;
    bool unchecked;  // passed, but the kernels' results were not compared with anything
} RegressResult;

static inline bool outcome_good(RegressOutcome o) {
    return o == OUTCOME_PASS || o == OUTCOME_EXPECTED;
}

// The folder of a case, relative to the campaign's.
char *case_folder(Arena *arena, int number);
// The result of a case; its outcome is OUTCOME_NONE while the file is absent. False: the file
// exists but cannot be read.
bool case_result(RegressResult *r, Arena *arena, const char *dir, const RegressPlan *p, int number,
                 Diag *d);
// Reads verdict, bucket, message, cycles, bins and work of blocks from a case's own report and
// output.
void case_evidence(RegressResult *r, Arena *arena, const RegressCase *c, const char *folder);
// Blocks that had no work in the case: "srp_allocator, arch_to_phys"; "" for none.
const char *case_idle(const RegressResult *r, Arena *arena);

typedef struct QueueOptions {
    int jobs;           // parallel processes
    int shard, shards;  // this shard runs the cases with number % shards == shard
    volatile int *stop;
    void (*progress)(int done, int all, int failed);
} QueueOptions;

// Runs the cases that have no result yet. Errors: EXIT_INTERRUPTED, EXIT_ENVIRONMENT.
bool queue_run(const RegressPlan *p, const char *dir, const QueueOptions *o, Diag *d);
// As queue_run, as an array of the cluster: `jobs` tasks at the same time. Ends when no task is
// left.
bool slurm_run(const RegressPlan *p, const char *dir, const QueueOptions *o, Diag *d);

// A campaign with its results so far.
typedef struct Campaign {
    const char *dir;
    RegressPlan plan;
    RegressResult *results;  // one per case
    int count[OUTCOMES];
    double cpu;
} Campaign;

bool campaign_read(Campaign *c, Arena *arena, const char *dir, Diag *d);
// Copies the results of folders `from`, shards of one plan, into folder `to`.
bool campaign_merge(Arena *arena, const char *to, const char *const *from, int nfrom, Diag *d);

typedef struct RegressBucket {
    const char *text;
    int *cases;  // numbers, ascending
    int ncases, cap_cases;
} RegressBucket;
// Failures by cause, the largest first.
RegressBucket *campaign_buckets(const Campaign *c, Arena *arena, int *nbuckets);

// The evidence of all cases together. A block of an architecture (with the user's RTL, or ours) is
// vacuous when it was idle in passing cases and had work in none. Expected failures are no
// evidence, because their RTL may have a fault.
typedef struct RegressBlock {
    const char *arch, *block, *rtl;
    int worked, idle;  // cases
    bool vacuous;      // never while results are missing
} RegressBlock;
RegressBlock *campaign_work(const Campaign *c, Arena *arena, int *nblocks);
// Only the vacuous ones. Returns their number.
int campaign_vacuous(const Campaign *c, Arena *arena, RegressBlock **blocks);
// "no case gave work to srp_allocator (architecture regmutex, idle in 4 cases)".
const char *campaign_vacuous_text(const RegressBlock *b, Arena *arena);

// The coverage of a block in a shape ("banked_rf[tiny]") by all cases together.
enum { COVERAGES = 4 };
extern const char *const coverage_word[COVERAGES];  // bins (functional), lines, branches, toggles
typedef struct RegressCoverage {
    const char *name;
    RegressBins *bins;
    int nbins, cap_bins;
    RegressCode code[COVERAGES - 1];  // missing: the places that no case reached
    int ncode;
} RegressCoverage;
RegressCoverage *campaign_coverage(const Campaign *c, Arena *arena, int *nblocks);
int coverage_bins_hit(const RegressCoverage *b);
// The points of one kind, and how many were hit. False: no case counted this kind.
bool coverage_share(const RegressCoverage *b, int what, uint64_t *points, uint64_t *hit);

bool regress_report_json(const Campaign *c, const char *path, Diag *d);
bool regress_report_junit(const Campaign *c, const char *path, Diag *d);
// A page that a browser opens without a server. trend: campaigns of the same suite in the history,
// may be NULL.
typedef struct RegressTrend {
    const char *id, *started, *commit;
    int count[OUTCOMES];
    double cpu;
    uint64_t points[COVERAGES], hit[COVERAGES];  // over all blocks; no points: not counted
} RegressTrend;
bool regress_report_html(const Campaign *c, const RegressTrend *trend, int ntrend, const char *path,
                         Diag *d);

#endif
