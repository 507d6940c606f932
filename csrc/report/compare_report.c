// SPDX-License-Identifier: Apache-2.0
// smcosim compare: the table on stdout and the JSON document.
#include "report/compare_report.h"

#include "base/json.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

// ---- table ----

static double ratio_of(double a, double b) { return b > 0 ? a / b : NAN; }

// A meaningless value is a dash.
static void print_cell(FILE *out, double v, double to) {
    const double by = ratio_of(v, to);
    if (isfinite(v) && isfinite(by)) fprintf(out, "  %9.3f x%5.2f", v, by);
    else if (isfinite(v)) fprintf(out, "  %9.3f %6s", v, "-");
    else fprintf(out, "  %16s", "-");
}

typedef struct Row {
    const char *name;
    double (*value)(const Compare *c, const LaunchReport *l);
} Row;
static double counter_ratio(const LaunchReport *l, CounterId what, CounterId of) {
    return ratio_of((double)l->counters.v[what], (double)l->counters.v[of]);
}
#define ROW(name, expression) \
    static double name(const Compare *c, const LaunchReport *l) { \
        (void)c; \
        return expression; \
    }
ROW(cycles, (double)l->counters.v[CTR_CYCLES] / 1e3)
ROW(ipc, counter_ratio(l, CTR_WARP_INSTS, CTR_CYCLES))
ROW(reads, counter_ratio(l, CTR_RF_READS, CTR_WARP_INSTS))
ROW(writes, counter_ratio(l, CTR_RF_WRITES, CTR_WARP_INSTS))
ROW(conflicts, counter_ratio(l, CTR_RF_READ_CONFLICTS, CTR_WARP_INSTS))
ROW(registers,
    counter_ratio(l, l->counters.v[CTR_PHYS_USED] ? CTR_PHYS_USED : CTR_ARCH_USED, CTR_CYCLES))
ROW(bank_use, report_bank_use(&l->counters, c->cfg->rf_banks).mean)
ROW(busiest_bank, report_bank_use(&l->counters, c->cfg->rf_banks).most)
ROW(collector_waits,
    counter_ratio(l, CTR_STALL_SP, CTR_CYCLES) + counter_ratio(l, CTR_STALL_LDST, CTR_CYCLES))
ROW(sfu_waits, counter_ratio(l, CTR_STALL_SFU, CTR_CYCLES))
ROW(pipe_waits, counter_ratio(l, CTR_STALL_PIPE, CTR_CYCLES))
ROW(memory_waits, counter_ratio(l, CTR_STALL_MEMORY, CTR_CYCLES))
ROW(order_waits, counter_ratio(l, CTR_STALL_ORDER, CTR_CYCLES))
#undef ROW
static const Row rows[] = {{"k cycles", cycles},
                           {"IPC", ipc},
                           {"bank reads / inst", reads},
                           {"bank writes / inst", writes},
                           {"read conflicts / inst", conflicts},
                           {"accesses / bank, cycle", bank_use},
                           {"... of the busiest", busiest_bank},
                           {"registers in use", registers},
                           {"no collector / cycle", collector_waits},
                           {"SFU full / cycle", sfu_waits},
                           {"address pipe / cycle", pipe_waits},
                           {"memory full / cycle", memory_waits},
                           {"memory order / cycle", order_waits}};
enum { NROWS = sizeof rows / sizeof *rows };

static void print_idle(FILE *out, const char *arch, const LaunchReport *l) {
    Arena arena = {0};
    const char *idle = report_idle(l, &arena);
    if (*idle) fprintf(out, "  %-22s idle: %s\n", arch, idle);
    arena_free(&arena);
}

static void print_launch(FILE *out, const Compare *c, int launch) {
    const LaunchReport *base = compare_cell(c, launch, 0);
    fprintf(out, "%s  (%s)\n", base->name ? base->name : base->path,
            compare_is_float(c, launch) ? "floating point" : "integer");
    for (int a = 0; a < c->narchs; a++) {
        const LaunchReport *l = compare_cell(c, launch, a);
        if (l->status != EXIT_PASS)
            fprintf(out, "  %-22s %s: %s\n", c->archs[a], report_verdict(l), l->message);
        else if (!report_results_checked(l))
            fprintf(out, "  %-22s %s\n", c->archs[a], report_verdict_text(l));
        print_idle(out, c->archs[a], l);
    }
    for (int r = 0; r < NROWS; r++) {
        fprintf(out, "  %-22s", rows[r].name);
        for (int a = 0; a < c->narchs; a++) {
            const LaunchReport *l = compare_cell(c, launch, a);
            print_cell(out, l->status == EXIT_PASS ? rows[r].value(c, l) : NAN,
                       rows[r].value(c, base));
        }
        fputc('\n', out);
    }
}

