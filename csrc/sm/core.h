// SPDX-License-Identifier: Apache-2.0
// State of one SM, shared by the stages of csrc/sm only. One section per file, in pipeline order:
//   gpu.c        life of a kernel, the cycle      decode.c     the program, prepared once per launch
//   cta.c        CTA dispatch, occupancy          fetch.c      fetch, decode, instruction buffers
//   icache.c     instruction cache
//   simt.c       SIMT stack                       issue.c      scoreboard, issue
//   sched.c      scheduling policies              collect.c    entry registers, into the collectors
//   path.h       register path: the blocks between collectors and write ports; path_*.c, one each
//   execute.c    SP and SFU, special registers    ldst.c       addresses, functional memory access
//   barrier.c    barriers                         writeback.c  results to the register file
//   stall.c      stall classes, warp states       explain.c    errors, hangs and mismatches in words
//   syscall.c    printf, assert, malloc           view.c       signals for waves
// Sets of warps are 64-bit masks, sets of registers too, so that no stage loops over all warps.
#ifndef SMCOSIM_SM_CORE_H
#define SMCOSIM_SM_CORE_H

#include "isa/place.h"
#include "mem/mem.h"
#include "models/rf/banked_rf.h"
#include "models/collect/operand_collector.h"
#include "retire/retire.h"
#include "sm/path.h"
#include "sm/sm.h"

enum {
    SM_MAX_WARPS = 64,
    SM_MAX_CTAS = 32,
    SM_MAX_SCHED = 4,
    SM_MAX_SIMT = 64,
    SM_MAX_BARRIERS = 16,
    SM_MAX_PORTS = SM_MAX_SCHED + 2,   // SP of each scheduler, SFU, LDST
    SM_WHEEL = 1024,                   // more than the longest latency
    SM_FLIGHTS = 1024,                 // warp instructions between issue and end
    SM_RESULT_QUEUE = 8,               // results waiting before units stop
    SM_MAX_WRITING = 4,                // results of one write port that were taken and not yet written
    SM_FETCH_WIDTH = 2,                // instructions of one fetch (16 bytes)
    SM_ICACHE_PROGRAMS = 32,           // kernels whose code the instruction cache tells apart
    SM_MAX_FETCHES = 4,                // warps fetched for in one cycle
    SM_ADDRESS_PIPE = 1024,            // more than the longest latency
    SM_TOKEN_PARTS = 8,                // memory requests of one instruction, at most
    SM_NONE = -1,
};

// Kernel parameters in the address space of the constant cache: above the constants.
#define SM_PARAM_OFFSET 0x01000000u

// ---- decode.c: what the stages need of one instruction ----

// Ordering class of an LDST instruction.
typedef enum SmMemClass { SM_MEM_NOT, SM_MEM_READ, SM_MEM_WRITE, SM_MEM_ATOMIC } SmMemClass;

typedef struct SmInst {
    const IsaInst *isa;
    uint64_t reads, writes;         // registers
    uint8_t pred_reads, pred_writes;
    uint8_t unit;                   // IsaUnit; control with register sources: ISA_UNIT_SP
    bool at_issue;                  // executed at issue: no operands to collect
    bool is_control;                // the warp issues nothing until it is executed
    bool is_float;                  // of a floating-point unit
    bool long_latency;              // its result comes from global or local memory or an atomic
    SmMemClass mem;
    bool global;                    // may touch global memory
    uint8_t nops;                   // distinct registers read
    uint8_t op_reg[ISA_MAX_SRC_WORDS];
    uint8_t nuops;
    uint8_t nwrites;
    uint64_t last;                  // registers that are dead once it has read its operands
    uint8_t dst_reg[ISA_MAX_DST_WORDS], dst_word[ISA_MAX_DST_WORDS];
    uint8_t nconsts;                // constant operands, by address in the constant cache
    uint32_t consts[3];
    int8_t src_op[3][4];            // index into op_reg, -1: src_fixed
    const uint32_t *src_fixed[3][4];  // 32 equal words: immediate, constant, zero
    int latency, interval;
} SmInst;

bool sm_decode(Sm *sm, Diag *d);

// ---- an instruction in flight, from issue to its last write ----

