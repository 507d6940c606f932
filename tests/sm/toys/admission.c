// SPDX-License-Identifier: Apache-2.0
// Admission: half of the CTAs that the machine would hold, at least one, and no two CTAs start
// within 50 cycles.
#include "toys.h"

static uint64_t next, begun, beyond, half;  // half: of the kernel that runs
static int resident;

static void *open_toy(Sm *sm, Arena *arena) {
    (void)sm;
    (void)arena;
    next = begun = beyond = half = 0;
    resident = 0;
    return NULL;
}

static uint64_t ctas(const Sm *sm, const void *self, const CtaNeed *need, CtaLimit *limit) {
    (void)self;
    const uint64_t all = occupancy_ctas(sm->cfg, need, limit);
    limit->what = "half of it";
    return half = all > 1 ? all / 2 : all;
}

static bool may_start(const Sm *sm, const void *self, int slot) {
    (void)self;
    (void)slot;
    return sm->cycle >= next;
}

static void warp_begins(Sm *sm, void *self, int warp) {
    (void)self;
    (void)warp;
    next = sm->cycle + 50;
    begun++;
    beyond += ++resident > (int)half * sm->warps_per_cta;
}

static void warp_ends(Sm *sm, void *self, int warp) {
    (void)sm;
    (void)self;
    (void)warp;
    resident--;
}

static const char *seen(const ToyRun *run, bool alone) {
    (void)run;
    (void)alone;
    if (!begun || resident) return "warps that begin and end";
    return beyond ? "half the warps" : NULL;
}

static const Admission admission = {
    .ctas = ctas, .may_start = may_start, .warp_begins = warp_begins, .warp_ends = warp_ends};
static const System system_toy = {.name = "toy-admission",
                                  .what = "takes half",
                                  .with = ~0u,
                                  .open = open_toy,
                                  .admission = &admission};
const Toy toy_admission = {&system_toy, seen};
