// SPDX-License-Identifier: Apache-2.0
// State of the systems that serve loads from registers (larf.c), in four files: larf_regs.c (where
// registers lie, how many mappings a physical one has, what a result is written to), larf_loads.c
// (from a load's addresses to its answer), larf_live.c (more CTAs than have registers), larf.c (the
// cycle, reads without an instruction, parts).
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
    LARF_REQUESTS = 1024,  // for the table, in order
    LARF_BACKLOG = 32,     // requests beyond which the LD/ST unit takes nothing
    LARF_SHAPE_AT = 2,     // cycles from dispatch to load_shape, and to the look-up
    LARF_TABLE_AT = LARF_SHAPE_AT + LS_CYCLES,
    LARF_PORTS = 4,  // write ports
    // free registers below which larf.retain gives up what no mapping needs
    LARF_SPARE = 32,
    LARF_NOWHERE = -1,
};

// ---- requests to the table, strictly in the order of dispatch ----

typedef enum RequestKind { REQUEST_LOAD, REQUEST_STORE, REQUEST_FLUSH } RequestKind;
typedef struct Request {
    RequestKind kind;
    uint64_t due;           // cycle from which it may be made
    uint16_t flight, word;  // load
    uint8_t generation;
    uint32_t low, high;  // store: bytes of one line
} Request;

// ---- a load that asks ----

typedef enum WordState {
    WORD_ASKED,  // no answer yet
    WORD_MISS,
    WORD_HIT,     // its register is counted for this load
    WORD_WAITS,   // .. and has no value yet
    WORD_MERGES,  // its value is being made
    WORD_MERGED,
} WordState;

typedef struct Load {
    uint8_t generation;  // tells it from other loads of the same flight record
    bool asks;           // it has asked, or will, and was not decided
    bool preferred;      // LAS let its warp issue it first
    uint64_t since;      // cycle of its dispatch
    bool whole;          // it writes all lanes that the warp still has
    bool shaped, ok;     // base, code, mask are known; the table can hold them
    uint32_t base, mask;
    uint8_t code, nwords;
    // cycle by which the table has answered, if it takes the load in time
    uint64_t deadline;
    uint8_t state[LARF_WORDS];
    int shared[LARF_WORDS];  // HIT, WAITS: the register
    int kept[LARF_WORDS];    // entered: the register that it is loaded into, LARF_NOWHERE
    // of every instruction: free registers that are kept for it (larf_live.c)
    int promised;
} Load;

// ---- a result at a write port ----

typedef enum CopyState { COPY_NONE, COPY_READS, COPY_HAS } CopyState;
typedef struct Offer {
    const Flight *flight;  // NULL: none waits for its place
    int word;
    CopyState copy;  // of the lanes that it does not write
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
    // stands for block addr_map_table, which is idle then; NULL: it does not
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
    // C state in place of block rename_table, which answers in the next cycle, may refuse a
    // look-up, frees one register per cycle and takes updates from write ports only. Here a path
    // asks and reads the row in one cycle, a hit maps when the table answers, and registers die in
    // any cycle.
    int (*map)[ISA_MAX_REGS];  // [warp][register]: physical register
    int *count;                // [physical]: mappings and pins
    int *maps;                 // .. mappings alone
    // registers that sharing saves: mappings beyond the first of each
    int shared;
    bool *entered;    // .. it may have an entry
    bool *there;      // .. its value has been written
    bool *releasing;  // .. its entry is being taken out so that it may be written
    Fifo drops;       // mappings and pins that are no more
    // blocks.registered ref_count: what ref_count is told in the next cycle
    struct {
        int ndrops, drop[RC_MAX_DEC];
        int answer;  // register that addr_map_table has released; LARF_NOWHERE
    } late;
    Fifo releases;  // registers whose entry is to be taken out
    // registers to be unmapped, by warp; warps that have some; that ended
    uint64_t dead[SM_MAX_WARPS], dying, exiting;
    int rotate;
    Offer offer[LARF_PORTS];
    RegPlace answer[2][32];

    // CTAs by slot, where more are admitted than have registers
    uint64_t resident, ending, begun, born[SM_MAX_CTAS];
    int oldest, promised;  // SM_NONE; the sum over instructions in flight

    // loads
    Request *requests;
    int first, nrequests;
    uint64_t last_due, last_flush, next_lookup;
    Load *loads;  // by flight
    // [warp][register]: the flight of the load that waits for it in wait_table
    int (*waiter)[ISA_MAX_REGS];
    Fifo to_shape, in_shape;  // flights
    Fifo asked;               // flight and word of what the table has not answered, in order
    Fifo waiting;             // flights that the LD/ST unit has set aside
    // of LAS: what its question of this cycle was answered; the shape that load_shape found for it
    bool question_answered, question_serves;
    uint64_t preferred;  // warps whose instruction that is being issued was preferred
    struct {
        bool valid;
        int warp;
        uint32_t base, mask;
        uint8_t code;
    } shaped;
    Fifo written;     // physical registers that loads have written
    uint32_t mu_tag;  // of the rows that merge_unit has taken
    // rows that the row reader will let go, in order: was the register counted for it?
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
// Lanes that have not ended are all in `lanes`.
bool regs_whole(const Sm *sm, int warp, uint32_t lanes);
// one with a count of 1, LARF_NOWHERE
int regs_allocate(Larf *s, const Sm *sm, const Flight *f, int reg);
// a mapping or pin more; false: the count is full
bool regs_count(Larf *s, int phys);
void regs_drop(Larf *s, int phys);  // .. less
// whose count is taken over; the old one is dropped
void regs_map(Larf *s, int warp, int reg, int phys);
// one mapping, no entry: it may be written where it is
bool regs_alone(const Larf *s, int phys);
RegPlace regs_place(const Larf *s, int phys);
// what is dead, and of warps that ended
void regs_unmap(Sm *sm, Larf *s);
void regs_settle(Sm *sm, Larf *s);  // drops and releases go to the blocks
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

void larf_ask_table(Larf *s);  // outputs of the table for its inputs

// ---- larf_loads.c ----

void loads_open(Larf *s, const Sm *sm, Arena *arena);
void loads_launch(Larf *s);
void loads_begun(Sm *sm, Larf *s, const Flight *f);
// its addresses are known: it is dispatched
void loads_access(Sm *sm, Larf *s, const Flight *f);
void loads_performed(Sm *sm, Larf *s, const Flight *f, uint32_t lanes);
void loads_flush(Sm *sm, Larf *s);
void loads_written(Larf *s, Sm *sm, const Flight *f, int word);
void loads_answers(Sm *sm, Larf *s);  // of the table; wakes
void loads_ask(Sm *sm, Larf *s);      // shapes and requests of this cycle
void loads_merged(Larf *s, uint32_t tag, const uint32_t row[32], Sm *sm);
void loads_decide(Sm *sm, Larf *s);  // loads that wait
// For LAS, after loads_ask: load_shape is asked for these addresses, the table a question. False: a
// load is before it.
bool loads_shape_question(Larf *s, const uint32_t addr[32], uint32_t mask, int warp);
bool loads_question(Larf *s, uint32_t base, uint32_t code, uint32_t mask);
bool loads_room(const Larf *s);
LoadAnswer loads_probe(Sm *sm, Larf *s, Flight *f);

#endif
