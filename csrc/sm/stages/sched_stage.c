// SPDX-License-Identifier: Apache-2.0
// Warp scheduling policies. A policy is four functions over sets of warps; issue.c is independent
// of the policy.
#include "sm/stages/sched_stage.h"

#include "sm/state.h"

#include <string.h>

static int from_rotation(WarpSet of, int rotate) {
    WarpSet above = of & ~(warp_bit(rotate) - 1);
    return lowest(above ? above : of);
}

static void rotate_issued(Sm *sm, Scheduler *s, int warp) {
    (void)sm;
    s->last = warp;
    s->rotate = (warp + 1) % SM_MAX_WARPS;
}

// ---- gto: the warp that issued last as long as it can, otherwise the oldest ----

static int gto_first(const Sm *sm, const Scheduler *s, WarpSet of) {
    if (s->last != SM_NONE && has_warp(of, s->last)) return s->last;
    (void)sm;
    for (int i = 0; i < s->nages; i++)
        if (of & s->ages[i]) return lowest(of & s->ages[i]);
    panic("no warp of the set belongs to the scheduler");
}

static void gto_issued(Sm *sm, Scheduler *s, int warp) {
    (void)sm;
    s->last = warp;
}

// ---- lrr: loose round robin ----

static int lrr_first(const Sm *sm, const Scheduler *s, WarpSet of) {
    (void)sm;
    return from_rotation(of, s->rotate);
}

// ---- two-level: round robin over a small active set; a warp that waits for memory, at a barrier
// or at an issue gate leaves the set, and the next warp that does not wait enters the set ----

// Warps that a gate stalls may wait for resources of warps outside the set.
static WarpSet at_gate(const Sm *sm, const Scheduler *s) {
    if (!sm->gates.n) return 0;
    const WarpSet ready = sm->ready & s->mine;
    return sm->parked | (ready & ~gates_may(sm, ready));
}

static void two_level_cycle(Sm *sm, Scheduler *s) {
    WarpSet waits = sm->long_wait | sm->at_barrier | sm->ended | ~sm->resident | at_gate(sm, s);
    s->active &= ~waits;
    WarpSet pending = s->mine & ~waits & ~s->active;
    int size = warps_in(s->active);
    while (pending && size < sm->cfg->sm_active_warps) {
        int warp = from_rotation(pending, s->rotate);
        s->active |= warp_bit(warp);
        pending &= ~warp_bit(warp);
        size++;
    }
}

static WarpSet two_level_may(const Sm *sm, const Scheduler *s) {
    (void)sm;
    return s->active;
}

const SchedPolicy sched_policies[] = {
    [SCHED_GTO] = {.name = "gto", .first = gto_first, .issued = gto_issued},
    [SCHED_LRR] = {.name = "lrr", .first = lrr_first, .issued = rotate_issued},
    [SCHED_TWO_LEVEL] = {.name = "two-level",
                         .cycle = two_level_cycle,
                         .first = lrr_first,
                         .may = two_level_may,
                         .issued = rotate_issued},
};

// ---- the schedulers ----

void sched_open(Sm *sm) {
    const MachineConfig *cfg = sm->cfg;
    sm->policy = &sched_policies[cfg->sm_scheduler];
    for (int i = 0; i < cfg->sm_schedulers; i++)
        for (int w = i; w < cfg->sm_warps; w += cfg->sm_schedulers)
            sm->sched[i].mine |= warp_bit(w);
}

void sched_launch(Sm *sm) {
    for (int i = 0; i < SM_MAX_SCHED; i++) {
        Scheduler *s = &sm->sched[i];
        s->last = s->second = SM_NONE;
        s->active = 0;
        s->rotate = s->nages = 0;
        s->youngest = SM_MAX_WARPS;
    }
}

static Scheduler *scheduler_of(Sm *sm, int warp) {
    return &sm->sched[warp % sm->cfg->sm_schedulers];
}

void sched_warp_begins(Sm *sm, int warp) {
    Scheduler *s = scheduler_of(sm, warp);
    if (warp < s->youngest) s->ages[s->nages++] = 0;
    s->ages[s->nages - 1] |= warp_bit(warp);
    s->youngest = warp;
}

void sched_warp_ends(Sm *sm, int warp) {
    Scheduler *s = scheduler_of(sm, warp);
    int i = 0;
    while (!warp_in(&s->ages[i], warp)) i++;
    warp_drop(&s->ages[i], warp);
    if (!s->ages[i]) {
        memmove(&s->ages[i], &s->ages[i + 1], (size_t)(--s->nages - i) * sizeof *s->ages);
        if (i == s->nages) s->youngest = SM_MAX_WARPS;
    }
    if (s->last == warp) s->last = SM_NONE;
}
