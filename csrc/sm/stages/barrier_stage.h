// SPDX-License-Identifier: Apache-2.0
// Barriers of CTAs.
#ifndef SMCOSIM_SM_STAGES_BARRIER_H
#define SMCOSIM_SM_STAGES_BARRIER_H

#include "base/arena.h"
#include "sm/flight.h"

void barrier_arrive(Sm *sm, Flight *f, uint32_t number, uint32_t threads, bool counted);
void barrier_warp_ended(Sm *sm, int slot);
// Called if a system decides (parts/barrier.h): the barrier is complete and releases these warps.
void barrier_release(Sm *sm, int slot, int number, uint64_t warps);

#endif
