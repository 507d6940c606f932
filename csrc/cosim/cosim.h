// SPDX-License-Identifier: Apache-2.0
// Block boundary: every block runs as golden model, as Verilated RTL, or as both in lockstep,
// behind one pair of port structs. The SM holds a Block * and never asks which.
//
// A cycle: fill block->in, block_eval, read block->out, ... then block_tick once. Blocks are
// evaluated in the order the data flows between them; one whose inputs are completed in steps
// (requests of one port after another) is evaluated after each step, and in lockstep compared each
// time.
#ifndef SMCOSIM_COSIM_COSIM_H
#define SMCOSIM_COSIM_COSIM_H

#include "config/config.h"
#include "models/block.h"

#include <stdio.h>

// of a wave per cycle: the first half begins with the inputs, the second with the edge
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
    void *out;  // <Block>Out, valid after eval: in lockstep the golden model's
    const char *name;
    void *impl;  // csrc/cosim only
};

static inline void block_eval(Block *b) { b->ops->eval(b); }
static inline void block_tick(Block *b) { b->ops->tick(b); }

// One difference between RTL and golden model, or of one of them against a rule.
typedef struct Mismatch {
    const char *block, *port;
    int element;        // of the port; -1: observation
    uint32_t obs_addr;  // observation address when element is -1
    uint64_t cycle;
    int words;                          // 1 or 32
    uint32_t expected[32], actual[32];  // golden model, RTL
} Mismatch;

// Words in the domain's terms for a mismatch ("collector 3: warp 7, pc 12, operand b = R5, bank 2
// entry 17").
typedef void CosimDecode(void *ctx, const Mismatch *m, char *buf, size_t size);

// Where the host's time goes. Sampled, in nanoseconds.
typedef enum CosimTime {
    TIME_SM,
    TIME_MEM,
    TIME_MODEL,
    TIME_RTL,
    TIME_COMPARE,
    TIME_TRACE,
    TIME_COUNT
} CosimTime;

// The value of a block's parameter where it is not the configuration's; else `value`, which is
// that.
typedef int CosimShape(const MachineConfig *cfg, const char *block, const char *param, int value);

typedef struct CosimOptions {
    // names of the blocks to open, NULL-terminated; NULL: every block there is
    const char *const *use;
    // --blocks: "lockstep", "banked_rf=lockstep,operand_collector=model", NULL: lockstep
    const char *blocks;
    // --rtl: "banked_rf=my_rf.sv,sub.sv", .., NULL-terminated: the user's own RTL; NULL: ours
    const char *const *rtl;
    const char *testbug;  // --testbug: "banked_rf=3": seeded RTL fault, NULL: none
    // --fault: "banked_rf:bank2.entry17.lane3.bit5:flip@100", NULL: none
    const char *fault;
    // --plusarg: "mutant=3", .., for the RTL's $value$plusargs, NULL-terminated; NULL: none
    const char *const *plusargs;
    const char *wave;          // --wave: "f.fst" or "f.fst:FROM-TO", NULL: none
    const char *bundle_dir;    // where a mismatch is written; NULL: nowhere
    const char *command_line;  // for the reproduction line
    const char *replay_line;   // the command that replays the bundle; NULL: not told
    const char *data_dir;      // RTL sources, prebuilt variants below it
    const char *cache_dir;     // variants verilated on demand
    int history;               // transactions kept per block (32)
    int run_on;                // cycles simulated and dumped after a mismatch (20)
    // cycles between comparisons of the whole state, 0: at the end only
    uint64_t snapshot_interval;
    bool snapshots;  // fork one at each of them, for the wave around a mismatch
    // in a woken snapshot, before it goes on: no file of the run may be written
    void (*on_replay)(void *ctx);
    void *replay_ctx;
    // what differs from the configuration in the blocks' parameters; NULL: nothing
    CosimShape *shape;
    const int *params;  // shape of the one block in use, NULL: by the configuration
    // a block in lockstep whose inputs are wanted at each of its clock edges; NULL: none
    const char *recorded;
    // fault: the injected one is driven at this edge
    void (*record)(void *ctx, const void *in, bool fault);
    void *record_ctx;
    Notice *notice;      // told when RTL is verilated, which takes long; NULL: nobody
    volatile int *stop;  // ends the verilating when not 0; may be NULL
    // for cosim_would_follow: only where the RTL takes so long that it pays
    bool if_costly;
    int threads;  // at most so many with the SM's; 0, 1: all in that of the SM
    // For tests of several threads: bytes of each block's queue (0: what suits; no fewer than it
    // takes), and a block that the SM's thread alone evaluates (NULL: none).
    size_t queue;
    const char *kept;
    bool allow_idle;  // a block that was given no work is no failure (EXIT_VACUOUS)
    // this run repeats another one: faults that do not repeat are left out
    bool replaying;
} CosimOptions;

