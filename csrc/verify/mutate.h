// SPDX-License-Identifier: Apache-2.0
// Mutation measures the checkers of a block. Small faults are inserted into the RTL and into the
// golden model, one at a time. The block's stimuli (models/stim.h) run against the other side,
// which is unchanged. A mutant that no comparison detects is either equivalent or a gap in stimuli
// or comparison.
//   mutate.c         the campaign over one block: choice of mutants, earlier verdicts, the order
//                    of work
//   mutate_run.c     mutants in child processes, watched
//   mutate_rtl.c     mutants of the RTL: yosys lists them, all are in one Verilated build,
//                    +mutant=N selects
//   mutate_prove.c   bounded proof that an RTL mutant changes no behavior
//   mutate_reset.c   mutants of the RTL without the reset of one register
//   mutate_reset_prove.c  proof that such a reset is not required
//   mutate_model.c   mutants of the golden model's C text, one shared object each
//   mutate_report.c  journal, table, JSON
//
// RTL mutants are modes of Yosys on one bit of a cell's port: const0, const1, inv, cnot0, cnot1.
// The modes cnot0 and cnot1 invert while another bit of the port is 0 or 1. Only cells that drive
// an output other than obs_data_o are mutated. The shape should be small, because proofs and
// compile time grow with it.
#ifndef SMCOSIM_VERIFY_MUTATE_H
#define SMCOSIM_VERIFY_MUTATE_H

#include "verify/verify.h"

typedef enum MutantSide { MUTANT_RTL, MUTANT_MODEL, MUTANT_RESET, MUTANT_SIDES } MutantSide;

typedef enum MutantVerdict {
    MUTANT_OPEN,  // no verdict (interrupted, out of time)
    MUTANT_KILLED,
    MUTANT_SURVIVED,
    // RTL: same outputs and next state for every input and state; model: same machine code
    MUTANT_EQUIVALENT,
    MUTANT_GAP,      // no verdict, because a tool failed on it
    MUTANT_INVALID,  // model: does not compile; not counted
    MUTANT_VERDICTS
} MutantVerdict;

typedef struct Mutant {
    MutantSide side;
    const char *id;      // equal in every run with the same sources and shape
    const char *where;   // "rf_arbiter.sv:120"
    const char *what;    // "inv $mux S[0]", "< becomes <="
    const char *recipe;  // RTL: the yosys command's options
    size_t at, length;   // model: the replaced range of the text, ..
    const char *text;    // .. and its replacement
    int number;          // RTL, reset: value of +mutant
    MutantVerdict verdict;
    // killed: "port rd_data", "state", "rule", "crash", "hang"; otherwise the reason
    char by[40];
    uint64_t cycles;  // killed: cycles driven until then; survived: all driven cycles
    uint64_t seed;    // killed: chunk
} Mutant;

typedef struct MutateOptions {
    const BlockDesc *desc;
    const int *params;
    const char *data_dir, *cache_dir;
    // folder for the journal and the mutated variant; NULL: a temporary folder
    const char *dir;
    int rtl_mutants, model_mutants;  // maximum number of mutants of each kind
    bool resets;                     // one mutant for each reset of a register
    uint64_t seed;                   // seed of stimuli and of the choice of mutants
    // transactions driven before further analysis of a mutant; finally MUTATE_LONG times as many
    uint64_t transactions;
    int prove_seconds;  // limit for the proof of one survivor; 0: no proof
    // number of killed RTL mutants per block that are also passed to the proof
    int audit;
    int seconds;  // per side: time after which no mutant starts; 0: no limit
    int jobs;
    volatile int *stop;
    void (*progress)(void *ctx, const char *block, int done, int all);
    void *progress_ctx;
    Notice *notice;  // called when RTL is verilated; NULL: not called
} MutateOptions;

