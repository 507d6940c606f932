// SPDX-License-Identifier: Apache-2.0
// Counters are declared once, in counters.def; every report is generated from that table.
#ifndef SMCOSIM_COUNTERS_COUNTERS_H
#define SMCOSIM_COUNTERS_COUNTERS_H

#include <stdint.h>

typedef enum CounterId {
#define COUNTER(id, group, name, unit, meaning) CTR_##id,
#include "counters/counters.def"
#undef COUNTER
    CTR_COUNT
} CounterId;

typedef struct Counters {
    uint64_t v[CTR_COUNT];
} Counters;

typedef struct CounterInfo {
    const char *id, *group, *name, *unit, *meaning;
} CounterInfo;
extern const CounterInfo counter_info[CTR_COUNT];

#endif
