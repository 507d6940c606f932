// SPDX-License-Identifier: Apache-2.0
// Memory order within a warp. A store or atomic waits until the warp's older memory instructions
// have been performed. A load waits until the warp's older stores have been performed. Loads and
// stores to global memory also wait for its atomics, which are performed at L2. A barrier waits for
// all of these, a fence until every memory instruction is done.
#ifndef SMCOSIM_SM_PARTS_ORDER_H
#define SMCOSIM_SM_PARTS_ORDER_H

#include "base/arena.h"
#include "sm/flight.h"
#include "sm/warp.h"

typedef struct Text Text;

void order_open(Sm *sm, Arena *arena);
void order_warp_begins(Sm *sm, int warp);
// Query for an instruction with in->keeps_order.
Hazard order_query(const Sm *sm, int warp, const SmInst *in);
void order_begin(Sm *sm, const Flight *f);  // a memory instruction has issued
// a load has its value; a store is visible to the warp
void order_performed(Sm *sm, const Flight *f);
void order_atomic_performed(Sm *sm, const Flight *f);  // at L2
void order_done(Sm *sm, const Flight *f);              // completed in the memory system
bool order_idle(const Sm *sm, int warp);               // nothing is outstanding
// The cause of the wait, in words. False: the cause is not memory order.
bool order_explain(Text *t, const Sm *sm, int warp, Hazard hazard);

#endif
