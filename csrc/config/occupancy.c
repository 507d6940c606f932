// SPDX-License-Identifier: Apache-2.0
#include "config/occupancy.h"

enum { LANES = 32, SHARED_GRANULE = 128 };

int occupancy_given_regs(const MachineConfig *cfg, int regs) {
    return (regs + cfg->rf_granularity - 1) / cfg->rf_granularity * cfg->rf_granularity;
}

uint64_t occupancy_shared(uint64_t bytes) {
    return (bytes + SHARED_GRANULE - 1) / SHARED_GRANULE * SHARED_GRANULE;
}

uint64_t occupancy_ctas(const MachineConfig *cfg, const CtaNeed *need, CtaLimit *limit) {
    const uint64_t warps = need->threads ? (uint64_t)(need->threads + LANES - 1) / LANES : 1;
    const uint64_t regs = (uint64_t)occupancy_given_regs(cfg, need->regs) * warps;
    const uint64_t ctas = need->threads ? (uint64_t)cfg->sm_ctas : ~0ull;
    const CtaLimit limits[] = {
        {"CTAs", "CTAs", "CTAs", 1, ctas},
        {"warps", "warps", "warps", warps, (uint64_t)cfg->sm_warps},
        {"threads", "threads (in whole warps)", "threads", warps * LANES,
         (uint64_t)cfg->sm_threads},
        {"registers", "warp registers", "warp registers", regs,
         (uint64_t)cfg->rf_banks * (uint64_t)cfg->rf_entries},
        {"shared memory", "bytes", "bytes", occupancy_shared(need->shared_bytes),
         (uint64_t)cfg->shared_bytes},
    };
    uint64_t least = ~0ull;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        const uint64_t fits = limits[i].needed ? limits[i].there / limits[i].needed : ~0ull;
        if (fits >= least) continue;
        least = fits;
        if (limit) *limit = limits[i];
        if (!least) break;
    }
    return least;
}

int occupancy_regs_for(const MachineConfig *cfg, CtaNeed need, uint64_t ctas, int most) {
    for (need.regs = most; need.regs > 0; need.regs--)
        if (occupancy_ctas(cfg, &need, NULL) >= ctas) return need.regs;
    return 0;
}

int occupancy_free_regs(const MachineConfig *cfg, CtaNeed need, int most) {
    const int free_regs = occupancy_regs_for(cfg, need, occupancy_ctas(cfg, &need, NULL), most);
    return free_regs > need.regs ? free_regs : need.regs;
}

SplitOccupancy occupancy_split(const MachineConfig *cfg, CtaNeed need, int base, int ext) {
    const uint64_t rows = (uint64_t)cfg->rf_banks * (uint64_t)cfg->rf_entries;
    const uint64_t warps = need.threads ? (uint64_t)(need.threads + LANES - 1) / LANES : 1;
    need.regs = 0;
    SplitOccupancy s = {.ctas = occupancy_ctas(cfg, &need, NULL)};
    if (base && s.ctas > rows / ((uint64_t)base * warps)) s.ctas = rows / ((uint64_t)base * warps);
    s.warps = s.ctas * warps;
    if (ext) s.sections = (rows - (uint64_t)base * s.warps) / (uint64_t)ext;
    if (s.sections > (uint64_t)cfg->sm_warps) s.sections = (uint64_t)cfg->sm_warps;
    return s;
}
