// SPDX-License-Identifier: Apache-2.0
// Access source that takes turns with the LD/ST unit: while loads of the kernel are in flight it
// loads, too.
#include "toys.h"

#include "launch/device_memory.h"

enum { MOST = 500 };

static uint64_t asked, finished;
static int loads;  // of the kernel, in flight

static void *open_toy(Sm *sm, Arena *arena) {
    (void)sm, (void)arena;
    asked = finished = 0;
    loads = 0;
    return NULL;
}

static void count(const FlightEvent *e, int by) {
    if (e->flight->inst->mem == SM_MEM_READ) loads += by;
}

static void begun(Sm *sm, void *self, const FlightEvent *e) { (void)sm, (void)self, count(e, 1); }
static void ended(Sm *sm, void *self, const FlightEvent *e) { (void)sm, (void)self, count(e, -1); }

static bool next(Sm *sm, void *self, MemRequest *r) {
    (void)sm, (void)self;
    if (!loads || asked == MOST) return false;
    *r = (MemRequest){.token = (uint32_t)asked++, .kind = MEM_LOAD, .active = 1, .bytes = 4};
    r->addr[0] = DEVICE_GLOBAL_BASE;
    return true;
}

static void done(Sm *sm, void *self, uint32_t id) {
    (void)sm, (void)self;
    finished += id < asked;
}

// Cycles in which the LD/ST unit or the memory system takes nothing of the kernel.
static uint64_t held(const LaunchReport *r) { return toy_count(r, CTR_WAIT_LDST); }

static const char *seen(const ToyRun *run, bool alone) {
    if (!asked || asked != finished) return "loads that are all done at the end";
    return alone && held(run->with) <= held(run->without) ? "the LD/ST unit to wait for its turn"
                                                          : NULL;
}

static const AccessSource source = {.place = SOURCE_FAIR, .next = next, .done = done};
static const Listener listener = {.begun = begun, .ended = ended};
static const System system_toy = {.name = "toy-fair",
                                  .what = "loads in turn with the program",
                                  .with = ~0u,
                                  .open = open_toy,
                                  .source = &source,
                                  .listener = &listener};
const Toy toy_fair = {&system_toy, seen};
