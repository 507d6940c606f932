// SPDX-License-Identifier: Apache-2.0
// Bytes that one SM can transfer per cycle: lines in flight divided by their latency, and its share
// of DRAM. If lines in flight are the limit, fewer bytes per line (compression) save no time, and
// more warps request no more lines.
#ifndef SMCOSIM_CONFIG_MEMORY_LIMITS_H
#define SMCOSIM_CONFIG_MEMORY_LIMITS_H

#include "config/config.h"

typedef struct MemoryLimit {
    const char *name;   // "L1 MSHRs", "L2 MSHRs", "DRAM share"
    double bytes;       // per cycle and SM
    int lines, cycles;  // lines of l1.line bytes per this many unloaded cycles; 0: DRAM share
} MemoryLimit;

enum { LIMIT_L1, LIMIT_L2, LIMIT_DRAM, MEMORY_LIMITS };

// Returns the limit that applies, LIMIT_*.
int config_memory_limits(const MachineConfig *cfg, MemoryLimit limits[MEMORY_LIMITS]);

#endif
