// SPDX-License-Identifier: Apache-2.0
// Block boundary. Every block runs as golden model, as Verilated RTL, or as both in lockstep,
// behind one pair of port structs. The SM holds a Block * and does not depend on the mode.
//
// In a cycle: fill block->in, block_eval, read block->out, ... then block_tick once. Blocks are
// evaluated in the order of the data flow. A block whose inputs are completed in steps (requests of
// one port after another) is evaluated after each step and, in lockstep, compared each time.
#ifndef SMCOSIM_COSIM_COSIM_H
#define SMCOSIM_COSIM_COSIM_H

#include "config/config.h"
#include "models/block.h"

#include <stdio.h>

// time units of a wave per cycle: the first half begins with the inputs, the second with the edge
enum { COSIM_TIME_UNITS = 10 };

typedef enum BlockMode { BLOCK_MODEL, BLOCK_RTL, BLOCK_LOCKSTEP } BlockMode;

typedef struct Block Block;
typedef struct BlockOps {
    void (*eval)(Block *b);
    void (*tick)(Block *b);
    void (*reset)(Block *b);
} BlockOps;

struct Block {
    const BlockOps *ops;
    void *in;   // <Block>In, written by the SM
    void *out;  // <Block>Out, valid after eval; in lockstep the golden model's
    const char *name;
    void *impl;  // used only in csrc/cosim
};

static inline void block_eval(Block *b) { b->ops->eval(b); }
static inline void block_tick(Block *b) { b->ops->tick(b); }

// A difference between RTL and golden model, or a violation of a rule by one of them.
typedef struct Mismatch {
    const char *block, *port;
    int element;        // element of the port; -1: observation
    uint32_t obs_addr;  // observation address when element is -1
    uint64_t cycle;
    int words;                          // 1 or 32
    uint32_t expected[32], actual[32];  // golden model, RTL
} Mismatch;

// Writes a mismatch in terms of the program ("collector 3: warp 7, pc 12, operand b = R5, bank 2
// entry 17").
typedef void CosimDecode(void *ctx, const Mismatch *m, char *buf, size_t size);

// Parts of the host's time. They are sampled, in nanoseconds.
typedef enum CosimTime {
    TIME_SM,
    TIME_MEM,
    TIME_MODEL,
    TIME_RTL,
    TIME_COMPARE,
    TIME_TRACE,
    TIME_COUNT
} CosimTime;

// The value of a block's parameter. `value` is the configuration's value, which the function
// returns unless the parameter differs.
typedef int CosimShape(const MachineConfig *cfg, const char *block, const char *param, int value);

typedef struct CosimOptions {
    // names of the blocks to open, NULL-terminated; NULL: all blocks
    const char *const *use;
    // --blocks: "lockstep", "banked_rf=lockstep,operand_collector=model", NULL: lockstep
    const char *blocks;
    // --rtl: "banked_rf=my_rf.sv,sub.sv", .., NULL-terminated: the user's own RTL; NULL: ours
    const char *const *rtl;
    bool flat;  // --flat: blocks are Verilated in one piece
    // --start: seed of the start values of all RTL, 0: all are 0
    uint64_t start_seed;
    const char *testbug;  // --testbug: "banked_rf=3": seeded RTL fault, NULL: none
    // --fault: "banked_rf:bank2.entry17.lane3.bit5:flip@100", NULL: none
    const char *fault;
    // --plusarg: "mutant=3", .., for the RTL's $value$plusargs, NULL-terminated; NULL: none
    const char *const *plusargs;
    const char *wave;          // --wave: "f.fst" or "f.fst:FROM-TO", NULL: none
    const char *bundle_dir;    // folder for the files of a mismatch; NULL: none are written
    const char *command_line;  // command of the reproduction line
    const char *replay_line;   // the command that replays the bundle; NULL: not printed
    const char *data_dir;      // folder of RTL sources and prebuilt variants
    const char *cache_dir;     // folder for variants verilated on demand
    int history;               // transactions kept per block (32)
    int run_on;                // cycles simulated and dumped after a mismatch (20)
    // cycles between comparisons of the whole state, 0: at the end only
    uint64_t snapshot_interval;
    bool snapshots;  // fork a snapshot at each comparison, for the wave around a mismatch
    // called in a woken snapshot before it resumes: it must write no file of the run
    void (*on_replay)(void *ctx);
    void *replay_ctx;
    // parameters that differ from the configuration; NULL: none
    CosimShape *shape;
    const int *params;  // shape of the single block in use; NULL: from the configuration
    // block in lockstep whose inputs are recorded at each of its clock edges; NULL: none
    const char *recorded;
    // fault: an injected fault is driven at this edge
    void (*record)(void *ctx, const void *in, bool fault);
    void *record_ctx;
    Notice *notice;      // called when RTL is verilated, which takes long; NULL: not called
    volatile int *stop;  // stops Verilation if not 0; may be NULL
    // for cosim_would_follow: follow only if the RTL is slow enough that threads pay off
    bool if_costly;
    int threads;  // maximum number of threads including the SM's; 0, 1: only the SM's
    // For tests of several threads: least bytes of each block's queue (0: default), and a block
    // that only the SM's thread evaluates (NULL: none).
    size_t queue;
    const char *kept;
    bool allow_idle;  // accept a block without work (otherwise EXIT_VACUOUS)
    // this run repeats another run: faults that must not repeat are omitted
    bool replaying;
} CosimOptions;

