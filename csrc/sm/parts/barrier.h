// SPDX-License-Identifier: Apache-2.0
// Part "barrier": who decides when the barriers of a kernel are complete, where not the stage does
// (stages/barrier_stage.c). The stage keeps what waits where, and what a reduction finds; the part
// is told of arrivals and ends, and answers with barrier_release of stages/barrier.h. For barriers
// that a thread beside the warps takes part in (ISA: k = 1).
#ifndef SMCOSIM_SM_PARTS_BARRIER_H
#define SMCOSIM_SM_PARTS_BARRIER_H

#include "sm/flight.h"
#include "sm/listeners/explain_text.h"

typedef struct BarrierArrival {
    int slot, warp, number;
    int count;  // warps that the barrier expects; 0: all that have not ended
    bool sync;  // it waits
    bool with;  // k = 1
} BarrierArrival;

typedef struct BarrierPart {
    bool (*decides)(const Sm *sm, const void *self);  // in the kernel that runs
    void (*arrives)(Sm *sm, void *self, const BarrierArrival *a);
    void (*warp_ends)(Sm *sm, void *self, int slot);
    void (*explain)(Text *t, const Sm *sm, const void *self);  // what else hangs, in words
} BarrierPart;

typedef struct BarrierBinding {
    const BarrierPart *part;
    void *self;
} BarrierBinding;

#endif
