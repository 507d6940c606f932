// SPDX-License-Identifier: Apache-2.0
// The page of smcosim compare: the runs with their verdicts, the papers' figures as charts, the
// constants of energy.
#include "base/output.h"
#include "base/xml.h"
#include "report/chart.h"
#include "report/compare_report.h"
#include "counters/energy.h"

#include <math.h>

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

// With its interval over the runs, if there are several.
static const char *spread_text(Arena *arena, Interval v, int digits) {
    const char *text = number_text(arena, v.mean, digits);
    if (!isfinite(v.low)) return text;
    return arena_printf(arena, "%s \u00b1 %.*f", text, digits, interval_half(v));
}

static void run_row(FILE *out, const Compare *c, Arena *arena, int i, int a) {
    const LaunchReport *l = compare_worst(c, i, a);
    const CompareColumn *column = &c->columns[a];
    const bool moves = !a && c->nruns > 1 && compare_moves(c, i) > INTERVAL_MARK;
    char color[COLOR_TEXT];
    fputs("<tr>", out);
    page_cell(out, PAGE_TEXT, a ? "" : compare_launch_name(c, i));
    page_cell(out, PAGE_TEXT, a ? "" : compare_is_float(c, i) ? "float" : "integer");
    fprintf(out, "<td style='border-left:6px solid %s'>",
            chart_color(color, column->arch->name, 0, 1));
    xml_put(out, column->label);
    page_cell(out, l->status == EXIT_PASS ? PAGE_TEXT : PAGE_BAD,
              l->status == EXIT_PASS
                  ? passed_text(arena, l)
                  : arena_printf(arena, "%s: %s", report_verdict(l), l->message));
    page_cell(out, PAGE_TEXT, checks_of(arena, l));
    page_cell(out, moves ? PAGE_BAD : PAGE_NUMBER,
              spread_text(arena, compare_value(c, compare_cycles, i, a), 0));
    page_cell(out, PAGE_NUMBER, spread_text(arena, compare_value(c, compare_ipc, i, a), 3));
    page_cell(out, PAGE_NUMBER, spread_text(arena, compare_ratio(c, compare_ipc, i, a), 3));
    page_cell(out, PAGE_NUMBER, spread_text(arena, compare_speedup(c, i, a), 3));
    page_cell(out, PAGE_NUMBER, spread_text(arena, compare_value(c, compare_reads, i, a), 3));
    page_cell(out, PAGE_NUMBER, spread_text(arena, compare_value(c, compare_writes, i, a), 3));
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
        xml_put(out, c->columns[a].label), fputs(": ", out),
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
                                 arena_printf(arena, "IPC, ratio to %s", c->columns[0].label),
                                 "speed-up",
                                 "bank reads / instruction",
                                 "bank writes / instruction"};
    int passed = 0, n = c->nlaunches * c->narchs;
    for (int i = 0; i < n; i++)
        passed += compare_worst(c, i / c->narchs, i % c->narchs)->status == EXIT_PASS;
    fprintf(out, "<section id='runs'><h2>Runs</h2><p>%d of %d passed.</p>\n", passed, n);
    if (c->nruns > 1)
        fprintf(out,
                "<p>%d runs of each, perturbed but the first; \u00b1: 95 %% interval of the mean. "
                "A red number of cycles: the baseline moves by more than %.0f %%.</p>\n",
                c->nruns, INTERVAL_MARK);
    without_work(out, c, arena);
    write_heads(out, names, sizeof names / sizeof *names);
    for (int i = 0; i < c->nlaunches; i++)
        for (int a = 0; a < c->narchs; a++) run_row(out, c, arena, i, a);
    fputs("</table></section>\n", out);
}

