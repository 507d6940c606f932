// SPDX-License-Identifier: Apache-2.0
// Reports of a sweep: table, CSV, JSON, page.
#include "base/csv.h"
#include "base/json.h"
#include "base/output.h"
#include "base/xml.h"
#include "cli/cmd_sweep.h"
#include "report/chart.h"

#include <math.h>
#include <string.h>

static const SweepSum *sum_of(const Sweep *s, int point, int arch) {
    return &s->sums[point * s->narchs + arch];
}

// ---- table --------------------------------------------------------------------------------------

static int width_of(const Sweep *s, int axis) {
    size_t n = strlen(s->axes[axis].key);
    for (int i = 0; i < s->axes[axis].n; i++)
        if (strlen(s->axes[axis].values[i]) > n) n = strlen(s->axes[axis].values[i]);
    return (int)n;
}

static int widest_name(const char *const *names, int n, const char *head) {
    size_t most = strlen(head);
    for (int i = 0; i < n; i++)
        if (strlen(names[i]) > most) most = strlen(names[i]);
    return (int)most;
}

static void print_optional(FILE *out, int width, int digits, double v) {
    if (isfinite(v)) fprintf(out, " %*.*f", width, digits, v);
    else fprintf(out, " %*s", width, "-");
}

// A count has no decimals.
static int metric_digits(double v) { return fabs(v) < 100 && v != floor(v) ? 4 : 0; }

static void print_place(FILE *out, const Sweep *s, int point) {
    for (int i = 0; i < s->naxes; i++)
        fprintf(out, "  %*s", width_of(s, i), sweep_value(s, point, i));
}

static int metric_width(const Sweep *s) {
    const int name = (int)strlen(s->metric->name);
    return name > 14 ? name : 14;
}

// Mean, and half of the interval where there are perturbed runs.
static void print_interval(FILE *out, const Sweep *s, int width, int digits, Interval i) {
    print_optional(out, width, digits, i.mean);
    if (s->nruns == 1) return;
    if (isfinite(i.low)) fprintf(out, " +-%-7.*f", digits ? digits + 1 : 1, interval_half(i));
    else fprintf(out, "   %-7s", "-");
}

static void print_heads(FILE *out, const Sweep *s, int names, int archs) {
    const char *half = s->nruns > 1 ? "   95 %   " : "";
    fprintf(out, "%-*s", names, "kernel");
    for (int i = 0; i < s->naxes; i++) fprintf(out, "  %*s", width_of(s, i), s->axes[i].key);
    fprintf(out, "  %-*s %11s%s %7s%s %7s%s", archs, "arch", "cycles", half, "IPC", half, "ratio",
            half);
    if (s->metric) fprintf(out, " %*s%s", metric_width(s), s->metric->name, half);
    fprintf(out, " %9s %9s %6s  %s\n", "reads/in.", "writes/in.", "warps", "limited by");
}

// Does the baseline, the first architecture at the first point, move by more than 3 %?
static double moves_of(const Sweep *s, int kernel) {
    const SweepCell *c = sweep_cell(s, 0, kernel, 0);
    double cycles[s->nruns];
    if (!c->passed) return NAN;
    for (int r = 0; r < s->nruns; r++) cycles[r] = compare_cycles(&c->runs[r], NULL);
    return interval_moves(cycles, s->nruns);
}

static void print_moves(FILE *out, const Sweep *s) {
    for (int k = 0; k < s->nkernels && s->nruns > 1; k++)
        if (moves_of(s, k) > INTERVAL_MARK)
            fprintf(out,
                    "note: the cycles of %s on %s move by %.1f %% over the runs: gains of this "
                    "size are noise\n",
                    s->kernels[k], s->archs[0], moves_of(s, k));
}

static void kernel_rows(FILE *out, const Sweep *s, int kernel, int names, int archs) {
    for (int p = 0; p < s->npoints; p++)
        for (int a = 0; a < s->narchs; a++) {
            const SweepCell *c = sweep_cell(s, p, kernel, a);
            fprintf(out, "%-*s", names, s->kernels[kernel]);
            print_place(out, s, p);
            fprintf(out, "  %-*s", archs, s->archs[a]);
            if (c->passed) {
                print_interval(out, s, 11, 0, c->over_cycles);
                print_interval(out, s, 7, 3, c->over_ipc), print_interval(out, s, 7, 3, c->ratio);
                if (s->metric)
                    print_interval(out, s, metric_width(s), metric_digits(c->metric.mean),
                                   c->metric);
                print_optional(out, 9, 3, c->reads), print_optional(out, 9, 3, c->writes);
                fprintf(out, " %6d  %s%s\n", c->warps, c->limited_by,
                        c->checked ? "" : "; results not checked");
            } else fprintf(out, " %s%s%s\n", c->verdict, *c->message ? ": " : "", c->message);
        }
}

