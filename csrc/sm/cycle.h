// SPDX-License-Identifier: Apache-2.0
// The cycle of the SM and of the memory system behind it.
#ifndef SMCOSIM_SM_CYCLE_H
#define SMCOSIM_SM_CYCLE_H

#include "sm/sm.h"

void gpu_cycle_once(Gpu *g);

#endif