static void write_means(FILE *out, const Compare *c, Arena *arena) {
    static const char *const names[] = {"ratio", "architecture", "geometric mean",
                                        "95 % over kernels", "95 % over runs"};
    CompareMean *means;
    const int n = compare_means(c, arena, &means);
    fprintf(out, "<section id='means'><h2>Over %d kernels</h2><p>Ratio to ", c->nlaunches);
    xml_put(out, c->columns[0].label);
    fputs(".</p>\n", out);
    write_heads(out, names, c->nruns > 1 ? 5 : 4);
    for (int i = 0; i < n; i++) {
        if (!isfinite(means[i].kernels.mean)) continue;
        fputs("<tr>", out);
        page_cell(out, PAGE_TEXT, means[i].name);
        page_cell(out, PAGE_TEXT, c->columns[means[i].arch].label);
        page_cell(out, PAGE_NUMBER, number_text(arena, means[i].kernels.mean, 3));
        page_cell(out, PAGE_NUMBER, interval_text(arena, means[i].kernels, 3));
        if (c->nruns > 1) page_cell(out, PAGE_NUMBER, interval_text(arena, means[i].runs, 4));
        fputs("</tr>\n", out);
    }
    fputs("</table></section>\n", out);
}

static void summary_cells(FILE *out, const Compare *c, const FigureSeries *s, Arena *arena) {
    page_cell(out, PAGE_NUMBER, number_text(arena, s->mean, 1));
    page_cell(out, PAGE_NUMBER, interval_text(arena, s->over_kernels, 1));
    if (c->nruns > 1) page_cell(out, PAGE_NUMBER, interval_text(arena, s->over_runs, 2));
    page_cell(out, PAGE_NUMBER, number_text(arena, s->paper, 1));
    for (int w = 1; w < FIGURE_MEANS; w++)
        for (int paper = 0; paper < 2; paper++)
            page_cell(out, PAGE_NUMBER, number_text(arena, figure_mean(s, w, paper), 1));
}

static void write_summary(FILE *out, const Compare *c, Arena *arena, const Figure *figures,
                          int nfigures) {
    static const char *const names[] = {"figure", "what", "series", "mean", "95 % over kernels"},
                             *const rest[] = {"paper", "integer", "paper",
                                              "float", "paper",   "unit"};
    fputs("<section id='summary'><h2>Figures beside the paper's</h2>\n<table><tr>", out);
    for (int i = 0; i < 5; i++) page_cell(out, PAGE_HEAD, names[i]);
    if (c->nruns > 1) page_cell(out, PAGE_HEAD, "95 % over runs");
    for (int i = 0; i < 6; i++) page_cell(out, PAGE_HEAD, rest[i]);
    fputs("</tr>\n", out);
    for (int i = 0; i < nfigures; i++)
        for (int k = 0; k < figures[i].nseries; k++) {
            const FigureSeries *s = &figures[i].series[k];
            fputs("<tr>", out);
            page_cell(out, PAGE_TEXT, k ? "" : figures[i].id);
            page_cell(out, PAGE_TEXT, k ? "" : figures[i].title);
            page_cell(out, PAGE_TEXT, s->name);
            summary_cells(out, c, s, arena);
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
    Chart *charts;
    const int ncharts = compare_charts(c, figures, nfigures, arena, &charts);
    page_begin(out, "smcosim compare", c->version, c->command);
    fputs("<p>Machine ", out);
    xml_put(out, c->machine);
    fprintf(out,
            ", addresses of %d bits. Differences from the papers and their causes: bench/repro of "
            "the project.</p>\n",
            c->columns[0].cfg->compiler_addr_bits);
    write_runs(out, c, arena);
    if (c->nlaunches > 1 && c->narchs > 1) write_means(out, c, arena);
    if (nfigures) write_summary(out, c, arena, figures, nfigures);
    for (int i = 0; i < ncharts; i++) page_chart(out, &charts[i]);
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
    Chart *charts;
    const int n = compare_charts(c, figures, nfigures, &arena, &charts);
    bool ok = true;
    for (int i = 0; i < n && ok; i++) ok = chart_files(dir, &charts[i], d);
    arena_free(&arena);
    return ok;
}
