// SPDX-License-Identifier: Apache-2.0
// A child that gets on no more ends itself.
#ifndef SMCOSIM_PROC_WATCH_H
#define SMCOSIM_PROC_WATCH_H

#include <stdbool.h>
#include <stdint.h>

// In memory that the parent shares.
typedef struct Watch {
    volatile uint64_t alive;  // raised by who is watched
    uint64_t seen;            // alive at the last look
    volatile bool stuck;      // the watch ended the process
} Watch;

// Checks every so many seconds of processor time. If w->alive is unchanged, the process ends with
// status 1. Once in a process.
void watch_start(Watch *w, int seconds);

#endif
