// SPDX-License-Identifier: Apache-2.0
// smcosim compare: the table on stdout and the JSON document.
#include "report/compare.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

// ---- table ----

static double ratio(double a, double b) { return b > 0 ? a / b : NAN; }

static void cell(FILE *out, double v, double to) {
    if (isnan(v)) fprintf(out, "  %16s", "-");
    else fprintf(out, "  %9.3f x%5.2f", v, ratio(v, to));
}

typedef struct Row { const char *name; double (*value)(const LaunchReport *l); } Row;
static double cycles(const LaunchReport *l) { return (double)l->counters.v[CTR_CYCLES] / 1e3; }
static double ipc(const LaunchReport *l) {
    return ratio((double)l->counters.v[CTR_WARP_INSTS], (double)l->counters.v[CTR_CYCLES]);
}
static double reads(const LaunchReport *l) {
    return ratio((double)l->counters.v[CTR_RF_READS], (double)l->counters.v[CTR_WARP_INSTS]);
}
static double writes(const LaunchReport *l) {
    return ratio((double)l->counters.v[CTR_RF_WRITES], (double)l->counters.v[CTR_WARP_INSTS]);
}
static double conflicts(const LaunchReport *l) {
    return ratio((double)l->counters.v[CTR_RF_READ_CONFLICTS], (double)l->counters.v[CTR_WARP_INSTS]);
}
static double registers(const LaunchReport *l) {
    const uint64_t *v = l->counters.v;
    return ratio((double)(v[CTR_PHYS_USED] ? v[CTR_PHYS_USED] : v[CTR_ARCH_USED]), (double)v[CTR_CYCLES]);
}
static const Row rows[] = {{"k cycles", cycles}, {"IPC", ipc}, {"bank reads / inst", reads},
                           {"bank writes / inst", writes}, {"read conflicts / inst", conflicts},
                           {"registers in use", registers}};
enum { NROWS = sizeof rows / sizeof *rows };

static void print_launch(FILE *out, const Compare *c, int launch) {
    const LaunchReport *base = compare_cell(c, launch, 0);
    fprintf(out, "%s  (%s)\n", base->name ? base->name : base->path, compare_is_float(c, launch) ? "floating point" : "integer");
    for (int a = 0; a < c->narchs; a++) {
        const LaunchReport *l = compare_cell(c, launch, a);
        if (l->status != EXIT_PASS) fprintf(out, "  %-22s %s: %s\n", c->archs[a], report_verdict(l), l->message);
    }
    for (int r = 0; r < NROWS; r++) {
        fprintf(out, "  %-22s", rows[r].name);
        for (int a = 0; a < c->narchs; a++) {
            const LaunchReport *l = compare_cell(c, launch, a);
            cell(out, l->status == EXIT_PASS ? rows[r].value(l) : NAN, rows[r].value(base));
        }
        fputc('\n', out);
    }
}

static void number(FILE *out, double v) {
    if (isnan(v)) fprintf(out, " %8s", "-");
    else fprintf(out, " %8.1f", v);
}

static void print_figures(FILE *out, const Figure *figures, int nfigures) {
    fprintf(out, "\n%-8s %-14s %8s %8s   %8s %8s %8s %8s   %s\n", "figure", "", "ours", "paper", "integer", "paper",
            "float", "paper", "unit");
    for (int i = 0; i < nfigures; i++) {
        const Figure *f = &figures[i];
        fprintf(out, "%-8s %s\n", f->id, f->title);
        for (int k = 0; k < f->nseries; k++) {
            const FigureSeries *s = &f->series[k];
            fprintf(out, "%-8s %-14s", "", s->name);
            number(out, s->mean), number(out, s->paper);
            fputs("  ", out);
            number(out, s->mean_int), number(out, s->paper_int), number(out, s->mean_float), number(out, s->paper_float);
            fprintf(out, "   %s\n", f->unit);
        }
    }
}

void compare_table(FILE *out, const Compare *c, const Figure *figures, int nfigures) {
    fprintf(out, "machine %s; each column: value, and ratio to %s\n%-24s", c->cfg->machine, c->archs[0], "");
    for (int a = 0; a < c->narchs; a++) fprintf(out, "  %16s", c->archs[a]);
    fputc('\n', out);
    for (int i = 0; i < c->nlaunches; i++) print_launch(out, c, i);
    if (nfigures) print_figures(out, figures, nfigures);
}

// ---- JSON ----

static json_t *real_or_null(double v) { return isnan(v) ? json_null() : json_real(v); }

static json_t *figures_json(const Compare *c, const Figure *figures, int nfigures) {
    json_t *list = json_array();
    for (int i = 0; i < nfigures; i++) {
        const Figure *f = &figures[i];
        json_t *series = json_array();
        for (int k = 0; k < f->nseries; k++) {
            const FigureSeries *s = &f->series[k];
            json_t *values = json_array();
            for (int l = 0; l < c->nlaunches; l++) json_array_append_new(values, real_or_null(s->value[l]));
            json_array_append_new(series, json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name", s->name,
                "values", values, "mean", real_or_null(s->mean), "mean_integer", real_or_null(s->mean_int),
                "mean_float", real_or_null(s->mean_float), "paper", real_or_null(s->paper),
                "paper_integer", real_or_null(s->paper_int), "paper_float", real_or_null(s->paper_float)));
        }
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s, s:o}", "id", f->id, "title", f->title,
                                              "unit", f->unit, "note", f->note, "series", series));
    }
    return list;
}

static json_t *launches_json(const Compare *c) {
    json_t *list = json_array();
    for (int i = 0; i < c->nlaunches; i++) {
        json_t *archs = json_object();
        for (int a = 0; a < c->narchs; a++) {
            const LaunchReport *l = compare_cell(c, i, a);
            json_t *counters = json_object();
            for (int k = 0; k < CTR_COUNT; k++)
                json_object_set_new(counters, counter_info[k].name, json_integer((json_int_t)l->counters.v[k]));
            json_object_set_new(archs, c->archs[a], json_pack("{s:s, s:s, s:o}", "verdict", report_verdict(l),
                                                              "message", l->message, "counters", counters));
        }
        const LaunchReport *l = compare_cell(c, i, 0);
        json_array_append_new(list, json_pack("{s:s, s:s, s:b, s:o}", "name", l->name ? l->name : "", "path", l->path,
                                              "float", compare_is_float(c, i), "archs", archs));
    }
    return list;
}

bool compare_json(const char *path, const Compare *c, const Figure *figures, int nfigures, Diag *d) {
    json_t *names = json_array();
    for (int a = 0; a < c->narchs; a++) json_array_append_new(names, json_string(c->archs[a]));
    json_t *doc = json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o}", "schema", "smcosim.compare/1", "version",
                            c->version, "command", c->command, "machine", c->cfg->machine, "archs", names, "launches",
                            launches_json(c), "figures", figures_json(c, figures, nfigures));
    bool ok = report_write_json(path, doc, d);
    json_decref(doc);
    return ok;
}