// Cycles of a mismatch's wave before and after it.
enum { COSIM_BEFORE = 200, COSIM_AFTER = 20 };

typedef struct Cosim Cosim;

// Checks the names of blocks, modes, the user's RTL and faults. Opens nothing. runs_rtl: the result
// of cosim_runs_rtl after opening. EXIT_USAGE.
bool cosim_check(Arena *arena, const CosimOptions *o, const MachineConfig *cfg, bool *runs_rtl,
                 Diag *d);
// Opens the blocks of o->use in the shape of the configuration. Verilates a variant on demand
// (EXIT_ENVIRONMENT when the tool is missing).
Cosim *cosim_open(Arena *arena, const CosimOptions *o, const MachineConfig *cfg, Diag *d);
Block *cosim_block(Cosim *c, const char *name);  // panics if the block was not opened
// Does this run have work for the block? If not, an idle block is accepted instead of EXIT_VACUOUS.
// The default is true.
void cosim_expect_work(Cosim *c, const char *name, bool expected);
void *cosim_golden(Cosim *c, const char *name);  // the golden model, NULL in mode rtl
// Names of the open blocks, in the order of the table; at most 64.
int cosim_open_blocks(const Cosim *c, const char *names[]);
void cosim_set_decode(Cosim *c, CosimDecode *decode, void *ctx);

// A C signal for the wave, sampled at the end of each cycle: `bits` low bits at `words`. scope:
// "sm.warp3".
void cosim_signal(Cosim *c, const char *scope, const char *name, int bits, const uint32_t *words);
// As cosim_signal, for a text. *text may be NULL and must remain readable until it is replaced.
void cosim_text(Cosim *c, const char *scope, const char *name, const char *const *text);
// Calls `begins` once when a wave begins, in this run or in a snapshot that wakes later. Until then
// the signals need not be updated.
void cosim_on_wave(Cosim *c, void (*begins)(void *ctx), void *ctx);
// Must the blocks be evaluated and ticked in the next cycle, even without work? True in the cycle
// of an injected fault.
bool cosim_every_cycle(const Cosim *c);
// Do separate threads evaluate the RTL? Such a thread detects a mismatch after the SM has advanced,
// so the report requires a second run with one thread.
bool cosim_follows(const Cosim *c);
// Calls of a block's RTL that the SM's thread made instead of waiting for the followers.
uint64_t cosim_helped(const Cosim *c, const char *block);
// Would separate threads evaluate the RTL with these options, which are already checked?
bool cosim_would_follow(Arena *arena, const CosimOptions *o, const MachineConfig *cfg);
bool cosim_runs_rtl(const Cosim *c);  // is there a block in mode rtl or lockstep?
// One clock with reset low; the other inputs are unchanged. It counts as the block's clock edge.
void cosim_reset_driven(Cosim *c);
void cosim_reset(Cosim *c);  // resets all blocks and checks observed parameters again
// call after all ticks of that cycle: writes waves and history
void cosim_cycle(Cosim *c, uint64_t cycle);

const Mismatch *cosim_mismatch(const Cosim *c);  // the first mismatch; NULL: none
// Have o->run_on cycles been simulated after the mismatch? The SM stops if true.
bool cosim_should_stop(const Cosim *c);

