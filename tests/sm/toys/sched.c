// SPDX-License-Identifier: Apache-2.0
// Scheduler: the youngest warp first.
#include "toys.h"

static uint64_t picked, youngest;

static void *open_toy(Sm *sm, Arena *arena) {
    (void)sm;
    (void)arena;
    picked = youngest = 0;
    return NULL;
}

static void cycle(Sm *sm, Scheduler *s) {
    (void)sm;
    (void)s;
}

static int youngest_of(const Scheduler *s, WarpSet of) {
    int i = s->nages - 1;
    while (i >= 0 && !(of & s->ages[i])) i--;
    panic_if(i < 0, "no warp of the set belongs to the scheduler");
    WarpSet set = of & s->ages[i];
    while (set & (set - 1)) set &= set - 1;  // the highest
    return lowest(set);
}

static int first(const Sm *sm, const Scheduler *s, WarpSet of) {
    (void)sm;
    return youngest_of(s, of);
}

static WarpSet may(const Sm *sm, const Scheduler *s) {
    (void)sm;
    return s->mine;
}

static void issued(Sm *sm, Scheduler *s, int warp) {
    (void)sm;
    picked++;
    youngest += youngest_of(s, ~(WarpSet)0) == warp;
}

static const char *seen(const ToyRun *run, bool alone) {
    (void)run, (void)alone;
    return picked && youngest ? NULL : "warps that are picked, of them some youngest ones";
}

static const SchedPolicy sched = {"youngest", cycle, first, may, issued};
static const System system_toy = {.name = "toy-sched",
                                  .what = "the youngest warp first",
                                  .with = ~0u,
                                  .open = open_toy,
                                  .sched = &sched};
const Toy toy_sched = {&system_toy, seen};
