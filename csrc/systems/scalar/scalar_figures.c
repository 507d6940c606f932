// SPDX-License-Identifier: Apache-2.0
// Figures of the paper on the flexible scalar unit. Its means are over the kernels that each use
// suits.
#include "systems/systems.h"

static double scalar_share(const FigureRun *r, const FigureRun *base) {
    const uint64_t *v = r->counters->v;
    (void)base;
    return figure_share(v[CTR_SCALAR_INSTS], v[CTR_WARP_INSTS]);
}
static double thread_share(const FigureRun *r, const FigureRun *base) {
    const uint64_t *v = r->counters->v;
    (void)base;
    return figure_share(v[CTR_SCALAR_RESIDENT], v[CTR_CYCLES]) / 100;
}

const FigureRow figures_scalar[] = {
    {"scalar 7",
     "Speed-up by a scalar unit",
     "%",
     "the paper's: prefetching, of eight kernels",
     false,
     true,
     false,
     {{"scalar-prefetch", "scalar-prefetch", figure_cycle_gain, FIGURE_PAPER(19.3)},
      {"scalar", "scalar", figure_cycle_gain, FIGURE_PAPER(NAN)},
      {"scalar-divergence", "scalar-divergence", figure_cycle_gain, FIGURE_PAPER(NAN)},
      {"scalar-extract", "scalar-extract", figure_cycle_gain, FIGURE_PAPER(NAN)},
      {"scalar-gcn", "scalar-gcn", figure_cycle_gain, FIGURE_PAPER(NAN)}}},
    {"scalar instructions",
     "Instructions that scalar units issue",
     "% of warp instructions",
     "",
     false,
     false,
     false,
     {{NULL, NULL, scalar_share, FIGURE_PAPER(NAN)}}},
    {"scalar threads",
     "Scalar threads that run, mean over the cycles",
     "threads",
     "",
     false,
     false,
     true,
     {{NULL, NULL, thread_share, FIGURE_PAPER(NAN)}}},
    {0},
};
