// SPDX-License-Identifier: Apache-2.0
// Time that passes, for reports and limits.
#ifndef SMCOSIM_PROC_CLOCK_H
#define SMCOSIM_PROC_CLOCK_H

// Seconds since some moment in the past; it never goes back.
double clock_seconds(void);

#endif
