// SPDX-License-Identifier: Apache-2.0
// A system's figures in a comparison of architectures: numbers of its paper, from counters of runs.
// The rows of a family are one table, which its systems share; `smcosim compare` shows the tables
// of the systems that it is given.
#ifndef SMCOSIM_SM_PARTS_FIGURE_H
#define SMCOSIM_SM_PARTS_FIGURE_H

#include "config/config.h"
#include "counters/counters.h"

#include <math.h>
#include <stdbool.h>

// A launch file's run on one architecture.
typedef struct FigureRun {
    const Counters *counters;
    const MachineConfig *cfg;
    int insts;  // static machine instructions of its kernels
} FigureRun;

// A number of the run, beside the baseline's run of the same launch file. NaN: it has none.
typedef double FigureMeasure(const FigureRun *run, const FigureRun *base);

typedef struct FigureSeriesRow {
    // arch NULL: a series for each architecture with a system of this table, under its name
    const char *name, *arch;
    FigureMeasure *measure;
    double paper, paper_int, paper_float;  // the paper's means, NaN: it gives none
} FigureSeriesRow;

enum { FIGURE_MAX_ROWS = 8 };
typedef struct FigureRow {
    const char *id, *title, *unit, *note;  // id NULL: the end of the table
    // stacked: shares of a whole; harmonic: improvements in per cent, averaged as ratios;
    // counted: shown only if a run has a number
    bool stacked, harmonic, counted;
    FigureSeriesRow series[FIGURE_MAX_ROWS];
} FigureRow;
#define FIGURE_PAPER(x) (x), NAN, NAN

static inline double figure_counter(const FigureRun *r, CounterId id) {
    return (double)r->counters->v[id];
}
// a of b in per cent; NaN: there is no b.
static inline double figure_share(uint64_t a, uint64_t b) {
    return b ? 100.0 * (double)a / (double)b : NAN;
}
static inline double figure_ipc(const FigureRun *r) {
    return figure_counter(r, CTR_WARP_INSTS) / figure_counter(r, CTR_CYCLES);
}
static inline int figure_registers(const FigureRun *r) {
    return r->cfg->rf_banks * r->cfg->rf_entries;
}
// Measures that several families share.
extern FigureMeasure figure_ipc_gain;    // per cent
extern FigureMeasure figure_cycle_gain;  // of cycles, baseline / run, in per cent
extern FigureMeasure figure_dram_busy;   // share of the cycles, per cent

#endif
