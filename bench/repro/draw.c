// SPDX-License-Identifier: Apache-2.0
#include "draw.h"

#include <math.h>
#include <string.h>

void repro_drawing(ReproDrawing *d, const char *id, const char *title, const char *note, int nkernels, const char *const *kernels) {
    static const char *const means[REPRO_MEANS] = {"mean", "mean, integer", "mean, float"};
    if (nkernels + REPRO_MEANS > REPRO_GROUPS) repro_die(REPRO_FAILED, "figure %s: %d kernels are too many", id, nkernels);
    memset(d, 0, sizeof *d);
    d->nkernels = nkernels;
    for (int i = 0; i < nkernels; i++) d->groups[i] = kernels[i];
    for (int i = 0; i < REPRO_MEANS; i++) d->groups[nkernels + i] = means[i];
    d->chart = (Chart){.kind = CHART_BARS, .id = id, .title = repro_text("%s %s", id, title), .unit = "%", .note = note, .groups = d->groups,
                       .ngroups = nkernels, .series = d->series};
}

double *repro_series(ReproDrawing *d, const char *name, const char *arch) {
    const int k = d->chart.nseries++;
    if (k == REPRO_SERIES) repro_die(REPRO_FAILED, "figure %s: too many series", d->chart.id);
    for (int g = 0; g < REPRO_GROUPS; g++) d->values[k][g] = d->paper[k][g] = NAN;
    d->series[k] = (ChartSeries){.name = name, .arch = arch, .values = d->values[k], .paper = d->paper[k]};
    return d->values[k];
}

void repro_mean(ReproDrawing *d, int which, double value, double paper) {
    const int k = d->chart.nseries - 1;
    d->values[k][d->nkernels + which] = value;
    d->paper[k][d->nkernels + which] = paper;
}

static bool has_mean(const ReproDrawing *d, int which) {
    for (int k = 0; k < d->chart.nseries; k++)
        if (isfinite(d->values[k][d->nkernels + which])) return true;
    return false;
}

void repro_draw(ReproDrawing *d, const char *folder) {
    Diag diag = {0};
    const bool classes = has_mean(d, 1) && has_mean(d, 2);
    int n = d->nkernels;
    for (int m = 0; m < REPRO_MEANS; m++) { // those that are there move up
        const int from = d->nkernels + m;
        if (m ? !classes : !has_mean(d, 0)) continue;
        for (int k = 0; k < d->chart.nseries; k++) d->values[k][n] = d->values[k][from], d->paper[k][n] = d->paper[k][from];
        d->groups[n++] = d->groups[from];
    }
    d->chart.ngroups = n;
    d->chart.nsums = n - d->nkernels;
    if (!chart_files(folder, &d->chart, &diag)) repro_die((int)diag.status, "%s", diag.text);
}