typedef struct MutateResult {
    const BlockDesc *desc;
    int params[BLOCK_MAX_PARAMS];
    Mutant *mutants;
    int n;
    int known;  // decided by an earlier run
    int count[MUTANT_SIDES][MUTANT_VERDICTS];
    double seconds;
    bool complete;  // every mutant has a verdict
} MutateResult;

enum {
    MUTATE_CHUNK = 2000 /* transactions */,
    MUTATE_DEFAULT_TRANSACTIONS = 60000,
    MUTATE_LONG = 25,
    MUTATE_STATE_INTERVAL = 32
};

// EXIT_MISMATCH: the block fails without a mutant, or the audit finds a wrong proof.
// EXIT_ENVIRONMENT: a tool is missing or fails.
bool mutate_block(Arena *arena, const MutateOptions *o, MutateResult *r, Diag *d);

// One line per block and side, and a sum for several blocks: numbers per verdict, and score. The
// score is the killed share of the mutants that are neither equivalent nor lost.
void mutate_table(FILE *f, const MutateResult *r, int n);
// Causes of kills (output port, state, the RTL's own message, endless loop, crash), and the cycles
// until the kill.
void mutate_killers(FILE *f, const MutateResult *r, int n);
// The survivors, one line each.
void mutate_survivors(FILE *f, const MutateResult *r);
// Everything. False with errno.
bool mutate_json(FILE *f, const MutateResult *r, int n, const MutateOptions *o);

// ---- for the files above ------------------------------------------------------------------------

typedef struct Campaign {
    Arena *arena;
    const MutateOptions *o;
    MutateResult *r;
    const char *dir;
    // The score is the share of killed mutants among those that are neither equivalent nor lost.
    const char *rtl;
    const char *base;  // yosys' design before mutation
    bool inner;        // it instantiates blocks, as black boxes
    char *source;      // source of the golden model
    size_t source_length;
    const char *object;  // the compiled model
    const char *journal;
    uint64_t print;  // fingerprint in the journal, 0: not computed
    double end;      // monotonic time limit; 0: none
    int cap;
} Campaign;

// Adds the RTL mutants and writes the files for the Verilated build, which contains all mutants.
bool mutate_rtl_prepare(Campaign *c, Diag *d);
// Adds a mutant for each reset of a register, and writes the files with all of them.
bool mutate_reset_prepare(Campaign *c, Diag *d);
// Adds the model's mutants.
bool mutate_model_prepare(Campaign *c, Diag *d);
// In a child: builds the shared object of a model mutant in folder `dir`. guarded: undefined
// behavior in it ends the process. NULL with a verdict.
const BlockModel *mutate_model_load(const Campaign *c, const Mutant *m, bool guarded,
                                    const char *dir, MutantVerdict *verdict);
// In a child: equivalent, survived (a difference exists or the proof did not end; *why) or gap.
MutantVerdict mutate_prove(const Campaign *c, const Mutant *m, const char *dir, char *why,
                           size_t size);
// As mutate_prove, for a mutant without a reset.
MutantVerdict mutate_reset_prove(const Campaign *c, const Mutant *m, const char *dir, char *why,
                                 size_t size);
// Makes the AIG file with the Yosys script of the same name in DIR, and runs abc's commands on it.
// *frame: the cycle of a difference. Seconds of processor time.
typedef enum ProofAnswer { PROOF_NONE, PROOF_SAME, PROOF_DIFFERS } ProofAnswer;
ProofAnswer prove_ask(Arena *arena, const char *dir, const char *what, const char *commands,
                      int seconds, int *frame);
// Start values and comparisons of the state, of a side's runs: HarnessOptions.start_seed and
// .state_interval.
uint64_t mutate_start_seed(MutantSide side);
uint64_t mutate_interval(MutantSide side);
// Runs every open mutant of a side, then proves the survivors. False after a Diag.
bool mutate_run_all(Campaign *c, MutantSide side, Diag *d);

void mutate_journal_read(Campaign *c);  // verdicts of an earlier run
void mutate_journal_add(Campaign *c, const Mutant *m);

#endif