static void print_ratios(FILE *out, const Sweep *s, const SweepSum *x) {
    Arena arena = {0};
    print_optional(out, 7, 3, x->ratio.mean);
    fprintf(out, "  %16s", interval_text(&arena, x->ratio, 3));
    if (s->nruns > 1) fprintf(out, "  %16s", interval_text(&arena, x->ratio_over_runs, 4));
    arena_free(&arena);
}

static void sum_rows(FILE *out, const Sweep *s, int archs) {
    fprintf(
        out, "\n%s",
        s->nkernels > 1
            ? "over all kernels (IPC: harmonic mean; ratio: geometric mean with 95 % intervals)\n"
            : "");
    for (int i = 0; i < s->naxes; i++) fprintf(out, "  %*s", width_of(s, i), s->axes[i].key);
    fprintf(out, "  %-*s %7s", archs, "arch", "IPC");
    if (s->nkernels > 1) fprintf(out, " %7s  %16s", "ratio", "over kernels");
    if (s->nkernels > 1 && s->nruns > 1) fprintf(out, "  %16s", "over runs");
    if (s->nblocks) fprintf(out, " %14s %10s  %s", "area, um2", "Fmax, MHz", "Pareto front");
    fputc('\n', out);
    for (int p = 0; p < s->npoints; p++)
        for (int a = 0; a < s->narchs; a++) {
            const SweepSum *x = sum_of(s, p, a);
            print_place(out, s, p);
            fprintf(out, "  %-*s", archs, s->archs[a]);
            print_optional(out, 7, 3, x->ipc);
            if (s->nkernels > 1) print_ratios(out, s, x);
            if (s->nblocks)
                print_optional(out, 14, 0, x->area), print_optional(out, 10, 1, x->fmax);
            fprintf(out, "%s\n", x->front ? "  front" : "");
        }
}

static void best_rows(FILE *out, const Sweep *s, int names, int archs) {
    fprintf(out, "\n%s with the fewest cycles of %s\n%-*s", s->axes[s->best].key, s->archs[0],
            names, "kernel");
    for (int i = 0; i < s->naxes; i++) fprintf(out, "  %*s", width_of(s, i), s->axes[i].key);
    for (int a = 0; a < s->narchs; a++) fprintf(out, "  %*s", archs < 11 ? 11 : archs, s->archs[a]);
    fputc('\n', out);
    for (int k = 0; k < s->nkernels; k++)
        for (int p = 0; p < s->npoints; p++) {
            const int best = sweep_begins(s, p) ? sweep_best(s, p, k) : -1;
            if (best < 0) continue;
            fprintf(out, "%-*s", names, s->kernels[k]);
            print_place(out, s, best);
            for (int a = 0; a < s->narchs; a++) {
                const SweepCell *c = sweep_cell(s, best, k, a);
                fputc(' ', out),
                    print_optional(out, archs < 11 ? 11 : archs, 0, c->passed ? c->cycles : NAN);
            }
            fputc('\n', out);
        }
}

void sweep_table(FILE *out, const Sweep *s) {
    const int names = widest_name(s->kernels, s->nkernels, "kernel"),
              archs = widest_name(s->archs, s->narchs, "arch");
    fprintf(out, "machine %s, golden models; ratio: IPC to %s at the first point\n", s->machine,
            s->archs[0]);
    for (int i = 0; i < s->nnotes; i++) fprintf(out, "note: %s\n", s->notes[i]);
    if (s->nruns > 1)
        fprintf(out, "95 %%: half of the interval of the mean over %d perturbed runs\n", s->nruns);
    print_moves(out, s);
    print_heads(out, s, names, archs);
    for (int k = 0; k < s->nkernels; k++) kernel_rows(out, s, k, names, archs);
    if (s->nblocks || s->nkernels > 1) sum_rows(out, s, archs);
    if (s->best >= 0) best_rows(out, s, names, archs);
}

// ---- CSV ----------------------------------------------------------------------------------------

