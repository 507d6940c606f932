// SPDX-License-Identifier: Apache-2.0
// The program smcosim with --threads 2 simulating the parts of a quantum one after the other in the
// order that SMS_ORDER names. An effect of the order thus shows without luck. SMS_FAULT names one
// fault seeded into the code that combines SMs (none: no fault). Orders: forward, reverse, odd (odd
// ones first), ahead. In order ahead SM 0 begins a quantum before the others have begun the
// previous one, where it may. The linker (--wrap) puts __wrap_NAME where other files call NAME;
// __real_NAME is the original.
#include "launch/writes.h"
#include "mem/mem_internal.h"
#include "sm/crew.h"
#include "sm/state.h"
#include "sm/sm_quantum.h"

#include <stdlib.h>
#include <string.h>

// Names that ld's --wrap gives them.
Crew *__real_crew_open(Arena *arena, const CrewWork *work, void *ctx, int threads);
Crew *__wrap_crew_open(Arena *arena, const CrewWork *work, void *ctx, int threads);
uint64_t __real_crew_run(Crew *c);
uint64_t __wrap_crew_run(Crew *c);
void __real_crew_await(Crew *c, uint64_t quantum);
void __wrap_crew_await(Crew *c, uint64_t quantum);
void __real_quantum_store(Sm *sm, uint32_t addr, const void *bytes, uint32_t n);
void __wrap_quantum_store(Sm *sm, uint32_t addr, const void *bytes, uint32_t n);
void __real_apart_performed(MemSystem *m, const Packet *k);
void __wrap_apart_performed(MemSystem *m, const Packet *k);
void __real_device_writes_apply(const DeviceWrites *w, DeviceMemory *m);
void __wrap_device_writes_apply(const DeviceWrites *w, DeviceMemory *m);

static bool is(const char *variable, const char *value) {
    const char *text = getenv(variable);
    return text && !strcmp(text, value);
}

static CrewWork work;
static void *work_ctx;

Crew *__wrap_crew_open(Arena *arena, const CrewWork *w, void *ctx, int threads) {
    work = *w;
    work_ctx = ctx;
    return __real_crew_open(arena, w, ctx, threads);
}

// Quanta begin with their meeting, so that nothing waits within one; the shared part is last.
static int nth(int at) {
    const int half = (work.n + 1) / 2;
    if (is("SMS_ORDER", "reverse")) return work.n - at;
    if (is("SMS_ORDER", "odd")) return at < half ? 2 * at + 1 : 2 * (at - half);
    return at;
}

static uint64_t in_order(void) {
    static uint64_t quantum = 1;
    for (; work.meet(work_ctx, quantum); quantum++) {
        for (int at = 0; at <= work.n; at++) {
            const int i = nth(at);
            if (i == work.n) work.shared(work_ctx, quantum);
            else work.part(work_ctx, i, quantum);
        }
    }
    return quantum;
}

// Work that SM 0 precedes in quantum `quantum`: the others' previous quantum, and the meeting.
static struct {
    uint64_t quantum;
    bool done, goes_on;
} rest = {.quantum = 1, .done = false, .goes_on = false};

static void do_rest(void) {
    if (rest.done) return;
    for (int i = 1; i < work.n && rest.quantum > 1; i++) work.part(work_ctx, i, rest.quantum - 1);
    rest.done = true;
    rest.goes_on = work.meet(work_ctx, rest.quantum);
}

static uint64_t zero_ahead(void) {
    for (bool first = true;; first = false, rest.quantum++) {
        rest.done = first;
        rest.goes_on = first && work.meet(work_ctx, rest.quantum);
        const bool ahead = !first && work.ahead(work_ctx, 0, rest.quantum);
        if (ahead) work.part(work_ctx, 0, rest.quantum);
        do_rest();
        if (!rest.goes_on) return rest.quantum;
        if (!ahead) work.part(work_ctx, 0, rest.quantum);
        work.shared(work_ctx, rest.quantum);
    }
}

uint64_t __wrap_crew_run(Crew *c) {
    if (!getenv("SMS_ORDER") || is("SMS_ORDER", "")) return __real_crew_run(c);
    return is("SMS_ORDER", "ahead") ? zero_ahead() : in_order();
}

// A load does not wait for the stores of the others.
void __wrap_crew_await(Crew *c, uint64_t quantum) {
    if (is("SMS_FAULT", "load-early")) return;
    if (is("SMS_ORDER", "ahead")) do_rest();
    else __real_crew_await(c, quantum);
}

// The other SMs see a store in the quantum in which it is made.
void __wrap_quantum_store(Sm *sm, uint32_t addr, const void *bytes, uint32_t n) {
    if (is("SMS_FAULT", "store-at-once")) memcpy(device_at(sm->memory, addr, n), bytes, n);
    else __real_quantum_store(sm, addr, bytes, n);
}

// An atomic changes memory, and its SM, in the quantum in which it reaches L2.
void __wrap_apart_performed(MemSystem *m, const Packet *k) {
    const Port *port = &m->apart.near[k->port]->ports[k->port];
    if (is("SMS_FAULT", "atomic-at-once"))
        m->perform(m->perform_ctx, k->port, port->slots[k->slot].token, k->lanes);
    else __real_apart_performed(m, k);
}

// Every 50th time the stored values are dropped.
void __wrap_device_writes_apply(const DeviceWrites *w, DeviceMemory *m) {
    static int calls;
    if (is("SMS_FAULT", "lost-stores") && device_writes_any(w) && ++calls % 50 == 0) {
        DeviceMemory nowhere = *m;
        nowhere.base = calloc(1, 1ull << 31);
        panic_if(!nowhere.base, "out of memory");
        __real_device_writes_apply(w, &nowhere);
        free(nowhere.base);
        return;
    }
    __real_device_writes_apply(w, m);
}
