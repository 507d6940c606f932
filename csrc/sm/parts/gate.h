// SPDX-License-Identifier: Apache-2.0
// Part "issue gate": may a warp issue its head, for a reason other than registers and units?
// Examples are a resource to acquire or a rule of priority. All gates must agree.
//
//   may   before the scheduler picks, in every cycle of each scheduler: without effect
//   act   after the pick: acquires a resource for the instruction, or refuses
//
// A refusal costs the scheduler its slot and leaves the policy's state unchanged. The warp is
// parked until gate_unpark. At most one gate of a combination may have an `act`, because a later
// refusal does not release the resources that an earlier gate acquired.
#ifndef SMCOSIM_SM_PARTS_GATE_H
#define SMCOSIM_SM_PARTS_GATE_H

#include "counters/counters.h"
#include "sm/flight.h"

typedef struct IssueGate {
    const char *waits_for;  // "an extended register set": for explanations
    // class of a cycle in which nothing issues because the gate refuses
    CounterId stall;
    // the subset of `warps` that may issue; NULL: all
    WarpSet (*may)(const Sm *sm, const void *self, WarpSet warps);
    bool (*act)(Sm *sm, void *self, int warp, const SmInst *in);  // NULL: never refuses
} IssueGate;

void gate_bind(Sm *sm, const IssueGate *part, void *self);
WarpSet gates_may(const Sm *sm, WarpSet warps);
bool gates_act(Sm *sm, int warp, const SmInst *in);
// The gate at which the warp waits, either parked or held back by `may`; NULL: none.
const IssueGate *gate_of(const Sm *sm, int warp);
void gate_unpark(Sm *sm, int warp);

#endif
