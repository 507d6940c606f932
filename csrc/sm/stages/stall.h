// SPDX-License-Identifier: Apache-2.0
// What every scheduler cycle was, what every warp is doing.
#ifndef SMCOSIM_SM_STAGES_STALL_H
#define SMCOSIM_SM_STAGES_STALL_H

#include "base/arena.h"
#include "counters/counters.h"
#include "sm/flight.h"
#include "sm/parts/sched.h"

void stall_open(Sm *sm, Arena *arena);
CounterId stall_class(const Sm *sm, const Scheduler *s);  // of a scheduler that issued nothing
void stall_note(Sm *sm, int scheduler, CounterId what);
void stall_states(Sm *sm);                    // per-warp states for waves and hooks

#endif
