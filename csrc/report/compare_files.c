// SPDX-License-Identifier: Apache-2.0
// Values per kernel: CSV for other programs, a LaTeX table for a paper.
#include "base/csv.h"
#include "base/output.h"
#include "report/compare_report.h"

#include <math.h>
#include <string.h>

// ---- CSV ----

static void put_interval(FILE *out, Interval i, bool ends) {
    csv_number(out, i.mean);
    if (ends) csv_number(out, i.low), csv_number(out, i.high);
}

static void put_heads(FILE *out, const Compare *c) {
    const char *const ends[] = {"", "_low", "_high"};
    const int n = c->nruns > 1 ? 3 : 1;
    fputs("kernel,class,arch,verdict", out);
    for (int k = 0; k < n; k++) fprintf(out, ",speedup%s", ends[k]);
    for (int r = 0; r < compare_nrows; r++)
        for (int k = 0; k < n; k++) fprintf(out, ",%s%s", compare_rows[r].id, ends[k]);
    if (c->scatter)
        for (int k = 0; k < n; k++) fprintf(out, ",%s%s", c->scatter->name, ends[k]);
    fprintf(out, "%s\n", c->nruns > 1 ? ",baseline_moves_percent" : "");
}

static void put_row(FILE *out, const Compare *c, int launch, int arch) {
    const bool ends = c->nruns > 1;
    csv_text(out, compare_launch_name(c, launch));
    fprintf(out, ",%s,", compare_is_float(c, launch) ? "float" : "integer");
    csv_text(out, c->columns[arch].label);
    fprintf(out, ",%s", report_verdict(compare_worst(c, launch, arch)));
    put_interval(out, compare_speedup(c, launch, arch), ends);
    for (int r = 0; r < compare_nrows; r++)
        put_interval(out, compare_value(c, compare_rows[r].of, launch, arch), ends);
    if (c->scatter) put_interval(out, compare_metric(c, c->scatter, launch, arch), ends);
    if (ends) csv_number(out, compare_moves(c, launch));
    fputc('\n', out);
}

static void write_csv(FILE *out, const Compare *c) {
    put_heads(out, c);
    for (int l = 0; l < c->nlaunches; l++)
        for (int a = 0; a < c->narchs; a++) put_row(out, c, l, a);
}

// ---- LaTeX ----

static void put_tex(FILE *out, const char *text) {
    for (; *text; text++) {
        if (strchr("_%&#${}", *text)) fputc('\\', out);
        if (*text == '\\') fputs("\\textbackslash{}", out);
        else if (*text == '~' || *text == '^') fprintf(out, "\\%c{}", *text);
        else fputc(*text, out);
    }
}

static void put_speedup(FILE *out, Interval i, bool spread) {
    if (!isfinite(i.mean)) fputs(" & --", out);
    else if (spread) fprintf(out, " & $%.3f \\pm %.3f$", i.mean, interval_half(i));
    else fprintf(out, " & %.3f", i.mean);
}

static void put_mean(FILE *out, const Compare *c, Arena *arena) {
    CompareMean *means;
    const int n = compare_means(c, arena, &means);
    fputs("\\hline\ngeometric mean", out);
    for (int i = 0; i < n && !strcmp(means[i].id, "speedup"); i++)
        fprintf(out, " & %.3f", means[i].kernels.mean);
    fputs(" \\\\\n95\\,\\% over kernels", out);
    for (int i = 0; i < n && !strcmp(means[i].id, "speedup"); i++) {
        const Interval k = means[i].kernels;
        if (isfinite(k.low)) fprintf(out, " & %.3f--%.3f", k.low, k.high);
        else fputs(" & --", out);
    }
    fputs(" \\\\\n", out);
}

static void write_latex(FILE *out, const Compare *c, Arena *arena) {
    fputs("% Speed-up: cycles of ", out);
    put_tex(out, c->columns[0].label);
    fputs(" over those of each column.", out);
    if (c->nruns > 1)
        fprintf(out,
                " +-: 95 %% interval over %d perturbed runs; *: the baseline moves by more "
                "than %.0f %%.",
                c->nruns, INTERVAL_MARK);
    fputs("\n\\begin{tabular}{l", out);
    for (int a = 1; a < c->narchs; a++) fputc('r', out);
    fputs("}\n\\hline\nkernel", out);
    for (int a = 1; a < c->narchs; a++) fputs(" & ", out), put_tex(out, c->columns[a].label);
    fputs(" \\\\\n\\hline\n", out);
    for (int l = 0; l < c->nlaunches; l++) {
        put_tex(out, compare_launch_name(c, l));
        if (c->nruns > 1 && compare_moves(c, l) > INTERVAL_MARK) fputc('*', out);
        for (int a = 1; a < c->narchs; a++)
            put_speedup(out, compare_speedup(c, l, a), c->nruns > 1);
        fputs(" \\\\\n", out);
    }
    if (c->nlaunches > 1) put_mean(out, c, arena);
    fputs("\\hline\n\\end{tabular}\n", out);
}

// ---- files ----

bool compare_csv(const char *path, const Compare *c, Diag *d) {
    if (!strcmp(path, "-")) return write_csv(stdout, c), true;
    Arena arena = {0};
    Output o;
    FILE *out = output_open(&o, &arena, path, d);
    if (out) write_csv(out, c);
    const bool ok = out && output_close(&o, out, true, d);
    arena_free(&arena);
    return ok;
}

bool compare_latex(const char *path, const Compare *c, Diag *d) {
    Arena arena = {0};
    Output o;
    FILE *out = output_open(&o, &arena, path, d);
    if (out) write_latex(out, c, &arena);
    const bool ok = out && output_close(&o, out, true, d);
    arena_free(&arena);
    return ok;
}
