// SPDX-License-Identifier: Apache-2.0
// Arrived and waiting warps of each barrier of each CTA. barrier_stage.c counts arrivals and
// releases warps.
#ifndef SMCOSIM_SM_PARTS_BARRIER_STATE_H
#define SMCOSIM_SM_PARTS_BARRIER_STATE_H

#include "base/arena.h"
#include "sm/state.h"

enum { SM_MAX_BARRIERS = 16 };

typedef struct Barrier {
    int arrived;        // warps
    int expected;       // warps; 0: every warp of the CTA that has not ended
    WarpSet waiting;    // warps to release
    uint32_t any, all;  // reductions: lanes' predicates
    uint32_t count;
} Barrier;

struct Barriers {
    Barrier of[SM_MAX_CTAS][SM_MAX_BARRIERS];
    int number[SM_MAX_WARPS];      // the warp waits there, SM_NONE
    Flight *flight[SM_MAX_WARPS];  // with this instruction
};

void barrier_open(Sm *sm, Arena *arena);
void barrier_launch(Sm *sm);
void barrier_cta_begins(Sm *sm, int slot);
// warps that the barrier waits for in all
int barrier_expected(const Cta *cta, const Barrier *b);
// The barrier at which the warp waits, with the numbers of arrived and expected warps; SM_NONE:
// none.
int barrier_of(const Sm *sm, int warp, int *arrived, int *expected);

#endif