// Ends the run: compares internal state through the observation ports, writes the mismatch bundle
// and closes waves. Checks that every block whose RTL ran showed work at least once (EXIT_VACUOUS;
// class WORK in models/block.h). For EXIT_MISMATCH, d has the whole text of mismatch.txt.
bool cosim_finish(Cosim *c, Diag *d);
void cosim_close(Cosim *c);

// After cosim_finish reported a mismatch: repeats the run up to that mismatch, for the wave in the
// bundle (mismatch.fst, .gtkw). Wakes the newest snapshot before the range of the wave (*from: its
// cycle).
typedef enum CosimReplay {
    // no such snapshot: the caller repeats the run with wave = cosim_replay_wave(cycle)
    COSIM_REPLAY_NONE,
    COSIM_REPLAY_SAME,     // the wave is written
    COSIM_REPLAY_DIFFERS,  // EXIT_NONDETERMINISTIC
    COSIM_REPLAY_FAILED,   // no wave: EXIT_ENVIRONMENT, EXIT_INTERRUPTED
} CosimReplay;
CosimReplay cosim_replay(Cosim *c, uint64_t *from, Diag *d);
char *cosim_replay_wave(Cosim *c, uint64_t cycle);  // value for CosimOptions.wave
bool cosim_same_mismatch(const Mismatch *a, const Mismatch *b);
// EXIT_NONDETERMINISTIC with the text of both mismatches. again NULL: no second mismatch. Returns
// false.
bool cosim_replay_differs(const Mismatch *first, const Mismatch *again, Diag *d);
// Prints the last transactions before the mismatch under a heading, one per line. Prints nothing if
// no transactions were kept.
void cosim_print_history(FILE *f, const Cosim *c);
// Writes one line, with the first 32-bit word that differs.
void cosim_mismatch_line(const Mismatch *m, char *buf, size_t size);
bool cosim_has_wave(const Cosim *c);      // does the run's own wave cover the mismatch?
bool cosim_wave_written(const Cosim *c);  // after cosim_finish

// For reports: comparisons with valid data per block and port; times.
typedef struct CosimPortCount {
    const char *block, *port;
    uint64_t compared;
} CosimPortCount;
int cosim_counts(const Cosim *c, Arena *arena, CosimPortCount **counts);
BlockMode cosim_mode(const Cosim *c, const char *block);
const char *cosim_rtl(const Cosim *c, const char *block);  // the user's files, NULL: ours
// Comparisons of the whole observed state so far; -1: the user's RTL has no observation ports.
int64_t cosim_states(const Cosim *c, const char *block);
// Did the block's RTL run without work, although work was possible?
bool cosim_idle(const Cosim *c, const char *block);
// Cycles in which the RTL or golden model showed work.
uint64_t cosim_worked(const Cosim *c, const char *block);
// Cycles without a clock edge of the RTL, maximum over all blocks; -1: no RTL ran.
int64_t cosim_unclocked(const Cosim *c);
// Seed of the start values of all RTL, 0: all are 0.
uint64_t cosim_start_seed(const Cosim *c);
// Result of the injected fault, and its text. Not observed: no compared output and no compared
// state was affected.
typedef enum CosimFault {
    COSIM_FAULT_NONE,            // none requested
    COSIM_FAULT_NEVER_INJECTED,  // the run ended before its cycle
    COSIM_FAULT_NOT_OBSERVED,
    COSIM_FAULT_FOUND,
} CosimFault;
CosimFault cosim_fault(const Cosim *c, char *buf, size_t size);
// As cosim_fault, for a seeded fault (CosimOptions.testbug), which exists in the RTL from the
// start.
CosimFault cosim_testbug(const Cosim *c, char *buf, size_t size);
// The tools' warnings about the user's RTL, "": none.
const char *cosim_notes(const Cosim *c);
void cosim_lap(Cosim *c, CosimTime what);  // assigns the time since the last lap to `what`
void cosim_times(const Cosim *c, double seconds[TIME_COUNT]);  // scaled to the whole run
// Names of all blocks, for `list blocks`.
typedef struct BlockInfo {
    const char *name, *family, *what;
} BlockInfo;
int cosim_block_list(const BlockInfo **list);

#endif
