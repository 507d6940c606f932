// SPDX-License-Identifier: Apache-2.0
// Rates of a kernel, and the part of the SM that limits it.
#include "report/profile_report.h"

#include "config/memory_limits.h"

enum { SECTOR = 32, ROW = 128 };  // bytes: of a line, of a register of all lanes

static double ratio_of(double a, double b) { return b > 0 ? a / b : 0; }

static double dram_bytes(const Counters *c) {
    return SECTOR * (double)(c->v[CTR_DRAM_READ_SECTORS] + c->v[CTR_DRAM_WRITE_SECTORS]);
}

static double register_accesses(const Counters *c) {
    return (double)(c->v[CTR_RF_READS] + c->v[CTR_RF_WRITES]);
}

// Cycles of all SMs.
static double sm_cycles(const Counters *c, int sms) {
    return (double)c->v[CTR_CYCLES] * (sms > 1 ? sms : 1);
}

// Of one SM, bytes per cycle.
static double dram_peak(const MachineConfig *cfg) {
    MemoryLimit limits[MEMORY_LIMITS];
    config_memory_limits(cfg, limits);
    return limits[LIMIT_DRAM].bytes;
}
static double l2_peak(const MachineConfig *cfg) {
    return (double)cfg->l2_banks * cfg->l2_bank_width / cfg->sm_count_gpu;
}

double profile_ipc(const Counters *c, int sms) {
    return ratio_of((double)c->v[CTR_WARP_INSTS], sm_cycles(c, sms));
}

void profile_rates(const Counters *c, const MachineConfig *cfg, int sms,
                   ProfileRate rates[PROFILE_RATES]) {
    const double cycles = sm_cycles(c, sms), giga = cfg->clock_mhz / 1000.0, n = sms > 1 ? sms : 1;
    const double l1 = (double)(c->v[CTR_L1_HITS] + c->v[CTR_L1_MERGES] + c->v[CTR_L1_MISSES]);
    const double l2 = (double)(c->v[CTR_L2_HITS] + c->v[CTR_L2_MISSES]);
    rates[0] =
        (ProfileRate){"issue", "instructions/cycle", profile_ipc(c, sms), cfg->sm_schedulers};
    rates[1] = (ProfileRate){"register file", "accesses/cycle",
                             ratio_of(register_accesses(c), cycles), cfg->rf_banks};
    rates[2] = (ProfileRate){"L1 loads", "GB/s", ratio_of(l1 * cfg->l1_line, cycles) * giga * n,
                             cfg->l1_line * giga * n};
    rates[3] = (ProfileRate){"L2", "GB/s", ratio_of(l2 * cfg->l1_line, cycles) * giga * n,
                             l2_peak(cfg) * giga * n};
    rates[4] = (ProfileRate){"DRAM", "GB/s", ratio_of(dram_bytes(c), cycles) * giga * n,
                             dram_peak(cfg) * giga * n};
    rates[5] = (ProfileRate){"resident warps", "warps",
                             ratio_of((double)c->v[CTR_WARPS_RESIDENT], cycles), cfg->sm_warps};
}

int profile_roofs(const Counters *c, const MachineConfig *cfg, ProfileRoof roofs[PROFILE_ROOFS]) {
    const double insts = (double)c->v[CTR_WARP_INSTS];
    roofs[ROOF_ISSUE] = (ProfileRoof){"issue", 1, cfg->sm_schedulers, 0};
    roofs[ROOF_REGISTERS] =
        (ProfileRoof){"register file", ratio_of(ROW * register_accesses(c), insts),
                      (double)ROW * cfg->rf_banks, 0};
    roofs[ROOF_DRAM] = (ProfileRoof){"DRAM", ratio_of(dram_bytes(c), insts), dram_peak(cfg), 0};
    int least = ROOF_ISSUE;
    for (int i = 0; i < PROFILE_ROOFS; i++) {
        roofs[i].roof = ratio_of(roofs[i].peak, roofs[i].per_inst);
        if (roofs[i].roof > 0 && roofs[i].roof < roofs[least].roof) least = i;
    }
    return least;
}
