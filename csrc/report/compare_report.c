// SPDX-License-Identifier: Apache-2.0
// smcosim compare: the table on stdout and the JSON document.
#include "report/compare_report.h"

#include "base/json.h"

#include <math.h>
#include <string.h>

// ---- table ----

enum { NARROW = 16, WIDE = 36 };

// Of a column: 16 characters for a value and its ratio, 36 with their intervals.
static int cell_width(const Compare *c, int arch) {
    const int least = c->nruns > 1 ? WIDE : NARROW, label = (int)strlen(c->columns[arch].label);
    return label > least ? label : least;
}

// A meaningless value is a dash.
static const char *cell_text(Arena *arena, Interval v, Interval ratio) {
    if (!isfinite(v.mean)) return "-";
    const char *of_value = arena_printf(arena, "%.3f", v.mean), *of_ratio = "     -";
    const bool spread = isfinite(v.low);
    if (spread) of_value = arena_printf(arena, "%s +-%7.3f", of_value, interval_half(v));
    if (isfinite(ratio.mean))
        of_ratio = spread ? arena_printf(arena, "x%5.2f +-%5.3f", ratio.mean, interval_half(ratio))
                          : arena_printf(arena, "x%5.2f", ratio.mean);
    return arena_printf(arena, "%s %s", of_value, of_ratio);
}

static void print_idle(FILE *out, Arena *arena, const char *arch, const LaunchReport *l) {
    const char *idle = report_idle(l, arena);
    if (*idle) fprintf(out, "  %-22s idle: %s\n", arch, idle);
}

static void print_verdicts(FILE *out, const Compare *c, int launch, Arena *arena) {
    const double moves = compare_moves(c, launch);
    for (int a = 0; a < c->narchs; a++) {
        const LaunchReport *l = compare_worst(c, launch, a);
        const char *label = c->columns[a].label;
        if (l->status != EXIT_PASS)
            fprintf(out, "  %-22s %s: %s\n", label, report_verdict(l), l->message);
        else if (!report_results_checked(l))
            fprintf(out, "  %-22s %s\n", label, report_verdict_text(l));
        print_idle(out, arena, label, l);
    }
    if (c->nruns > 1 && moves > INTERVAL_MARK)
        fprintf(out, "  %-22s cycles move by %.1f %% over the runs: gains of this size are noise\n",
                c->columns[0].label, moves);
}

static void print_launch(FILE *out, const Compare *c, int launch, Arena *arena) {
    const LaunchReport *base = compare_cell(c, launch, 0);
    fprintf(out, "%s  (%s)\n", base->name ? base->name : base->path,
            compare_is_float(c, launch) ? "floating point" : "integer");
    print_verdicts(out, c, launch, arena);
    for (int r = 0; r < compare_nrows; r++) {
        const CompareRow *row = &compare_rows[r];
        fprintf(out, "  %-22s", row->name);
        for (int a = 0; a < c->narchs; a++)
            fprintf(out, "  %*s", cell_width(c, a),
                    cell_text(arena, compare_value(c, row->of, launch, a),
                              compare_ratio(c, row->of, launch, a)));
        fputc('\n', out);
    }
}

static int label_width(const Compare *c) {
    size_t most = 14;
    for (int a = 0; a < c->narchs; a++)
        if (strlen(c->columns[a].label) > most) most = strlen(c->columns[a].label);
    return (int)most;
}

static void print_means(FILE *out, const Compare *c, Arena *arena) {
    CompareMean *means;
    const int n = compare_means(c, arena, &means), width = label_width(c);
    const char *last = "";
    fprintf(out, "\nratio to %s over %d kernels: geometric mean, 95 %% interval over kernels%s\n",
            c->columns[0].label, c->nlaunches, c->nruns > 1 ? ", over runs" : "");
    for (int i = 0; i < n; i++) {
        const CompareMean *m = &means[i];
        if (!isfinite(m->kernels.mean)) continue;
        fprintf(out, "  %-20s %-*s %8.3f  %18s", strcmp(m->name, last) ? m->name : "", width,
                c->columns[m->arch].label, m->kernels.mean, interval_text(arena, m->kernels, 3));
        if (c->nruns > 1) fprintf(out, "  %18s", interval_text(arena, m->runs, 4));
        fputc('\n', out);
        last = m->name;
    }
}

