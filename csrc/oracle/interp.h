// SPDX-License-Identifier: Apache-2.0
// Inside of the oracle. One section per file:
//   `oracle_decode.c`   PtxFunc -> OFunc: operands resolved to register slots, handlers chosen.
//   `postdom.c`  reconvergence points of a function.
//   `eval.c`     arithmetic of one lane, one function per PTX opcode.
//   `oracle_video.c`    video instructions.
//   `convert.c`  conversions to and from small numbers.
//   `oracle_exec.c`     handlers of instructions that process a whole warp.
//   `fast.c`            faster handlers for most instructions of most kernels, with all lanes in
//                       one loop.
//   `oracle_access.c`   memory spaces, loads, stores, atomics, their error messages.
//   `matrix.c`   a step of mma.
//   `oracle_flow.c`     branches, calls, returns, the reconvergence stack.
//   `oracle_barrier.c`  barriers of a CTA, deadlocks at them.
//   `oracle_findings.c`  findings about the program, each source location once.
//   `assigned.c`         registers that may be read before they are written: dataflow, masks at run
//                        time.
//   `undefined.c`        memory that is read before it is written, absent lanes, split barriers.
//   `race.c`     unordered accesses: clocks of the warps, last accesses of every word.
//   `oracle.c`   grid, turns of CTAs and warps, the limit.
#ifndef SMCOSIM_ORACLE_INTERP_H
#define SMCOSIM_ORACLE_INTERP_H

#include "isa/lane.h"
#include "oracle/oracle.h"

enum { O_LANES = 32, O_MAX_SRC = 6, O_BARRIERS = 16, O_CALL_DEPTH = 4096 };

typedef struct OInst OInst;
typedef struct OFunc OFunc;
typedef struct OWarp OWarp;
typedef struct OCta OCta;
typedef struct Oracle Oracle;
typedef struct ORace ORace;
typedef struct OCell OCell;

// Source of an operand's lane values.
typedef enum OSrcKind {
    OSRC_NONE,
    OSRC_REG,    // slot `index`
    OSRC_CONST,  // `value` in all lanes
    OSRC_LOCAL,  // `value` + base of the frame's local variables
    OSRC_SREG,   // special register `index`
    OSRC_PRED,   // predicate slot `index`, 0 or 1, `negated`
} OSrcKind;

typedef struct OSrc {
    OSrcKind kind;
    int index;
    bool negated;
    uint64_t value;
} OSrc;

// Executes an instruction for the lanes of `active` (guard applied). False: error recorded.
typedef bool (*OHandler)(OWarp *w, const OInst *oi, uint32_t active);
// Result of one lane; bits above the destination register are dropped by the caller.
typedef uint64_t (*OEval)(const PtxInst *in, uint64_t a, uint64_t b, uint64_t c, uint64_t d);

struct OInst {
    const PtxInst *in;
    OHandler handler;
    OEval eval;
    OSrc src[O_MAX_SRC];  // opnd[1..] as sources (opnd[0..] where opnd[0] is no destination)
    int dst;              // slot of the destination register, -1: none
    uint64_t mask;        // ones in the width of that register
    uint64_t addr_mask;   // ones in the width of the address register: 32-bit addresses wrap
    int pdst, pdst2;      // predicate slots, -1: none
    int target;           // BRA: instruction index
    int reconv;           // BRA, BRX: reconvergence point, -1: at the function's end
    bool unsure;          // uses a register of OFunc.unsure
    uint32_t bytes;       // LD, ST: of an access
    int guard;            // predicate slot, -1: none
};

struct OFunc {
    const PtxFunc *f;
    int index;
    OInst *insts;
    int nslots, npreds;  // register and predicate slots in use
    int *slot;           // by register index; -1: never used
    // by register index: may be read before it is written; NULL: no such register
    bool *unsure;
};

typedef struct OEntry {  // one path of a diverged warp
    int pc, reconv;
    uint32_t mask;
} OEntry;

typedef struct OFrame {
    OFunc *func;
    uint64_t *regs;      // [slot][lane]
    uint32_t *preds;     // [slot], bit per lane
    uint32_t carry;      // CC.CF, bit per lane
    uint32_t *assigned;  // by register index, bit per lane; NULL unless func->unsure
    uint8_t *params;     // [lane][param_bytes, call_bytes]
    uint32_t param_stride;
    uint32_t local_base;  // base of the function's .local variables in the thread's local memory
    OEntry *entries;
    int nentries, cap_entries;
    uint32_t mask, returned;
    const OInst *call;  // call instruction in the caller's frame
} OFrame;

