// SPDX-License-Identifier: Apache-2.0
// The class of a scheduler cycle without issue.
#ifndef SMCOSIM_SM_STAGES_STALL_H
#define SMCOSIM_SM_STAGES_STALL_H

#include "counters/counters.h"
#include "sm/flight.h"
#include "sm/parts/sched.h"

// Of a scheduler that issued nothing. *warp: the one that gave the reason, SM_NONE where none is
// left.
CounterId stall_class(const Sm *sm, const Scheduler *s, int *warp);

#endif