// What a path that renames found out about a register that will be written (path_packed.c).
typedef struct RegDest { uint8_t mask, bank, pair, buddy, align; uint16_t entry; } RegDest;

struct Flight {
    const SmInst *inst;
    int32_t pc;
    int16_t warp;
    uint8_t uops_left, uops_sent;   // passes through the collector: still to dispatch, allocated
    uint8_t writes_left;            // words still to be written
    uint8_t word;                   // next word for a write port
    uint8_t parts_left;             // memory requests not done
    bool in_collector;
    bool early;                     // its registers come a cycle before the baseline would write them
    uint32_t active, present;       // lanes that execute; lanes converged
    uint32_t psrc[3];
    uint64_t seq;                   // age
    int next;                       // list link
    int next_late;                  // the same, of predicates that are written a cycle after the result came
    uint64_t ready;                 // address pipe: pipe_time at which it is at the end
    uint32_t lanes_of[4];           // address pipe: lanes by space: global, shared, local, const
    uint8_t part, parts;            // address pipe: next request, number of them
    uint32_t unperformed;           // atomic: lanes not yet performed at L2
    uint32_t ops[ISA_MAX_SRC_WORDS][ISA_LANES] __attribute__((aligned(64)));
    uint32_t addr[ISA_LANES];       // memory: offset or address in the lane's space
    IsaExecOut out;
    RegDest dst[ISA_MAX_DST_WORDS];
    uint8_t dst_known;              // how many of them are known
};

// ---- warps ----

typedef struct SimtEntry { int32_t pc, reconv; uint32_t mask; } SimtEntry;

typedef struct Warp {
    uint64_t pend_write, pend_long, pend_read;  // registers: result, long-latency result, read outstanding
    uint8_t pend_pred;                          // predicates with a result outstanding
    uint8_t ib_count;                           // instructions in the buffer: pc, pc + 1, ...
    uint8_t why;                                // WarpWhy of the head instruction
    uint8_t cta;                                // slot
    int32_t reconv;                             // top of the SIMT stack: pc, reconv, mask
    uint32_t pc, mask;                          //   (32-bit words: waves point at them)
    uint8_t depth;                              // entries below the top
    int32_t fetch_pc;
    uint16_t flights;                           // instructions not finished
    uint16_t ldst_in_oc, store_in_oc;           // memory instructions not yet performed
    uint16_t atomics;                           // atomics not yet performed
    uint16_t mem_out;                           // memory instructions not yet done
    uint64_t seq;                               // launch order
    uint32_t threads;                           // lanes the warp has
    uint32_t pred[8];                           // P0..P6, PT
    uint8_t reads_of[64];                       // reads outstanding per register
    uint64_t wake;                              // nanosleep: cycle
    int first_thread;                           // linear thread number of lane 0 in its CTA
    int number;                                 // of the warp in its CTA
    int barrier;                                // waits there, SM_NONE
    int barrier_flight;                         // bar.red: delivers the result, SM_NONE
    uint32_t state;                             // SmWarpState, for waves and hooks
    SimtEntry stack[SM_MAX_SIMT];
} Warp;

// Why the instruction at a warp's head cannot issue.
typedef enum WarpWhy {
    WHY_READY, WHY_LONG, WHY_SHORT, WHY_ORDER, WHY_MEMBAR, WHY_FULL,
} WarpWhy;

// ---- CTAs and barriers ----

typedef struct Barrier {
    int arrived;         // warps
    int expected;        // warps; 0: every warp of the CTA that has not ended
    uint64_t waiting;    // warps to release
    uint32_t any, all;   // reductions: lanes' predicates
    uint32_t count;
} Barrier;

typedef struct Cta {
    bool used;
    uint32_t id[3];
    int live;            // warps not ended
    int resident;        // warps whose slot is not free yet
    uint64_t warps;      // mask of slots
    uint64_t linear;
    Barrier barrier[SM_MAX_BARRIERS];
} Cta;

// ---- schedulers ----

typedef struct Scheduler {
    uint64_t mine;       // its warps
    int last;            // issued last, SM_NONE
    uint64_t active;     // two-level: active set
    int rotate;          // lrr, two-level
    int second;          // flight whose second micro-operation follows, SM_NONE
    uint32_t issued_word;   // waves: warp issued this cycle, 255 for none
    uint32_t issued_pc;     // waves: its instruction
    uint32_t class_word;    // waves: stall class
    int order[SM_MAX_WARPS];  // gto: warps, oldest first
    int norder;
} Scheduler;

