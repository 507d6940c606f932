// SPDX-License-Identifier: Apache-2.0
// The spread of a launch file's numbers over its perturbed runs.
#include "counters/energy.h"
#include "report/interval.h"
#include "report/report.h"

#include <math.h>

typedef double Measure(const Counters *c, const MachineConfig *cfg);
static double cycles_of(const Counters *c, const MachineConfig *cfg) {
    (void)cfg;
    return (double)c->v[CTR_CYCLES];
}
static double ipc_of(const Counters *c, const MachineConfig *cfg) {
    (void)cfg;
    return (double)c->v[CTR_WARP_INSTS] / (double)c->v[CTR_CYCLES];
}
static double energy_of_file(const Counters *c, const MachineConfig *cfg) {
    const Energy e = energy_of(c, cfg->rf_banks * cfg->rf_entries);
    return e.dynamic + e.dynamic_added + e.leakage + e.leakage_added;
}
static const struct {
    const char *name, *id;
    Measure *of;
    int digits;
} measures[] = {{"cycles", "cycles", cycles_of, 1},
                {"IPC", "ipc", ipc_of, 4},
                {"register file, nJ", "energy", energy_of_file, 1}};
enum { MEASURES = sizeof measures / sizeof *measures };

static double *values_of(const LaunchReport *l, const MachineConfig *cfg, int measure,
                         Arena *arena) {
    double *values = ARENA_ARRAY(arena, double, l->nspread);
    for (int i = 0; i < l->nspread; i++) values[i] = measures[measure].of(&l->spread[i], cfg);
    return values;
}

static double least_of(const double *values, int n) {
    double least = values[0];
    for (int i = 1; i < n; i++) least = fmin(least, values[i]);
    return least;
}

static double most_of(const double *values, int n) {
    double most = values[0];
    for (int i = 1; i < n; i++) most = fmax(most, values[i]);
    return most;
}

void report_spread(FILE *out, const LaunchReport *l, const MachineConfig *cfg) {
    Arena arena = {0};
    if (!l->nspread) return;
    fprintf(out, "spread of %s over %d runs (perturb.run %d to %d)\n", l->name, l->nspread,
            cfg->perturb_run, cfg->perturb_run + l->nspread - 1);
    fprintf(out, "  %-18s %14s %12s %14s %14s\n", "", "mean", "95 %, +-", "least", "most");
    for (int m = 0; m < MEASURES; m++) {
        const double *v = values_of(l, cfg, m, &arena);
        const int n = l->nspread, digits = measures[m].digits;
        const Interval i = interval_of(v, n, INTERVAL_ARITHMETIC);
        fprintf(out, "  %-18s %14.*f %12.*f %14.*f %14.*f\n", measures[m].name, digits, i.mean,
                digits, interval_half(i), digits, least_of(v, n), digits, most_of(v, n));
    }
    const double moves = interval_moves(values_of(l, cfg, 0, &arena), l->nspread);
    fprintf(out, "  %-18s %13.1f%%   %s\n\n", "cycles move by", moves,
            moves > INTERVAL_MARK ? "more than 3 %: smaller gains of one run are noise" : "");
    arena_free(&arena);
}

json_t *report_spread_json(const LaunchReport *l, const MachineConfig *cfg) {
    Arena arena = {0};
    json_t *o = json_pack("{s:i, s:i}", "runs", l->nspread, "first", cfg->perturb_run);
    for (int m = 0; m < MEASURES; m++) {
        const double *v = values_of(l, cfg, m, &arena);
        json_t *values = json_array();
        for (int i = 0; i < l->nspread; i++) json_array_append_new(values, json_real(v[i]));
        json_t *interval = interval_json(interval_of(v, l->nspread, INTERVAL_ARITHMETIC));
        json_object_set_new(interval, "values", values);
        json_object_set_new(o, measures[m].id, interval);
    }
    json_object_set_new(o, "moves_percent",
                        json_real(interval_moves(values_of(l, cfg, 0, &arena), l->nspread)));
    arena_free(&arena);
    return o;
}