static void csv_interval(FILE *out, const Sweep *s, Interval i) {
    csv_number(out, i.mean);
    if (s->nruns > 1) csv_number(out, i.low), csv_number(out, i.high);
}

static void csv_head(FILE *out, const Sweep *s, const char *name) {
    fprintf(out, ",%s", name);
    if (s->nruns > 1) fprintf(out, ",%s_low,%s_high", name, name);
}

static void csv_heads(FILE *out, const Sweep *s) {
    fputs("kernel,arch", out);
    for (int i = 0; i < s->naxes; i++) fprintf(out, ",%s", s->axes[i].key);
    fputs(",verdict,results_checked", out);
    csv_head(out, s, "cycles"), csv_head(out, s, "ipc"), csv_head(out, s, "ipc_ratio");
    if (s->metric) csv_head(out, s, s->metric->name);
    fputs(",bank_reads_per_instruction,bank_writes_per_instruction,warps,area_um2,fmax_mhz,front\n",
          out);
}

static void csv_row(FILE *out, const Sweep *s, int p, int k, int a) {
    const Interval none = {NAN, NAN, NAN, 0};
    const SweepCell *c = sweep_cell(s, p, k, a);
    const SweepSum *x = sum_of(s, p, a);
    csv_text(out, s->kernels[k]), fputc(',', out), csv_text(out, s->archs[a]);
    for (int i = 0; i < s->naxes; i++) fprintf(out, ",%s", sweep_value(s, p, i));
    fprintf(out, ",%s,%d", c->verdict, c->checked);
    csv_interval(out, s, c->passed ? c->over_cycles : none);
    csv_interval(out, s, c->passed ? c->over_ipc : none);
    csv_interval(out, s, c->passed ? c->ratio : none);
    if (s->metric) csv_interval(out, s, c->passed ? c->metric : none);
    csv_number(out, c->passed ? c->reads : NAN), csv_number(out, c->passed ? c->writes : NAN),
        csv_number(out, c->passed ? c->warps : NAN);
    csv_number(out, x->area), csv_number(out, x->fmax);
    fprintf(out, ",%s\n", x->front ? "1" : "0");
}

static void write_csv(FILE *out, const Sweep *s) {
    csv_heads(out, s);
    for (int k = 0; k < s->nkernels; k++)
        for (int p = 0; p < s->npoints; p++)
            for (int a = 0; a < s->narchs; a++) csv_row(out, s, p, k, a);
}

bool sweep_csv(const char *path, const Sweep *s, Diag *d) {
    if (!strcmp(path, "-")) return write_csv(stdout, s), true;
    Arena arena = {0};
    Output o;
    FILE *out = output_open(&o, &arena, path, d);
    if (out) write_csv(out, s);
    const bool ok = out && output_close(&o, out, true, d);
    arena_free(&arena);
    return ok;
}

// ---- JSON ---------------------------------------------------------------------------------------

static json_t *spread_json(const Sweep *s, const SweepCell *c) {
    json_t *cycles = json_array();
    for (int r = 0; r < s->nruns; r++)
        json_array_append_new(cycles, json_integer((json_int_t)c->runs[r].v[CTR_CYCLES]));
    return json_pack("{s:o, s:o, s:o, s:o}", "cycles_of_runs", cycles, "cycles",
                     interval_json(c->over_cycles), "ipc", interval_json(c->over_ipc), "ipc_ratio",
                     interval_json(c->ratio));
}

static json_t *cell_json(const Sweep *s, int p, int k, int a) {
    const SweepCell *c = sweep_cell(s, p, k, a);
    json_t *o = json_pack("{s:s, s:s, s:s, s:s}", "kernel", s->kernels[k], "arch", s->archs[a],
                          "verdict", c->verdict, "message", c->message);
    if (!c->passed) return o;
    json_object_set_new(o, "results_checked", json_boolean(c->checked));
    if (s->nruns > 1) {
        json_object_set_new(o, "spread", spread_json(s, c));
        json_object_set_new(o, "cycles", json_real_or_null(c->cycles));
    } else json_object_set_new(o, "cycles", json_integer((json_int_t)c->cycles));
    json_object_set_new(o, "ipc", json_real_or_null(c->ipc));
    if (s->metric)
        json_object_set_new(
            o, "metric",
            json_pack("{s:s, s:o}", "name", s->metric->name, "value", interval_json(c->metric)));
    json_object_set_new(o, "bank_reads_per_instruction", json_real_or_null(c->reads));
    json_object_set_new(o, "bank_writes_per_instruction", json_real_or_null(c->writes));
    json_object_set_new(o, "warps", json_integer(c->warps));
    json_object_set_new(o, "limited_by", json_string(c->limited_by));
    return o;
}

