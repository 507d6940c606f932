// SPDX-License-Identifier: Apache-2.0
// Figures of the thesis, chapter 5: LARF and LAS. It gives no mean over kernels.
#include "systems/systems.h"

// Global loads, as the address mapping table counts them.
static uint64_t count_loads(const uint64_t *v) {
    return v[CTR_LARF_SERVED] + v[CTR_LARF_MISSES] + v[CTR_LARF_UNASKED] + v[CTR_LARF_NOT_ASKED];
}
static double served_share(const FigureRun *r, const FigureRun *base) {
    const uint64_t *v = r->counters->v;
    (void)base;
    return figure_share(v[CTR_LARF_SERVED], count_loads(v));
}
static double asking_share(const FigureRun *r, const FigureRun *base) {
    const uint64_t *v = r->counters->v;
    (void)base;
    return figure_share(v[CTR_LARF_SERVED] + v[CTR_LARF_MISSES], count_loads(v));
}
static double shared_registers(const FigureRun *r, const FigureRun *base) {
    (void)base;
    return figure_counter(r, CTR_LARF_SHARED) / figure_counter(r, CTR_CYCLES);
}

const FigureRow figures_larf[] = {
    {"larf gain",
     "Speed-up of LARF and LAS",
     "%",
     "",
     false,
     true,
     false,
     {{NULL, NULL, figure_cycle_gain, FIGURE_PAPER(NAN)}}},
    {"5.1",
     "Global loads that registers serve",
     "% of global loads",
     "the paper's 80 % is of its best layer",
     false,
     false,
     false,
     {{NULL, NULL, served_share, FIGURE_PAPER(NAN)}}},
    {"larf asked",
     "Global loads that ask the address mapping table",
     "% of global loads",
     "",
     false,
     false,
     false,
     {{NULL, NULL, asking_share, FIGURE_PAPER(NAN)}}},
    {"larf saved",
     "Registers that sharing saves, mean over the cycles",
     "registers",
     "",
     false,
     false,
     false,
     {{NULL, NULL, shared_registers, FIGURE_PAPER(NAN)}}},
    {0},
};