static void print_number(FILE *out, double v) {
    if (isfinite(v)) fprintf(out, " %8.1f", v);
    else fprintf(out, " %8s", "-");
}

static void print_figures(FILE *out, const Figure *figures, int nfigures) {
    fprintf(out, "\n%-8s %-14s %8s %8s   %8s %8s %8s %8s   %s\n", "figure", "", "ours", "paper",
            "integer", "paper", "float", "paper", "unit");
    for (int i = 0; i < nfigures; i++) {
        const Figure *f = &figures[i];
        fprintf(out, "%-8s %s\n", f->id, f->title);
        for (int k = 0; k < f->nseries; k++) {
            const FigureSeries *s = &f->series[k];
            fprintf(out, "%-8s %-14s", "", s->name);
            print_number(out, s->mean), print_number(out, s->paper);
            fputs("  ", out);
            print_number(out, s->mean_int), print_number(out, s->paper_int),
                print_number(out, s->mean_float), print_number(out, s->paper_float);
            fprintf(out, "   %s\n", f->unit);
        }
    }
}

void compare_table(FILE *out, const Compare *c, const Figure *figures, int nfigures) {
    fprintf(out, "machine %s; each column: value, and ratio to %s\n%-24s", c->cfg->machine,
            c->archs[0], "");
    for (int a = 0; a < c->narchs; a++) fprintf(out, "  %16s", c->archs[a]);
    fputc('\n', out);
    for (int i = 0; i < c->nlaunches; i++) print_launch(out, c, i);
    if (nfigures) print_figures(out, figures, nfigures);
}

// ---- JSON ----

static json_t *figures_json(const Compare *c, const Figure *figures, int nfigures) {
    json_t *list = json_array();
    for (int i = 0; i < nfigures; i++) {
        const Figure *f = &figures[i];
        json_t *series = json_array();
        for (int k = 0; k < f->nseries; k++) {
            const FigureSeries *s = &f->series[k];
            json_t *values = json_array();
            for (int l = 0; l < c->nlaunches; l++)
                json_array_append_new(values, json_real_or_null(s->value[l]));
            json_array_append_new(
                series,
                json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name", s->name, "values",
                          values, "mean", json_real_or_null(s->mean), "mean_integer",
                          json_real_or_null(s->mean_int), "mean_float",
                          json_real_or_null(s->mean_float), "paper", json_real_or_null(s->paper),
                          "paper_integer", json_real_or_null(s->paper_int), "paper_float",
                          json_real_or_null(s->paper_float)));
        }
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:s, s:s, s:o}", "id", f->id, "title", f->title,
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
                json_object_set_new(counters, counter_info[k].name,
                                    json_integer((json_int_t)l->counters.v[k]));
            json_object_set_new(
                archs, c->archs[a],
                json_pack("{s:s, s:s, s:b, s:o, s:o, s:o, s:o}", "verdict", report_verdict(l),
                          "message", l->message, "results_checked", report_results_checked(l),
                          "idle", report_idle_json(l), "blocks", report_blocks_json(l), "counters",
                          counters, "banks", report_banks_json(&l->counters, c->cfg->rf_banks)));
        }
        const LaunchReport *l = compare_cell(c, i, 0);
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:b, s:o}", "name", l->name ? l->name : "",
                                        "path", l->path, "float", compare_is_float(c, i), "archs",
                                        archs));
    }
    return list;
}

bool compare_json(const char *path, const Compare *c, const Figure *figures, int nfigures,
                  Diag *d) {
    json_t *names = json_array(), *without = json_object();
    for (int a = 0; a < c->narchs; a++)
        if (c->nwork[a])
            json_object_set_new(without, c->archs[a],
                                report_without_work_json(c->work[a], c->nwork[a]));
    for (int a = 0; a < c->narchs; a++) json_array_append_new(names, json_string(c->archs[a]));
    json_t *doc =
        json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o}", "schema", "smcosim.compare/1",
                  "version", c->version, "command", c->command, "machine", c->cfg->machine, "archs",
                  names, "without_work", without, "launches", launches_json(c), "figures",
                  figures_json(c, figures, nfigures));
    bool ok = json_write(path, doc, JSON_INDENT(2), d);
    json_decref(doc);
    return ok;
}
