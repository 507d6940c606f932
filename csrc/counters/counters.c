// SPDX-License-Identifier: Apache-2.0
#include "counters/counters.h"

const CounterInfo counter_info[CTR_COUNT] = {
#define COUNTER(id, group, name, unit, meaning) {#id, group, name, unit, meaning},
#include "counters/counters.def"
#undef COUNTER
};
