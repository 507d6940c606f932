// SPDX-License-Identifier: Apache-2.0
#include "sm/parts/figure.h"

double figure_ipc_gain(const FigureRun *r, const FigureRun *base) {
    return 100 * (figure_ipc(r) / figure_ipc(base) - 1);
}

double figure_cycle_gain(const FigureRun *r, const FigureRun *base) {
    return 100 * (figure_counter(base, CTR_CYCLES) / figure_counter(r, CTR_CYCLES) - 1);
}

double figure_dram_busy(const FigureRun *r, const FigureRun *base) {
    (void)base;
    return figure_share(r->counters->v[CTR_DRAM_BUSY], r->counters->v[CTR_CYCLES]);
}
