// SPDX-License-Identifier: Apache-2.0
// Declarations that the files of P-mode (warped pre-execution) share. pmode.c: sessions and the
// cycle. pmode_ahead.c: a warp in P-mode. pmode_reuse.c: reuse in N-mode. pmode_places.c: renaming.
// N-mode is the warp's own program, P-mode a second stream in front of it (parts/inst_stream.h).
#ifndef SMCOSIM_SYSTEMS_PMODE_H
#define SMCOSIM_SYSTEMS_PMODE_H

#include "models/pmode/avail_vector.h"
#include "models/pmode/dual_scoreboard.h"
#include "models/pmode/p_queue.h"
#include "models/pmode/pmode_rename.h"
#include "sm/parts/scoreboard.h"
#include "sm/state.h"

enum {
    PMODE_MAX_IDS = 256,
    // limit of reused instructions of one warp in its instruction buffer
    PMODE_BUFFER = 16,
    PMODE_LAST_SEQ = 255,  // highest number of an instruction in a session
    PMODE_PREDS = 256,     // limit of predicate results that wait for a port
};

// The action for the instruction at the head of a warp in P-mode (section 3 of the specification,
// Issue).
typedef enum PModeAct {
    PMODE_WAITS,
    PMODE_HALTS,     // the warp stops in this session
    PMODE_TURNS,     // a branch, or an exit of some lanes: changes only the stack
    PMODE_JUMPS,     // an indexed branch: the same, after its index has been read
    PMODE_PASSES,    // no effect
    PMODE_SKIPS,     // its destinations are unknown from now on
    PMODE_PRELOADS,  // as SKIPS, and its addresses are requested from L1
    PMODE_RUNS,      // executes into renamed registers
} PModeAct;
// count: the counter of the reason. by_source: skipped because a source is unknown.
typedef struct PModeChoice {
    PModeAct act;
    CounterId count;
    bool by_source;
} PModeChoice;

// An instruction in the P-queue: its data for the checks at its reuse.
typedef struct PModeEntry {
    IsaExecOut out;
    uint32_t addr[ISA_LANES], lanes_of[4];
} PModeEntry;

// A reused instruction between fetch and issue.
typedef struct PModePopped {
    int entry, dst;
    int phy[2];
    uint32_t first, second;
    bool pair;
} PModePopped;

// Registers of a warp's last destination that wait for a port of pmode_rename. Their mappings in
// the table of `pmode` end. With `follows`, a partial write of N-mode, their places are looked up.
typedef struct PModeRest {
    uint64_t regs;
    const Flight *follows;
    bool pmode;
} PModeRest;

typedef struct PModeWarp {
    InstStream ahead;
    SimtEntry stack[SM_MAX_SIMT];
    // The P-scoreboard: a result is outstanding; unknown (or, with pend, outstanding since N-mode
    // and of long latency).
    uint64_t pend, unknown;
    uint8_t ppend, punknown;
    int trigger;  // the register whose write ends the session
    // outstanding results of N-mode with a line that missed in L1
    uint64_t missed;
    int base, seq;  // pc of the stalled instruction; number of the next one
    // the stalled instruction itself ran ahead and is in the P-queue
    bool base_queued;
    uint64_t from;  // cycle in which P-mode may issue
    bool store_skipped, barrier_passed, fence_passed;
    // P-mode: instructions in flight besides pre-loads; operand reads outstanding
    int flights, reads;
    // N-mode
    // fetch_pc of the lookup in progress, if a lookup takes two cycles
    int asked;
    uint64_t asked_at;
    // start of the drain of its queue or tables; end of the drain, if a register takes two cycles
    uint64_t drains, lags;
    // number of the next instruction to issue since the session ended
    int nseq;
    int first, count;  // P-queue: index of the oldest entry, number of entries left
    PModePopped popped[PMODE_BUFFER];
    int npopped;
    // queue entry with a wrong load: an error when N-mode reaches it; -1: none
    int faulty;
    uint64_t mapped[2];  // registers with a mapping in the N- and in the P-table
    PModeRest rest;
} PModeWarp;

// Of an instruction in flight.
typedef struct PModeFlight {
    RegPlace src[ISA_MAX_SRC_WORDS], dst[ISA_MAX_DST_WORDS];
    int16_t src_id[ISA_MAX_SRC_WORDS];      // -1: not renamed
    uint32_t src_given[ISA_MAX_SRC_WORDS];  // number of the register's allocations at that time
    int16_t dst_id[2];                      // P-mode's new registers
    int16_t entry;                          // entry of the P-queue; -1: none
    bool pre;                               // a pre-load
} PModeFlight;

// Predicate results: of the scoreboards, or of an entry of the P-queue.
typedef struct PModePreds {
    int warp, entry;
    bool pmode;
    uint8_t mask;
    uint32_t first, second;
} PModePreds;
typedef struct PModePredList {
    PModePreds of[PMODE_PREDS];
    int n;
} PModePredList;

// The query of a scheduler to dual_scoreboard in this cycle.
typedef enum PModeAsked { ASKED_NOTHING, ASKED_READY, ASKED_SKIP } PModeAsked;

