// SPDX-License-Identifier: Apache-2.0
// Several architectures on the same launches, side by side (smcosim compare).
//   compare_report.c   the table and JSON
//   figures.c   the papers' figures from the counters, with the papers' averages
//   plot.c      the page: runs with their verdicts, figures as charts (chart.h)
#ifndef SMCOSIM_REPORT_COMPARE_H
#define SMCOSIM_REPORT_COMPARE_H

#include "report/report.h"

enum { COMPARE_MAX_ARCHS = 16 };

typedef struct Compare {
    const char *version, *command;
    const MachineConfig *cfg;
    const char *archs[COMPARE_MAX_ARCHS];
    int narchs, nlaunches;
    LaunchReport *cells;  // [launch * narchs + arch]
    // blocks of the architecture without work in all launches, if idle blocks fail
    ReportWork *work[COMPARE_MAX_ARCHS];
    int nwork[COMPARE_MAX_ARCHS];
} Compare;

static inline const LaunchReport *compare_cell(const Compare *c, int launch, int arch) {
    return &c->cells[launch * c->narchs + arch];
}
static inline bool compare_passed(const Compare *c, int launch) {
    for (int a = 0; a < c->narchs; a++)
        if (compare_cell(c, launch, a)->status != EXIT_PASS) return false;
    return true;
}
int compare_arch(const Compare *c, const char *name);  // column, -1: not there
// A kernel counts as floating point when at least this share of its instructions is.
#define COMPARE_FLOAT_SHARE 0.15
bool compare_is_float(const Compare *c, int launch);

// One bar per launch for each series of a figure.
enum { FIGURE_MAX_SERIES = 8 };
typedef struct FigureSeries {
    const char *name, *arch;
    double *value;                         // [launch]; NaN: not there
    double mean, mean_int, mean_float;     // over launches that passed
    double paper, paper_int, paper_float;  // NaN: the paper gives none
} FigureSeries;
typedef struct Figure {
    const char *id, *title, *unit, *note;
    bool stacked;
    FigureSeries series[FIGURE_MAX_SERIES];
    int nseries;
} Figure;

// Figures that the architectures of the comparison allow; memory on the arena. Returns their
// number.
int compare_figures(const Compare *c, Arena *arena, Figure **figures);

void compare_table(FILE *out, const Compare *c, const Figure *figures, int nfigures);
bool compare_json(const char *path, const Compare *c, const Figure *figures, int nfigures, Diag *d);
// Writes DIR/figure-ID.svg and .csv of every figure; the folder is made.
bool compare_export(const char *dir, const Compare *c, const Figure *figures, int nfigures,
                    Diag *d);
bool compare_html(const char *path, const Compare *c, const Figure *figures, int nfigures, Diag *d);

#endif
