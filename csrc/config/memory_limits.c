// SPDX-License-Identifier: Apache-2.0
#include "config/memory_limits.h"

static MemoryLimit limit_in_flight(const char *name, int lines, int line, int cycles) {
    const int least = cycles > 0 ? cycles : 1;
    return (MemoryLimit){name, (double)lines * line / least, lines, least};
}

int config_memory_limits(const MachineConfig *cfg, MemoryLimit limits[MEMORY_LIMITS]) {
    const double share = (double)cfg->dram_bytes_per_kcycle / 1000 / cfg->sm_count_gpu;
    limits[LIMIT_L1] = limit_in_flight("L1 MSHRs", cfg->l1_mshrs, cfg->l1_line, cfg->dram_latency);
    limits[LIMIT_L2] = limit_in_flight("L2 MSHRs", cfg->l2_mshrs, cfg->l1_line,
                                       cfg->dram_latency - cfg->l2_latency);
    limits[LIMIT_DRAM] = (MemoryLimit){.name = "DRAM share", .bytes = share};
    int binds = LIMIT_DRAM;
    for (int i = 0; i < MEMORY_LIMITS; i++)
        if (limits[i].bytes < limits[binds].bytes) binds = i;
    return binds;
}
