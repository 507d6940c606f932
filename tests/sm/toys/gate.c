// SPDX-License-Identifier: Apache-2.0
// Issue gate: one warp at a time loads from global memory. While it does, the loads of others are
// refused and the warps parked. Besides, warp 0 is held back in every fourth cycle.
#include "toys.h"

static int holder;
static uint64_t refused, taken;

static void *open_toy(Sm *sm, Arena *arena) {
    (void)sm;
    (void)arena;
    holder = SM_NONE;
    refused = taken = 0;
    return NULL;
}

static bool global_load(const SmInst *in) { return in->mem == SM_MEM_READ && in->global; }

static WarpSet may(const Sm *sm, const void *self, WarpSet warps) {
    (void)self;
    return sm->cycle % 4 ? warps : warps & ~1ull;
}

static bool act(Sm *sm, void *self, int warp, const SmInst *in) {
    (void)sm;
    (void)self;
    if (!global_load(in) || holder == SM_NONE || holder == warp) return true;
    refused++;
    return false;
}

static void begun(Sm *sm, void *self, const FlightEvent *e) {
    (void)sm;
    (void)self;
    if (!global_load(e->flight->inst)) return;
    holder = e->flight->warp;
    taken++;
}

static void ended(Sm *sm, void *self, const FlightEvent *e) {
    (void)self;
    if (e->flight->warp != holder || !global_load(e->flight->inst)) return;
    holder = SM_NONE;
    for (WarpSet left = sm->parked; left; left &= left - 1) gate_unpark(sm, lowest(left));
}

static const char *seen(const ToyRun *run, bool alone) {
    if (!taken) return "loads that are let through";
    if (alone && !refused) return "loads that are refused";
    return alone &&
            toy_count(run->with, CTR_STALL_BARRIER) <= toy_count(run->without, CTR_STALL_BARRIER)
        ? "more cycles of the gate's stall class"
        : NULL;
}

static const IssueGate gate = {
    .waits_for = "the only load of the SM", .stall = CTR_STALL_BARRIER, .may = may, .act = act};
static const Listener listener = {.begun = begun, .ended = ended};
static const System system_toy = {.name = "toy-gate",
                                  .what = "one warp at a time loads",
                                  .with = ~0u,
                                  .open = open_toy,
                                  .gate = &gate,
                                  .listener = &listener};
const Toy toy_gate = {&system_toy, seen};
