// SPDX-License-Identifier: Apache-2.0
// Issue gate: at most one warp at a time is between the issue of a global load and its end (a lock that is acquired).
// Of the others a load is refused, and they are parked until the holder's value is there; warp 0 is held back
// besides in every fourth cycle.
#include "toys.h"

static int holder;
static uint64_t refused, taken, held_back;

static void *open_toy(Sm *sm, Arena *arena) {
    (void)sm;
    (void)arena;
    holder = SM_NONE;
    refused = taken = held_back = 0;
    return NULL;
}

static uint64_t may(const Sm *sm, const void *self, uint64_t warps) {
    (void)self;
    if (sm->cycle % 4 || !(warps & 1)) return warps;
    held_back++;
    return warps & ~1ull;
}

static bool act(Sm *sm, void *self, int warp, const SmInst *in) {
    (void)sm;
    (void)self;
    if (in->mem != SM_MEM_READ || !in->global) return true;
    if (holder != SM_NONE && holder != warp) return refused++, false;
    holder = warp;
    taken++;
    return true;
}

// The warp's memory instructions are done: the next may have the lock.
static void ended(Sm *sm, void *self, const FlightEvent *e) {
    (void)self;
    if (e->flight->warp != holder || e->flight->inst->mem == SM_MEM_NOT) return;
    holder = SM_NONE;
    for (uint64_t left = sm->parked; left; left &= left - 1) gate_unpark(sm, lowest(left));
}
