// SPDX-License-Identifier: Apache-2.0
// Elapsed time, for reports and limits.
#ifndef SMCOSIM_PROC_CLOCK_H
#define SMCOSIM_PROC_CLOCK_H

struct rusage;

// Seconds since an arbitrary moment; the value never decreases.
double clock_seconds(void);
// Seconds of processor time: of this process, of its ended children, of a process with this usage.
double clock_processor(void);
double clock_children(void);
double clock_of_usage(const struct rusage *u);
// The date and time of day, ISO 8601, UTC.
const char *clock_utc(char text[24]);

#endif
