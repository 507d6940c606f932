// SPDX-License-Identifier: Apache-2.0
// Several architectures on the same launches (smcosim compare).
//   compare_report.c   the table and JSON
//   compare_values.c   numbers of kernels with their spread, means over kernels
//   compare_files.c    values per kernel as CSV and LaTeX
//   figures.c   the papers' figures of the systems compared, with the papers' averages
//   compare_charts.c   the drawings (chart.h)
//   plot.c      the page: runs with their verdicts, figures, drawings
#ifndef SMCOSIM_REPORT_COMPARE_H
#define SMCOSIM_REPORT_COMPARE_H

#include "report/interval.h"
#include "report/metric.h"
#include "report/report.h"
#include "sm/parts/system.h"

enum { COMPARE_MAX_ARCHS = 16 };

// An architecture with settings of its own.
typedef struct CompareColumn {
    const char *label;     // "corf++,oc.collectors=31"
    const char *settings;  // the label behind the name: ",oc.collectors=31"; "": none
    const Arch *arch;
    const MachineConfig *cfg;
} CompareColumn;

typedef struct Compare {
    const char *version, *command, *machine;
    CompareColumn columns[COMPARE_MAX_ARCHS];
    int narchs, nlaunches;
    int nruns;              // of each cell: 1, or those of --spread, perturbed but the first
    LaunchReport *cells;    // [(run * nlaunches + launch) * narchs + arch]
    const Metric *scatter;  // --scatter: gains against this number of the first column; NULL: none
    // blocks of the architecture without work in all launches, if idle blocks fail
    ReportWork *work[COMPARE_MAX_ARCHS];
    int nwork[COMPARE_MAX_ARCHS];
} Compare;

static inline const LaunchReport *compare_run(const Compare *c, int run, int launch, int arch) {
    return &c->cells[(run * c->nlaunches + launch) * c->narchs + arch];
}
static inline const LaunchReport *compare_cell(const Compare *c, int launch, int arch) {
    return compare_run(c, 0, launch, arch);
}
// The first of the cell's runs that did not pass, else the unperturbed one.
const LaunchReport *compare_worst(const Compare *c, int launch, int arch);
// Did all runs of the launch pass, on all architectures?
bool compare_passed(const Compare *c, int launch);
const char *compare_launch_name(const Compare *c, int launch);
// A kernel counts as floating point when at least this share of its instructions is.
#define COMPARE_FLOAT_SHARE 0.15
bool compare_is_float(const Compare *c, int launch);

// ---- numbers of kernels ----

// A number of a run; NaN: none.
typedef double CompareMeasure(const Counters *c, const MachineConfig *cfg);
typedef struct CompareRow {
    const char *name, *id;  // in the table, in CSV
    CompareMeasure *of;
} CompareRow;
extern const CompareRow compare_rows[];
extern const int compare_nrows;
extern CompareMeasure compare_cycles, compare_ipc, compare_reads, compare_writes;

// Over the runs of a cell: the number, and its ratio to the first architecture in pairs of runs
// with the same perturbation. NaN: a run did not pass.
Interval compare_value(const Compare *c, CompareMeasure *of, int launch, int arch);
Interval compare_ratio(const Compare *c, CompareMeasure *of, int launch, int arch);
// Cycles of the first architecture over those of this one.
Interval compare_speedup(const Compare *c, int launch, int arch);
Interval compare_metric(const Compare *c, const Metric *m, int launch, int arch);
// By how much the cycles of the first architecture move over its runs, in per cent.
double compare_moves(const Compare *c, int launch);

// The geometric mean over kernels of ratios to the first architecture, with the interval over
// kernels and, if there are perturbed runs, over runs.
typedef struct CompareMean {
    const char *name, *id;
    int arch;
    Interval kernels, runs;
} CompareMean;
// Of speed-up, IPC and bank accesses. Returns their number.
int compare_means(const Compare *c, Arena *arena, CompareMean **means);
// Pearson's correlation of speed-up and scatter's number over kernels; NaN: fewer than three.
double compare_correlation(const Compare *c, int arch);

// ---- figures ----

// One bar per launch for each series of a figure.
typedef struct FigureSeries {
    const char *name, *arch;               // arch: canonical, for the color
    double *value;                         // [launch], mean over runs; NaN: not there
    Interval *runs;                        // [launch], over its runs
    double mean, mean_int, mean_float;     // over launches that passed
    Interval over_kernels, over_runs;      // of the mean
    double paper, paper_int, paper_float;  // NaN: the paper gives none
} FigureSeries;
typedef struct Figure {
    const char *id, *title, *unit, *note;
    bool stacked;
    FigureSeries *series;
    int nseries;
} Figure;

// The mean of all launches, integer ones, floating-point ones (which: 0, 1, 2); ours or the
// paper's.
enum { FIGURE_MEANS = 3 };
double figure_mean(const FigureSeries *s, int which, bool paper);
// Figures of the systems compared; memory on the arena. Returns their number.
int compare_figures(const Compare *c, Arena *arena, Figure **figures);

// ---- output ----

typedef struct Chart Chart;  // report/chart.h
// Speed-up of each kernel, scatter if it is wanted, and the figures. Returns their number.
int compare_charts(const Compare *c, const Figure *figures, int nfigures, Arena *arena,
                   Chart **charts);

void compare_table(FILE *out, const Compare *c, const Figure *figures, int nfigures);
bool compare_json(const char *path, const Compare *c, const Figure *figures, int nfigures, Diag *d);
// A row per kernel and architecture; path "-" is standard output.
bool compare_csv(const char *path, const Compare *c, Diag *d);
// A LaTeX table of speed-ups, with the geometric mean.
bool compare_latex(const char *path, const Compare *c, Diag *d);
// Writes DIR/figure-ID.svg and .csv of every figure; the folder is made.
bool compare_export(const char *dir, const Compare *c, const Figure *figures, int nfigures,
                    Diag *d);
bool compare_html(const char *path, const Compare *c, const Figure *figures, int nfigures, Diag *d);

#endif
