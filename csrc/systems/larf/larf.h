// SPDX-License-Identifier: Apache-2.0
// State of the systems that serve loads from registers (larf.c), in four files. Registers
// (larf_regs.c): places, mapping counts, destinations of results. Loads (larf_loads.c): from a
// load's addresses to its answer. Admission (larf_live.c): more CTAs than have registers. Cycle
// (larf.c): also reads without an instruction, and the parts.
#ifndef SMCOSIM_SYSTEMS_LARF_H
#define SMCOSIM_SYSTEMS_LARF_H

#include "models/larf/addr_map_table.h"
#include "models/larf/load_shape.h"
#include "models/larf/locality_checker.h"
#include "models/larf/merge_unit.h"
#include "models/larf/ref_count.h"
#include "models/larf/row_reader.h"
#include "models/larf/wait_table.h"
#include "sm/state.h"

enum {
    LARF_WORDS = ISA_MAX_DST_WORDS,
    LARF_REQUESTS = 1024,  // requests to the table, in order
    LARF_BACKLOG = 32,     // number of requests at which the LD/ST unit accepts no more
    LARF_SHAPE_AT = 2,     // cycles from dispatch to load_shape, and to the look-up
    LARF_TABLE_AT = LARF_SHAPE_AT + LS_CYCLES,
    LARF_PORTS = 4,  // write ports
    // if fewer registers are free, larf.retain releases those without a mapping
    LARF_SPARE = 32,
    LARF_NOWHERE = -1,
};

// ---- requests to the table, strictly in the order of dispatch ----

typedef enum RequestKind { REQUEST_LOAD, REQUEST_STORE, REQUEST_FLUSH } RequestKind;
typedef struct Request {
    RequestKind kind;
    uint64_t due;           // cycle from which it may be issued
    uint16_t flight, word;  // load
    uint8_t generation;
    uint32_t low, high;  // store: bytes of one line
} Request;

// ---- a load with a look-up ----

typedef enum WordState {
    WORD_ASKED,  // no answer yet
    WORD_MISS,
    WORD_HIT,     // its register is counted for this load
    WORD_WAITS,   // the register has no value yet
    WORD_MERGES,  // its value is in the merge unit
    WORD_MERGED,
} WordState;

typedef struct Load {
    uint8_t generation;  // distinguishes it from other loads of the same flight record
    bool asks;           // its look-up is pending or done, and the load is not decided
    bool preferred;      // LAS has given its warp preference for this load
    uint64_t since;      // cycle of its dispatch
    bool whole;          // it writes all live lanes of the warp
    bool shaped, ok;     // base, code, mask are available; the table can hold them
    uint32_t base, mask;
    uint8_t code, nwords;
    // latest cycle of the table's answer, if the table accepts the load in time
    uint64_t deadline;
    uint8_t state[LARF_WORDS];
    int shared[LARF_WORDS];  // HIT, WAITS: the register
    int kept[LARF_WORDS];    // entered: the register to be loaded, LARF_NOWHERE
    // of every instruction: free registers that are reserved for it (larf_live.c)
    int promised;
} Load;

// ---- a result at a write port ----

typedef enum CopyState { COPY_NONE, COPY_READS, COPY_HAS } CopyState;
typedef struct Offer {
    const Flight *flight;  // NULL: no result waits for its place
    int word;
    CopyState copy;  // copy of the lanes that the result does not write
    uint32_t row[32];
} Offer;

typedef struct Fifo {
    int *at;
    int size, first, n;
} Fifo;

typedef struct FlatTable FlatTable;

typedef struct Larf {
    // blocks
    Block *amt, *shape, *rc, *wt, *rr, *mu;
    // replaces block addr_map_table, which is then idle; NULL: not in use
    FlatTable *flat;
    AddrMapTableIn *amt_in;
    const AddrMapTableOut *amt_out;
    LoadShapeIn *shape_in;
    const LoadShapeOut *shape_out;
    RefCountIn *rc_in;
    const RefCountOut *rc_out;
    WaitTableIn *wt_in;
    const WaitTableOut *wt_out;
    RowReaderIn *rr_in;
    const RowReaderOut *rr_out;
    MergeUnitIn *mu_in;
    const MergeUnitOut *mu_out;
    bool clear;        // a kernel begins: the blocks are cleared in its first cycle
    int nalloc, ninc;  // ports of ref_count used in this cycle

    // registers
    int entry_bits, nphys;
    // C state in place of block rename_table. That block answers in the next cycle, may refuse a
    // look-up, frees one register per cycle and accepts updates only from write ports. Here a path
    // looks up and reads the row in one cycle. A hit maps when the table answers, and registers die
    // in any cycle.
    int (*map)[ISA_MAX_REGS];  // [warp][register]: physical register
    int *count;                // [physical]: mappings and pins
    int *maps;                 // .. mappings alone
    // registers saved by sharing: mappings beyond the first of each
    int shared;
    bool *entered;  // per register: it may have an entry
    bool *there;    // per register: its value has been written
    // per register: its entry is being released so that the register may be written
    bool *releasing;
    Fifo drops;  // mappings and pins that have ended
    // blocks.registered ref_count: inputs of ref_count in the next cycle
    struct {
        int ndrops, drop[RC_MAX_DEC];
        int answer;  // register that addr_map_table has released; LARF_NOWHERE
    } late;
    Fifo releases;  // registers whose entry must be released
    // registers to unmap, by warp; warps with any; warps that ended
    uint64_t dead[SM_MAX_WARPS], dying, exiting;
    int rotate;
    Offer offer[LARF_PORTS];
    RegPlace answer[2][32];

    // CTAs by slot, if more are admitted than have registers
    uint64_t resident, ending, begun, born[SM_MAX_CTAS];
    int oldest, promised;  // SM_NONE; the sum over instructions in flight

    // loads
    Request *requests;
    int first, nrequests;
    uint64_t last_due, last_flush, next_lookup;
    Load *loads;  // by flight
    // [warp][register]: flight of the load that waits for this register in wait_table
    int (*waiter)[ISA_MAX_REGS];
    Fifo to_shape, in_shape;  // flights
    Fifo asked;               // flights and words without an answer of the table, in order
    Fifo waiting;             // flights that the LD/ST unit has set aside
    // LAS: response to its look-up of this cycle; the shape from load_shape for it
    bool question_answered, question_serves;
    uint64_t preferred;  // warps whose instruction that issues now was preferred
    struct {
        bool valid;
        int warp;
        uint32_t base, mask;
        uint8_t code;
    } shaped;
    Fifo written;     // physical registers that loads have written
    uint32_t mu_tag;  // tag of the rows that merge_unit has accepted
    // rows that the row reader will release, in order: was the register counted for it?
    Fifo pinned;
} Larf;

