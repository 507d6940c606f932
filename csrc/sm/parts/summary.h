// SPDX-License-Identifier: Apache-2.0
// A system's summary in the report of a run: rows derived from its counters. A summary prints
// nothing if the system had no work in the run.
#ifndef SMCOSIM_SM_PARTS_SUMMARY_H
#define SMCOSIM_SM_PARTS_SUMMARY_H

#include "config/config.h"
#include "counters/counters.h"
#include "counters/energy.h"

#include <stdio.h>

typedef struct SummaryRun {
    const Counters *counters;  // of all SMs
    const MachineConfig *cfg;
    int bow_rows;  // rows of a bypassing collector, if the architecture has one
} SummaryRun;
typedef void Summary(FILE *out, const SummaryRun *run);

// A row: name, value, and `extra` printed by the format, with its unit. format, unit: may be NULL.
void summary_row(FILE *out, const char *name, uint64_t value, const char *format, double extra,
                 const char *unit);
double summary_ratio(uint64_t a, uint64_t b);  // 0 if b is 0
// Energy of the register file and of the structures added to it.
void summary_energy(FILE *out, Energy e);

#endif