typedef struct SchedPolicy {
    const char *name;
    void (*cycle)(Sm *sm, Scheduler *s);                        // before picking
    int (*first)(const Sm *sm, const Scheduler *s, uint64_t of);  // highest priority of a non-empty set
    uint64_t (*may)(const Sm *sm, const Scheduler *s);          // warps allowed to issue
    void (*issued)(Sm *sm, Scheduler *s, int warp);
} SchedPolicy;
extern const SchedPolicy sched_policies[];

// ---- the SM ----

typedef struct WritePort { int flight; uint8_t word; } WritePort;

// One micro-operation of an instruction, in an entry register or a collector. flight SM_NONE: empty.
typedef struct Entry { int flight; uint8_t uop; uint64_t age; } Entry;

typedef struct IcacheLine {
    int32_t line;        // number of the line in the program, SM_NONE
    uint64_t used;       // for LRU
} IcacheLine;

// A line on its way.
typedef struct IcacheMiss {
    int32_t line;
    uint64_t ready;      // cycle
    uint64_t warps;      // that wait for it
} IcacheMiss;

typedef struct Icache {
    IcacheLine *lines;   // NULL: always hits
    int sets;
    IcacheMiss *misses;  // oldest first
    int nmisses;
    uint64_t blocked;    // warps that found no place among the misses
    uint64_t clock;      // for LRU
    struct { const IsaProgram *program; int line; } programs[SM_ICACHE_PROGRAMS];  // launched; first lines
    int nprograms, next_line;
    int first_line;      // of the kernel that runs
} Icache;

struct Sm {
    Gpu *gpu;
    const MachineConfig *cfg;
    int port;                       // of the memory system
    uint64_t cycle;
    Counters *count;
    const RegPath *path;
    void *path_state;
    PathPorts ports;
    Diag *diag;                     // of the run in progress
    Retire *retire;                 // NULL: no check
    bool watch, waves;              // hooks are set; a wave is written

    // kernel in progress
    const GpuLaunch *launch;
    SmInst *insts;
    int ninsts;
    RegLayout layout;               // where the warps' registers live
    int warps_per_cta, cta_limit;
    uint32_t threads_per_cta, shared_per_cta, frame_words;
    uint32_t local_bytes;
    uint8_t *shared;                // of the SM; a CTA slot owns shared_per_cta bytes
    uint32_t *local;                // [warp][word][lane]
    size_t local_words;
    Arena kernel_arena;

    // sets of warps
    uint64_t resident;              // slot in use
    uint64_t ended;                 // all threads ended, draining
    uint64_t has_inst;              // instruction buffer not empty
    uint64_t ready;                 // head passes scoreboard and ordering
    uint64_t dirty;                 // ready must be recomputed
    uint64_t at_barrier, control, asleep;
    uint64_t head_sp, head_sfu, head_ldst, head_free;  // by what the head needs; head_free: nothing
    uint64_t long_wait;             // head waits for memory
    uint64_t fetch_empty, fetch_room;  // want instructions: none left; room for more
    uint64_t fetch_out;             // fetch on its way (the latches below)
    uint64_t fetch_line;            // wait for a line of instructions or for constants
    uint64_t fetch_came;            // ... the line has come: they are fetched for first
    uint64_t fetch_const;           // wait for constant operands
    uint64_t const_came;            // ... which have come: those of the next instruction are there
    uint64_t const_ready[SM_MAX_WARPS];  // cycle in which they come

    // latches
    struct { int warp, count; } fetch[SM_MAX_FETCHES];  // fetch -> decode
    int nfetches;
    int rotate_fetch;
    Icache icache;

    Warp warps[SM_MAX_WARPS];
    Cta ctas[SM_MAX_CTAS];
    Scheduler sched[SM_MAX_SCHED];
    uint8_t sched_order[SM_MAX_SCHED];  // the one that issued last comes last
    const SchedPolicy *policy;
    uint64_t warp_seq, inst_seq;
    int nwarps_resident;

