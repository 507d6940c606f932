// SPDX-License-Identifier: Apache-2.0
#include "sm/parts/barrier_state.h"

void barrier_open(Sm *sm, Arena *arena) { sm->barriers = ARENA_NEW(arena, Barriers); }

void barrier_launch(Sm *sm) {
    for (int w = 0; w < SM_MAX_WARPS; w++) sm->barriers->number[w] = SM_NONE;
}

void barrier_cta_begins(Sm *sm, int slot) {
    for (int i = 0; i < SM_MAX_BARRIERS; i++) sm->barriers->of[slot][i] = (Barrier){0};
}

int barrier_expected(const Cta *cta, const Barrier *b) {
    return b->expected ? b->expected : cta->live;
}

int barrier_of(const Sm *sm, int warp, int *arrived, int *expected) {
    const int slot = sm->warps[warp].cta, number = sm->barriers->number[warp];
    if (number == SM_NONE) return SM_NONE;
    const Barrier *b = &sm->barriers->of[slot][number];
    *arrived = b->arrived;
    *expected = barrier_expected(&sm->ctas[slot], b);
    return number;
}
