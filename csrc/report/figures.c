// SPDX-License-Identifier: Apache-2.0
// Figures of the papers, from the tables of the systems compared (sm/parts/figure.h) and counters
// of the runs. A series has one number per launch, beside the baseline of the same settings. Means
// are arithmetic; those of harmonic figures average ratios as the papers do.
#include "report/compare_report.h"
#include "systems/systems.h"

#include <math.h>
#include <string.h>

enum { ALL, INTEGER, FLOAT, CLASSES };

// The baseline with the settings of a column, else the first one; -1: there is none.
static int baseline_of(const Compare *c, int arch) {
    int first = -1;
    for (int a = c->narchs - 1; a >= 0; a--) {
        if (strcmp(c->columns[a].arch->name, "baseline") != 0) continue;
        if (!strcmp(c->columns[a].settings, c->columns[arch].settings)) return a;
        first = a;
    }
    return first;
}

static FigureRun run_of(const Compare *c, int run, int launch, int arch) {
    const LaunchReport *l = compare_run(c, run, launch, arch);
    FigureRun r = {.counters = &l->counters, .cfg = c->columns[arch].cfg};
    for (int i = 0; i < l->nkernels; i++) r.insts += l->kernels[i].insts;
    return r;
}

static double measure_run(const Compare *c, FigureMeasure *measure, int run, int launch, int arch,
                          int base) {
    const FigureRun r = run_of(c, run, launch, arch), b = run_of(c, run, launch, base);
    const double v = measure(&r, &b);
    return isfinite(v) ? v : NAN;
}

// An improvement in per cent as a ratio, if the figure averages ratios.
static double to_ratio(double v, bool harmonic) { return harmonic ? 1 + v / 100 : v; }
static double to_percent(double v, bool harmonic) { return harmonic ? 100 * (v - 1) : v; }

// The mean over the launches of a class that have a value.
static Interval mean_of(const Compare *c, Arena *arena, const double *values, int class,
                        bool harmonic) {
    double *used = ARENA_ARRAY(arena, double, c->nlaunches + 1);
    int n = 0;
    for (int i = 0; i < c->nlaunches; i++)
        if (!isnan(values[i]) && (!class || compare_is_float(c, i) == (class == FLOAT)))
            used[n++] = to_ratio(values[i], harmonic);
    const Interval i = interval_of(used, n, harmonic ? INTERVAL_HARMONIC : INTERVAL_ARITHMETIC);
    return (Interval){to_percent(i.mean, harmonic), to_percent(i.low, harmonic),
                      to_percent(i.high, harmonic), i.n};
}

static void fill_means(const Compare *c, FigureSeries *s, const double *of_runs, bool harmonic,
                       Arena *arena) {
    double *means[CLASSES];
    for (int class = ALL; class < CLASSES; class ++) {
        means[class] = ARENA_ARRAY(arena, double, c->nruns);
        for (int r = 0; r < c->nruns; r++)
            means[class][r] = mean_of(c, arena, of_runs + r * c->nlaunches, class, harmonic).mean;
    }
    s->over_kernels = mean_of(c, arena, s->value, ALL, harmonic);
    s->over_runs = interval_of(means[ALL], c->nruns, INTERVAL_ARITHMETIC);
    s->mean = s->over_runs.mean;
    s->mean_int = interval_of(means[INTEGER], c->nruns, INTERVAL_ARITHMETIC).mean;
    s->mean_float = interval_of(means[FLOAT], c->nruns, INTERVAL_ARITHMETIC).mean;
}

// The numbers of a series on one architecture. Returns how many there are.
static int fill_series(const Compare *c, FigureSeries *s, const FigureRow *f,
                       const FigureSeriesRow *row, int arch, Arena *arena) {
    const int base = baseline_of(c, arch), n = c->nlaunches;
    double *of_runs = ARENA_ARRAY(arena, double, c->nruns *n),
           *one = ARENA_ARRAY(arena, double, c->nruns);
    int numbers = 0;
    s->value = ARENA_ARRAY(arena, double, n);
    s->runs = ARENA_ARRAY(arena, Interval, n);
    for (int i = 0; i < n; i++) {
        for (int r = 0; r < c->nruns; r++)
            one[r] = of_runs[r * n + i] =
                compare_passed(c, i) ? measure_run(c, row->measure, r, i, arch, base) : NAN;
        s->runs[i] = interval_of(one, c->nruns, INTERVAL_ARITHMETIC);
        s->value[i] = s->runs[i].mean;
        numbers += isfinite(s->value[i]);
    }
    fill_means(c, s, of_runs, f->harmonic, arena);
    return numbers;
}

static bool row_covers(const Compare *c, const FigureRow *table, const FigureSeriesRow *row,
                       int arch) {
    const Arch *a = c->columns[arch].arch;
    return row->arch ? !strcmp(row->arch, a->name) : arch_has_figures(a, table);
}

static void add_series(const Compare *c, Figure *f, const FigureRow *table, const FigureRow *row,
                       Arena *arena) {
    f->series = ARENA_ARRAY(arena, FigureSeries, FIGURE_MAX_ROWS * c->narchs);
    for (int k = 0; k < FIGURE_MAX_ROWS && row->series[k].measure; k++)
        for (int a = 0; a < c->narchs; a++) {
            const FigureSeriesRow *r = &row->series[k];
            const CompareColumn *column = &c->columns[a];
            if (!row_covers(c, table, r, a) || baseline_of(c, a) < 0) continue;
            FigureSeries *s = &f->series[f->nseries];
            *s = (FigureSeries){.name = r->name
                                    ? arena_printf(arena, "%s%s", r->name, column->settings)
                                    : column->label,
                                .arch = column->arch->name,
                                .paper = r->paper,
                                .paper_int = r->paper_int,
                                .paper_float = r->paper_float};
            if (fill_series(c, s, row, r, a, arena) || !row->counted) f->nseries++;
        }
}

// Is it the table of a system that an architecture has, and the first row with this table?
static bool is_asked(const Compare *c, int system, const FigureRow *table) {
    for (int i = 0; i < system; i++)
        if (systems_row(i)->figures == table) return false;
    for (int a = 0; a < c->narchs; a++)
        if (arch_has_figures(c->columns[a].arch, table)) return true;
    return false;
}

int compare_figures(const Compare *c, Arena *arena, Figure **figures) {
    int n = 0, cap = 0;
    *figures = NULL;
    for (int i = 0; systems_row(i); i++) {
        const FigureRow *table = systems_row(i)->figures;
        if (!table || !is_asked(c, i, table)) continue;
        for (const FigureRow *row = table; row->id; row++) {
            Figure f = {.id = row->id,
                        .title = row->title,
                        .unit = row->unit,
                        .note = row->note,
                        .stacked = row->stacked};
            add_series(c, &f, table, row, arena);
            if (f.nseries) *ARENA_PUSH(arena, *figures, n, cap) = f;
        }
    }
    return n;
}
