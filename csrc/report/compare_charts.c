// SPDX-License-Identifier: Apache-2.0
// Drawings of a comparison: speed-up of each kernel, gain against a counter, the papers' figures.
#include "report/chart.h"
#include "report/compare_report.h"

#include <math.h>

// ---- figures ----

double figure_mean(const FigureSeries *s, int which, bool paper) {
    const double ours[] = {s->mean, s->mean_int, s->mean_float},
                 papers[] = {s->paper, s->paper_int, s->paper_float};
    return (paper ? papers : ours)[which];
}

// A mean is drawn when it covers several kernels, or when the paper gives a value for it. The mean
// of a class of kernels is drawn only beside that of the other class.
static bool mean_wanted(const Compare *c, const Figure *f, int which) {
    int floats = 0;
    bool paper = false;
    for (int i = 0; i < c->nlaunches; i++) floats += compare_is_float(c, i);
    for (int k = 0; k < f->nseries; k++) paper |= !isnan(figure_mean(&f->series[k], which, true));
    if (which) return floats && floats < c->nlaunches;
    return c->nlaunches > 1 || paper;
}

static bool any_value(const Figure *f, int launch) {
    for (int k = 0; k < f->nseries; k++)
        if (!isnan(f->series[k].value[launch])) return true;
    return false;
}

static Chart chart_of(const Compare *c, const Figure *f, Arena *arena) {
    static const char *const names[FIGURE_MEANS] = {"mean", "mean, integer", "mean, float"};
    const int most = c->nlaunches + FIGURE_MEANS;
    const char **groups = ARENA_ARRAY(arena, const char *, most);
    int *from = ARENA_ARRAY(arena, int, most), n = 0, sums = 0;  // launch, or -1 - which mean
    for (int i = 0; i < c->nlaunches; i++)
        if (any_value(f, i)) groups[n] = compare_launch_name(c, i), from[n++] = i;
    for (int w = 0; w < FIGURE_MEANS; w++)
        if (mean_wanted(c, f, w))
            groups[n] = c->nlaunches > 1 ? names[w] : "the paper's mean", from[n++] = -1 - w,
            sums++;
    ChartSeries *series = ARENA_ARRAY(arena, ChartSeries, f->nseries);
    for (int k = 0; k < f->nseries; k++) {
        const FigureSeries *s = &f->series[k];
        double *values = ARENA_ARRAY(arena, double, n), *paper = ARENA_ARRAY(arena, double, n),
               *low = ARENA_ARRAY(arena, double, n), *high = ARENA_ARRAY(arena, double, n);
        for (int g = 0; g < n; g++) {
            values[g] = from[g] >= 0 ? s->value[from[g]]
                : c->nlaunches > 1   ? figure_mean(s, -1 - from[g], false)
                                     : NAN;
            paper[g] = from[g] >= 0 ? NAN : figure_mean(s, -1 - from[g], true);
            const Interval over = from[g] >= 0 ? s->runs[from[g]]
                : from[g] == -1                ? s->over_runs
                                               : (Interval){NAN, NAN, NAN, 0};
            low[g] = over.low, high[g] = over.high;
        }
        series[k] =
            (ChartSeries){.name = s->name, .arch = s->arch, .values = values, .paper = paper};
        if (c->nruns > 1 && !f->stacked) series[k].low = low, series[k].high = high;
    }
    return (Chart){.kind = f->stacked ? CHART_STACKED : CHART_BARS,
                   .id = f->id,
                   .title = arena_printf(arena, "%s %s", f->id, f->title),
                   .unit = f->unit,
                   .note = f->note,
                   .groups = groups,
                   .ngroups = n,
                   .nsums = sums,
                   .series = series,
                   .nseries = f->nseries};
}

// ---- speed-up, scatter ----

static ChartSeries empty_series(const CompareColumn *column, int n, Arena *arena) {
    return (ChartSeries){.name = column->label,
                         .arch = column->arch->name,
                         .values = ARENA_ARRAY(arena, double, n),
                         .low = ARENA_ARRAY(arena, double, n),
                         .high = ARENA_ARRAY(arena, double, n),
                         .x = ARENA_ARRAY(arena, double, n)};
}