    // entry registers and collectors
    Entry entry[OC_MAX_ALLOC];      // one per allocation port
    uint32_t entries;               // of these in use
    uint64_t entry_seq;
    uint32_t room;                  // ports that take an instruction in this cycle
    Entry slot[OC_MAX_COLL];
    int busy_slots;
    int nalloc;                     // ports that were used in this cycle, or passed over
    int awake;                      // cycles for which the blocks are still evaluated
    bool every_cycle;               // the blocks are evaluated and clocked in cycles without work too
    int sfu_waiting, mem_waiting;   // SFU, LD/ST instructions in collectors
    int sfu_share, mem_share;       // how many there may be

    // units
    uint64_t unit_free[SM_MAX_PORTS];  // cycle from which the port takes an instruction
    int sfu_port, ldst_port, nports;
    int address_pipe[SM_ADDRESS_PIPE];  // ring of flights
    int pipe_first, pipe_count;
    uint64_t pipe_time;             // stages by which the pipe has moved

    // results
    int wheel_first[SM_WHEEL], wheel_last[SM_WHEEL];
    int wheel_count;
    int queue_first, queue_last, queue_count;
    int late_preds;                 // flights whose predicates are written in the next cycle, SM_NONE
    WritePort write_port[RF_MAX_WR];
    WritePort writing[RF_MAX_WR][SM_MAX_WRITING];  // taken and not yet written, oldest first
    int nwriting[RF_MAX_WR];

    Flight *flights;
    int free_flight;                // list
    int nflights;
    uint64_t progress;              // cycle of the last issue or memory event
    bool failed;                    // diag holds an error: end the run

    // waves: words with no other home
    uint32_t w_cycle, w_busy_slots, w_queue, w_units;
    uint64_t seen_change[6];        // stall.c: sets as of the last cycle
    uint64_t touched;               // warps whose scoreboard was looked at since then
    Arena names;                    // of signals, and their texts
    const char **w_texts;           // "w3 pc 12 iadd R4, ..": [warp][pc], made when first shown; NULL: none yet
    const char *w_issued[SM_MAX_SCHED], *w_warp[SM_MAX_WARPS], *w_collector[OC_MAX_COLL],
               *w_entry[OC_MAX_ALLOC];
    bool explained;                 // a mismatch of the blocks, in words
    char explanation[1024];
};

_Static_assert((int)RF_MAX_BANKS <= (int)COUNTER_BANKS, "every bank is counted");

struct Gpu {
    GpuOptions options;
    MemSystem *mem;
    Counters counters;
    Sm sm;
    GpuLaunch launch;
    GpuKernelInfo info;
    uint64_t next_cta, ncta;        // dispatch
    uint64_t ctas_done;
};

static inline uint64_t bit64(int n) { return 1ull << n; }
static inline int lowest(uint64_t set) { return __builtin_ctzll(set); }

static inline int flight_index(const Sm *sm, const Flight *f) { return (int)(f - sm->flights); }

static inline const SmHooks *sm_hooks(const Sm *sm) { return sm->gpu->options.hooks; }

// Records the first error of the run; the cycle loop ends.
void sm_fail(Sm *sm, ExitStatus status, const char *format, ...) __attribute__((format(printf, 3, 4)));

// ---- cta.c ----
// Occupancy; refuses what cannot run. Fills gpu->info and the sm's kernel fields.
bool cta_plan(Sm *sm, Diag *d);
void cta_dispatch(Sm *sm);                    // launches at most one CTA
void cta_warp_done(Sm *sm, int warp);         // all threads ended and nothing in flight

// ---- fetch.c ----
void fetch_stage(Sm *sm);
void decode_stage(Sm *sm);
void fetch_redirect(Sm *sm, int warp);        // buffer and fetches of the warp are dropped
void fetch_wants(Sm *sm, int warp);           // the buffer changed

// ---- icache.c ----
void icache_open(Sm *sm, Arena *arena);
void icache_launch(Sm *sm);
void icache_cycle(Sm *sm);                    // lines that have come
bool icache_hit(Sm *sm, int warp, int pc);    // no: the warp waits for the line
int icache_ahead(const Sm *sm, int pc);       // instructions from pc to the end of its line
void icache_drop(Sm *sm, int warp);           // the warp does not wait any more

