// SPDX-License-Identifier: Apache-2.0
// Dispatch and the units.
#ifndef SMCOSIM_SM_STAGES_EXECUTE_H
#define SMCOSIM_SM_STAGES_EXECUTE_H

#include "base/arena.h"
#include "sm/flight.h"
#include "sm/warp.h"

void execute_open(Sm *sm, Arena *arena);
void execute_launch(Sm *sm);
void dispatch_stage(Sm *sm);
void execute_control(Sm *sm, Flight *f);  // control instruction with its operands
uint32_t execute_sreg(const Sm *sm, const Warp *w, int sreg, int lane);
uint32_t execute_busy(const Sm *sm);  // ports whose unit takes no instruction in this cycle

#endif