static json_t *point_json(const Sweep *s, int p) {
    json_t *sets = json_object(), *cells = json_array(), *sums = json_array();
    for (int i = 0; i < s->naxes; i++)
        json_object_set_new(sets, s->axes[i].key, json_string(sweep_value(s, p, i)));
    for (int k = 0; k < s->nkernels; k++)
        for (int a = 0; a < s->narchs; a++) json_array_append_new(cells, cell_json(s, p, k, a));
    for (int a = 0; a < s->narchs; a++) {
        const SweepSum *x = sum_of(s, p, a);
        json_t *sum = json_pack("{s:s, s:o, s:o, s:o, s:o, s:b}", "arch", s->archs[a], "ipc",
                                json_real_or_null(x->ipc), "ratio_over_kernels",
                                interval_json(x->ratio), "area_um2", json_real_or_null(x->area),
                                "fmax_mhz", json_real_or_null(x->fmax), "front", x->front);
        if (s->nruns > 1)
            json_object_set_new(sum, "ratio_over_runs", interval_json(x->ratio_over_runs));
        json_array_append_new(sums, sum);
    }
    return json_pack("{s:o, s:o, s:o}", "set", sets, "runs", cells, "sums", sums);
}

// A row per kernel and combination of the other keys.
static json_t *best_json(const Sweep *s) {
    json_t *rows = json_array();
    for (int k = 0; k < s->nkernels; k++)
        for (int p = 0; p < s->npoints; p++) {
            const int best = sweep_begins(s, p) ? sweep_best(s, p, k) : -1;
            if (best < 0) continue;
            json_t *sets = json_object(), *cycles = json_object();
            for (int i = 0; i < s->naxes; i++)
                json_object_set_new(sets, s->axes[i].key, json_string(sweep_value(s, best, i)));
            for (int a = 0; a < s->narchs; a++) {
                const SweepCell *c = sweep_cell(s, best, k, a);
                if (c->passed)
                    json_object_set_new(cycles, s->archs[a], json_integer((json_int_t)c->cycles));
            }
            json_array_append_new(rows,
                                  json_pack("{s:s, s:o, s:o}", "kernel", s->kernels[k], "set", sets,
                                            "cycles", cycles));
        }
    return json_pack("{s:s, s:o}", "key", s->axes[s->best].key, "kernels", rows);
}

// By kernel.
static json_t *moves_json(const Sweep *s) {
    json_t *o = json_object();
    for (int k = 0; k < s->nkernels; k++)
        json_object_set_new(o, s->kernels[k], json_real_or_null(moves_of(s, k)));
    return o;
}

bool sweep_json(const char *path, const Sweep *s, Diag *d) {
    json_t *points = json_array(), *notes = json_array();
    for (int p = 0; p < s->npoints; p++) json_array_append_new(points, point_json(s, p));
    for (int i = 0; i < s->nnotes; i++) json_array_append_new(notes, json_string(s->notes[i]));
    json_t *doc = json_pack("{s:s, s:s, s:s, s:s, s:i, s:o, s:o}", "schema", "smcosim.sweep/1",
                            "version", s->version, "command", s->command, "machine", s->machine,
                            "runs", s->nruns, "notes", notes, "points", points);
    if (s->best >= 0) json_object_set_new(doc, "best", best_json(s));
    if (s->nruns > 1) json_object_set_new(doc, "baseline_moves_percent", moves_json(s));
    const bool ok = json_write(path, doc, JSON_INDENT(2) | JSON_REAL_PRECISION(10), d);
    json_decref(doc);
    return ok;
}

// ---- charts -------------------------------------------------------------------------------------

enum { MOST_KERNELS = 64 };
typedef struct Charts {
    Chart list[2 * MOST_KERNELS + 8];
    int n;
} Charts;

static const char *place_text(Arena *arena, const Sweep *s, int point, int from) {
    const char *text = "";
    for (int i = from; i < s->naxes; i++)
        text = arena_printf(arena, "%s%s%s=%s", text, *text ? " " : "", s->axes[i].key,
                            sweep_value(s, point, i));
    return text;
}

