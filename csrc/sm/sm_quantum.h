// SPDX-License-Identifier: Apache-2.0
// Several SMs, each simulated independently for a quantum of cycles (mem_quantum), then
// synchronized.
#ifndef SMCOSIM_SM_QUANTUM_H
#define SMCOSIM_SM_QUANTUM_H

#include "base/diag.h"

#include "sm/flight.h"

typedef struct Gpu Gpu;

void quanta_open(Gpu *g, Arena *arena);
void quantum_open(Sm *sm, Arena *arena);
void quantum_launch(Sm *sm);             // a kernel begins
bool quanta_run(Gpu *g, Diag *d);        // runs the kernel to its end; false: it failed
uint64_t gpu_most_cycles(const Gpu *g);  // of a kernel

// Global memory as the SM sees it. `quantum_load` replaces the bytes read by those that the SM has
// stored in this quantum. `quantum_store` records a store.
void quantum_load(const Sm *sm, uint32_t addr, void *bytes, uint32_t n);
void quantum_store(Sm *sm, uint32_t addr, const void *bytes, uint32_t n);
bool quantum_stored(const Sm *sm);
// Called before the SM reads global memory: waits until the other SMs have ended the previous
// quantum.
void quantum_await(Sm *sm);
// An atomic of the SM has been performed, at the end of the quantum.
void quantum_performed(Sm *sm);
// The system call is executed at the end of the quantum.
void quantum_call(Sm *sm, Flight *f);

#endif
