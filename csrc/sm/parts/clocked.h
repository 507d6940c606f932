// SPDX-License-Identifier: Apache-2.0
// Part "clocked": the steps of a cycle, for a system with its own blocks or ports. All clocked
// parts are called, in the order of the architecture's name. NULL: no work in that step.
//
// Without work, cycle.c does not evaluate golden models in every cycle; then no step is called. If
// an instruction issues in a cycle that began without work, `drive` follows issue and `settle` is
// not called. A request offered in that cycle is offered again in the next cycle.
#ifndef SMCOSIM_SM_PARTS_CLOCK_H
#define SMCOSIM_SM_PARTS_CLOCK_H

#include <stdbool.h>

typedef struct Sm Sm;

typedef struct Clocked {
    // The write ports hold their results; the path's blocks are not yet evaluated.
    void (*drive)(Sm *sm, void *self);
    void (*settle)(Sm *sm, void *self);  // The blocks are evaluated; nothing has dispatched or
                                         // issued.
    // The clock edge, after the edge of the path's blocks.
    void (*tick)(Sm *sm, void *self);
    // The system has work, although all collectors are free and no result waits.
    bool (*busy)(const Sm *sm, const void *self);
} Clocked;

void clock_bind(Sm *sm, const Clocked *part, void *self);

#endif
