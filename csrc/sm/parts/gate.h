// SPDX-License-Identifier: Apache-2.0
// Part "issue gate": may this warp issue what stands at its head, for a reason that is neither a
// register nor a unit (a resource to be acquired, a rule about who goes first)? All gates must
// agree.
//
//   may   before the scheduler picks, in every cycle of each scheduler: without effect
//   act   after the pick: takes what the instruction needs, or refuses. A refusal costs the
//         scheduler its slot and leaves the policy where it was; the warp is parked until
//         gate_unpark. What an earlier gate has taken is not given back when a later one refuses,
//         so at most one gate of a combination may have an `act`.
#ifndef SMCOSIM_SM_PARTS_GATE_H
#define SMCOSIM_SM_PARTS_GATE_H

#include "counters/counters.h"
#include "sm/flight.h"

typedef struct IssueGate {
    const char *waits_for;  // "an extended register set": for explanations
    // class of a cycle in which nothing issues since it refuses
    CounterId stall;
    // those of `warps` that may; NULL: all
    WarpSet (*may)(const Sm *sm, const void *self, WarpSet warps);
    bool (*act)(Sm *sm, void *self, int warp, const SmInst *in);  // NULL: never refuses
} IssueGate;

void gate_bind(Sm *sm, const IssueGate *part, void *self);
WarpSet gates_may(const Sm *sm, WarpSet warps);
bool gates_act(Sm *sm, int warp, const SmInst *in);
// The gate at which the warp waits: it is parked there or not let through; NULL: none.
const IssueGate *gate_of(const Sm *sm, int warp);
void gate_unpark(Sm *sm, int warp);

#endif