typedef struct What {
    enum { IPC_OF_KERNEL, METRIC_OF_KERNEL, IPC_OF_ALL, RATIO_OF_ALL, AREA, FMAX } what;
    int kernel;
} What;

// A number with its interval; those without one have only a mean.
static Interval number_of(const Sweep *s, What w, int point, int arch) {
    const SweepSum *x = sum_of(s, point, arch);
    const SweepCell *c = sweep_cell(s, point, w.kernel, arch);
    const Interval none = {NAN, NAN, NAN, 0};
    switch (w.what) {
    case IPC_OF_KERNEL: return c->passed ? c->over_ipc : none;
    case METRIC_OF_KERNEL: return c->passed ? c->metric : none;
    case RATIO_OF_ALL: return s->nruns > 1 ? x->ratio_over_runs : x->ratio;
    case IPC_OF_ALL: return (Interval){x->ipc, NAN, NAN, 0};
    case AREA: return (Interval){x->area, NAN, NAN, 0};
    default: return (Interval){x->fmax, NAN, NAN, 0};
    }
}

// The first key along the axis, a line per architecture and values of the other keys.
static void add_lines(Charts *charts, const Sweep *s, Arena *arena, const char *id,
                      const char *title, const char *unit, What w) {
    const int along = s->naxes ? s->axes[0].n : 1, others = s->npoints / along;
    ChartSeries *series = ARENA_ARRAY(arena, ChartSeries, others * s->narchs);
    const char **groups = ARENA_ARRAY(arena, const char *, along);
    if (charts->n == (int)(sizeof charts->list / sizeof *charts->list)) return;
    for (int g = 0; g < along; g++) groups[g] = s->naxes ? s->axes[0].values[g] : s->machine;
    for (int a = 0; a < s->narchs; a++)
        for (int o = 0; o < others; o++) {
            double *values = ARENA_ARRAY(arena, double, along),
                   *low = ARENA_ARRAY(arena, double, along),
                   *high = ARENA_ARRAY(arena, double, along);
            bool ends = false;
            for (int g = 0; g < along; g++) {
                const Interval i = number_of(s, w, g * others + o, a);
                values[g] = i.mean, low[g] = i.low, high[g] = i.high;
                ends |= isfinite(i.low);
            }
            const char *rest = place_text(arena, s, o, 1);
            series[a * others + o] = (ChartSeries){
                .name = *rest ? arena_printf(arena, "%s, %s", s->archs[a], rest) : s->archs[a],
                .arch = s->columns[a].arch.name,
                .low = ends ? low : NULL,
                .high = ends ? high : NULL,
                .values = values};
        }
    charts->list[charts->n++] = (Chart){.kind = along > 1 ? CHART_LINES : CHART_BARS,
                                        .id = id,
                                        .title = title,
                                        .unit = unit,
                                        .note = "",
                                        .x_title = s->naxes ? s->axes[0].key : NULL,
                                        .groups = groups,
                                        .ngroups = along,
                                        .series = series,
                                        .nseries = others * s->narchs};
}

static void add_pareto(Charts *charts, const Sweep *s, Arena *arena) {
    ChartSeries *series = ARENA_ARRAY(arena, ChartSeries, s->narchs);
    const char **groups = ARENA_ARRAY(arena, const char *, s->npoints);
    for (int p = 0; p < s->npoints; p++) groups[p] = place_text(arena, s, p, 0);
    for (int a = 0; a < s->narchs; a++) {
        double *ipc = ARENA_ARRAY(arena, double, s->npoints),
               *area = ARENA_ARRAY(arena, double, s->npoints);
        bool *front = ARENA_ARRAY(arena, bool, s->npoints);
        for (int p = 0; p < s->npoints; p++)
            ipc[p] = sum_of(s, p, a)->ipc, area[p] = sum_of(s, p, a)->area,
            front[p] = sum_of(s, p, a)->front;
        series[a] = (ChartSeries){.name = s->archs[a],
                                  .arch = s->columns[a].arch.name,
                                  .values = ipc,
                                  .x = area,
                                  .front = front};
    }
    charts->list[charts->n++] = (Chart){.kind = CHART_POINTS,
                                        .id = "pareto",
                                        .title = "IPC against area",
                                        .unit = "IPC",
                                        .note = "ringed and joined: the Pareto front; no other "
                                                "point has as much IPC with as little area",
                                        .x_title = "area, um2",
                                        .groups = groups,
                                        .ngroups = s->npoints,
                                        .series = series,
                                        .nseries = s->narchs};
}

