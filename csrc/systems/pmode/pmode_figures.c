// SPDX-License-Identifier: Apache-2.0
// Figures of the paper on P-mode and of its comparators. The paper's means are over all its
// kernels.
#include "systems/systems.h"

static double cycles_ahead(const FigureRun *r, const FigureRun *base) {
    const uint64_t *v = r->counters->v;
    (void)base;
    return figure_share(v[CTR_PMODE_CYCLES], v[CTR_WARPS_RESIDENT]);
}
static double sessions_per_load(const FigureRun *r, const FigureRun *base) {
    const uint64_t *v = r->counters->v;
    (void)base;
    return v[CTR_PMODE_SESSIONS] ? figure_share(v[CTR_PMODE_SESSIONS], v[CTR_GLOBAL_LOADS]) : NAN;
}
static double reused_share(const FigureRun *r, const FigureRun *base) {
    const uint64_t *v = r->counters->v;
    (void)base;
    return figure_share(v[CTR_PMODE_REUSED], v[CTR_PMODE_QUEUED]);
}

const FigureRow figures_pmode[] = {
    {"pmode gain",
     "Speed-up, P-mode and its comparators",
     "%",
     "cycles of the baseline over those of the architecture",
     false,
     true,
     false,
     {{"pmode", "pmode", figure_cycle_gain, FIGURE_PAPER(13)},
      {"2xtlp", "2xtlp", figure_cycle_gain, FIGURE_PAPER(9)},
      {"2xbw", "2xbw", figure_cycle_gain, FIGURE_PAPER(20)},
      {"pmode:2xbw", "pmode:2xbw", figure_cycle_gain, FIGURE_PAPER(33)},
      {"direct-prefetch", "direct-prefetch", figure_cycle_gain, FIGURE_PAPER(NAN)}}},
    {"sessions",
     "Switches of a warp into P-mode",
     "% of global loads",
     "",
     false,
     false,
     true,
     {{NULL, NULL, sessions_per_load, FIGURE_PAPER(NAN)}}},
    {"ahead",
     "Time of a warp in P-mode",
     "% of warp cycles",
     "",
     false,
     false,
     true,
     {{"pmode", "pmode", cycles_ahead, FIGURE_PAPER(NAN)}}},
    {"reused",
     "Instructions in a P-queue whose result N-mode reuses",
     "% of those queued",
     "",
     false,
     false,
     true,
     {{NULL, NULL, reused_share, FIGURE_PAPER(NAN)}}},
    {0},
};
