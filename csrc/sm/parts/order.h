// SPDX-License-Identifier: Apache-2.0
// Memory order within a warp: a store or atomic waits until the warp's older memory instructions
// have been performed, a load until its older stores have; loads and stores to global memory wait
// for its atomics, which are performed at L2; barriers wait for both, a fence until every memory
// instruction is done.
#ifndef SMCOSIM_SM_PARTS_ORDER_H
#define SMCOSIM_SM_PARTS_ORDER_H

#include "base/arena.h"
#include "sm/flight.h"
#include "sm/warp.h"

typedef struct Text Text;

void order_open(Sm *sm, Arena *arena);
void order_warp_begins(Sm *sm, int warp);
// of an instruction with in->keeps_order
Hazard order_query(const Sm *sm, int warp, const SmInst *in);
void order_begin(Sm *sm, const Flight *f);  // a memory instruction has issued
// loads have their value, stores are visible to the warp
void order_performed(Sm *sm, const Flight *f);
void order_atomic_performed(Sm *sm, const Flight *f);  // at L2
void order_done(Sm *sm, const Flight *f);              // the memory system is done with it
bool order_idle(const Sm *sm, int warp);               // nothing is outstanding
// What the instruction waits for, in words. False: not for memory order.
bool order_explain(Text *t, const Sm *sm, int warp, Hazard hazard);

#endif
