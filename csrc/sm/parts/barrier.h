// SPDX-License-Identifier: Apache-2.0
// Part "barrier": decides when the barriers of a kernel are complete, instead of
// stages/barrier_stage.c. It serves barriers with a thread that runs beside the warps (ISA: k = 1).
// The stage records the waiting warps and the results of reductions. It reports arrivals and ends
// to the part, and the part answers with barrier_release of stages/barrier_stage.h.
#ifndef SMCOSIM_SM_PARTS_BARRIER_H
#define SMCOSIM_SM_PARTS_BARRIER_H

#include "sm/flight.h"
#include "sm/parts/explain_inst.h"

typedef struct BarrierArrival {
    int slot, warp, number;
    int count;  // warps that the barrier expects; 0: all that have not ended
    bool sync;  // the warp waits
    bool with;  // k = 1
} BarrierArrival;

typedef struct BarrierPart {
    bool (*decides)(const Sm *sm, const void *self);  // for the kernel in progress
    void (*arrives)(Sm *sm, void *self, const BarrierArrival *a);
    void (*warp_ends)(Sm *sm, void *self, int slot);
    void (*explain)(Text *t, const Sm *sm, const void *self);  // other causes of a hang, in words
} BarrierPart;

typedef struct BarrierBinding {
    const BarrierPart *part;
    void *self;
} BarrierBinding;

#endif
