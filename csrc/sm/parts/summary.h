// SPDX-License-Identifier: Apache-2.0
// A system's summary in the report of a run: rows that its counters give. It prints nothing when
// the run gave it no work.
#ifndef SMCOSIM_SM_PARTS_SUMMARY_H
#define SMCOSIM_SM_PARTS_SUMMARY_H

#include "config/config.h"
#include "counters/counters.h"
#include "counters/energy.h"

#include <stdio.h>

typedef struct SummaryRun {
    const Counters *counters;  // of all SMs
    const MachineConfig *cfg;
    int bow_rows;  // of a bypassing collector, where the architecture has them
} SummaryRun;
typedef void Summary(FILE *out, const SummaryRun *run);

// A row: name, value, and `extra` as the format prints it, with its unit. format, unit: may be
// NULL.
void summary_row(FILE *out, const char *name, uint64_t value, const char *format, double extra,
                 const char *unit);
double summary_ratio(uint64_t a, uint64_t b);  // 0 where b is 0
// Energy of the register file and of what is added to it.
void summary_energy(FILE *out, Energy e);

#endif
