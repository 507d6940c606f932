// SPDX-License-Identifier: Apache-2.0
// Inside csrc/cosim: the harness object, shared by its files.
#ifndef SMCOSIM_COSIM_INTERNAL_H
#define SMCOSIM_COSIM_INTERNAL_H

#include "cosim/cosim.h"
#include "cosim/ports.h"
#include "cosim/shim/runtime.h"
#include "cosim/shim/shim.h"

#include <stdio.h>

enum { COSIM_MAX_BLOCKS = 64 };

typedef struct Instance Instance;

// The last cycles with activity of one instance. A record has the layout of the block's In followed
// by its Out. Only elements whose valid bit is set are filled in.
typedef struct Segment {
    size_t to, from, bytes;
    bool in;
} Segment;
typedef struct Row {
    size_t offset, gate;
    bool gate_in;
    int per;
    uint32_t mask;
} Row;
typedef struct History {
    int size, used, last;  // last: slot of the newest record, -1 before the first
    uint64_t *cycles;
    char *records;
    size_t record_bytes, out_offset;
    // 32-bit ports, adjacent ones joined: offset in a record and in the struct
    Segment *segments;
    int nsegments;
    Row rows[BLOCK_MAX_PORTS];  // 1024-bit inputs
    int nrows;
    const uint32_t *valids[BLOCK_MAX_PORTS];  // ports that show activity
    int nvalids;
} History;

// The number of elements that a valid port marks valid, for all conditional ports with this number
// of elements.
typedef struct CompareWhen {
    const uint32_t *valid;
    uint32_t mask;
    uint64_t compared;
} CompareWhen;
// Words of an output of class WORK.
typedef struct CompareWork {
    const uint32_t *words;
    int n;
} CompareWork;

struct Instance {
    Block block;  // the SM's view of the block
    Cosim *c;
    const BlockDesc *desc;
    int number;  // of Cosim.blocks
    BlockMode mode;
    int params[BLOCK_MAX_PARAMS];
    Port ports[BLOCK_MAX_PORTS];
    int nports;
    void *golden;  // state of the golden model
    const ShimApi *shim;
    void *rtl, *rtl_out;  // Verilated instance; its outputs in lockstep
    const char *library_path;
    const char *rtl_files;  // the user's RTL, "a.sv,b.sv"; NULL: ours
    CompareWhen whens[BLOCK_MAX_PORTS];
    int nwhens, when_of[BLOCK_MAX_PORTS];  // -1: no conditional output
    CompareWork works[BLOCK_MAX_PORTS];
    int nworks;
    uint64_t evals, states;  // evaluations of the RTL, comparisons of the whole state
    uint64_t worked;         // evaluations in which a port of class WORK was not 0
    uint64_t clocked;        // clock edges of the RTL besides resets
    History history;
    int testbug;
    bool workless;  // the run has no work for the block
    bool recorded;  // its inputs are passed to options.record
};

// An injected fault; block NULL: none.
typedef struct Fault {
    Instance *block;
    ShimFault what;
    uint64_t cycle, first, code;  // requested cycle; first injected cycle; value of fault_i
    const char *place_text, *name;
    bool once;  // not injected when the run is repeated
    bool driven, injected;
} Fault;

// A copy of the process that sleeps.
typedef struct Snapshot {
    int pid, fd;
    uint64_t cycle; /* cycles simulated when it was made */
} Snapshot;
enum { COSIM_SNAPSHOTS = 2 };

// A wave being written; NULL in Cosim when none is requested.
typedef struct Wave Wave;
// Threads that evaluate the RTL; NULL in Cosim if the SM's thread evaluates it.
typedef struct Follow Follow;