static inline void fifo_push(Fifo *f, int v) {
    panic_if(f->n == f->size, "a queue of %d is full", f->size);
    f->at[(f->first + f->n++) % f->size] = v;
}
static inline int fifo_front(const Fifo *f) { return f->at[f->first]; }
static inline int fifo_pop(Fifo *f) {
    const int v = f->at[f->first];
    f->first = (f->first + 1) % f->size;
    f->n--;
    return v;
}
static inline void fifo_clear(Fifo *f) { f->first = f->n = 0; }

// ---- larf_regs.c ----

void regs_open(Larf *s, const Sm *sm, Arena *arena);
void regs_launch(Larf *s);
// Are all live lanes of the warp in `lanes`?
bool regs_whole(const Sm *sm, int warp, uint32_t lanes);
// a register with a count of 1; LARF_NOWHERE
int regs_allocate(Larf *s, const Sm *sm, const Flight *f, int reg);
// adds a mapping or pin; false: the count is at its maximum
bool regs_count(Larf *s, int phys);
void regs_drop(Larf *s, int phys);  // .. removes one
// takes over the count of `phys` and drops the old mapping
void regs_map(Larf *s, int warp, int reg, int phys);
// one mapping, no entry: it may be written in place
bool regs_alone(const Larf *s, int phys);
RegPlace regs_place(const Larf *s, int phys);
// unmaps dead registers and those of warps that ended
void regs_unmap(Sm *sm, Larf *s);
void regs_settle(Sm *sm, Larf *s);  // sends drops and releases to the blocks
bool regs_copied(Larf *s, int port, const uint32_t row[32]);
extern const Places larf_places;

// ---- larf_live.c ----

void live_launch(Larf *s);
void live_cta_begin(Larf *s, int slot);
void live_cta_end(Larf *s, int slot);
void live_cycle(const Sm *sm, Larf *s);
void live_begun(const Sm *sm, Larf *s, const Flight *f);
void live_ended(const Sm *sm, Larf *s, const Flight *f);
bool live_take(const Sm *sm, Larf *s, const Flight *f);
bool live_spares(const Sm *sm, const Larf *s);
WarpSet live_may(const Sm *sm, const void *self, WarpSet warps);
int live_charged(const Sm *sm, const void *self, int regs);
uint64_t live_ctas(const Sm *sm, const void *self, const CtaNeed *need, CtaLimit *limit);
bool live_may_start(const Sm *sm, const void *self, int slot);

// ---- larf.c ----

void larf_ask_table(Larf *s);  // evaluates the table's outputs for its inputs

// ---- larf_loads.c ----

void loads_open(Larf *s, const Sm *sm, Arena *arena);
void loads_launch(Larf *s);
void loads_begun(Sm *sm, Larf *s, const Flight *f);
// its addresses are available: it is dispatched
void loads_access(Sm *sm, Larf *s, const Flight *f);
void loads_performed(Sm *sm, Larf *s, const Flight *f, uint32_t lanes);
void loads_flush(Sm *sm, Larf *s);
void loads_written(Larf *s, Sm *sm, const Flight *f, int word);
void loads_answers(Sm *sm, Larf *s);  // processes responses of the table; wakes loads
void loads_ask(Sm *sm, Larf *s);      // shapes and requests of this cycle
void loads_merged(Larf *s, uint32_t tag, const uint32_t row[32], Sm *sm);
void loads_decide(Sm *sm, Larf *s);  // loads that wait
// For LAS, after loads_ask: these addresses are sent to load_shape, and a question to the table.
// False: a load has priority.
bool loads_shape_question(Larf *s, const uint32_t addr[32], uint32_t mask, int warp);
bool loads_question(Larf *s, uint32_t base, uint32_t code, uint32_t mask);
bool loads_room(const Larf *s);
LoadAnswer loads_probe(Sm *sm, Larf *s, Flight *f);

#endif
