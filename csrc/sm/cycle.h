// SPDX-License-Identifier: Apache-2.0
// The cycle of the SM and of the memory system behind it.
#ifndef SMCOSIM_SM_CYCLE_H
#define SMCOSIM_SM_CYCLE_H

#include "sm/sm.h"

typedef struct Sm Sm;

// A cycle of the SM and its side of the memory system.
void sm_cycle_once(Sm *sm);
// A cycle of the operand path alone: nothing issues and no result arrives.
void sm_cycle_path(Sm *sm, uint64_t cycle);

#endif
