// SPDX-License-Identifier: Apache-2.0
// Issued instructions into collectors.
#ifndef SMCOSIM_SM_STAGES_COLLECT_H
#define SMCOSIM_SM_STAGES_COLLECT_H

#include "base/arena.h"
#include "sm/flight.h"

void collect_open(Sm *sm, Arena *arena);
void collect_launch(Sm *sm);
void collect_begin(Sm *sm);                   // a cycle begins: no allocation port was used in it
// From the entry registers into the collectors; says which ports take an instruction in this cycle.
void collect_stage(Sm *sm);
// Micro-operation `uop` of the instruction takes the next port; the caller has seen collect_room.
void collect_alloc(Sm *sm, Flight *f, int uop);
bool collect_room(const Sm *sm);              // a port takes an instruction
// The micro-operation in the collector leaves it.
void collect_leave(Sm *sm, int slot);
// Something is in an entry register or collector, or was allocated in this cycle.
bool collect_busy(const Sm *sm);
// The entry register that holds something of the instruction, SM_NONE.
int collect_entry(const Sm *sm, const Flight *f);

#endif
