// SPDX-License-Identifier: Apache-2.0
// Verifies a block without the SM: golden model against Verilated RTL.
//   stimulus.c  the inputs of every cycle, in memory and as text
//   harness.c   one block in lockstep, stepped cycle by cycle
//   chunk.c     drives constrained-random transactions (models/stim.h) into a harness; one seed,
//               one chunk
//   engine.c    a run: chunks in forked workers, merged in order
//   shapes.c    the shapes of a block, and its functional bins
//   cover.c     code coverage; junit.c, verify_report.c: reports of a run
//
// A transaction is a set bit of an input port named `..valid` in one cycle. In a block without such
// a port, each cycle is a transaction. A chunk starts from fresh instances and one reset. It is a
// pure function of block, shape, seed, start values and number of transactions.
//
// The RTL's registers and memories have random start values, so that a missing reset shows. Each
// chunk has its own, by its seed. In 20 chunks a bit without a reset hides once in a million runs.
//
// One chunk in twenty is long: the chunk whose seed is a multiple of 20. It has no second reset and
// runs VerifyOptions.long_cycles cycles. It reaches states far from a reset, such as a counter that
// wraps or an entry that leaks.
#ifndef SMCOSIM_VERIFY_VERIFY_H
#define SMCOSIM_VERIFY_VERIFY_H

#include "cosim/cosim.h"
#include "cosim/ports.h"
#include "cosim/stims.h"
#include "cosim/shim/runtime.h"
#include "cosim/shim/shim.h"
#include "models/stim.h"

#include <stdio.h>

// Input ports whose bits are transactions: indices into `ports`; returns the count.
int verify_valid_ports(const Port *ports, int nports, int found[BLOCK_MAX_PORTS]);

// ---- stimulus ----------------------------------------------------------------------------------

// Recorded inputs of one block. Every nonzero element is recorded, even if its valid bit is 0,
// because a faulty RTL may read it. The record grows on the heap; stimulus_free releases it.
#define NO_FAULT SIZE_MAX
typedef struct Stimulus {
    const BlockDesc *desc;
    int params[BLOCK_MAX_PARAMS];
    uint64_t seed;        // seed of the recorded chunk; 0: written by hand
    uint64_t start_seed;  // of the RTL's start values, 0: all are 0
    Port ports[BLOCK_MAX_PORTS];
    int nports;
    size_t ncycles;
    // the record at whose clock edge the fault of the harness begins; NO_FAULT: no fault
    size_t fault;
    // Record i is words[start[i]..start[i+1]): a reset flag, then the nonzero elements. Each
    // element has its position (port << 16 | element) and 1 or 32 words.
    uint32_t *words;
    size_t *start, nwords, cap_words, cap_cycles;
} Stimulus;

Stimulus *stimulus_new(const BlockDesc *desc, const int *params, uint64_t seed);
void stimulus_free(Stimulus *s);
void stimulus_add(Stimulus *s, bool reset, const void *in);
// Fills *in (the block's In struct) with the inputs of cycle i; returns its reset flag.
bool stimulus_get(const Stimulus *s, size_t i, void *in);
// Transactions in `in`: set bits of its valid ports, or 1 if the block has no valid port.
int stimulus_transactions(const Stimulus *s, const void *in);
// Clears the elements of `in` whose valid bit is 0.
void stimulus_clear_ungated(const Stimulus *s, void *in);
// Text: a header, with a line `start N` if the RTL's start values are random, then one line per
// cycle that is not all 0:
//     12 wr_valid=0x1 wr_bank[0]=0x3 wr_data[0]=<256 hex digits, bit 1023 first>
//     40 reset
//     41 fault the fault of the harness begins here (--fault)
//     1200 end                            the number of cycles
void stimulus_write(FILE *f, const Stimulus *s);
// NULL after EXIT_USAGE (file:line:column) or EXIT_ENVIRONMENT.
Stimulus *stimulus_load(Arena *arena, const char *path, Diag *d);

// ---- harness -----------------------------------------------------------------------------------

#define START_OF_CHUNK UINT64_MAX
typedef struct HarnessOptions {
    const BlockDesc *desc;
    const int *params;  // shape
    int testbug;        // seeded fault of the RTL, 0: none
    // the fault to inject, in the form of --fault, whose cycle is ignored; NULL: none
    const char *fault;
    const char *rtl;              // user's RTL for the block, "a.sv,b.sv"; NULL: ours
    const BlockModel *model;      // NULL: the block's golden model
    const BlockStim *stim;        // NULL: the block's environment
    bool model_only;              // no RTL: outputs of the golden model only
    bool cover;                   // variant that counts code coverage
    bool flat;                    // variant in one piece, without leaves
    const char *const *plusargs;  // plusargs for the RTL, "+mutant=3"
    int nplusargs;                // at most 8
    // seed of the RTL's start values, 0: all are 0; START_OF_CHUNK: the seed of each chunk
    uint64_t start_seed;
    // cycles between comparisons of the observed state, 0: only on demand
    uint64_t state_interval;
    const char *data_dir, *cache_dir;
    Notice *notice;      // called when RTL is verilated; NULL: not called
    volatile int *stop;  // stops Verilation and a shrinker if not 0; may be NULL
} HarnessOptions;