typedef enum OWarpState { O_READY, O_AT_BARRIER, O_DONE } OWarpState;

// Accesses ordered before a warp's next instruction: of all warps up to time `all`, of warp i of
// its CTA up to own[i].
typedef struct OClock {
    uint64_t all, *own;  // own NULL: no race check
    uint64_t acquired;   // becomes `all` at the next fence or barrier
    uint64_t released;   // time of the last fence, which a later flag publishes
} OClock;

struct OWarp {
    OCta *cta;
    int index;  // in the CTA
    OWarpState state;
    uint32_t alive;    // lanes that have not ended
    uint32_t present;  // lanes converged at the current instruction, guard not applied
    OFrame *frames;
    int nframes, cap_frames;
    uint8_t *local;  // [lane][local_cap]
    uint32_t local_cap, local_top;
    uint8_t *local_set;  // [lane][local_cap], 1: written; NULL: not watched
    OClock clock;
    int barrier;           // AT_BARRIER: number of the barrier
    const OInst *waiting;  // AT_BARRIER: the instruction
    uint32_t waiting_mask;
};

typedef struct OBarrier {
    int warps;          // arrived
    uint32_t expected;  // threads, 0: all of the CTA
    bool every, any;    // bar.red
    uint32_t count;
    uint64_t all, *own;  // race check: joined clocks of the warps that arrived
} OBarrier;

struct OCta {
    Oracle *o;
    uint32_t id[3];
    OWarp *warps;
    int nwarps;
    uint8_t *shared;
    uint32_t shared_bytes;
    uint8_t *shared_set;  // 1: written; NULL: not watched
    OCell *cells;         // race check: by word of shared memory
    uint64_t *clocks;     // race check: memory of the clocks of warps and barriers
    uint64_t number;      // in the grid
    OBarrier barrier[O_BARRIERS];
};

struct Oracle {
    OracleRun *run;
    Diag *d;
    Arena arena;          // decoded functions
    OFunc *funcs;         // by index in the module
    uint32_t threads;     // per CTA
    uint64_t ctas, next;  // CTAs of the grid; the first that has not started
    OCta **open;          // CTAs that take turns
    int nopen, cap_open;
    OracleFindings *found;  // NULL: no search for findings
    bool blank_const;       // a .const variable has no initializer
    ORace *race;            // NULL: no race check
    uint64_t now;           // grows with every instruction that accesses memory, fence and barrier
};

static inline OFrame *o_frame(const OWarp *w) { return &w->frames[w->nframes - 1]; }

