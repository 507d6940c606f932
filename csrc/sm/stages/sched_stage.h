// SPDX-License-Identifier: Apache-2.0
// The schedulers: their warps.
#ifndef SMCOSIM_SM_STAGES_SCHED_H
#define SMCOSIM_SM_STAGES_SCHED_H

#include "sm/flight.h"

void sched_open(Sm *sm);
void sched_launch(Sm *sm);
void sched_warp_begins(Sm *sm, int warp);
void sched_warp_ends(Sm *sm, int warp);

#endif