// ---- scatter ----

static int *by_gain(const Compare *c, Arena *arena) {
    int *order = ARENA_ARRAY(arena, int, c->nlaunches);
    double *gain = ARENA_ARRAY(arena, double, c->nlaunches);
    for (int i = 0; i < c->nlaunches; i++) {
        const double v = compare_speedup(c, i, c->narchs - 1).mean;
        int at = i;
        for (; at && (isnan(gain[at - 1]) || gain[at - 1] < v); at--)
            order[at] = order[at - 1], gain[at] = gain[at - 1];
        order[at] = i, gain[at] = v;
    }
    return order;
}

static int scatter_width(const Compare *c, int arch) {
    const int label = (int)strlen(c->columns[arch].label);
    return label > NARROW ? label : NARROW;
}

static void print_scatter_cell(FILE *out, int width, int digits, double v) {
    if (isfinite(v)) fprintf(out, "  %*.*f", width, digits, v);
    else fprintf(out, "  %*s", width, "-");
}

static void print_scatter(FILE *out, const Compare *c, Arena *arena) {
    const int *order = by_gain(c, arena);
    fprintf(out, "\nspeed-up against %s of %s, largest gain of %s first\n  %-20s %16s",
            c->scatter->name, c->columns[0].label, c->columns[c->narchs - 1].label, "kernel",
            "number");
    for (int a = 1; a < c->narchs; a++)
        fprintf(out, "  %*s", scatter_width(c, a), c->columns[a].label);
    fputc('\n', out);
    for (int i = 0; i < c->nlaunches; i++) {
        const double x = compare_metric(c, c->scatter, order[i], 0).mean;
        fprintf(out, "  %-20s ", compare_launch_name(c, order[i]));
        if (isfinite(x)) fprintf(out, "%16.6g", x);
        else fprintf(out, "%16s", "-");
        for (int a = 1; a < c->narchs; a++)
            print_scatter_cell(out, scatter_width(c, a), 3, compare_speedup(c, order[i], a).mean);
        fputc('\n', out);
    }
    fprintf(out, "  %-37s", "correlation (Pearson)");
    for (int a = 1; a < c->narchs; a++)
        print_scatter_cell(out, scatter_width(c, a), 2, compare_correlation(c, a));
    fputc('\n', out);
}

// ---- figures ----

static void print_number(FILE *out, double v) {
    if (isfinite(v)) fprintf(out, " %8.1f", v);
    else fprintf(out, " %8s", "-");
}

static void print_series(FILE *out, const Compare *c, const FigureSeries *s, int width,
                         const char *unit, Arena *arena) {
    fprintf(out, " %-*s", width, s->name);
    print_number(out, s->mean);
    fprintf(out, " %16s", interval_text(arena, s->over_kernels, 1));
    if (c->nruns > 1) fprintf(out, " %16s", interval_text(arena, s->over_runs, 2));
    print_number(out, s->paper);
    fputs("  ", out);
    print_number(out, s->mean_int), print_number(out, s->paper_int),
        print_number(out, s->mean_float), print_number(out, s->paper_float);
    fprintf(out, "   %s\n", unit);
}