// The wave of a mismatch: so many cycles before and after it.
enum { COSIM_BEFORE = 200, COSIM_AFTER = 20 };

typedef struct Cosim Cosim;

// Are blocks, modes, own RTL and faults named as they must be? Opens nothing. runs_rtl: would
// cosim_runs_rtl say so of them? EXIT_USAGE.
bool cosim_check(Arena *arena, const CosimOptions *o, const MachineConfig *cfg, bool *runs_rtl,
                 Diag *d);
// Opens the blocks of o->use in the shape of the configuration. Verilates a variant on demand
// (EXIT_ENVIRONMENT when the tool is missing).
Cosim *cosim_open(Arena *arena, const CosimOptions *o, const MachineConfig *cfg, Diag *d);
Block *cosim_block(Cosim *c, const char *name);  // panics for a block that was not opened
// Is there work for the block in this run at all? No: it need not show any (EXIT_VACUOUS). Until
// said: yes.
void cosim_expect_work(Cosim *c, const char *name, bool expected);
void *cosim_golden(Cosim *c, const char *name);  // its golden model, NULL in mode rtl
// their names, in the order of the table; at most 64
int cosim_open_blocks(const Cosim *c, const char *names[]);
void cosim_set_decode(Cosim *c, CosimDecode *decode, void *ctx);

// A C signal for the wave, sampled at the end of each cycle: `bits` low bits at `words`. scope:
// "sm.warp3".
void cosim_signal(Cosim *c, const char *scope, const char *name, int bits, const uint32_t *words);
// The same for a text; *text may be NULL and must stay readable as long as it is not replaced.
void cosim_text(Cosim *c, const char *scope, const char *name, const char *const *text);
// Tells once when a wave is to be written, now or in a run that wakes later: signals need not be
// kept up before.
void cosim_on_wave(Cosim *c, void (*begins)(void *ctx), void *ctx);
// Must the blocks be evaluated and ticked in the cycle to come, even without work? (In the cycle of
// an injected fault.)
bool cosim_every_cycle(const Cosim *c);
// Does the RTL follow in threads of its own? A mismatch is then noticed when the SM is further on:
// what is reported of it must come from a run with one thread.
bool cosim_follows(const Cosim *c);
// Calls of a block's RTL that the SM's thread made instead of waiting for the others.
uint64_t cosim_helped(const Cosim *c, const char *block);
// Would it, with these options? (They were checked before.)
bool cosim_would_follow(Arena *arena, const CosimOptions *o, const MachineConfig *cfg);
bool cosim_runs_rtl(const Cosim *c);  // is there a block in mode rtl or lockstep?
// One clock with reset low while the inputs stay as they are driven; counts as the block's clock
// edge.
void cosim_reset_driven(Cosim *c);
void cosim_reset(Cosim *c);                  // all blocks, also re-checks observed parameters
void cosim_cycle(Cosim *c, uint64_t cycle);  // after all ticks of that cycle: waves, history

const Mismatch *cosim_mismatch(const Cosim *c);  // first one, NULL while none
// Enough cycles run after the mismatch (o->run_on)? The SM stops when true.
bool cosim_should_stop(const Cosim *c);

