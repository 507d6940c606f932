// SPDX-License-Identifier: Apache-2.0
// The lower half of the warps issues for TURN cycles, then the upper half.
#include "sm/state.h"

enum { TURN = 64 };

static WarpSet may(const Sm *sm, const void *self, WarpSet warps) {
    (void)self;
    const WarpSet lower = ((WarpSet)1 << sm->cfg->sm_warps / 2) - 1;
    return warps & (sm->cycle / TURN % 2 ? ~lower : lower);
}

static const IssueGate gate = {.waits_for = "its turn", .stall = CTR_STALL_BARRIER, .may = may};

const System system_turns = {
    .name = "turns",
    .what = "one half of the warps issues at a time",
    .group = 0,   // of no group
    .with = ~0u,  // combines with the systems of every group
    .gate = &gate,
};