// Lane values of source i: pointer and stride (0 or 1). hold stores computed values.
typedef struct OValues {
    const uint64_t *v;
    int stride;
} OValues;
OValues o_values(const OWarp *w, const OSrc *s, uint64_t hold[O_LANES]);
#define O_FOR_LANES(l, mask) \
    for (uint32_t rest_##l = (mask), l; rest_##l && (l = (uint32_t)__builtin_ctz(rest_##l), 1); \
         rest_##l &= rest_##l - 1)
static inline uint64_t o_at(OValues v, uint32_t lane) { return v.v[v.stride ? lane : 0]; }
// Lane mask of a predicate source.
uint32_t o_pred(const OWarp *w, const OSrc *s);
void o_put_pred(OWarp *w, int slot, uint32_t active, uint32_t value);

// Start of the block of call sequences in a frame's parameter memory.
static inline int64_t o_call_block(const PtxFunc *f) { return (f->param_bytes + 15) & ~15ll; }

// oracle_decode.c
bool o_decode(Oracle *o, int func);
// eval.c: the function of an opcode, NULL if it has none.
OEval o_eval_of(const PtxInst *in);
bool o_compare(const PtxInst *in, PtxType t, uint64_t a, uint64_t b);
IsaType o_isa_type(PtxType t);
// oracle_video.c
uint64_t o_video(const PtxInst *in, uint64_t a, uint64_t b, uint64_t c, uint64_t d);
// convert.c
bool o_is_small(const PtxInst *in);  // a cvt of this file
uint64_t o_convert_small(const PtxInst *in, uint64_t a, uint64_t b);
uint64_t o_pack(const PtxInst *in, uint64_t a, uint64_t b, uint64_t c, uint64_t d);
// postdom.c: sets insts[i].reconv of every branch.
bool o_postdominators(OFunc *f, Diag *d);
// oracle_exec.c: the handler of an opcode.
OHandler o_handler_of(const PtxInst *in);
bool o_lanes(OWarp *w, const OInst *oi, uint32_t active);  // loop over oi->eval
// fast.c: a faster handler of the same instruction; NULL: none. `quiet`: without search for
// findings and races.
OHandler o_fast_of(const OInst *oi, const OFunc *of, bool quiet);
// oracle_access.c
typedef struct OPlace {  // target of an address
    PtxSpace space;      // never GENERIC
    uint64_t addr;       // inside the space
    bool generic;        // formed from a generic address
} OPlace;
OPlace o_place(PtxSpace space, uint64_t addr);
bool o_load(OWarp *w, const OInst *oi, uint32_t active);
bool o_store(OWarp *w, const OInst *oi, uint32_t active);
bool o_atomic(OWarp *w, const OInst *oi, uint32_t active);
bool o_matrix(OWarp *w, const OInst *oi, uint32_t active);  // matrix.c
bool o_texture(OWarp *w, const OInst *oi, uint32_t active);
bool o_read_generic(OWarp *w, int lane, uint64_t addr, void *to, uint32_t bytes);
bool o_fail(const OWarp *w, const OInst *oi, uint32_t lane, ExitStatus status, const char *format,
            ...) __attribute__((format(printf, 5, 6)));
// oracle_flow.c
bool o_branch(OWarp *w, const OInst *oi, uint32_t active);
bool o_branch_table(OWarp *w, const OInst *oi, uint32_t active);
bool o_call(OWarp *w, const OInst *oi, uint32_t active);
bool o_return(OWarp *w, const OInst *oi, uint32_t active);
bool o_exit(OWarp *w, const OInst *oi, uint32_t active);
bool o_push_frame(OWarp *w, OFunc *f, uint32_t mask, const OInst *call);
void o_next_path(OWarp *w);
// Next instruction of the warp and the lanes that execute it; NULL: the warp has ended.
const OInst *o_fetch(OWarp *w, uint32_t *mask);
// oracle_findings.c: counts an occurrence; true: the first at this source location, to be described
// with o_describe.
bool o_first(const OWarp *w, OracleKind kind, int line, int other);
void o_describe(const OWarp *w, const OInst *oi, uint32_t lane, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void o_thread_name(const Oracle *o, uint64_t cta, uint32_t thread, char *text, size_t size);
// assigned.c
void o_find_unsure(OFunc *of);
// checks the registers of an unsure instruction
void o_registers(OWarp *w, const OInst *oi, uint32_t active);
bool o_writes_first_operand(PtxOp op);
// undefined.c
typedef enum OUse { O_READ = 1, O_WRITE = 2, O_UPDATE = 3 } OUse;
bool o_is_blank_const(const PtxVar *v);
void o_touch(OWarp *w, const OInst *oi, uint32_t lane, OPlace p, uint32_t bytes, OUse use);
void o_check_members(const OWarp *w, const OInst *oi, uint32_t active, OValues members);
void o_check_source_lane(const OWarp *w, const OInst *oi, uint32_t active, uint32_t lane,
                         int source);
void o_check_split(const OWarp *w, const OInst *oi, uint32_t active);
// race.c
void o_race_open(Oracle *o);
void o_race_close(Oracle *o);
void o_race_open_cta(OCta *cta);
void o_race_close_cta(OCta *cta);
void o_race_access(OWarp *w, const OInst *oi, uint32_t lane, uint64_t addr, uint32_t bytes,
                   OUse use, bool silent);
uint64_t o_race_bytes(uint64_t nwarps, uint64_t shared);  // estimated memory of a CTA
void o_race_fence(OWarp *w);
void o_race_arrive(OWarp *w, OBarrier *b);
void o_race_leave(OWarp *w, const OBarrier *b);
void o_race_fresh(Oracle *o, uint64_t addr, uint64_t bytes);  // memory that malloc returned
// oracle_barrier.c
bool o_barrier(OWarp *w, const OInst *oi, uint32_t active);
int o_live_warps(const OCta *cta);
void o_release_complete(OCta *cta);  // call after a warp has ended
bool o_deadlock(OCta *cta);          // records a deadlock and returns false

#endif
