// SPDX-License-Identifier: Apache-2.0
// Counters of events. A stage itself counts its refusals and waits.
#ifndef SMCOSIM_SM_LISTENERS_STATISTICS_H
#define SMCOSIM_SM_LISTENERS_STATISTICS_H

#include "sm/parts/events.h"

typedef struct Statistics {
    int alu, mem;                // micro-operations in collectors: of SP and SFU, of LD/ST
    int flying_alu, flying_mem;  // instructions in flight, likewise
} Statistics;

// statistics_EVENT: counters are always enabled, so notify_EVENT of state.h calls these by name.
#define E(name, Type) void statistics_##name(Sm *sm, const Type *e);
SM_COUNTED_EVENTS(E)
#undef E

#endif
