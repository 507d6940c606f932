// SPDX-License-Identifier: Apache-2.0
// The page of smcosim compare: the runs with their verdicts, the papers' figures as charts, the
// constants of energy.
#include "base/output.h"
#include "base/xml.h"
#include "report/chart.h"
#include "report/compare_report.h"
#include "counters/energy.h"

#include <math.h>

// ---- figures as charts --------------------------------------------------------------------------

enum { MEANS = 3 };  // over all, integer, floating point

static double mean_of(const FigureSeries *s, int which, bool paper) {
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
    for (int k = 0; k < f->nseries; k++) paper |= !isnan(mean_of(&f->series[k], which, true));
    if (which) return floats && floats < c->nlaunches;
    return c->nlaunches > 1 || paper;
}

static bool any_value(const Figure *f, int launch) {
    for (int k = 0; k < f->nseries; k++)
        if (!isnan(f->series[k].value[launch])) return true;
    return false;
}

static const char *launch_name(const Compare *c, int i) {
    const LaunchReport *l = compare_cell(c, i, 0);
    return l->name && *l->name ? l->name : l->path;
}

static Chart chart_of(const Compare *c, const Figure *f, Arena *arena) {
    static const char *const names[MEANS] = {"mean", "mean, integer", "mean, float"};
    const int most = c->nlaunches + MEANS;
    const char **groups = ARENA_ARRAY(arena, const char *, most);
    int *from = ARENA_ARRAY(arena, int, most), n = 0, sums = 0;  // launch, or -1 - which mean
    for (int i = 0; i < c->nlaunches; i++)
        if (any_value(f, i)) groups[n] = launch_name(c, i), from[n++] = i;
    for (int w = 0; w < MEANS; w++)
        if (mean_wanted(c, f, w))
            groups[n] = c->nlaunches > 1 ? names[w] : "the paper's mean", from[n++] = -1 - w,
            sums++;
    ChartSeries *series = ARENA_ARRAY(arena, ChartSeries, f->nseries);
    for (int k = 0; k < f->nseries; k++) {
        const FigureSeries *s = &f->series[k];
        double *values = ARENA_ARRAY(arena, double, n), *paper = ARENA_ARRAY(arena, double, n);
        for (int g = 0; g < n; g++) {
            values[g] = from[g] >= 0 ? s->value[from[g]]
                : c->nlaunches > 1   ? mean_of(s, -1 - from[g], false)
                                     : NAN;
            paper[g] = from[g] >= 0 ? NAN : mean_of(s, -1 - from[g], true);
        }
        series[k] =
            (ChartSeries){.name = s->name, .arch = s->arch, .values = values, .paper = paper};
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

// ---- tables -------------------------------------------------------------------------------------

static const char *number_text(Arena *arena, double v, int digits) {
    return isfinite(v) ? arena_printf(arena, "%.*f", digits, v) : "-";
}

static const char *checks_of(Arena *arena, const LaunchReport *l) {
    return arena_printf(arena, "%s%s%s%s%s", l->result_compared ? "results " : "",
                        l->retire_checked ? "retire " : "", l->oracle_checked ? "oracle " : "",
                        l->race_checked ? "race " : "", l->strict_checked ? "strict" : "");
}

static const char *passed_text(Arena *arena, const LaunchReport *l) {
    const char *idle = report_idle(l, arena);
    return *idle ? arena_printf(arena, "%s; idle: %s", report_verdict_text(l), idle)
                 : report_verdict_text(l);
}

static void run_row(FILE *out, const Compare *c, Arena *arena, int i, int a) {
    const LaunchReport *l = compare_cell(c, i, a), *base = compare_cell(c, i, 0);
    const bool passed = l->status == EXIT_PASS;
    const double cycles = (double)l->counters.v[CTR_CYCLES],
                 ipc = (double)l->counters.v[CTR_WARP_INSTS] / cycles;
    const double base_ipc =
        (double)base->counters.v[CTR_WARP_INSTS] / (double)base->counters.v[CTR_CYCLES];
    char color[COLOR_TEXT];
    fputs("<tr>", out);
    page_cell(out, PAGE_TEXT, a ? "" : launch_name(c, i));
    page_cell(out, PAGE_TEXT, a ? "" : compare_is_float(c, i) ? "float" : "integer");
    fprintf(out, "<td style='border-left:6px solid %s'>", chart_color(color, c->archs[a], 0, 1));
    xml_put(out, c->archs[a]);
    page_cell(out, passed ? PAGE_TEXT : PAGE_BAD,
              passed ? passed_text(arena, l)
                     : arena_printf(arena, "%s: %s", report_verdict(l), l->message));
    page_cell(out, PAGE_TEXT, checks_of(arena, l));
    page_cell(out, PAGE_NUMBER, number_text(arena, passed ? cycles : NAN, 0));
    page_cell(out, PAGE_NUMBER, number_text(arena, passed ? ipc : NAN, 3));
    page_cell(out, PAGE_NUMBER,
              number_text(arena, passed && base->status == EXIT_PASS ? ipc / base_ipc : NAN, 3));
    page_cell(out, PAGE_NUMBER,
              number_text(arena,
                          passed ? (double)l->counters.v[CTR_RF_READS] /
                                  (double)l->counters.v[CTR_WARP_INSTS]
                                 : NAN,
                          3));
    page_cell(out, PAGE_NUMBER,
              number_text(arena,
                          passed ? (double)l->counters.v[CTR_RF_WRITES] /
                                  (double)l->counters.v[CTR_WARP_INSTS]
                                 : NAN,
                          3));
    fputs("</tr>\n", out);
}

static void write_heads(FILE *out, const char *const *names, int n) {
    fputs("<table><tr>", out);
    for (int i = 0; i < n; i++) page_cell(out, PAGE_HEAD, names[i]);
    fputs("</tr>\n", out);
}

static void without_work(FILE *out, const Compare *c, Arena *arena) {
    for (int a = 0; a < c->narchs; a++) {
        if (!c->nwork[a]) continue;
        fputs("<p class='note'>", out);
        xml_put(out, c->archs[a]), fputs(": ", out),
            xml_put(out, report_work_text(c->work[a], c->nwork[a], arena));
        fputs("</p>\n", out);
    }
}

static void write_runs(FILE *out, const Compare *c, Arena *arena) {
    const char *const names[] = {"kernel",
                                 "class",
                                 "architecture",
                                 "verdict",
                                 "checked",
                                 "cycles",
                                 "IPC",
                                 arena_printf(arena, "IPC, ratio to %s", c->archs[0]),
                                 "bank reads / instruction",
                                 "bank writes / instruction"};
    int passed = 0, n = c->nlaunches * c->narchs;
    for (int i = 0; i < n; i++) passed += c->cells[i].status == EXIT_PASS;
    fprintf(out, "<section id='runs'><h2>Runs</h2><p>%d of %d passed.</p>\n", passed, n);
    without_work(out, c, arena);
    write_heads(out, names, sizeof names / sizeof *names);
    for (int i = 0; i < c->nlaunches; i++)
        for (int a = 0; a < c->narchs; a++) run_row(out, c, arena, i, a);
    fputs("</table></section>\n", out);
}

static void write_summary(FILE *out, Arena *arena, const Figure *figures, int nfigures) {
    static const char *const names[] = {"figure",  "what",  "series", "mean",  "paper",
                                        "integer", "paper", "float",  "paper", "unit"};
    fputs("<section id='summary'><h2>Figures beside the paper's</h2>\n", out);
    write_heads(out, names, sizeof names / sizeof *names);
    for (int i = 0; i < nfigures; i++)
        for (int k = 0; k < figures[i].nseries; k++) {
            const FigureSeries *s = &figures[i].series[k];
            fputs("<tr>", out);
            page_cell(out, PAGE_TEXT, k ? "" : figures[i].id);
            page_cell(out, PAGE_TEXT, k ? "" : figures[i].title);
            page_cell(out, PAGE_TEXT, s->name);
            for (int w = 0; w < MEANS; w++)
                for (int paper = 0; paper < 2; paper++)
                    page_cell(out, PAGE_NUMBER, number_text(arena, mean_of(s, w, paper), 1));
            page_cell(out, PAGE_TEXT, figures[i].unit);
            fputs("</tr>\n", out);
        }
    fputs("</table></section>\n", out);
}

static void energy_table(FILE *out, Arena *arena) {
    static const char *const names[] = {"constant", "value", "meaning", "source"};
    fputs("<section><h2>Energy constants</h2>\n", out);
    write_heads(out, names, sizeof names / sizeof *names);
    for (int i = 0; i < ENERGY_COUNT; i++) {
        const EnergyConstant *e = &energy_constants[i];
        fputs("<tr>", out);
        page_cell(out, PAGE_TEXT, e->id);
        page_cell(out, PAGE_NUMBER, arena_printf(arena, "%g %s", e->value, e->unit));
        page_cell(out, PAGE_TEXT, e->meaning);
        page_cell(out, PAGE_TEXT, e->source);
        fputs("</tr>\n", out);
    }
    fputs("</table></section>\n", out);
}

// ---- the page, the files ------------------------------------------------------------------------

static void write_page(FILE *out, const Compare *c, const Figure *figures, int nfigures,
                       Arena *arena) {
    page_begin(out, "smcosim compare", c->version, c->command);
    fputs("<p>Machine ", out);
    xml_put(out, c->cfg->machine);
    fprintf(out,
            ", addresses of %d bits. Differences from the papers and their causes: bench/repro of "
            "the project.</p>\n",
            c->cfg->compiler_addr_bits);
    write_runs(out, c, arena);
    if (nfigures) write_summary(out, arena, figures, nfigures);
    for (int i = 0; i < nfigures; i++) {
        const Chart chart = chart_of(c, &figures[i], arena);
        if (chart.ngroups) page_chart(out, &chart);
    }
    if (nfigures) energy_table(out, arena);
    page_end(out);
}

bool compare_html(const char *path, const Compare *c, const Figure *figures, int nfigures,
                  Diag *d) {
    Arena arena = {0};
    Output o;
    FILE *out = output_open(&o, &arena, path, d);
    if (out) write_page(out, c, figures, nfigures, &arena);
    bool ok = out && output_close(&o, out, true, d);
    arena_free(&arena);
    return ok;
}

bool compare_export(const char *dir, const Compare *c, const Figure *figures, int nfigures,
                    Diag *d) {
    Arena arena = {0};
    bool ok = true;
    for (int i = 0; i < nfigures && ok; i++) {
        const Chart chart = chart_of(c, &figures[i], &arena);
        ok = !chart.ngroups || chart_files(dir, &chart, d);
    }
    arena_free(&arena);
    return ok;
}
