// SPDX-License-Identifier: Apache-2.0
// Barriers of CTAs.
#ifndef SMCOSIM_SM_STAGES_BARRIER_H
#define SMCOSIM_SM_STAGES_BARRIER_H

#include "base/arena.h"
#include "sm/flight.h"

enum { SM_MAX_BARRIERS = 16 };

void barrier_open(Sm *sm, Arena *arena);
void barrier_launch(Sm *sm);
void barrier_cta_begins(Sm *sm, int slot);
void barrier_arrive(Sm *sm, Flight *f, uint32_t number, uint32_t threads, bool counted);
void barrier_warp_ended(Sm *sm, int slot);
// Called if a system decides (parts/barrier.h): the barrier is complete and releases these warps.
void barrier_release(Sm *sm, int slot, int number, uint64_t warps);
// The barrier at which the warp waits, with the numbers of arrived and expected warps; SM_NONE:
// none.
int barrier_of(const Sm *sm, int warp, int *arrived, int *expected);

#endif
