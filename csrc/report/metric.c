// SPDX-License-Identifier: Apache-2.0
#include "report/metric.h"

#include "counters/energy.h"

#include <math.h>
#include <string.h>

static const char *const words[] = {[METRIC_IPC] = "ipc", [METRIC_ENERGY] = "energy"};
enum { NWORDS = sizeof words / sizeof *words };

static bool find_counter(CounterId *id, const char *name, const char *option, Diag *d) {
    const char *names[CTR_COUNT + NWORDS];
    for (int i = 0; i < CTR_COUNT; i++) {
        names[i] = counter_info[i].name;
        if (!strcmp(names[i], name)) return *id = (CounterId)i, true;
    }
    for (int i = 0; i < NWORDS; i++) names[CTR_COUNT + i] = words[i];
    const char *near = name_suggest(name, names, CTR_COUNT + NWORDS);
    return diag_fail(d, EXIT_USAGE, "--%s: no counter '%s'%s%s%s", option, name,
                     near ? "; did you mean '" : ", expected ipc, energy, ",
                     near ? near : "or a counter (smcosim list counters)", near ? "'?" : "");
}

bool metric_parse(Metric *m, Arena *arena, const char *text, const char *option, Diag *d) {
    const char *slash = strchr(text, '/');
    *m = (Metric){.kind = METRIC_COUNTER, .name = text};
    for (int i = 0; i < NWORDS; i++)
        if (!strcmp(words[i], text)) return m->kind = (MetricKind)i, true;
    if (!slash) return find_counter(&m->of, text, option, d);
    m->kind = METRIC_RATIO;
    return find_counter(&m->of, arena_strndup(arena, text, (size_t)(slash - text)), option, d) &&
        find_counter(&m->per, slash + 1, option, d);
}

static double ratio_of(uint64_t a, uint64_t b) { return b ? (double)a / (double)b : NAN; }

double metric_value(const Metric *m, const Counters *c, const MachineConfig *cfg) {
    if (m->kind == METRIC_IPC) return ratio_of(c->v[CTR_WARP_INSTS], c->v[CTR_CYCLES]);
    if (m->kind == METRIC_RATIO) return ratio_of(c->v[m->of], c->v[m->per]);
    if (m->kind == METRIC_COUNTER) return (double)c->v[m->of];
    const Energy e = energy_of(c, cfg->rf_banks * cfg->rf_entries);
    return e.dynamic + e.dynamic_added + e.leakage + e.leakage_added;
}
