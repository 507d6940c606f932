// SPDX-License-Identifier: Apache-2.0
// Part "clocked": the steps of a cycle, for a system with blocks or ports of its own. All that are there are called, in
// the order of the architecture's name; NULL: nothing to do there. In a cycle in which no block is evaluated (golden
// models without work, gpu_cycle_once) none of them is called, so `busy` has to say what must not wait.
#ifndef SMCOSIM_SM_PARTS_CLOCK_H
#define SMCOSIM_SM_PARTS_CLOCK_H

#include <stdbool.h>

typedef struct Sm Sm;

typedef struct Clocked {
    void (*drive)(Sm *sm, void *self);   // inputs that come from a register; before the path's blocks are evaluated
    void (*settle)(Sm *sm, void *self);  // the path's outputs are there; before instructions are dispatched and issue
    void (*tick)(Sm *sm, void *self);    // all have moved: the clock edge
    bool (*busy)(const Sm *sm, const void *self);  // work, with no instruction in a collector and no result
} Clocked;

#endif
