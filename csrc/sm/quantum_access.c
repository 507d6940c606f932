// SPDX-License-Identifier: Apache-2.0
// Global memory, atomics and system calls of an SM during a quantum.
#include "sm/crew.h"
#include "sm/quantum_state.h"
#include "sm/sm_quantum.h"

void quantum_open(Sm *sm, Arena *arena) {
    sm->quantum = ARENA_NEW(arena, Quantum);
    for (int i = 0; i < 2; i++)
        sm->quantum->writes[i] = device_writes_open(arena, QUANTUM_MOST_WORDS);
    sm->memory = &sm->quantum->memory;
    *sm->memory = *sm->gpu->options.memory;
}

void quantum_launch(Sm *sm) {
    *sm->memory = *sm->gpu->options.memory;
    sm->quantum->ncalls = 0;
    sm->quantum->diag = (Diag){0};
}

void quantum_load(const Sm *sm, uint32_t addr, void *bytes, uint32_t n) {
    device_written(quantum_writes(sm), addr, bytes, n);
}

void quantum_store(Sm *sm, uint32_t addr, const void *bytes, uint32_t n) {
    device_write(quantum_writes(sm), addr, bytes, n);
}

bool quantum_stored(const Sm *sm) { return device_writes_any(quantum_writes(sm)); }

void quantum_performed(Sm *sm) { sm->quantum->ends[sm->quantum->number & 1].progress = sm->cycle; }

void quantum_await(Sm *sm) {
    if (!sm->quantum || sm->quantum->met) return;
    crew_await(sm->gpu->crew, sm->quantum->number);
    sm->quantum->met = true;
}

void quantum_call(Sm *sm, Flight *f) {
    Quantum *w = sm->quantum;
    panic_if(w->ncalls == QUANTUM_MOST_CALLS, "more than %d system calls in a quantum",
             QUANTUM_MOST_CALLS);
    w->calls[w->ncalls++] = f;
}
