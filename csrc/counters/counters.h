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

enum { COUNTER_BANKS = 32 };  // banks of the register file

typedef struct Counters {
    uint64_t v[CTR_COUNT];
    // their sums are RF_READS and RF_WRITES
    uint64_t bank_reads[COUNTER_BANKS], bank_writes[COUNTER_BANKS];
} Counters;

typedef struct CounterInfo {
    const char *id, *group, *name, *unit, *meaning;
} CounterInfo;
extern const CounterInfo counter_info[CTR_COUNT];

#endif