// Several harnesses may be open at the same time. They remain usable in a forked child.
typedef struct Harness Harness;

// Opens the block; all start values are 0, and one reset has been driven. NULL after a Diag.
Harness *harness_open(const HarnessOptions *o, Diag *d);
// As closing and opening again, but faster: fresh instances with the start values of a seed (0: all
// are 0), one reset.
void harness_restart(Harness *h, uint64_t start_seed);
// HarnessOptions.start_seed, for the chunk of a seed.
uint64_t harness_start_seed(const Harness *h, uint64_t chunk_seed);
bool harness_stopped(const Harness *h);  // HarnessOptions.stop
void harness_close(Harness *h);

// Simulates one cycle. The environment's constrain may change `in`. Outputs are compared, and bins
// are counted in hits (NULL: not counted). A cycle with `reset` is one clock with rst_ni low and
// driven inputs; its outputs are not compared. False: this cycle or an earlier one mismatched.
// After a mismatch the harness accepts only restart and close.
bool harness_step(Harness *h, bool reset, void *in, uint64_t *hits);
// Call before each step of a harness with a fault. begins: the fault begins at this clock edge. A
// flip ends after this edge.
void harness_fault(Harness *h, bool begins);
// Compares the observed state after the last cycle, and the parameters reported by the RTL. sample
// 0: the whole state. Otherwise it compares about HARNESS_SAMPLE addresses of each large table,
// which depend on `sample`, because reading thousands of rows costs more than the chunk.
enum { HARNESS_SAMPLE = 128 };
bool harness_compare_state(Harness *h, uint64_t sample);
const Mismatch *harness_mismatch(const Harness *h);  // the first since restart; NULL: none
// The RTL's own message ($fatal, $error) if the mismatch's port is "rule", otherwise "".
const char *harness_rule(const Harness *h);
uint64_t harness_cycles(const Harness *h);    // since restart
uint64_t harness_compared(const Harness *h);  // elements with valid data since restart
// Compared cycles with work (models/block.h); 0: vacuous.
uint64_t harness_worked(const Harness *h);
uint64_t harness_driven(const Harness *h);  // transactions since restart
const BlockDesc *harness_desc(const Harness *h);
const int *harness_params(const Harness *h);
const Port *harness_ports(const Harness *h, int *n);
const BlockStim *harness_stim(const Harness *h);
void *harness_environment(Harness *h);  // the environment's own state
// For a harness with cover: the bits that toggled since restart, and Verilator's coverage file
// (false with errno).
void harness_toggles(const Harness *h, ShimToggles *t);
bool harness_write_cover(const Harness *h, const char *path);
const char *harness_toolchain(const Harness *h);
const char *harness_variant(const Harness *h);  // path of the shared object, "" in model_only

// Restarts, then drives every record. Returns the first mismatch of ports, otherwise of the final
// state; NULL: no mismatch. The stimulus' seed selects the sample of the state, as in its chunk.
// The cycle of the mismatch is the record's index.
const Mismatch *verify_run_stimulus(Harness *h, const Stimulus *s);

// ---- chunks ------------------------------------------------------------------------------------

enum {
    VERIFY_CHUNK = 10000 /* transactions */,
    VERIFY_DEFAULT_TRANSACTIONS = 200000,
    VERIFY_LONG_EVERY = 20 /* chunks */
};
#define VERIFY_LONG_CYCLES 100000  // the default of verify

// Bins of a chunk: the bin of idle stretches, then the bins of the block's environment. Returns
// their number.
enum { VERIFY_MAX_BINS = COVER_MAX_BINS + 1 };
int verify_bins(const BlockStim *stim, const int *params, CoverBin *bins);

// Restarts and drives `transactions` random transactions of this seed. If `cycles` is not 0 it
// drives that many cycles without a second reset instead. `record` is NULL or receives every
// cycle's inputs. `hits` is NULL or has one count per bin of verify_bins. `alive` is NULL or a
// count that grows while the chunk makes progress. The result equals that of verify_run_stimulus of
// the record.
const Mismatch *verify_run_chunk(Harness *h, uint64_t seed, uint64_t transactions, uint64_t cycles,
                                 uint64_t *hits, Stimulus *record, volatile uint64_t *alive);

// Same block, port and element class. Shrinking preserves these, and failures are sorted by them.
bool mismatch_same_place(const Mismatch *a, const Mismatch *b);

// Prints a mismatch as several lines: block, port, meaning, values, differing words and lanes.
// rule: the RTL's own message if the port is "rule".
void verify_explain(FILE *f, const BlockDesc *desc, const int *params, const Mismatch *m,
                    const char *rule);

// ---- runs --------------------------------------------------------------------------------------

enum { VERIFY_MAX_FAILURES = 32 /* chunks; then no new chunk starts */ };