// Ends the run: compares internal state through the observation ports, writes the mismatch bundle,
// closes waves, checks that every block whose RTL ran showed work at least once (EXIT_VACUOUS;
// class WORK in models/block.h).
// d: EXIT_MISMATCH with the whole text of mismatch.txt.
bool cosim_finish(Cosim *c, Diag *d);
void cosim_close(Cosim *c);

// After cosim_finish told a mismatch, for the wave of it in the bundle (mismatch.fst, .gtkw): a run
// that meets the same mismatch again. Wakes the newest snapshot from before the range (*from: its
// cycle).
typedef enum CosimReplay {
    // no such snapshot: the caller repeats the run with wave = cosim_replay_wave(cycle)
    COSIM_REPLAY_NONE,
    COSIM_REPLAY_SAME,     // the wave is there
    COSIM_REPLAY_DIFFERS,  // EXIT_NONDETERMINISTIC
    COSIM_REPLAY_FAILED,   // no wave: EXIT_ENVIRONMENT, EXIT_INTERRUPTED
} CosimReplay;
CosimReplay cosim_replay(Cosim *c, uint64_t *from, Diag *d);
char *cosim_replay_wave(Cosim *c, uint64_t cycle);  // value for CosimOptions.wave
bool cosim_same_mismatch(const Mismatch *a, const Mismatch *b);
// EXIT_NONDETERMINISTIC with both in words; again NULL: none. Returns false.
bool cosim_replay_differs(const Mismatch *first, const Mismatch *again, Diag *d);
// The last transactions before the mismatch, a line each, under a heading; nothing when none were
// kept.
void cosim_print_history(FILE *f, const Cosim *c);
// one line, with the first 32-bit word that differs
void cosim_mismatch_line(const Mismatch *m, char *buf, size_t size);
bool cosim_has_wave(const Cosim *c);      // does the run's own wave cover the mismatch?
bool cosim_wave_written(const Cosim *c);  // after cosim_finish

// For reports. Comparisons with valid data per block and port; times.
typedef struct CosimPortCount {
    const char *block, *port;
    uint64_t compared;
} CosimPortCount;
int cosim_counts(const Cosim *c, Arena *arena, CosimPortCount **counts);
BlockMode cosim_mode(const Cosim *c, const char *block);
const char *cosim_rtl(const Cosim *c, const char *block);  // the user's files, NULL: ours
// Comparisons of the whole observed state so far; -1: the user's RTL has no observation ports.
int64_t cosim_states(const Cosim *c, const char *block);
// Did the block's RTL run without work, although there could have been some?
bool cosim_idle(const Cosim *c, const char *block);
// cycles in which the RTL or golden model showed work
uint64_t cosim_worked(const Cosim *c, const char *block);
// Cycles without a clock edge of the RTL, the most of all blocks; -1: no RTL ran.
int64_t cosim_unclocked(const Cosim *c);
// What became of the injected fault, in words too. Not observed: no output and no state that was
// compared showed it.
typedef enum CosimFault {
    COSIM_FAULT_NONE,            // none was asked for
    COSIM_FAULT_NEVER_INJECTED,  // the run ended before its cycle
    COSIM_FAULT_NOT_OBSERVED,
    COSIM_FAULT_FOUND,
} CosimFault;
CosimFault cosim_fault(const Cosim *c, char *buf, size_t size);
// The same of a seeded fault (CosimOptions.testbug), which is in the RTL from the beginning.
CosimFault cosim_testbug(const Cosim *c, char *buf, size_t size);
// What the tools said about the user's RTL without refusing it, "": nothing.
const char *cosim_notes(const Cosim *c);
void cosim_lap(Cosim *c, CosimTime what);  // time since the last lap belongs to `what`
void cosim_times(const Cosim *c, double seconds[TIME_COUNT]);  // scaled to the whole run
// Names of blocks there are, for `list blocks`.
typedef struct BlockInfo {
    const char *name, *family, *what;
} BlockInfo;
int cosim_block_list(const BlockInfo **list);

#endif
