// SPDX-License-Identifier: Apache-2.0
// Figures of a chapter as drawings: values of kernels, then their means beside the paper's.
#ifndef SMCOSIM_BENCH_REPRO_DRAW_H
#define SMCOSIM_BENCH_REPRO_DRAW_H

#include "common.h"
#include "report/chart.h"

enum { REPRO_MEANS = 3, REPRO_SERIES = 16, REPRO_GROUPS = 128 };

typedef struct ReproDrawing {
    Chart chart;
    const char *groups[REPRO_GROUPS];
    ChartSeries series[REPRO_SERIES];
    double values[REPRO_SERIES][REPRO_GROUPS], paper[REPRO_SERIES][REPRO_GROUPS];
    int nkernels;
} ReproDrawing;

// id names the files; bars, unit in per cent, until the caller says otherwise.
void repro_drawing(ReproDrawing *d, const char *id, const char *title, const char *note, int nkernels, const char *const *kernels);
// A further series; its values of the kernels are the caller's to fill in.
double *repro_series(ReproDrawing *d, const char *name, const char *arch);
// Of the last series: 0 over all kernels, 1 integer, 2 floating point. NaN: none. Means of classes are drawn where the
// kernels are of both.
void repro_mean(ReproDrawing *d, int which, double value, double paper);
// Writes folder/figure-ID.svg and .csv.
void repro_draw(ReproDrawing *d, const char *folder);

#endif
