// SPDX-License-Identifier: Apache-2.0
// The flexible scalar unit: a small in-order processor in the SM that runs one thread per CTA
// beside its warps (paper on the flexible scalar unit, section III). Its registers live in block
// scalar_rf, one file per unit; scalar_collect brings the operands, scalar_alloc says which context
// and registers a thread gets, cta_barrier when barriers are complete. scalar.c: the system, its
// cycle, admission. scalar_pipe.c: fetch, issue, execution, results. scalar_mem.c: accesses.
// scalar_barrier.c: barriers with k = 0 and 1.
#ifndef SMCOSIM_SYSTEMS_SCALAR_H
#define SMCOSIM_SYSTEMS_SCALAR_H

#include "models/scalar/cta_barrier.h"
#include "models/scalar/scalar_alloc.h"
#include "models/scalar/scalar_collect.h"
#include "models/scalar/scalar_rf.h"
#include "sm/state.h"

enum {
    SCALAR_BUFFER = 2,  // instructions of a thread's buffer, and of one fetch
    SCALAR_QUEUE = 4,   // accesses of a unit on their way to the memory system
    // results that wait for the file's write ports before the pipe stops
    SCALAR_RESULTS = 2,
};

// An instruction of a thread in flight. `flight` comes first: the lists link it.
typedef struct ThreadFlight {
    Flight flight;
    int16_t thread;
    uint8_t left;    // words of the result that are not written yet
    bool to_memory;  // memory answers
    // clock of the unit at which its result, or its address, is there
    uint64_t ready;
} ThreadFlight;

typedef struct ScalarThread {
    bool used;                 // the context is
    bool leaving;              // it has met its exit, and waits for what is in flight
    bool at_barrier, control;  // waits there; for the operands of its own branch or barrier
    int8_t unit, slot;         // slot of its CTA; SM_NONE: gone
    int16_t flights;           // instructions in flight
    int base;                  // its first register in the unit's file
    uint64_t born;             // order of starts
    uint32_t ctaid[3], linear;
    uint32_t pc, state;  // 32-bit words: waves point at them
    int fetch_pc, buffered;
    uint32_t pred[8];
    uint64_t pending, pending_long;  // registers to be written; of these, by memory
    uint8_t pending_preds;
    int accesses, writes, atomics, all;  // as parts/order.c counts them
} ScalarThread;

typedef struct ScalarUnit {
    Block *rf, *collect;
    ScalarRfIn *rf_in;
    const ScalarRfOut *rf_out;
    ScalarCollectIn *collect_in;
    const ScalarCollectOut *collect_out;
    uint64_t threads;             // contexts that run here
    FlightList collecting;        // in scalar_collect, oldest first
    FlightList executing;         // until their latency is over
    FlightList loaded;            // memory has answered; seen at the next clock
    FlightList results, arrived;  // wait for the write ports: of execution, of memory
    FlightList queue;             // accesses that wait for the memory system
    int nresults, nqueue;
    bool moves;        // its blocks are evaluated and clocked in this cycle
    bool has_counted;  // this clock is in a counter of what its threads did
    // clock from which a functional unit takes an instruction (IsaUnit)
    uint64_t free[4];
    int last_issued, last_fetched;
    // on the way from fetch to decode: thread, instructions; SM_NONE
    int fetching, nfetching;
} ScalarUnit;

// What happened at barriers and waits for a port of cta_barrier, in order.
typedef struct BarrierNews {
    BarrierArrival arrival;
    bool end;  // a warp of the slot ended
} BarrierNews;
enum { SCALAR_NEWS = 512 };

typedef struct Scalar {
    bool on;        // the kernel has a program for threads
    bool detached;  // which shares nothing with its CTA
    const IsaProgram *isa;
    SmProgram program;
    InstStream place;  // of that program, for messages
    int words;         // registers of a thread
    uint64_t clock;    // cycles of the unit
    uint64_t born;
    ScalarUnit unit[SA_MAX_UNITS];
    int nunits;
    int turn;  // unit whose access goes first
    ScalarThread thread[SA_MAX_THREADS];
    int nthreads, alive;
    int of_slot[SM_MAX_CTAS];  // thread that shares the slot's barriers and memory; SM_NONE
    ThreadFlight *flights;
    FlightList unused;
    // scalar_alloc
    Block *alloc;
    ScalarAllocIn *alloc_in;
    const ScalarAllocOut *alloc_out;
    bool configure;   // a kernel is placed at the next edge
    int starting;     // CTA slot whose thread starts at the next edge; SM_NONE
    uint64_t ending;  // contexts that are given back at the next edge
    uint32_t ready;   // units that take a thread
    // all blocks, scalar_alloc, cta_barrier are evaluated and clocked in this cycle
    bool all, placing, barrier_moves;
    bool barrier_told;  // arrivals or ends in this cycle
    // cta_barrier
    Block *barrier;
    CtaBarrierIn *barrier_in;
    const CtaBarrierOut *barrier_out;
    int begins;  // CTA slot that begins at the next edge; SM_NONE
    BarrierNews news[SCALAR_NEWS];
    int nnews, first_news;
    uint32_t live[SM_MAX_CTAS];  // warps that have not ended, as told to the block
    uint32_t with[SM_MAX_CTAS];  // bit n: warps have arrived at barrier n with k = 1
    uint32_t waits_with;         // CTA slots for which there is one
} Scalar;

static inline int thread_number(const Scalar *s, const Flight *f) {
    return (int)((const ThreadFlight *)f - s->flights);
}
static inline ThreadFlight *thread_flight(Flight *f) { return (ThreadFlight *)f; }
static inline ScalarThread *thread_of(Scalar *s, Flight *f) {
    return &s->thread[thread_flight(f)->thread];
}

// scalar_pipe.c
bool scalar_legal(const IsaProgram *p, Diag *d);  // may a thread run it? EXIT_USAGE
// a cycle of the unit: fills the inputs of its blocks
void scalar_clock(Sm *sm, Scalar *s, ScalarUnit *u);
void scalar_end_flight(Scalar *s, Flight *f);  // the instruction is done
// words for messages
void scalar_where(const Sm *sm, const Scalar *s, const Flight *f, char *buf, size_t size);
// Words of an instruction's result go to the file, register 0 of its program lying at word `base`,
// where the write port of their bank is free in this clock. left: bit k: word k is still to be
// written.
void scalar_write_words(Sm *sm, ScalarUnit *u, const Flight *f, int base, uint8_t *left);
// scalar_mem.c
bool scalar_access(Sm *sm, Scalar *s, ScalarUnit *u, Flight *f);  // dispatch; false: an error
extern const AccessSource scalar_source;
// scalar_barrier.c
// in its unit's clock
bool scalar_arrive(Sm *sm, Scalar *s, int thread, uint32_t number, bool sync, const Flight *f);
void scalar_barrier_begin(Scalar *s);          // no inputs yet
void scalar_barrier_cycle(Sm *sm, Scalar *s);  // all of the cycle is known
// after the clock edge: what goes on in the next cycle
void scalar_barrier_releases(Sm *sm, Scalar *s);
extern const BarrierPart scalar_barriers;
// scalar.c
// the first one's blocks are the harness's
void scalar_open_unit(Sm *sm, ScalarUnit *u, int number, Arena *arena);
void scalar_thread_ends(Sm *sm, Scalar *s, int thread);

#endif
