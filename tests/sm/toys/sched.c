// SPDX-License-Identifier: Apache-2.0
// Scheduler: the youngest warp first, but for one that a gate has just refused: that one comes last.
#include "toys.h"

static uint64_t picked, youngest, refusals;
static WarpSet last[SM_MAX_SCHED];  // warps that were refused since one issued

static void *open_toy(Sm *sm, Arena *arena) {
    (void)sm;
    (void)arena;
    picked = youngest = refusals = 0;
    memset(last, 0, sizeof last);
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
    const WarpSet others = of & ~last[s - sm->sched];
    return youngest_of(s, others ? others : of);
}

static WarpSet may(const Sm *sm, const Scheduler *s) {
    (void)sm;
    return s->mine;
}

static void issued(Sm *sm, Scheduler *s, int warp) {
    last[s - sm->sched] = 0;
    picked++;
    youngest += youngest_of(s, ~(WarpSet)0) == warp;
}

static void refused(Sm *sm, Scheduler *s, int warp) {
    last[s - sm->sched] |= warp_bit(warp);
    refusals++;
}

static const char *seen(const ToyRun *run, bool alone) {
    (void)run;
    if (alone ? refusals : refusals != toy_gate_refusals()) return "to be told of each refusal of the gate";
    return picked && youngest ? NULL : "warps that are picked, of them some youngest ones";
}

static const SchedPolicy sched = {"youngest", cycle, first, may, issued, refused};
static const System system_toy = {.name = "toy-sched", .what = "the youngest warp first", .with = ~0u, .open = open_toy,
                                  .sched = &sched};
const Toy toy_sched = {&system_toy, seen};
