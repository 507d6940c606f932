// SPDX-License-Identifier: Apache-2.0
// The cycle of the SM and of the memory system behind it.
#ifndef SMCOSIM_SM_CYCLE_H
#define SMCOSIM_SM_CYCLE_H

#include "sm/sm.h"

void gpu_cycle_once(Gpu *g);
// A cycle of the operand path alone, in which nothing issues and no result comes.
void gpu_cycle_path(Gpu *g, uint64_t cycle);

#endif