static void make_charts(Charts *charts, const Sweep *s, Arena *arena) {
    if (s->nkernels > 1)
        add_lines(charts, s, arena, "ipc", "IPC, harmonic mean of all kernels", "IPC",
                  (What){IPC_OF_ALL, 0});
    if (s->nkernels > 1)
        add_lines(charts, s, arena, "ratio",
                  s->nruns > 1
                      ? "Ratio of IPC, geometric mean of all kernels, 95 % interval over runs"
                      : "Ratio of IPC, geometric mean of all kernels, 95 % interval over kernels",
                  "ratio", (What){RATIO_OF_ALL, 0});
    if (s->nblocks) {
        add_pareto(charts, s, arena);
        add_lines(charts, s, arena, "area", "Area of the blocks", "um2", (What){AREA, 0});
        add_lines(charts, s, arena, "clock", "Clock of the slowest block", "MHz", (What){FMAX, 0});
    }
    for (int k = 0; k < s->nkernels && k < MOST_KERNELS && s->metric; k++)
        add_lines(charts, s, arena, arena_printf(arena, "metric-%d", k + 1),
                  arena_printf(arena, "%s of %s", s->metric->name, s->kernels[k]), s->metric->name,
                  (What){METRIC_OF_KERNEL, k});
    for (int k = 0; k < s->nkernels && k < MOST_KERNELS; k++)
        add_lines(charts, s, arena, arena_printf(arena, "ipc-%d", k + 1),
                  arena_printf(arena, "IPC of %s", s->kernels[k]), "IPC", (What){IPC_OF_KERNEL, k});
}

// ---- page ---------------------------------------------------------------------------------------

static const char *text_of(Arena *arena, double v, int digits) {
    return isfinite(v) ? arena_printf(arena, "%.*f", digits, v) : "-";
}

static void write_heads(FILE *out, const Sweep *s, const char *const *names, int n) {
    for (int i = 0; i < s->naxes; i++) page_cell(out, PAGE_HEAD, s->axes[i].key);
    for (int i = 0; i < n; i++) page_cell(out, PAGE_HEAD, names[i]);
    fputs("</tr>\n", out);
}

static void arch_cell(FILE *out, const Sweep *s, int arch) {
    char color[COLOR_TEXT];
    fprintf(out, "<td style='border-left:6px solid %s'>",
            chart_color(color, s->columns[arch].arch.name, 0, 1));
    xml_put(out, s->archs[arch]);
}

static const char *spread_text(Arena *arena, Interval i, int digits) {
    const char *text = text_of(arena, i.mean, digits);
    if (!isfinite(i.low)) return text;
    return arena_printf(arena, "%s \u00b1 %.*f", text, digits, interval_half(i));
}

static void sums_table(FILE *out, const Sweep *s, Arena *arena) {
    static const char *const names[] = {
        "architecture",   "IPC",       "ratio",     "95 % over kernels",
        "95 % over runs", "area, um2", "Fmax, MHz", "Pareto front"};
    fputs("<section id='sums'><h2>Points</h2><table><tr>", out);
    write_heads(out, s, names, s->nblocks ? 8 : 5);
    for (int p = 0; p < s->npoints; p++)
        for (int a = 0; a < s->narchs; a++) {
            const SweepSum *x = sum_of(s, p, a);
            fputs("<tr>", out);
            for (int i = 0; i < s->naxes; i++) page_cell(out, PAGE_NUMBER, sweep_value(s, p, i));
            arch_cell(out, s, a);
            page_cell(out, PAGE_NUMBER, text_of(arena, x->ipc, 3));
            page_cell(out, PAGE_NUMBER, text_of(arena, x->ratio.mean, 3));
            page_cell(out, PAGE_NUMBER, interval_text(arena, x->ratio, 3));
            page_cell(out, PAGE_NUMBER, interval_text(arena, x->ratio_over_runs, 4));
            if (s->nblocks) {
                page_cell(out, PAGE_NUMBER, text_of(arena, x->area, 0)),
                    page_cell(out, PAGE_NUMBER, text_of(arena, x->fmax, 1));
                page_cell(out, PAGE_TEXT, x->front ? "front" : "");
            }
            fputs("</tr>\n", out);
        }
    fputs("</table></section>\n", out);
}

