// SPDX-License-Identifier: Apache-2.0
// Access source: for each load of global memory the line behind it is prefetched, when the LD/ST
// unit is idle.
#include "toys.h"

static uint32_t next_line;
static uint64_t asked, done_count;

static void *open_toy(Sm *sm, Arena *arena) {
    (void)sm;
    (void)arena;
    next_line = 0;
    asked = done_count = 0;
    return NULL;
}

static void access_event(Sm *sm, void *self, const FlightEvent *e) {
    const Flight *f = e->flight;
    (void)sm;
    (void)self;
    if (f->inst->isa->op == ISA_LD && f->access.lanes_of[0])
        next_line = (f->access.addr[__builtin_ctz(f->access.lanes_of[0])] & ~127u) + 128;
}

static bool next(Sm *sm, void *self, MemRequest *r) {
    (void)sm;
    (void)self;
    if (!next_line) return false;
    *r = (MemRequest){
        .token = (uint32_t)(asked++ % SOURCE_IDS), .kind = MEM_PREFETCH, .active = 1, .bytes = 4};
    r->addr[0] = next_line;
    next_line = 0;
    return true;
}

static void done(Sm *sm, void *self, uint32_t id) {
    (void)sm;
    (void)self;
    (void)id;
    done_count++;
}

static uint64_t lookups(const LaunchReport *r) {
    return toy_count(r, CTR_L1_HITS) + toy_count(r, CTR_L1_MERGES) + toy_count(r, CTR_L1_MISSES);
}

static const char *seen(const ToyRun *run, bool alone) {
    if (!asked || asked != done_count) return "prefetches that are all done at the end";
    return alone && lookups(run->with) != lookups(run->without) + asked
        ? "a look into L1 for each prefetch"
        : NULL;
}

static const AccessSource source = {.place = SOURCE_IDLE, .next = next, .done = done};
static const Listener listener = {.access = access_event};
static const System system_toy = {.name = "toy-source",
                                  .what = "prefetches the next line",
                                  .with = ~0u,
                                  .open = open_toy,
                                  .source = &source,
                                  .listener = &listener};
const Toy toy_source = {&system_toy, seen};
