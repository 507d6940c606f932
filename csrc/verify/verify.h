// SPDX-License-Identifier: Apache-2.0
// A block alone, golden model against Verilated RTL.
//   stimulus.c  the inputs of every cycle, in memory and as text
//   harness.c   one block in lockstep, stepped cycle by cycle
//   chunk.c     constrained-random transactions (models/stim.h) into a harness; one seed, one chunk
//   engine.c    a run: chunks in forked workers, merged in order
//   shapes.c    the shapes of a block, and its functional bins
//   cover.c     code coverage; junit.c, verify_report.c: what a run found
//
// A transaction is a set bit of an input port named `..valid` in one cycle; for a block without
// such a port, a cycle. A chunk starts from fresh instances (memories 0) and one reset, and is a
// pure function of block, shape, seed and number of transactions.
//
// One chunk in twenty is a long one: that of a seed which 20 divides. It has no second reset and as
// many cycles as VerifyOptions.long_cycles says, so that what takes long after a reset (a counter
// that wraps, an entry that leaks) is reached as well.
#ifndef SMCOSIM_VERIFY_VERIFY_H
#define SMCOSIM_VERIFY_VERIFY_H

#include "cosim/cosim.h"
#include "cosim/ports.h"
#include "cosim/shim/runtime.h"
#include "cosim/shim/shim.h"
#include "models/stim.h"

#include <stdio.h>

// The environment of a block, by its name; every registered block has one.
const BlockStim *verify_stim(const char *block);

// Input ports whose bits are transactions: indices into `ports`; returns how many.
int verify_valid_ports(const Port *ports, int nports, int found[BLOCK_MAX_PORTS]);

// ---- stimulus ----------------------------------------------------------------------------------

// Recorded inputs of one block. Everything that is not 0 is kept, also what no valid bit covers: a
// faulty RTL may look at it. Grows on the heap; stimulus_free.
#define NO_FAULT SIZE_MAX
typedef struct Stimulus {
    const BlockDesc *desc;
    int params[BLOCK_MAX_PARAMS];
    uint64_t seed;  // the chunk it was recorded from, 0: by hand
    Port ports[BLOCK_MAX_PORTS];
    int nports;
    size_t ncycles;
    // the record at whose clock edge the fault of the harness begins; NO_FAULT: it does not
    size_t fault;
    // Record i is words[start[i]..start[i+1]): a reset flag, then per element that is not 0 its
    // place (port << 16 | element) and 1 or 32 words.
    uint32_t *words;
    size_t *start, nwords, cap_words, cap_cycles;
} Stimulus;

Stimulus *stimulus_new(const BlockDesc *desc, const int *params, uint64_t seed);
void stimulus_free(Stimulus *s);
void stimulus_add(Stimulus *s, bool reset, const void *in);
// Fills *in (the block's In struct) with the inputs of cycle i; returns its reset flag.
bool stimulus_get(const Stimulus *s, size_t i, void *in);
// Transactions in `in`: set bits of its valid ports, or 1 when the block has none.
int stimulus_transactions(const Stimulus *s, const void *in);
// Clears the elements of `in` that no valid bit covers.
void stimulus_clear_ungated(const Stimulus *s, void *in);
// Text: a header, then one line per cycle that is not all 0:
//     12 wr_valid=0x1 wr_bank[0]=0x3 wr_data[0]=<256 hex digits, bit 1023 first>
//     40 reset
//     41 fault                            here begins the fault that the harness injects (--fault)
//     1200 end                            the number of cycles
void stimulus_write(FILE *f, const Stimulus *s);
// NULL after EXIT_USAGE (file:line:column) or EXIT_ENVIRONMENT.
Stimulus *stimulus_load(Arena *arena, const char *path, Diag *d);

// ---- harness -----------------------------------------------------------------------------------

typedef struct HarnessOptions {
    const BlockDesc *desc;
    const int *params;  // shape
    int testbug;        // seeded fault of the RTL, 0: none
    // a fault to be injected, as --fault has it; its cycle is not used; NULL: none
    const char *fault;
    const char *rtl;              // user's RTL for the block, "a.sv,b.sv"; NULL: ours
    const BlockModel *model;      // NULL: the block's golden model
    const BlockStim *stim;        // NULL: the block's environment
    bool model_only;              // no RTL: outputs of the golden model only
    bool cover;                   // the variant with code coverage compiled in
    const char *const *plusargs;  // for the RTL, "+mutant=3"
    int nplusargs;                // at most 8
    // cycles between comparisons of the observed state, 0: only on demand
    uint64_t state_interval;
    const char *data_dir, *cache_dir;
    Notice *notice;      // told when RTL is verilated; NULL: nobody
    volatile int *stop;  // ends the verilating, and a shrinker, when not 0; may be NULL
} HarnessOptions;

