// SPDX-License-Identifier: Apache-2.0
// The flexible scalar unit: a small in-order processor in the SM (paper on the flexible scalar
// unit, section III). It runs one thread per CTA beside the CTA's warps. Its registers are in block
// scalar_rf, one file per unit. Block scalar_collect delivers the operands. Block scalar_alloc
// assigns a context and registers to a thread. Block cta_barrier finds the complete barriers.
// Files: scalar.c has the system, its cycle and admission. Fetch, issue, execution and results are
// in scalar_pipe.c, accesses in scalar_mem.c, barriers with k = 0 and 1 in scalar_barrier.c.
#ifndef SMCOSIM_SYSTEMS_SCALAR_H
#define SMCOSIM_SYSTEMS_SCALAR_H

#include "models/scalar/cta_barrier.h"
#include "models/scalar/scalar_alloc.h"
#include "models/scalar/scalar_collect.h"
#include "models/scalar/scalar_rf.h"
#include "sm/state.h"

enum {
    SCALAR_BUFFER = 2,  // instructions of a thread's buffer, and of one fetch
    SCALAR_QUEUE = 4,   // accesses of a unit in flight to the memory system
    // results that wait for the file's write ports before the pipe stalls
    SCALAR_RESULTS = 2,
};

// An instruction of a thread in flight. `flight` is the first member, because the lists link it.
typedef struct ThreadFlight {
    Flight flight;
    int16_t thread;
    uint8_t left;    // words of the result that are not written yet
    bool to_memory;  // the memory system provides the result
    // clock of the unit at which its result, or its address, is available
    uint64_t ready;
} ThreadFlight;

typedef struct ScalarThread {
    bool used;                 // the context is in use
    bool leaving;              // it has reached its exit, and waits for its instructions in flight
    bool at_barrier, control;  // waits there; for the operands of its own branch or barrier
    int8_t unit, slot;         // slot of its CTA; SM_NONE: ended
    int16_t flights;           // instructions in flight
    int base;                  // its first register in the unit's file
    uint64_t born;             // order of starts
    uint32_t ctaid[3], linear;
    uint32_t pc, state;  // 32-bit words: waves point at them
    int fetch_pc, buffered;
    uint32_t pred[8];
    uint64_t pending, pending_long;  // registers to be written; the subset written by memory
    uint8_t pending_preds;
    int accesses, writes, atomics, all;  // counts as in parts/order.c
} ScalarThread;

typedef struct ScalarUnit {
    Block *rf, *collect;
    ScalarRfIn *rf_in;
    const ScalarRfOut *rf_out;
    ScalarCollectIn *collect_in;
    const ScalarCollectOut *collect_out;
    uint64_t threads;             // contexts that run on this unit
    FlightList collecting;        // instructions in scalar_collect, oldest first
    FlightList executing;         // instructions until their latency is over
    FlightList loaded;            // memory has answered; visible at the next clock
    FlightList results, arrived;  // wait for the write ports: of execution, of memory
    FlightList queue;             // accesses that wait for the memory system
    int nresults, nqueue;
    bool moves;        // its blocks are evaluated and clocked in this cycle
    bool has_counted;  // a counter of the threads' activity has counted this clock
    // clock from which a functional unit accepts an instruction (IsaUnit)
    uint64_t free[4];
    int last_issued, last_fetched;
    // between fetch and decode: thread, instructions; SM_NONE
    int fetching, nfetching;
} ScalarUnit;

// A barrier event that waits for a port of cta_barrier, in order.
typedef struct BarrierNews {
    BarrierArrival arrival;
    bool end;  // a warp of the slot ended
} BarrierNews;
enum { SCALAR_NEWS = 512 };

typedef struct Scalar {
    bool on;        // the kernel has a program for threads
    bool detached;  // the program shares nothing with its CTA
    const IsaProgram *isa;
    SmProgram program;
    InstStream place;  // the stream of that program, for messages
    int words;         // registers of a thread
    uint64_t clock;    // cycles of the unit
    uint64_t born;
    ScalarUnit unit[SA_MAX_UNITS];
    int nunits;
    int turn;  // unit whose access has priority
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
    uint64_t ending;  // contexts that are released at the next edge
    uint32_t ready;   // units that accept a thread
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
    uint32_t live[SM_MAX_CTAS];  // warps that have not ended, as reported to the block
    uint32_t with[SM_MAX_CTAS];  // bit n: warps have arrived at barrier n with k = 1
    uint32_t waits_with;         // CTA slots with such a barrier
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
void scalar_end_flight(Scalar *s, Flight *f);  // the instruction has completed
// words for messages
void scalar_where(const Sm *sm, const Scalar *s, const Flight *f, char *buf, size_t size);
// Writes words of an instruction's result to the file, if the write port of their bank is free in
// this clock. Register 0 of its program is at word `base`. left: bit k: word k is not yet written.
void scalar_write_words(Sm *sm, ScalarUnit *u, const Flight *f, int base, uint8_t *left);
// scalar_mem.c
bool scalar_access(Sm *sm, Scalar *s, ScalarUnit *u, Flight *f);  // dispatch; false: an error
extern const AccessSource scalar_source;
// scalar_barrier.c
// called in its unit's clock
bool scalar_arrive(Sm *sm, Scalar *s, int thread, uint32_t number, bool sync, const Flight *f);
void scalar_barrier_begin(Scalar *s);          // no inputs yet
void scalar_barrier_cycle(Sm *sm, Scalar *s);  // all events of the cycle are available
// Call after the clock edge: releases for the next cycle.
void scalar_barrier_releases(Sm *sm, Scalar *s);
extern const BarrierPart scalar_barriers;
// scalar.c
// the harness opens the blocks of the first unit
void scalar_open_unit(Sm *sm, ScalarUnit *u, int number, Arena *arena);
void scalar_thread_ends(Sm *sm, Scalar *s, int thread);

#endif
