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
    // of 32-bit ports, adjacent ones joined: offset in a record and in the struct
    Segment *segments;
    int nsegments;
    Row rows[BLOCK_MAX_PORTS];  // 1024-bit inputs
    int nrows;
    const uint32_t *valids[BLOCK_MAX_PORTS];  // ports that show activity
    int nvalids;
} History;

// Count of a valid port: the elements that it marks valid, for all conditional ports with the same
// number of elements.
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
    Block block;  // the SM's view
    Cosim *c;
    const BlockDesc *desc;
    int number;  // of Cosim.blocks
    BlockMode mode;
    int params[BLOCK_MAX_PARAMS];
    Port ports[BLOCK_MAX_PORTS];
    int nports;
    void *golden;  // model's state
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
    bool workless;  // the run has no work for it
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

// A sleeping copy of the process.
typedef struct Snapshot {
    int pid, fd;
    uint64_t cycle; /* cycles simulated when it was made */
} Snapshot;
enum { COSIM_SNAPSHOTS = 2 };

// A wave being written; NULL in Cosim when none is requested.
typedef struct Wave Wave;
// Threads in which the RTL follows; NULL in Cosim when it runs in the SM's.
typedef struct Follow Follow;

struct Cosim {
    Arena *arena;
    CosimOptions options;
    const MachineConfig *cfg;
    Instance *blocks[COSIM_MAX_BLOCKS];
    int nblocks;
    CosimDecode *decode;
    void *decode_ctx;
    uint64_t now;       // cycle being simulated
    uint64_t cycles;    // cycles ended
    bool edge_pending;  // no block has ticked yet in this cycle
    // First mismatch.
    Mismatch mismatch;
    bool mismatched, finished;
    Instance *mismatch_block;
    uint64_t mismatch_cycles;    // c->cycles when it was recorded
    const char *mismatch_state;  // text of the block's state that differed then
    // Verilated side.
    const RuntimeApi *runtime;
    void *context;
    uint64_t errors_seen;   // of the runtime's error_count
    const char *rule;       // the RTL's own error message
    const char *toolchain;  // versions that the variants were built with
    const char *notes;      // the tools' warnings about the user's RTL
    Fault fault;
    Follow *follow;
    Wave *wave;
    void (*wave_begins)(void *ctx);  // called when a wave begins
    void *wave_ctx;
    ShimSignal *signals;  // the SM's, for waves
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
void compare_work(Instance *x);   // counts the cycle when it shows work
// Port and element of the first difference between golden `out` and rtl_out.
void compare_locate(Instance *x, Mismatch *m);
bool compare_state(Instance *x, Mismatch *m);
void cosim_record(Cosim *c, Instance *x, const Mismatch *m);

// cosim_history.c
void history_init(Instance *x, Arena *arena, int size);
void history_push(Instance *x);
void history_print(FILE *f, const Instance *x, int last);

// mismatch.c
// Writes the bundle and records EXIT_MISMATCH; wave_error: why there is no wave, "".
bool mismatch_report(Cosim *c, const char *wave_error, Diag *d);
void mismatch_keep_state(Cosim *c);  // called when a mismatch is recorded

// variant.c
bool runtime_load(Cosim *c, Diag *d);
bool variant_load(Cosim *c, Instance *x, Diag *d);
// size of its shared object; 0: not available, variant_load reports why
size_t variant_bytes(Cosim *c, const Instance *x);
void variant_check_params(Instance *x);  // RTL parameters against the configuration, by observation

// wave.c
bool wave_init(Cosim *c, Diag *d);
void wave_edge(Cosim *c);   // before the first tick of a cycle
void wave_cycle(Cosim *c);  // at the end of a cycle
// after a mismatch: dumps a difference that was found after the last cycle
void wave_end(Cosim *c);
bool wave_finish(Cosim *c, Diag *d);
void wave_close(Cosim *c);
const char *wave_path(const Cosim *c);  // of the finished file, NULL when there is none
// Writes a GTKWave save file for the wave, which names the FST as wave_name.
bool wave_save_file(const Cosim *c, const char *path, const char *wave_name, Diag *d);

// fault.c
typedef Instance *FaultFind(Cosim *c, const char *name, size_t length, const char *option, Diag *d);
// before the variants are loaded
bool fault_parse(Cosim *c, const char *spec, FaultFind *find, Diag *d);
bool fault_open(Cosim *c, Diag *d);  // after
// before each clock edge of its block
void fault_edge(Instance *x);
// one line; nothing when no fault was injected
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