// Several harnesses may be open at once. In a forked child they go on being usable.
typedef struct Harness Harness;

// Opens the block; memories are 0, one reset was given. NULL after a Diag.
Harness *harness_open(const HarnessOptions *o, Diag *d);
// The same as closing and opening again, but sooner: fresh instances, memories 0, one reset.
void harness_restart(Harness *h);
bool harness_stopped(const Harness *h);  // HarnessOptions.stop
void harness_close(Harness *h);

// One cycle. `in` passes the environment's constrain (and may be changed by it); outputs are
// compared; bins are counted in hits (NULL: not counted). A cycle with `reset` is one clock with
// rst_ni low while the inputs are driven; its outputs are not compared. False: a mismatch, now or
// before; after one the harness only takes restart and close.
bool harness_step(Harness *h, bool reset, void *in, uint64_t *hits);
// Before each step of a harness with a fault: does it begin at this clock edge? A flip is over
// after it.
void harness_fault(Harness *h, bool begins);
// Observed state after the cycle just passed, and the parameters the RTL shows. sample 0: all of
// it; else, of large tables, about HARNESS_SAMPLE addresses, others for other samples (of thousands
// of rows, reading them costs more than the chunk).
enum { HARNESS_SAMPLE = 128 };
bool harness_compare_state(Harness *h, uint64_t sample);
const Mismatch *harness_mismatch(const Harness *h);  // first one since restart; NULL while none
// What the RTL itself said ($fatal, $error) when the mismatch's port is "rule", else "".
const char *harness_rule(const Harness *h);
uint64_t harness_cycles(const Harness *h);    // since restart
uint64_t harness_compared(const Harness *h);  // elements with valid data since restart
// cycles compared that showed work (models/block.h); 0: vacuous
uint64_t harness_worked(const Harness *h);
uint64_t harness_driven(const Harness *h);  // transactions since restart
const BlockDesc *harness_desc(const Harness *h);
const int *harness_params(const Harness *h);
const Port *harness_ports(const Harness *h, int *n);
const BlockStim *harness_stim(const Harness *h);
void *harness_environment(Harness *h);  // the stimuli's own state
// Of a harness with cover: bits that toggled since restart; Verilator's coverage file, false with
// errno.
void harness_toggles(const Harness *h, ShimToggles *t);
bool harness_write_cover(const Harness *h, const char *path);
const char *harness_toolchain(const Harness *h);
const char *harness_variant(const Harness *h);  // path of the shared object, "" in model_only

// Restarts, then drives every record. Returns the first mismatch (of ports, else of state at the
// end, sampled by the stimulus' seed as its chunk was), NULL when there is none. The cycle of the
// mismatch is the record's index.
const Mismatch *verify_run_stimulus(Harness *h, const Stimulus *s);

// ---- chunks ------------------------------------------------------------------------------------

enum {
    VERIFY_CHUNK = 10000 /* transactions */,
    VERIFY_DEFAULT_TRANSACTIONS = 200000,
    VERIFY_LONG_EVERY = 20 /* chunks */
};
#define VERIFY_LONG_CYCLES 100000  // the default of verify

// Bins of a chunk: that of idle stretches, then those of the block's environment. Returns their
// number.
enum { VERIFY_MAX_BINS = COVER_MAX_BINS + 1 };
int verify_bins(const BlockStim *stim, const int *params, CoverBin *bins);

// Restarts and drives `transactions` random transactions of this seed, or, when `cycles` is not 0,
// whatever fits into so many cycles without a reset. record: NULL or where every
// cycle's inputs are added. hits: NULL or one count per bin of verify_bins. alive: NULL or a count
// that grows as long as the chunk gets on. Returns what verify_run_stimulus of the record would
// return.
const Mismatch *verify_run_chunk(Harness *h, uint64_t seed, uint64_t transactions, uint64_t cycles,
                                 uint64_t *hits, Stimulus *record, volatile uint64_t *alive);

// Same block, port and element class: what shrinking keeps, and failures are sorted by.
bool mismatch_same_place(const Mismatch *a, const Mismatch *b);

// A mismatch in words, several lines: place, meaning, values, differing words and lanes. rule: what
// the RTL itself said when the port is "rule".
void verify_explain(FILE *f, const BlockDesc *desc, const int *params, const Mismatch *m,
                    const char *rule);

// ---- runs --------------------------------------------------------------------------------------

enum { VERIFY_MAX_FAILURES = 32 /* chunks; then no new ones are begun */ };