static void print_figures(FILE *out, const Compare *c, const Figure *figures, int nfigures,
                          Arena *arena) {
    const int width = label_width(c);
    int ids = 8;
    for (int i = 0; i < nfigures; i++)
        if ((int)strlen(figures[i].id) > ids) ids = (int)strlen(figures[i].id);
    fprintf(out, "\n%-*s %-*s %8s %16s", ids, "figure", width, "", "ours", "95 %, kernels");
    if (c->nruns > 1) fprintf(out, " %16s", "95 %, runs");
    fprintf(out, " %8s   %8s %8s %8s %8s   %s\n", "paper", "integer", "paper", "float", "paper",
            "unit");
    for (int i = 0; i < nfigures; i++) {
        fprintf(out, "%-*s %s\n", ids, figures[i].id, figures[i].title);
        for (int k = 0; k < figures[i].nseries; k++)
            fprintf(out, "%-*s", ids, ""),
                print_series(out, c, &figures[i].series[k], width, figures[i].unit, arena);
    }
}

void compare_table(FILE *out, const Compare *c, const Figure *figures, int nfigures) {
    Arena arena = {0};
    fprintf(
        out, "machine %s; each column: value, and ratio to %s%s\n", c->machine, c->columns[0].label,
        c->nruns > 1 ? arena_printf(&arena, "; +-: 95 %% over %d perturbed runs", c->nruns) : "");
    fprintf(out, "%-24s", "");
    for (int a = 0; a < c->narchs; a++)
        fprintf(out, "  %*s", cell_width(c, a), c->columns[a].label);
    fputc('\n', out);
    for (int i = 0; i < c->nlaunches; i++) print_launch(out, c, i, &arena);
    if (c->nlaunches > 1 && c->narchs > 1) print_means(out, c, &arena);
    if (c->scatter) print_scatter(out, c, &arena);
    if (nfigures) print_figures(out, c, figures, nfigures, &arena);
    arena_free(&arena);
}

// ---- JSON ----

static json_t *series_json(const Compare *c, const FigureSeries *s) {
    json_t *values = json_array(), *runs = json_array();
    for (int l = 0; l < c->nlaunches; l++) {
        json_array_append_new(values, json_real_or_null(s->value[l]));
        json_array_append_new(runs, interval_json(s->runs[l]));
    }
    json_t *o = json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name", s->name, "values", values, "mean",
        json_real_or_null(s->mean), "mean_integer", json_real_or_null(s->mean_int), "mean_float",
        json_real_or_null(s->mean_float), "paper", json_real_or_null(s->paper), "paper_integer",
        json_real_or_null(s->paper_int), "paper_float", json_real_or_null(s->paper_float),
        "over_kernels", interval_json(s->over_kernels));
    if (c->nruns > 1) {
        json_object_set(o, "over_runs_of_kernels", runs);
        json_object_set_new(o, "over_runs", interval_json(s->over_runs));
    }
    json_decref(runs);
    return o;
}

static json_t *figures_json(const Compare *c, const Figure *figures, int nfigures) {
    json_t *list = json_array();
    for (int i = 0; i < nfigures; i++) {
        const Figure *f = &figures[i];
        json_t *series = json_array();
        for (int k = 0; k < f->nseries; k++)
            json_array_append_new(series, series_json(c, &f->series[k]));
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:s, s:s, s:o}", "id", f->id, "title", f->title,
                                        "unit", f->unit, "note", f->note, "series", series));
    }
    return list;
}

// Of a cell, over its runs: cycles, IPC, speed-up over the first architecture.
static json_t *spread_json(const Compare *c, int launch, int arch) {
    json_t *runs = json_array();
    for (int r = 0; r < c->nruns; r++)
        json_array_append_new(
            runs,
            json_integer((json_int_t)compare_run(c, r, launch, arch)->counters.v[CTR_CYCLES]));
    return json_pack("{s:o, s:o, s:o, s:o}", "cycles_of_runs", runs, "cycles",
                     interval_json(compare_value(c, compare_cycles, launch, arch)), "ipc",
                     interval_json(compare_value(c, compare_ipc, launch, arch)), "speedup",
                     interval_json(compare_speedup(c, launch, arch)));
}