static void run_cells(FILE *out, const Sweep *s, const SweepCell *c, Arena *arena) {
    page_cell(out, PAGE_NUMBER, spread_text(arena, c->over_cycles, 0));
    page_cell(out, PAGE_NUMBER, spread_text(arena, c->over_ipc, 3));
    page_cell(out, PAGE_NUMBER, spread_text(arena, c->ratio, 3));
    page_cell(out, PAGE_NUMBER, text_of(arena, c->reads, 3));
    page_cell(out, PAGE_NUMBER, text_of(arena, c->writes, 3));
    page_cell(out, PAGE_NUMBER, text_of(arena, c->warps, 0));
    page_cell(out, PAGE_TEXT, c->limited_by);
    if (s->metric)
        page_cell(out, PAGE_NUMBER, spread_text(arena, c->metric, metric_digits(c->metric.mean)));
}

static void runs_table(FILE *out, const Sweep *s, Arena *arena) {
    const char *const names[] = {"architecture",
                                 "verdict",
                                 "cycles",
                                 "IPC",
                                 "ratio",
                                 "bank reads / instruction",
                                 "bank writes / instruction",
                                 "warps",
                                 "limited by",
                                 s->metric ? s->metric->name : ""};
    fputs("<section id='runs'><h2>Runs</h2><table><tr>", out);
    page_cell(out, PAGE_HEAD, "kernel");
    write_heads(out, s, names, s->metric ? 10 : 9);
    for (int k = 0; k < s->nkernels; k++)
        for (int p = 0; p < s->npoints; p++)
            for (int a = 0; a < s->narchs; a++) {
                const SweepCell *c = sweep_cell(s, p, k, a);
                fputs("<tr>", out);
                page_cell(out, PAGE_TEXT, s->kernels[k]);
                for (int i = 0; i < s->naxes; i++)
                    page_cell(out, PAGE_NUMBER, sweep_value(s, p, i));
                arch_cell(out, s, a);
                page_cell(out, c->passed ? PAGE_TEXT : PAGE_BAD,
                          c->passed && !c->checked ? "pass, results not checked"
                              : *c->message ? arena_printf(arena, "%s: %s", c->verdict, c->message)
                                            : c->verdict);
                if (c->passed) run_cells(out, s, c, arena);
                fputs("</tr>\n", out);
            }
    fputs("</table></section>\n", out);
}

static void write_page(FILE *out, const Sweep *s, Arena *arena) {
    Charts *charts = ARENA_NEW(arena, Charts);
    int passed = 0;
    const int n = s->npoints * s->nkernels * s->narchs;
    for (int i = 0; i < n; i++) passed += s->cells[i].passed;
    page_begin(out, "smcosim sweep", s->version, s->command);
    fputs("<p>Machine ", out);
    xml_put(out, s->machine);
    fprintf(out, ", golden models; %d of %d runs passed. Ratio: IPC to ", passed, n);
    xml_put(out, s->archs[0]);
    fputs(" at the first point.</p>\n", out);
    for (int i = 0; i < s->nnotes; i++)
        fputs("<p class='note'>note: ", out), xml_put(out, s->notes[i]), fputs("</p>\n", out);
    for (int k = 0; k < s->nkernels && s->nruns > 1; k++)
        if (moves_of(s, k) > INTERVAL_MARK) {
            fputs("<p class='note'>", out);
            xml_put(out, s->kernels[k]);
            fprintf(out, " on the first architecture moves by %.1f %% over the runs</p>\n",
                    moves_of(s, k));
        }
    make_charts(charts, s, arena);
    for (int i = 0; i < charts->n; i++) page_chart(out, &charts->list[i]);
    if (s->nblocks || s->nkernels > 1) sums_table(out, s, arena);
    runs_table(out, s, arena);
    page_end(out);
}

bool sweep_html(const char *path, const Sweep *s, Diag *d) {
    Arena arena = {0};
    Output o;
    FILE *out = output_open(&o, &arena, path, d);
    if (out) write_page(out, s, &arena);
    const bool ok = out && output_close(&o, out, true, d);
    arena_free(&arena);
    return ok;
}

bool sweep_figures(const char *dir, const Sweep *s, Diag *d) {
    Arena arena = {0};
    Charts *charts = ARENA_NEW(&arena, Charts);
    bool ok = true;
    make_charts(charts, s, &arena);
    for (int i = 0; i < charts->n && ok; i++) ok = chart_files(dir, &charts->list[i], d);
    arena_free(&arena);
    return ok;
}