typedef struct VerifyOptions {
    HarnessOptions harness;
    // chunk i has seed + i and VERIFY_CHUNK transactions, the last one the rest
    uint64_t seed, transactions;
    uint64_t long_cycles;  // of a long chunk, 0: no chunk is one
    int jobs;
    bool own_shape;         // not the machine's: waivers of code coverage may be idle
    const char *cover_dir;  // scratch files of code coverage; needed with harness.cover
    int stuck_seconds;      // processor time without a cycle after which a chunk hangs, 0: 20
    volatile int *stop;     // ends the run when not 0; NULL: nothing does
    void (*progress)(void *ctx, const char *block, int chunks_done, int chunks);
    void *progress_ctx;
} VerifyOptions;

// A chunk that failed. The mismatch's port is "crash" or "hang" when the chunk came to no verdict.
typedef struct VerifyFailure {
    uint64_t seed, transactions;  // reproduce it alone
    uint64_t long_cycles;         // of a long chunk, 0: it is none
    ExitStatus status;            // EXIT_MISMATCH, EXIT_HANG
    Mismatch mismatch;
    // what the RTL said ("rule"), or how the process ended ("crash", "hang")
    char rule[512];
} VerifyFailure;

// Failures of one first divergent port.
typedef struct VerifyBucket {
    const char *port;
    int count;
    const VerifyFailure *first;  // in the order of seeds
} VerifyBucket;

typedef struct VerifyCode VerifyCode;  // code coverage: cover.h

typedef struct VerifyResult {
    const BlockDesc *desc;
    int params[BLOCK_MAX_PARAMS];
    // "fermi", "Depth=5": what it is called, and what it is there for ("": the machine's)
    const char *shape, *why;
    const MachineConfig *cfg;  // it is derived from; NULL: the report's
    // verdict where the status has none of its own: bins, timeout, skipped; else NULL
    const char *word;
    // pass, mismatch, hang, vacuous, nondeterministic, interrupted, or of the Diag
    ExitStatus status;
    const char *message;                  // one line, "" when passed
    uint64_t seed, transactions;          // as asked for
    int chunks, chunks_run, long_chunks;  // long_chunks: of chunks_run
    uint64_t long_cycles;                 // that a long chunk has, 0: none is one
    // driven: transactions that were taken; worked 0: vacuous
    uint64_t cycles, driven, compared, worked;
    double seconds;  // processor time of the chunks
    CoverBin *bins;
    uint64_t *hits;
    const char **waivers;        // per bin: why it need not be hit, NULL: it must
    int nbins, missing, waived;  // missing: without the waived ones
    int bins_percent;            // of the bins were wanted, 0: the run was too short to want any
    VerifyFailure *failures;     // in the order of seeds
    int nfailures;
    VerifyBucket *buckets;  // by number of failures
    int nbuckets;
    const VerifyCode *code;  // NULL without code coverage
    const char *toolchain, *variant;
} VerifyResult;

// ---- shapes and bins (shapes.c) -----------------------------------------------------------------

// A block's shapes besides the machine's (models/stim.h) change the shape of this machine.
#define VERIFY_SHAPE_MACHINE "cover"
int verify_nshapes(const BlockStim *stim);
// Parameters of such a shape. EXIT_USAGE: it names what the block does not have, or a value out of
// range.
bool verify_shape_params(const BlockDesc *desc, const MachineConfig *cfg, const StimShape *shape,
                         int *params, Diag *d);
// Why this shape need not hit the bin; NULL: it must.
const char *verify_waiver(const BlockStim *stim, const BlockDesc *desc, const int *params,
                          const CoverBin *bin);
// Fills r->waivers, missing and waived from bins and hits.
void verify_count_bins(Arena *arena, const BlockStim *stim, VerifyResult *r);
// A run that passed otherwise and hit less than this share of its bins, or one that is waived, did
// not see what it must: EXIT_VACUOUS, "bins".
void verify_judge_bins(Arena *arena, VerifyResult *r, int percent);
// Under Icarus a run is short; with less than this share of its bins it is evidence of nothing.
enum { FOURSTATE_LEAST_BINS = 40 /* % */ };
// The verdict in a word.
const char *verify_word(const VerifyResult *r);

// Cycles of the chunk with this seed if it is a long one, else 0.
uint64_t verify_long_cycles(const VerifyOptions *o, uint64_t seed);

// Verifies one block. Everything of *r but seconds is the same for any number of jobs. False when
// the block could not be opened (*d says why); what the run found is in r->status.
bool verify_block(Arena *arena, const VerifyOptions *o, VerifyResult *r, Diag *d);

// Runs the chunk of a failure again, in this process, with its stimulus recorded. NULL with
// EXIT_NONDETERMINISTIC when it does not end in the same mismatch, with EXIT_MISMATCH when it ended
// in a crash or hang (which is not repeated).
Stimulus *verify_record_failure(const VerifyOptions *o, const VerifyFailure *f, Diag *d);

#endif
