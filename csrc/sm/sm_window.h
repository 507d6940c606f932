// SPDX-License-Identifier: Apache-2.0
// Several SMs, each simulated by itself through a window of cycles (mem_window), then brought
// together.
#ifndef SMCOSIM_SM_WINDOW_H
#define SMCOSIM_SM_WINDOW_H

#include "base/diag.h"

#include "sm/flight.h"

typedef struct Gpu Gpu;

void windows_open(Gpu *g, Arena *arena);
void window_open(Sm *sm, Arena *arena);
void window_launch(Sm *sm);              // a kernel begins
bool windows_run(Gpu *g, Diag *d);       // .. and ends, or fails
uint64_t gpu_most_cycles(const Gpu *g);  // of a kernel

// Global memory as the SM sees it: bytes that were read are replaced by what it has stored in this
// window; a store.
void window_load(const Sm *sm, uint32_t addr, void *bytes, uint32_t n);
void window_store(Sm *sm, uint32_t addr, const void *bytes, uint32_t n);
bool window_stored(const Sm *sm);
// Before it reads global memory: waits until the other SMs have ended the window before.
void window_await(Sm *sm);
// One of its atomics has been performed, at the end of the window.
void window_performed(Sm *sm);
// The system call is executed at the end of the window.
void window_call(Sm *sm, Flight *f);

#endif