struct Cosim {
    Arena *arena;
    CosimOptions options;
    const MachineConfig *cfg;
    Instance *blocks[COSIM_MAX_BLOCKS];
    int nblocks;
    CosimDecode *decode;
    void *decode_ctx;
    uint64_t now;       // cycle in progress
    uint64_t cycles;    // completed cycles
    bool edge_pending;  // no block has ticked yet in this cycle
    // The first mismatch.
    Mismatch mismatch;
    bool mismatched, finished;
    Instance *mismatch_block;
    uint64_t mismatch_cycles;    // c->cycles when it was recorded
    const char *mismatch_state;  // text of the differing state of the block
    // The Verilated side.
    const RuntimeApi *runtime;
    void *context;
    uint64_t errors_seen;   // value of the runtime's error_count at the last check
    const char *rule;       // error message of the RTL itself
    const char *toolchain;  // versions of the tools that built the variants
    const char *notes;      // the tools' warnings about the user's RTL
    Fault fault;
    Follow *follow;
    Wave *wave;
    void (*wave_begins)(void *ctx);  // called when a wave begins
    void *wave_ctx;
    ShimSignal *signals;  // signals of the SM, for waves
    int nsignals, cap_signals;
    // snapshot.c
    Snapshot snapshots[COSIM_SNAPSHOTS];
    int nsnapshots, replay_fd;
    uint64_t next_snapshot;
    // Sampling of the host's time.
    bool sampling;
    uint64_t next_sample, sampled, lap_start, lap_cost, laps[TIME_COUNT];
    uint32_t sample_random;
    uint64_t open_ticks;
    double open_seconds;
};

extern const BlockOps cosim_model_ops, cosim_rtl_ops, cosim_lockstep_ops;

// cmd_compare.c
void compare_init(Instance *x);
void compare_count(Instance *x);  // adds the comparisons with valid data of one cycle
void compare_work(Instance *x);   // counts the cycle if it shows work
// Port and element of the first difference between golden `out` and rtl_out.
void compare_locate(Instance *x, Mismatch *m);
bool compare_state(Instance *x, Mismatch *m);
void cosim_record(Cosim *c, Instance *x, const Mismatch *m);

// cosim_history.c
void history_init(Instance *x, Arena *arena, int size);
void history_push(Instance *x);
void history_print(FILE *f, const Instance *x, int last);

// mismatch.c
// Writes the bundle and records EXIT_MISMATCH. wave_error: reason for a missing wave, or "".
bool mismatch_report(Cosim *c, const char *wave_error, Diag *d);
void mismatch_keep_state(Cosim *c);  // called when a mismatch is recorded

// variant.c
bool runtime_load(Cosim *c, Diag *d);
bool variant_load(Cosim *c, Instance *x, Diag *d);
// size of its shared object; 0: not available, variant_load reports why
size_t variant_bytes(Cosim *c, const Instance *x);
// compares parameters of the RTL, read by observation, with the configuration
void variant_check_params(Instance *x);

// wave.c
bool wave_init(Cosim *c, Diag *d);
void wave_edge(Cosim *c);   // call before the first tick of a cycle
void wave_cycle(Cosim *c);  // call at the end of a cycle
// After a mismatch: dumps a difference that was found after the last cycle.
void wave_end(Cosim *c);
bool wave_finish(Cosim *c, Diag *d);
void wave_close(Cosim *c);
const char *wave_path(const Cosim *c);  // path of the finished file, NULL if no wave exists
// Writes a GTKWave save file for the wave in the file wave_name.
bool wave_save_file(const Cosim *c, const char *path, const char *wave_name, Diag *d);

// fault.c
typedef Instance *FaultFind(Cosim *c, const char *name, size_t length, const char *option, Diag *d);
// Call before the variants are loaded.
bool fault_parse(Cosim *c, const char *spec, FaultFind *find, Diag *d);
bool fault_open(Cosim *c, Diag *d);  // after
// Call before each clock edge of the block.
void fault_edge(Instance *x);
// Prints one line, or nothing if no fault was injected.
void fault_print(FILE *out, const Cosim *c);

// snapshot.c
void snapshot_take(Cosim *c);    // also returns in a woken copy
void snapshot_answer(Cosim *c);  // ends a woken copy
void snapshots_close(Cosim *c);

// times.c
void times_init(Cosim *c);
void times_cycle(Cosim *c);
static inline void times_lap(Cosim *c, CosimTime what) {
    if (__builtin_expect(c->sampling, 0)) cosim_lap(c, what);
}

#endif
