// SPDX-License-Identifier: Apache-2.0
// Even warps issue in even cycles, odd ones in odd cycles.
#include "sm/state.h"

static WarpSet may(const Sm *sm, const void *self, WarpSet warps) {
    (void)self;
    return warps & (sm->cycle % 2 ? ~(WarpSet)0 / 3 * 2 : ~(WarpSet)0 / 3);
}

static const IssueGate gate = {
    .waits_for = "its half of the cycles", .stall = CTR_STALL_BARRIER, .may = may};

static const System system_halves = {
    .name = "halves",
    .what = "even warps issue in even cycles, odd ones in odd cycles",
    .group = 0,   // of no group: any number of systems like it in a combination
    .with = ~0u,  // combines with the systems of every group
    .gate = &gate,
};

// ---- the check of tests/sm/toys: csrc/README.md shows what is above ----

#include "toys.h"

static const char *seen(const ToyRun *run, bool alone) {
    if (!alone ||
        toy_count(run->with, CTR_STALL_BARRIER) > toy_count(run->without, CTR_STALL_BARRIER))
        return NULL;
    return "more cycles of the gate's class";
}

const Toy toy_halves = {&system_halves, seen};
