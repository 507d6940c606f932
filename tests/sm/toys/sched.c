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

static int first(const Sm *sm, const Scheduler *s, uint64_t of) {
    (void)sm;
    for (int i = s->norder - 1; i >= 0; i--)
        if (of & bit64(s->order[i])) return s->order[i];
    panic("no warp of the set belongs to the scheduler");
}

static uint64_t may(const Sm *sm, const Scheduler *s) {
    (void)sm;
    return s->mine;
}

static void issued(Sm *sm, Scheduler *s, int warp) {
    (void)sm;
    picked++;
    youngest += s->order[s->norder - 1] == warp;
}

static const char *seen(const ToyRun *run, bool alone) {
    (void)run;
    (void)alone;
    return picked && youngest ? NULL : "warps that are picked, of them some youngest ones";
}

static const SchedPolicy sched = {"youngest", cycle, first, may, issued, NULL};
static const System system_toy = {.name = "toy-sched", .what = "the youngest warp first", .with = ~0u, .open = open_toy,
                                  .sched = &sched};
const Toy toy_sched = {&system_toy, seen};
