// SPDX-License-Identifier: Apache-2.0
// Load port behind three stages of the address pipe: it serves every other load with the memory's
// value at dispatch.
#include "toys.h"

enum { STAGES = 3 };

static uint64_t since[SM_FLIGHTS], asked, served, soonest;

static void *open_toy(Sm *sm, Arena *arena) {
    (void)sm, (void)arena;
    asked = served = 0;
    soonest = ~0ull;
    return NULL;
}

static void access_event(Sm *sm, void *self, const FlightEvent *e) {
    (void)self;
    since[flight_index(sm, e->flight)] = sm->cycle;
}

static LoadAnswer probe(Sm *sm, void *self, Flight *f) {
    const uint64_t stages = sm->cycle - since[flight_index(sm, f)];
    (void)self;
    if (!inst_stream_is_own(sm, f->warp, f->stream)) return (LoadAnswer){.from = LOAD_MEMORY};
    if (stages < soonest) soonest = stages;
    if (asked++ % 2) return (LoadAnswer){.from = LOAD_MEMORY};
    served++;
    return (LoadAnswer){.from = LOAD_SERVED, .cycles = 2};
}

static uint64_t lookups(const LaunchReport *r) {
    return toy_count(r, CTR_L1_HITS) + toy_count(r, CTR_L1_MERGES) + toy_count(r, CTR_L1_MISSES);
}

static const char *seen(const ToyRun *run, bool alone) {
    if (!served) return "loads that are served";
    // In the cycle of dispatch the pipe moves once, too; when its end is held it takes longer.
    if (soonest != STAGES - 1) return "to be asked after its stages of the pipe";
    return alone && lookups(run->with) >= lookups(run->without) ? "fewer looks into L1" : NULL;
}

static const LoadPort load = {.stages = STAGES, .probe = probe};
static const Listener listener = {.access = access_event};
static const System system_toy = {.name = "toy-late",
                                  .what = "serves loads in the address pipe",
                                  .with = ~0u,
                                  .open = open_toy,
                                  .load = &load,
                                  .listener = &listener};
const Toy toy_late = {&system_toy, seen};
