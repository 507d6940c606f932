// SPDX-License-Identifier: Apache-2.0
// A number of a run by its name: a counter, a ratio of two counters, IPC, or energy.
#ifndef SMCOSIM_REPORT_METRIC_H
#define SMCOSIM_REPORT_METRIC_H

#include "base/arena.h"
#include "base/diag.h"
#include "config/config.h"
#include "counters/counters.h"

typedef enum MetricKind { METRIC_IPC, METRIC_ENERGY, METRIC_COUNTER, METRIC_RATIO } MetricKind;
typedef struct Metric {
    MetricKind kind;
    const char *name;  // as given
    CounterId of, per;
} Metric;

// "ipc", "energy" (of the register file, nJ, with the constants of the CORF paper), "COUNTER" or
// "COUNTER/COUNTER", with the names of `list counters`. `option` names the option in the message.
// EXIT_USAGE with a suggestion.
bool metric_parse(Metric *m, Arena *arena, const char *text, const char *option, Diag *d);
// NaN: a ratio to 0.
double metric_value(const Metric *m, const Counters *c, const MachineConfig *cfg);

#endif