// ---- simt.c ----
void simt_next(Sm *sm, int warp);             // to pc + 1
void simt_branch(Sm *sm, int warp, uint32_t taken, int target, int reconv);
void simt_split(Sm *sm, int warp, int n, const int *target, const uint32_t *mask, int reconv);
void simt_exit(Sm *sm, int warp, uint32_t lanes);

// ---- issue.c ----
void issue_stage(Sm *sm);
void issue_hazards(Sm *sm);                   // recomputes `ready` of dirty warps
Flight *flight_new(Sm *sm, int warp, const SmInst *in, uint32_t active);
void flight_end(Sm *sm, Flight *f);

// ---- collect.c ----
// From the entry registers into the collectors; says which ports take an instruction in this cycle.
void collect_stage(Sm *sm);
// Micro-operation `uop` of the instruction takes the next port; the caller has seen collect_room.
void collect_alloc(Sm *sm, Flight *f, int uop);
static inline bool collect_room(const Sm *sm) { return sm->room >> sm->nalloc != 0; }
// The entry register that holds something of the instruction, SM_NONE.
int collect_entry(const Sm *sm, const Flight *f);

// Bytes that hold all 32 lane values, each the sign extension of its low bytes (1..4). `lanes`: which count.
static inline int collect_width(const uint32_t value[ISA_LANES], uint32_t lanes) {
    uint32_t any = 0;
    for (int l = 0; l < ISA_LANES; l++) {
        uint32_t v = value[l];
        any |= (v ^ (uint32_t)((int32_t)v >> 31)) & (uint32_t)-(int32_t)(lanes >> l & 1);
    }
    return any < 0x80 ? 1 : any < 0x8000 ? 2 : any < 0x800000 ? 3 : 4;
}

// ---- execute.c ----
void dispatch_stage(Sm *sm);
void execute_control(Sm *sm, Flight *f);      // control instruction with its operands
uint32_t execute_sreg(const Sm *sm, const Warp *w, int sreg, int lane);

// ---- ldst.c ----
bool ldst_accepts(const Sm *sm);
bool ldst_held(const Sm *sm);                 // the memory system does not take what is at the address pipe's end
void ldst_execute(Sm *sm, Flight *f);
void ldst_stage(Sm *sm);                      // address pipe to the memory system
void ldst_completions(Sm *sm);
void ldst_perform(void *ctx, int port, uint32_t token, uint32_t lanes);
// Local memory of a lane, word address `word` (in 4-byte words of the frame).
static inline uint32_t *sm_local_word(Sm *sm, int warp, uint32_t word, int lane) {
    return &sm->local[((size_t)warp * sm->frame_words + word) * ISA_LANES + (size_t)lane];
}

// ---- barrier.c ----
void barrier_arrive(Sm *sm, Flight *f, uint32_t number, uint32_t threads, bool counted);
void barrier_warp_ended(Sm *sm, int cta);

// ---- writeback.c ----
void wheel_put(Sm *sm, Flight *f, int latency);
void result_put(Sm *sm, Flight *f);           // result is there: predicates now, registers by the ports
void writeback_stage(Sm *sm);                 // offers results to the register file
void writeback_taken(Sm *sm);                 // after its eval: what was taken

// ---- stall.c ----
CounterId stall_of_unit(int unit);            // a ready instruction of the unit finds no collector
CounterId stall_class(const Sm *sm, const Scheduler *s);  // of a scheduler that issued nothing
void stall_note(Sm *sm, int scheduler, CounterId what);
void stall_states(Sm *sm);                    // per-warp states for waves and hooks

// ---- syscall.c ----
void syscall_execute(Sm *sm, Flight *f);

// ---- view.c ----
void view_register(Sm *sm, Cosim *cosim);
void view_cycle(Sm *sm);

// ---- explain.c ----
// "kernel k (k.ptx:31)" of the instruction at pc.
void explain_place(const Sm *sm, int pc, char *buf, size_t size);
void explain_thread(const Sm *sm, int warp, int lane, char *buf, size_t size);
void explain_hang(Sm *sm, const char *what);
void explain_deadlock(Sm *sm, int cta);
void explain_remember(Sm *sm, const Mismatch *m);
void explain_mismatch(void *ctx, const Mismatch *m, char *buf, size_t size);

#endif
