// SPDX-License-Identifier: Apache-2.0
// Counts of each instruction of a program (listeners/line_listener.c). The sum of a field
// over all rows is a counter of counters.def; line_sums names it, and the profile checks it.
#ifndef SMCOSIM_SM_LINE_COUNTS_H
#define SMCOSIM_SM_LINE_COUNTS_H

#include "counters/counters.h"

enum { LINE_CLASSES = CTR_STALL_NONE_LEFT - CTR_ISSUED + 1 };

typedef struct LineCounts {
    uint64_t classes[LINE_CLASSES];   // scheduler cycles, from CTR_ISSUED on
    uint64_t issued, lanes;           // warp instructions, active lanes of them
    uint64_t guarded;                 // active lanes for which the guard holds
    uint64_t waited;                  // warp cycles since the warp issued before, with its issue
    uint64_t flight_alu, flight_mem;  // cycles from issue to the last write
    uint64_t uops, operands;          // passes through a collector, registers that they read
    uint64_t forwarded;               // operands forwarded without a bank access
    uint64_t read_conflicts, write_conflicts;  // request cycles that a bank refused
    uint64_t requests, lines;   // requests to the memory system; 128-byte lines of global memory
    uint64_t shared_conflicts;  // cycles
    uint64_t missed;            // lines of loads and atomics that wait for L2
    uint64_t served;            // loads that no memory request answered
} LineCounts;

// Fields whose sum is that of n counters.
enum { LINE_SUM_COUNTERS = 4 };
typedef struct LineSum {
    const char *name;
    size_t at;  // in LineCounts
    int n;
    CounterId of[LINE_SUM_COUNTERS];
} LineSum;
extern const LineSum line_sums[];
extern const int line_nsums;

#endif
