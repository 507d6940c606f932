// SPDX-License-Identifier: Apache-2.0
// A child that makes no progress ends itself.
#ifndef SMCOSIM_PROC_WATCH_H
#define SMCOSIM_PROC_WATCH_H

#include <stdbool.h>
#include <stdint.h>

// This struct is in memory that the parent shares.
typedef struct Watch {
    volatile uint64_t alive;  // incremented by the watched process
    uint64_t seen;            // alive at the last check
    volatile bool stuck;      // the watch ended the process
} Watch;

// Checks every `seconds` of processor time. If w->alive is unchanged, the process ends with status
// 1. Call it at most once per process.
void watch_start(Watch *w, int seconds);

#endif