typedef struct PMode {
    Block *board_block, *queue_block, *rename_block, *avail_block;
    DualScoreboardIn *board_in;
    const DualScoreboardOut *board_out;
    PQueueIn *queue_in;
    const PQueueOut *queue_out;
    PmodeRenameIn *rename_in;
    const PmodeRenameOut *rename_out;
    AvailVectorIn *avail_in;
    const AvailVectorOut *avail_out;
    Board *boards;  // N-mode's, with the reads of both modes
    PModeWarp *warp;
    PModeFlight *flight;
    PModeEntry *entries;           // [warp][entry]
    char (*fault)[SM_FAULT_TEXT];  // of each warp: the error of its faulty load
    // versions of the kernel's instructions that also read their old destination; isa NULL: none
    SmInst *merged;
    // issue ports of the blocks; entries of a queue; registers of the pool
    int ports, queue, ids;
    PModeChoice choice;  // choice for the P-mode instruction that issues now
    PModeAsked asked_of[DS_MAX_QUERY];
    int scheduler;  // the scheduler that issues
    // Driven in this cycle
    int nact, nalloc, npush, nids;  // ports used; ids allocated
    int npw, nqw;
    unsigned sent;  // schedulers that have sent a micro-operation
    bool driven;
    // predicate results of the boards and of queue entries that found no port
    PModePredList late, values;
    // Of the blocks' state, in this cycle
    int ready;  // ids available
    // lagging: drained, but not yet if each register takes two cycles
    uint64_t queue_busy, rename_busy, lagging;
    bool stale;
    // Sets of warps
    uint64_t arrived;  // their triggers are written in this cycle
    // ending: the warp ends. ended: its session ends. The tables end both when reads are done.
    uint64_t ending, ended;
    // the queue drains: it has entries left and a new session waits
    uint64_t flushing;
    uint64_t popping;                    // popped in this cycle
    int turn[SM_MAX_SCHED], candidate;   // round robin
    uint64_t unfinished;                 // with a `rest`
    uint64_t finishing;                  // the last register of `rest` is driven in this cycle
    uint16_t reads_of[PMODE_MAX_IDS];    // reads outstanding
    uint32_t given[PMODE_MAX_IDS];       // number of allocations
    uint64_t limbo[PMODE_MAX_IDS / 64];  // released, still to be freed
    int held;                            // ids that are not available
    RegPlace answer[2][64];
    uint32_t view[2];  // warps in P-mode, for waves
    struct {
        uint32_t mode, queue, renamed;
    } shown[64];  // state of each warp, for waves and traces
} PMode;

static inline uint32_t pmode_live(const InstStream *s) {
    uint32_t live = s->mask;
    for (int i = 0; i < s->depth; i++) live |= s->stack[i].mask;
    return live;
}

static inline uint32_t pmode_active(const InstStream *s, const SmInst *in) {
    const IsaPred *g = &in->isa->guard;
    return s->mask & (g->neg ? ~s->pred[g->reg] : s->pred[g->reg]);
}

static inline bool pmode_registered(const Sm *sm) {
    return sm->cfg->blocks_registered & REGISTERED_PMODE;
}
static inline bool pmode_in(const Sm *sm, int warp) { return sm->away >> warp & 1; }
static inline bool pmode_of(const Sm *sm, const Flight *f) {
    return !inst_stream_is_own(sm, f->warp, f->stream);
}
static inline uint64_t pmode_held(const PMode *s) { return s->unfinished | s->finishing; }
static inline PModeEntry *pmode_entry(const PMode *s, int warp, int entry) {
    return &s->entries[warp * (s->queue ? s->queue : 1) + entry];
}

// pmode.c
// ports of pmode_rename that an issue may take in this cycle
int pmode_ports_left(const Sm *sm, const PMode *s);

// pmode_ahead.c
extern const InstStreamPart pmode_stream;
extern const Hazards pmode_hazards;
PModeChoice pmode_choose(const Sm *sm, const PMode *s, int warp, const SmInst *in);
void pmode_prepare(Sm *sm, PMode *s);  // a kernel begins: merged
void pmode_ask_board(const Sm *sm, PMode *s, const IssueEvent *e);
void pmode_late_preds(Sm *sm, PMode *s);  // a cycle begins

// pmode_reuse.c
InstStreamLookup pmode_lookup(Sm *sm, void *self, int warp, int port, int n);
void pmode_give(Sm *sm, void *self, int warp, const SmInst *in);
void pmode_drop(PMode *s, int warp);  // popped entries are not reused

// pmode_places.c
extern const Places pmode_places;
// a register or an aligned pair
void pmode_name_words(PMode *s, int port, int warp, bool pmode, uint64_t words);
void pmode_unmap(PMode *s, int port, int warp, bool pmode, uint64_t regs);
// a cycle begins: unmaps the remaining registers
void pmode_finish(const Sm *sm, PMode *s);
// Place of the result of a barrier, which executes at issue.
void pmode_place_result(const Sm *sm, PMode *s, const Flight *f);
void pmode_free(PMode *s, int id);  // an id that the SM frees
// passes the ids that the blocks free in this cycle to avail_vector
void pmode_frees(PMode *s);

#endif
