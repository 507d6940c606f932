// SPDX-License-Identifier: Apache-2.0
// Figures of the thesis, chapter 4: RegMutex and OWF. The paper's means are over the kernels that
// registers limit.
#include "systems/systems.h"

static double more_cycles(const FigureRun *r, const FigureRun *base) {
    return 100 * (figure_counter(r, CTR_CYCLES) / figure_counter(base, CTR_CYCLES) - 1);
}
static double resident_warps(const FigureRun *r, const FigureRun *base) {
    (void)base;
    return figure_counter(r, CTR_WARPS_RESIDENT) / figure_counter(r, CTR_CYCLES);
}
static double held_sections(const FigureRun *r, const FigureRun *base) {
    const uint64_t *v = r->counters->v;
    (void)base;
    return v[CTR_ACQ_GRANTED] ? (double)v[CTR_SECTION_CYCLES] / (double)v[CTR_CYCLES] : NAN;
}
static double granted_share(const FigureRun *r, const FigureRun *base) {
    const uint64_t *v = r->counters->v;
    (void)base;
    return figure_share(v[CTR_ACQ_FIRST], v[CTR_ACQ_GRANTED]);
}

const FigureRow figures_regmutex[] = {
    {"4.7",
     "Cycles, whole register file",
     "% more",
     "the paper's: kernels that registers limit",
     false,
     false,
     false,
     {{"regmutex", "regmutex", more_cycles, FIGURE_PAPER(-13)},
      {"regmutex-paired", "regmutex-paired", more_cycles, FIGURE_PAPER(-8)},
      {"owf", "owf", more_cycles, FIGURE_PAPER(-1.9)},
      {"rfv", "rfv", more_cycles, FIGURE_PAPER(-16.2)}}},
    {"warps",
     "Resident warps, mean over the cycles",
     "warps",
     "",
     false,
     false,
     false,
     {{"baseline", "baseline", resident_warps, FIGURE_PAPER(NAN)},
      {NULL, NULL, resident_warps, FIGURE_PAPER(NAN)}}},
    {"sections",
     "Sections of the shared pool that warps hold, mean over the cycles",
     "sections",
     "",
     false,
     false,
     true,
     {{NULL, NULL, held_sections, FIGURE_PAPER(NAN)}}},
    {"granted",
     "Acquires that are granted at once",
     "% of acquires",
     "",
     false,
     false,
     true,
     {{NULL, NULL, granted_share, FIGURE_PAPER(NAN)}}},
    {0},
};