typedef struct VerifyOptions {
    HarnessOptions harness;
    // chunk i has seed + i and VERIFY_CHUNK transactions, the last chunk the remainder
    uint64_t seed, transactions;
    uint64_t long_cycles;  // cycles of a long chunk; 0: no long chunks
    int jobs;
    // another shape than the machine's: waivers of code coverage may be unused
    bool own_shape;
    const char *cover_dir;  // scratch files of code coverage; required with harness.cover
    int stuck_seconds;      // a chunk hangs after this processor time without a cycle, 0: 20
    volatile int *stop;     // ends the run if not 0; may be NULL
    void (*progress)(void *ctx, const char *block, int chunks_done, int chunks);
    void *progress_ctx;
} VerifyOptions;

// A chunk that failed. The mismatch's port is "crash" or "hang" if the chunk had no verdict.
typedef struct VerifyFailure {
    uint64_t seed, transactions;  // reproduce the failure alone
    uint64_t long_cycles;         // cycles of a long chunk; 0: not a long chunk
    uint64_t start_seed;          // of the RTL's start values, 0: all are 0
    ExitStatus status;            // EXIT_MISMATCH, EXIT_HANG
    Mismatch mismatch;
    // the RTL's own message ("rule"), or the end of the process ("crash", "hang")
    char rule[512];
} VerifyFailure;

// Failures with the same first divergent port.
typedef struct VerifyBucket {
    const char *port;
    int count;
    const VerifyFailure *first;  // the failure with the lowest seed
} VerifyBucket;

typedef struct VerifyCode VerifyCode;  // code coverage: cover.h

typedef struct VerifyResult {
    const BlockDesc *desc;
    int params[BLOCK_MAX_PARAMS];
    // name of the shape ("fermi", "Depth=5"), and its purpose ("": the machine's shape)
    const char *shape, *why;
    const MachineConfig *cfg;  // source of the shape; NULL: the report's
    // verdict that the status does not distinguish: bins, timeout, skipped; otherwise NULL
    const char *word;
    // pass, mismatch, hang, vacuous, nondeterministic, interrupted, or the Diag's status
    ExitStatus status;
    const char *message;                  // one line, "" when passed
    uint64_t seed, transactions;          // as requested
    int chunks, chunks_run, long_chunks;  // long_chunks: long ones among chunks_run
    uint64_t long_cycles;                 // cycles of each long chunk; 0: no long chunks
    // driven: accepted transactions; worked 0: vacuous
    uint64_t cycles, driven, compared, worked;
    double seconds;  // processor time of the chunks
    CoverBin *bins;
    uint64_t *hits;
    const char **waivers;        // per bin: reason of its waiver; NULL: it must be hit
    int nbins, missing, waived;  // missing: excludes the waived bins
    int bins_percent;            // required share of bins, 0: the run is too short to require any
    VerifyFailure *failures;     // sorted by seed
    int nfailures;
    VerifyBucket *buckets;  // sorted by number of failures
    int nbuckets;
    const VerifyCode *code;  // NULL without code coverage
    const char *toolchain, *variant;
} VerifyResult;

// ---- shapes and bins (shapes.c) -----------------------------------------------------------------

// A block's additional shapes (models/stim.h) are changes to the shape of this machine.
#define VERIFY_SHAPE_MACHINE "cover"
int verify_nshapes(const BlockStim *stim);
// Parameters of such a shape. EXIT_USAGE: the shape names an unknown parameter, or a value out of
// range.
bool verify_shape_params(const BlockDesc *desc, const MachineConfig *cfg, const StimShape *shape,
                         int *params, Diag *d);
// Reason for the waiver of the bin in this shape; NULL: the shape must hit it.
const char *verify_waiver(const BlockStim *stim, const BlockDesc *desc, const int *params,
                          const CoverBin *bin);
// Fills r->waivers, r->missing and r->waived from bins and hits.
void verify_count_bins(Arena *arena, const BlockStim *stim, VerifyResult *r);
// If a passing run hit less than this share of its bins, or hit a waived bin, its verdict becomes
// EXIT_VACUOUS, "bins".
void verify_judge_bins(Arena *arena, VerifyResult *r, int percent);
// A run under Icarus is short. A run that hits less than this share of its bins verifies too
// little.
enum { FOURSTATE_LEAST_BINS = 40 /* % */ };
// The verdict as a word.
const char *verify_word(const VerifyResult *r);

// Cycles of the chunk with this seed if it is a long chunk, otherwise 0.
uint64_t verify_long_cycles(const VerifyOptions *o, uint64_t seed);

// Verifies one block. All members of *r except seconds are independent of the number of jobs.
// False: the block could not be opened (see *d). The run's verdict is r->status.
bool verify_block(Arena *arena, const VerifyOptions *o, VerifyResult *r, Diag *d);

// Repeats the chunk of a failure in this process and records its stimulus. NULL with
// EXIT_NONDETERMINISTIC: the chunk did not end in the same mismatch. NULL with EXIT_MISMATCH: the
// failure is a crash or hang, which is not repeated.
Stimulus *verify_record_failure(const VerifyOptions *o, const VerifyFailure *f, Diag *d);

#endif
