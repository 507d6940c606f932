// SPDX-License-Identifier: Apache-2.0
#include "sm/parts/clocked.h"

#include "sm/state.h"

void clock_bind(Sm *sm, const Clocked *part, void *self) {
    ClockSet *c = &sm->clocks;
    panic_if(c->n == SM_MAX_PARTS, "more than %d clocked parts", SM_MAX_PARTS);
    c->of[c->n++] = (BoundClock){part, self};
}
