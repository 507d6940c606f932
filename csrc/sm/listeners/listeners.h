// SPDX-License-Identifier: Apache-2.0
// The SM's listeners that are independent of the architecture (parts/events.h). Each subscribes
// itself.
#ifndef SMCOSIM_SM_LISTENERS_LISTENERS_H
#define SMCOSIM_SM_LISTENERS_LISTENERS_H

#include "base/arena.h"
#include "sm/sm.h"

typedef struct Sm Sm;
typedef struct RetireListener RetireListener;
typedef struct TraceListener TraceListener;
typedef struct LineListener LineListener;
typedef struct LineCounts LineCounts;

// stats.reuse: distances at which a warp's instructions name a register.
void reuse_listen(Sm *sm, Arena *arena);

// --check retire.
RetireListener *retire_listen(Sm *sm, Arena *arena);
// For several SMs: the first SM's check holds global memory. Stores of this SM reach it at the
// exchange.
void retire_listen_apart(RetireListener *r, Arena *arena, RetireListener *first);
void retire_listener_exchange(RetireListener *r);
void retire_unlisten(RetireListener *r);
uint64_t retire_listener_compared(const RetireListener *r);

// Hooks of the embedding program, kept by reference.
TraceListener *trace_listen(Sm *sm, Arena *arena, const SmHooks *hooks);

// Counts by instruction (sm/line_counts.h).
LineListener *lines_listen(Sm *sm, Arena *arena);
// Those of the kernel: a row for each instruction, and one for all else. Until the next kernel.
const LineCounts *lines_counted(const LineListener *l, int *n);

// SM signals for waves, while one is written.
void view_listen(Sm *sm, Arena *arena);
void view_unlisten(Sm *sm);

#endif
