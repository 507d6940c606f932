// SPDX-License-Identifier: Apache-2.0
// Part "clocked": the steps of a cycle, for a system with blocks or ports of its own. All that are
// there are called, in the order of the architecture's name; NULL: nothing to do there.
//
// Golden models without work are not evaluated in every cycle (cycle.c): then nothing is called. In
// a cycle that began without work, and in which an instruction issued, `drive` comes after issue,
// and `settle` does not come: what is offered then is offered again in the next cycle.
#ifndef SMCOSIM_SM_PARTS_CLOCK_H
#define SMCOSIM_SM_PARTS_CLOCK_H

#include <stdbool.h>

typedef struct Sm Sm;

typedef struct Clocked {
    // results stand at the write ports; the path's blocks are not yet evaluated
    void (*drive)(Sm *sm, void *self);
    void (*settle)(Sm *sm, void *self);  // they are; nothing was dispatched, nothing has issued
    // all have moved: the clock edge, after that of the path's blocks
    void (*tick)(Sm *sm, void *self);
    // there is work, though no collector is busy and no result waits
    bool (*busy)(const Sm *sm, const void *self);
} Clocked;

void clock_bind(Sm *sm, const Clocked *part, void *self);

#endif
