// SPDX-License-Identifier: Apache-2.0
// The class of a scheduler cycle without issue.
#ifndef SMCOSIM_SM_STAGES_STALL_H
#define SMCOSIM_SM_STAGES_STALL_H

#include "counters/counters.h"
#include "sm/flight.h"
#include "sm/parts/sched.h"

CounterId stall_class(const Sm *sm, const Scheduler *s);  // of a scheduler that issued nothing

#endif