static json_t *cell_json(const Compare *c, int launch, int a) {
    const LaunchReport *l = compare_cell(c, launch, a), *worst = compare_worst(c, launch, a);
    json_t *counters = json_object();
    for (int k = 0; k < CTR_COUNT; k++)
        json_object_set_new(counters, counter_info[k].name,
                            json_integer((json_int_t)l->counters.v[k]));
    json_t *o =
        json_pack("{s:s, s:s, s:b, s:o, s:o, s:o, s:o}", "verdict", report_verdict(worst),
                  "message", worst->message, "results_checked", report_results_checked(l), "idle",
                  report_idle_json(l), "blocks", report_blocks_json(l), "counters", counters,
                  "banks", report_banks_json(&l->counters, c->columns[a].cfg->rf_banks));
    if (c->nruns > 1) json_object_set_new(o, "spread", spread_json(c, launch, a));
    return o;
}

static json_t *launches_json(const Compare *c) {
    json_t *list = json_array();
    for (int i = 0; i < c->nlaunches; i++) {
        json_t *archs = json_object();
        for (int a = 0; a < c->narchs; a++)
            json_object_set_new(archs, c->columns[a].label, cell_json(c, i, a));
        const LaunchReport *l = compare_cell(c, i, 0);
        json_t *o = json_pack("{s:s, s:s, s:b, s:o}", "name", l->name ? l->name : "", "path",
                              l->path, "float", compare_is_float(c, i), "archs", archs);
        if (c->nruns > 1)
            json_object_set_new(o, "baseline_moves_percent",
                                json_real_or_null(compare_moves(c, i)));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *means_json(const Compare *c) {
    Arena arena = {0};
    CompareMean *means;
    const int n = compare_means(c, &arena, &means);
    json_t *list = json_array();
    for (int i = 0; i < n; i++) {
        const CompareMean *m = &means[i];
        json_t *o = json_pack("{s:s, s:s, s:o}", "ratio", m->id, "arch", c->columns[m->arch].label,
                              "over_kernels", interval_json(m->kernels));
        if (c->nruns > 1) json_object_set_new(o, "over_runs", interval_json(m->runs));
        json_array_append_new(list, o);
    }
    arena_free(&arena);
    return list;
}

static json_t *scatter_json(const Compare *c) {
    json_t *numbers = json_array(), *correlations = json_object();
    for (int i = 0; i < c->nlaunches; i++)
        json_array_append_new(numbers, json_real_or_null(compare_metric(c, c->scatter, i, 0).mean));
    for (int a = 1; a < c->narchs; a++)
        json_object_set_new(correlations, c->columns[a].label,
                            json_real_or_null(compare_correlation(c, a)));
    return json_pack("{s:s, s:o, s:o}", "counter", c->scatter->name, "values", numbers,
                     "correlation", correlations);
}

bool compare_json(const char *path, const Compare *c, const Figure *figures, int nfigures,
                  Diag *d) {
    json_t *names = json_array(), *without = json_object();
    for (int a = 0; a < c->narchs; a++) {
        json_array_append_new(names, json_string(c->columns[a].label));
        if (c->nwork[a])
            json_object_set_new(without, c->columns[a].label,
                                report_without_work_json(c->work[a], c->nwork[a]));
    }
    json_t *doc = json_pack("{s:s, s:s, s:s, s:s, s:i, s:o, s:o, s:o, s:o, s:o}", "schema",
                            "smcosim.compare/1", "version", c->version, "command", c->command,
                            "machine", c->machine, "runs", c->nruns, "archs", names, "without_work",
                            without, "launches", launches_json(c), "means", means_json(c),
                            "figures", figures_json(c, figures, nfigures));
    if (c->scatter) json_object_set_new(doc, "scatter", scatter_json(c));
    bool ok = json_write(path, doc, JSON_INDENT(2), d);
    json_decref(doc);
    return ok;
}
