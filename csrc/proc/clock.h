// SPDX-License-Identifier: Apache-2.0
// Time that passes, for reports and limits.
#ifndef SMCOSIM_PROC_CLOCK_H
#define SMCOSIM_PROC_CLOCK_H

struct rusage;

// Seconds since some moment in the past; it never goes back.
double clock_seconds(void);
// Seconds of processor time: of this process, of its children that have ended, of a process with
// this usage.
double clock_processor(void);
double clock_children(void);
double clock_of_usage(const struct rusage *u);
// The date and time of day, ISO 8601, UTC.
const char *clock_utc(char text[24]);

#endif