// The interval of group g of a series that is still being filled.
static void put_value(const ChartSeries *s, int g, Interval i) {
    ((double *)s->values)[g] = i.mean;
    ((double *)s->low)[g] = i.low;
    ((double *)s->high)[g] = i.high;
}

static Chart speedup_chart(const Compare *c, Arena *arena) {
    const int n = c->nlaunches + (c->nlaunches > 1);
    const char **groups = ARENA_ARRAY(arena, const char *, n);
    ChartSeries *series = ARENA_ARRAY(arena, ChartSeries, c->narchs);
    CompareMean *means;
    compare_means(c, arena, &means);  // those of speed-up first
    groups[n - 1] = "geometric mean";
    for (int g = 0; g < c->nlaunches; g++) groups[g] = compare_launch_name(c, g);
    for (int a = 1; a < c->narchs; a++) {
        series[a - 1] = empty_series(&c->columns[a], n, arena);
        for (int g = 0; g < c->nlaunches; g++)
            put_value(&series[a - 1], g, compare_speedup(c, g, a));
        if (c->nlaunches > 1) put_value(&series[a - 1], n - 1, means[a - 1].kernels);
    }
    return (Chart){.kind = CHART_BARS,
                   .id = "speedup",
                   .title = arena_printf(arena, "Speed-up over %s", c->columns[0].label),
                   .unit = "ratio of cycles",
                   .note = c->nruns > 1
                       ? "error bars: 95 % interval over the runs; of the mean: over kernels"
                       : "error bar of the mean: 95 % interval over kernels",
                   .groups = groups,
                   .ngroups = n,
                   .nsums = c->nlaunches > 1,
                   .series = series,
                   .nseries = c->narchs - 1};
}

static Chart scatter_chart(const Compare *c, Arena *arena) {
    const int n = c->nlaunches;
    const char **groups = ARENA_ARRAY(arena, const char *, n), *note = "correlation (Pearson):";
    ChartSeries *series = ARENA_ARRAY(arena, ChartSeries, c->narchs);
    for (int g = 0; g < n; g++) groups[g] = compare_launch_name(c, g);
    for (int a = 1; a < c->narchs; a++) {
        series[a - 1] = empty_series(&c->columns[a], n, arena);
        for (int g = 0; g < n; g++) {
            put_value(&series[a - 1], g, compare_speedup(c, g, a));
            ((double *)series[a - 1].x)[g] = compare_metric(c, c->scatter, g, 0).mean;
        }
        note = arena_printf(arena, "%s %s %.2f%s", note, c->columns[a].label,
                            compare_correlation(c, a), a + 1 < c->narchs ? "," : "");
    }
    return (Chart){.kind = CHART_POINTS,
                   .id = "scatter",
                   .title = arena_printf(arena, "Speed-up against %s", c->scatter->name),
                   .unit = "ratio of cycles",
                   .note = note,
                   .x_title = arena_printf(arena, "%s, %s", c->scatter->name, c->columns[0].label),
                   .groups = groups,
                   .ngroups = n,
                   .named = true,
                   .series = series,
                   .nseries = c->narchs - 1};
}

static bool any_speedup(const Compare *c) {
    for (int l = 0; l < c->nlaunches; l++)
        for (int a = 1; a < c->narchs; a++)
            if (isfinite(compare_speedup(c, l, a).mean)) return true;
    return false;
}

int compare_charts(const Compare *c, const Figure *figures, int nfigures, Arena *arena,
                   Chart **charts) {
    *charts = ARENA_ARRAY(arena, Chart, nfigures + 2);
    int n = 0;
    if (any_speedup(c)) {
        (*charts)[n++] = speedup_chart(c, arena);
        if (c->scatter) (*charts)[n++] = scatter_chart(c, arena);
    }
    for (int i = 0; i < nfigures; i++) {
        (*charts)[n] = chart_of(c, &figures[i], arena);
        n += (*charts)[n].ngroups > 0;
    }
    return n;
}
