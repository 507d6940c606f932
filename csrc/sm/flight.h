// SPDX-License-Identifier: Apache-2.0
// An instruction in flight, from issue to its last write, and the lists of instructions in flight.
// stages/flight_life.c begins and ends these instructions. The stages pass them on and link them
// only by FlightList.
#ifndef SMCOSIM_SM_FLIGHT_H
#define SMCOSIM_SM_FLIGHT_H

#include "sm/inst.h"
#include "sm/warp.h"

#include <stddef.h>

typedef struct Sm Sm;
typedef struct Flight Flight;

enum {
    // limit of memory requests of one instruction: numbers them (MemRequest.token)
    SM_TOKEN_PARTS = 8,
    SM_FLIGHTS = 1088,  // warp instructions between issue and end
    // instructions of threads that run beside the warps (parts/barrier.h)
    SM_THREAD_FLIGHTS = 256,
};

// The destination register of a result, as found by a path that renames.
typedef struct RegDest {
    uint8_t mask, bank, pair, buddy, align;
    uint16_t entry;
} RegDest;

// State of a memory instruction from dispatch on, updated by stages/ldst.c.
typedef struct FlightAccess {
    uint32_t addr[ISA_LANES] __attribute__((aligned(64)));  // offset or address in the lane's space
    uint64_t ready;        // pipe_time at which it is at the end of the address pipe
    uint32_t lanes_of[4];  // lanes by space: global, shared, local, const
    uint8_t part, parts;   // next request, number of them
    uint8_t left;          // requests not done
    uint8_t texel_bytes;   // of a texture fetch
    uint32_t asked;        // load ports that have been asked
    // stages of the address pipe passed before a load port answered LOAD_WAIT
    uint16_t passed;
    bool no_result;        // no register is written
    bool pre;              // it moves no value and nothing waits for it (parts/load.h)
    uint32_t unperformed;  // atomic: lanes not yet performed at L2
} FlightAccess;

// A flight is in at most one list by each of its links. FLIGHT_AT links its present list: unused,
// unit's latency, address pipe, queue of results. FLIGHT_LATE links flights whose predicates are
// written a cycle after their result.
typedef enum FlightLink { FLIGHT_AT, FLIGHT_LATE, FLIGHT_LINKS } FlightLink;

struct Flight {
    const SmInst *inst;  // NULL: the record is unused
    int32_t pc;
    int16_t warp;
    InstStream *stream;            // stream of that warp that issued it
    uint8_t uops_left, uops_sent;  // passes through the collector: still to dispatch, allocated
    uint8_t writes_left;           // words still to be written
    uint8_t word;                  // next word for a write port
    // words that the register file already holds, so they are not written (parts/load.h)
    uint8_t placed;
    bool in_collector;
    bool broadcast_there;  // its scalar operand is in ops[nops]
    // its registers reach the write ports a cycle earlier than in the baseline
    bool early;
    uint32_t active, present;  // lanes that execute; lanes converged
    // further lanes that are written with the destination's old value, which is an operand
    uint32_t kept;
    uint32_t psrc[3];
    Flight *next[FLIGHT_LINKS];  // of FlightList only
    uint32_t ops[ISA_MAX_SRC_WORDS][ISA_LANES] __attribute__((aligned(64)));
    FlightAccess access;
    IsaExecOut out;
    RegDest dst[ISA_MAX_DST_WORDS];
    uint8_t dst_known;  // how many of them are known
};

// Source i of the instruction, word `word` of it: its value in each lane.
static inline const uint32_t *flight_source(const Flight *f, int i, int word) {
    const int op = f->inst->src_op[i][word];
    return op >= 0 ? f->ops[op] : f->inst->src_fixed[i][word];
}

// ---- lists ----

typedef struct FlightList {
    Flight *first, *last;
} FlightList;  // all zero: empty

static inline void flight_push(FlightList *l, FlightLink link, Flight *f) {
    f->next[link] = NULL;
    if (l->first) l->last->next[link] = f;
    else l->first = f;
    l->last = f;
}

// Inserts after `before`, which is in the list; NULL: at the front.
static inline void flight_push_after(FlightList *l, FlightLink link, Flight *before, Flight *f) {
    Flight **at = before ? &before->next[link] : &l->first;
    f->next[link] = *at;
    *at = f;
    if (!f->next[link]) l->last = f;
}

static inline void flight_push_front(FlightList *l, FlightLink link, Flight *f) {
    f->next[link] = l->first;
    if (!l->first) l->last = f;
    l->first = f;
}

// Removes the first flight; NULL: the list is empty.
static inline Flight *flight_pop(FlightList *l, FlightLink link) {
    Flight *f = l->first;
    if (f) l->first = f->next[link];
    return f;
}

static inline Flight *flight_after(const Flight *f, FlightLink link) { return f->next[link]; }

// Removes a flight from any position.
static inline void flight_remove(FlightList *l, FlightLink link, Flight *f) {
    Flight **at = &l->first, *before = NULL;
    for (; *at != f; at = &(*at)->next[link]) before = *at;
    *at = f->next[link];
    if (l->last == f) l->last = before;
}

// ---- life (stages/flight_life.c) ----

void flights_open(Sm *sm, Arena *arena);
void flights_launch(Sm *sm);  // a kernel begins: none is in flight
// Puts an instruction of the warp, at the stream's pc, in flight.
Flight *flight_new(Sm *sm, int warp, InstStream *stream, const SmInst *in, uint32_t active);
void flight_end(Sm *sm, Flight *f);
// Keeps the warp's slot in use for something other than an instruction; flights_release ends this.
void flights_hold(Sm *sm, int warp);
void flights_release(Sm *sm, int warp);

#endif
