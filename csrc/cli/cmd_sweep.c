// SPDX-License-Identifier: Apache-2.0
// smcosim sweep: a grid of machine parameters, architectures and kernels.
#include "cli/cmd_sweep.h"
#include "base/status.h"

#include "cli/runs.h"
#include "cli/cli.h"
#include "cli/kernels.h"
#include "cosim/ports.h"
#include "session/spread.h"
#include "synth/synth.h"
#include "systems/systems.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct SweepArgs {
    const char *best, *archs, *machine, *sets[SESSION_MAX_SETS], *check, *synth[SWEEP_MAX_BLOCKS],
        *liberty, *clock, *html, *csv, *json, *figures, *results, *metric;
    int nsets, nsynth;
    uint64_t sms, jobs, spread;
    bool no_expect;
} SweepArgs;

static const CliOption options[] = {
    {"set", "KEY=VALUE,..|A..B",
     "a machine parameter with its values in the grid; a single value holds at all points (may be "
     "repeated)",
     NULL, "Grid", CLI_LIST(SweepArgs, sets, nsets, SESSION_MAX_SETS)},
    {"best", "KEY",
     "keep, for each kernel, the value of this key with the fewest cycles of the first "
     "architecture; of equal values the last",
     CLI_TEXT(SweepArgs, best)},
    {"arch", "ARCH[,KEY=VALUE..],..",
     "architectures, each with settings of its own behind it, which replace those of --set",
     "baseline", CLI_TEXT(SweepArgs, archs)},
    {"machine", "MACHINE|FILE", "machine preset, see smcosim list machines", "fermi",
     CLI_TEXT(SweepArgs, machine)},
    {"sms", "N", "SMs on one memory system in every run, as in smcosim run", "1",
     CLI_NUMBER(SweepArgs, sms, 1, GPU_MAX_SMS)},
    {"spread", "N",
     "runs of each point, all but the first perturbed (keys perturb.*); numbers become means with "
     "95 % intervals",
     CLI_NUMBER(SweepArgs, spread, SPREAD_LEAST, SPREAD_MOST)},
    {"metric", "COUNTER[/COUNTER]",
     "a further column and plots of it: a counter, a ratio of two, or energy (of the register "
     "file, nJ)",
     CLI_TEXT(SweepArgs, metric)},
    {"no-expect", NULL, "results are not compared, as in smcosim run",
     CLI_FLAG(SweepArgs, no_expect)},
    {"check", "retire,oracle,race,strict,codec", "further checks of every run, as in smcosim run",
     CLI_TEXT(SweepArgs, check)},
    {"synth", "[ARCH=]BLOCK,..",
     "add area and clock of these blocks at every point, and the Pareto front of IPC and area; "
     "they count for ARCH, otherwise for the architectures that use them (may be repeated)",
     NULL, "Area and timing", CLI_LIST(SweepArgs, synth, nsynth, SWEEP_MAX_BLOCKS)},
    {"liberty", "FILE", "cell library, as in smcosim synth", CLI_TEXT(SweepArgs, liberty)},
    {"clock", "NS", "target clock period", CLI_TEXT(SweepArgs, clock)},
    {"html", "FILE", "write table and plots as one self-contained page", NULL, "Reports",
     CLI_TEXT(SweepArgs, html)},
    {"csv", "FILE|-",
     "write a row per point, kernel and architecture; - is standard output, without the table",
     CLI_TEXT(SweepArgs, csv)},
    {"json", "FILE|-", "write the rows as JSON; - is standard output, without the table",
     CLI_TEXT(SweepArgs, json)},
    {"figures", "DIR", "write every plot as an SVG and a CSV file into this folder",
     CLI_TEXT(SweepArgs, figures)},
    {"jobs", "N", "parallel runs; results do not depend on N", "1", .letter = 'j',
     CLI_NUMBER(SweepArgs, jobs, 1, 256)},
    {"results", "DIR", "folder that keeps the result of each run for reuse (default: in the cache)",
     CLI_TEXT(SweepArgs, results)},
};

// ---- the grid -----------------------------------------------------------------------------------

const char *sweep_value(const Sweep *s, int point, int axis) {
    for (int i = s->naxes - 1; i > axis; i--) point /= s->axes[i].n;
    return s->axes[axis].values[point % s->axes[axis].n];
}

// "4", "4,8,16", "2..7".
static bool parse_axis(SweepAxis *a, Arena *arena, const char *text, Diag *d) {
    const size_t key = strcspn(text, "=");
    long first, last;
    int used = 0;
    if (!key || !text[key] || !text[key + 1])
        return diag_fail(d, EXIT_USAGE, "--set '%s': expected KEY=VALUE,.. or KEY=FIRST..LAST",
                         text);
    *a = (SweepAxis){.key = arena_strndup(arena, text, key)};
    const char *rest = text + key + 1;
    if (sscanf(rest, "%ld..%ld%n", &first, &last, &used) == 2 && !rest[used]) {
        if (last < first || last - first >= SWEEP_MAX_VALUES)
            return diag_fail(d, EXIT_USAGE,
                             "--set '%s': expected a range upwards of at most %d values", text,
                             SWEEP_MAX_VALUES);
        for (long v = first; v <= last; v++) a->values[a->n++] = arena_printf(arena, "%ld", v);
        return true;
    }
    for (const char *word = rest;; word++) {
        const size_t n = strcspn(word, ",");
        if (a->n == SWEEP_MAX_VALUES)
            return diag_fail(d, EXIT_USAGE, "--set '%s': more than %d values", text,
                             SWEEP_MAX_VALUES);
        a->values[a->n++] = arena_strndup(arena, word, n);
        for (int i = 0; i + 1 < a->n; i++)
            if (!strcmp(a->values[i], a->values[a->n - 1]))
                return diag_fail(d, EXIT_USAGE, "--set '%s': '%s' twice", text, a->values[i]);
        word += n;
        if (!*word) return true;
    }
}

int sweep_best(const Sweep *s, int point, int kernel) {
    int stride = 1, best = -1;
    for (int i = s->best + 1; i < s->naxes; i++) stride *= s->axes[i].n;
    for (int i = 0; i < s->axes[s->best].n; i++) {
        const int p = point + i * stride;
        const SweepCell *c = sweep_cell(s, p, kernel, 0);
        if (c->passed && (best < 0 || c->cycles <= sweep_cell(s, best, kernel, 0)->cycles))
            best = p;
    }
    return best;
}

typedef struct Grid {
    const SweepArgs *args;
    const char *fixed[SESSION_MAX_SETS];  // "key=value" of every point
    int nfixed;
    MachineConfig *cfg;  // [point], without the settings of a column
} Grid;

static bool parse_sets(Sweep *s, Grid *g, Arena *arena, Diag *d) {
    s->npoints = 1;
    for (int i = 0; i < g->args->nsets; i++) {
        SweepAxis a;
        if (!parse_axis(&a, arena, g->args->sets[i], d)) return false;
        for (int k = 0; k < s->naxes; k++)
            if (!strcmp(s->axes[k].key, a.key))
                return diag_fail(d, EXIT_USAGE, "--set '%s': key %s has values already",
                                 g->args->sets[i], a.key);
        if (a.n == 1) {
            g->fixed[g->nfixed++] = g->args->sets[i];
            continue;
        }
        if (s->naxes == SWEEP_MAX_AXES)
            return diag_fail(d, EXIT_USAGE, "--set '%s': more than %d keys with several values",
                             g->args->sets[i], SWEEP_MAX_AXES);
        s->axes[s->naxes++] = a;
        s->npoints *= a.n;
        if (s->npoints > SWEEP_MAX_POINTS)
            return diag_fail(d, EXIT_USAGE, "the grid has more than %d points", SWEEP_MAX_POINTS);
    }
    return true;
}

static bool parse_best(Sweep *s, const char *key, Diag *d) {
    s->best = -1;
    for (int i = 0; key && i < s->naxes; i++)
        if (!strcmp(s->axes[i].key, key)) s->best = i;
    return !key || s->best >= 0 ||
        diag_fail(d, EXIT_USAGE, "--best %s: expected a key that --set gives several values", key);
}

static bool configure_point(MachineConfig *cfg, const Sweep *s, const Grid *g, Arena *arena,
                            int point, Diag *d) {
    if (!config_load(cfg, arena, cli_data_dir(), s->machine, d)) return false;
    for (int i = 0; i < g->nfixed; i++)
        if (!config_set(cfg, g->fixed[i], d)) return false;
    for (int i = 0; i < s->naxes; i++)
        if (!config_set(cfg, arena_printf(arena, "%s=%s", s->axes[i].key, sweep_value(s, point, i)),
                        d))
            return false;
    return config_check(cfg, d);
}

static bool parse_archs(Sweep *s, const Grid *g, Arena *arena, Diag *d) {
    s->narchs = arch_columns(s->columns, arena, g->args->archs, d);
    for (int i = 0; i < s->narchs; i++) s->archs[i] = s->columns[i].label;
    return s->narchs > 0;
}

static bool parse_metric(Sweep *s, const Grid *g, Arena *arena, Diag *d) {
    Metric *metric = ARENA_NEW(arena, Metric);
    s->nruns = g->args->spread ? (int)g->args->spread : 1;
    if (!g->args->metric) return true;
    s->metric = metric;
    return metric_parse(metric, arena, g->args->metric, "metric", d);
}

static int block_of(Sweep *s, const char *name, Diag *d) {
    for (int b = 0; b < s->nblocks; b++)
        if (!strcmp(s->blocks[b], name)) return b;
    if (!block_desc_find(name))
        return diag_fail(d, EXIT_USAGE, "--synth: no block '%s'; see smcosim list blocks", name),
               -1;
    if (s->nblocks == SWEEP_MAX_BLOCKS)
        return diag_fail(d, EXIT_USAGE, "--synth: more than %d blocks", SWEEP_MAX_BLOCKS), -1;
    s->blocks[s->nblocks] = name;
    return s->nblocks++;
}

// "coalescer,width_detect", "corf++=rf_datapath".
static bool parse_blocks(Sweep *s, Arena *arena, const char *text, Diag *d) {
    const char *equals = strchr(text, '='), *word = equals ? equals + 1 : text;
    int arch = -1;
    if (equals) {
        Arch named;
        if (!arch_parse(arena_strndup(arena, text, (size_t)(equals - text)), &named, d))
            return false;
        for (int a = s->narchs - 1; a >= 0; a--)
            if (!strcmp(s->columns[a].arch.name, named.name)) arch = a;
        if (arch < 0)
            return diag_fail(d, EXIT_USAGE,
                             "--synth '%s': %s is not among the architectures of --arch", text,
                             named.name);
    }
    for (;; word++) {
        const size_t n = strcspn(word, ",");
        const int b = block_of(s, arena_strndup(arena, word, n), d);
        if (b < 0) return false;
        if (arch < 0) s->by_use[b] = true;
        else s->given[b][arch] = true;
        word += n;
        if (!*word) return true;
    }
}

// ---- sizes that a key changes beyond what its name says -----------------------------------------

typedef struct Size {
    const char *what, *unit, *named;  // keys, between blanks, that say it themselves
    double (*of)(const MachineConfig *cfg);
} Size;
static double rf_kbytes(const MachineConfig *cfg) { return (double)report_rf_bytes(cfg) / 1024; }
static double l1_kbytes(const MachineConfig *cfg) {
    return cfg->l1_sets * cfg->l1_ways * cfg->l1_line / 1024.0;
}
static double bow_rows(const MachineConfig *cfg) { return config_bow_rows(cfg, false); }
static double scalar_words(const MachineConfig *cfg) {
    return cfg->scalar_units * cfg->scalar_words;
}
static double larf_table(const MachineConfig *cfg) {
    return 3.0 * (1 << cfg->larf_row_bits) * cfg->larf_ways;
}
static double set_warps(const MachineConfig *cfg) {
    return cfg->sm_schedulers * cfg->sm_active_warps;
}
static const Size sizes[] = {
    {"the register file", " KB", " rf.entries ", rf_kbytes},
    {"L1", " KB", " l1.sets l1.ways ", l1_kbytes},
    {"the rows of a bypassing collector", "", " bow.entries ", bow_rows},
    {"the registers of all scalar units", "", " scalar.words ", scalar_words},
    {"LARF's table", " entries", " larf.ways larf.row_bits ", larf_table},
    {"the active set of two-level schedulers together", " warps", " sm.active_warps ", set_warps},
};

static void add_note(Sweep *s, Arena *arena, const char *text) {
    const char **notes = ARENA_ARRAY(arena, const char *, s->nnotes + 1);
    for (int i = 0; i < s->nnotes; i++) notes[i] = s->notes[i];
    notes[s->nnotes++] = text;
    s->notes = notes;
}

// The other keys at their first values.
static void note_size(Sweep *s, const Grid *g, Arena *arena, int axis, const Size *size) {
    const SweepAxis *a = &s->axes[axis];
    int stride = 1;
    for (int i = axis + 1; i < s->naxes; i++) stride *= s->axes[i].n;
    const char *text = "";
    const double first = size->of(&g->cfg[0]);
    bool changes = false;
    for (int i = 0; i < a->n; i++) {
        const double v = size->of(&g->cfg[i * stride]);
        changes |= v != first;
        text = arena_printf(arena, "%s%s%g", text, i ? ", " : "", v);
    }
    if (!changes || strstr(size->named, arena_printf(arena, " %s ", a->key))) return;
    add_note(s, arena,
             arena_printf(arena, "%s changes the size of %s too: %s%s", a->key, size->what, text,
                          size->unit));
}

// The machine of a column at a point.
static bool configure_column(MachineConfig *cfg, const ArchColumn *column, const Grid *g, int point,
                             Diag *d) {
    *cfg = g->cfg[point];
    return arch_column_apply(column, cfg, d) && config_check(cfg, d) &&
        (g->args->sms < 2 || gpu_check(&column->arch, cfg, (int)g->args->sms, d));
}

static bool make_grid(Sweep *s, Grid *g, Arena *arena, Diag *d) {
    if (!parse_sets(s, g, arena, d) || !parse_best(s, g->args->best, d) ||
        !parse_archs(s, g, arena, d) || !parse_metric(s, g, arena, d))
        return false;
    for (int i = 0; i < g->args->nsynth; i++)
        if (!parse_blocks(s, arena, g->args->synth[i], d)) return false;
    g->cfg = ARENA_ARRAY(arena, MachineConfig, s->npoints);
    MachineConfig *own = ARENA_ARRAY(arena, MachineConfig, s->npoints * s->narchs);
    s->cfg = own;
    for (int p = 0; p < s->npoints; p++) {
        if (!configure_point(&g->cfg[p], s, g, arena, p, d)) return false;
        for (int a = 0; a < s->narchs; a++)
            if (!configure_column(&own[p * s->narchs + a], &s->columns[a], g, p, d)) return false;
    }
    for (int a = 0; a < s->naxes; a++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            note_size(s, g, arena, a, &sizes[i]);
    return true;
}

// ---- runs ---------------------------------------------------------------------------------------

enum { MAX_WORDS = 2 * (SESSION_MAX_SETS + ARCH_COLUMN_SETS) + 32 };

static int add_machine(const char **words, int n, const Sweep *s, const Grid *g, Arena *arena,
                       int point, const ArchColumn *column) {
    words[n++] = "--machine", words[n++] = s->machine;
    for (int i = 0; i < g->nfixed; i++) words[n++] = "--set", words[n++] = g->fixed[i];
    for (int i = 0; i < s->naxes; i++)
        words[n++] = "--set",
        words[n++] = arena_printf(arena, "%s=%s", s->axes[i].key, sweep_value(s, point, i));
    for (int i = 0; column && i < column->nsets; i++)
        words[n++] = "--set", words[n++] = column->sets[i];
    words[n++] = "--json", words[n++] = "-";
    return n;
}

// Run 0 is the machine itself: the command of a sweep without --spread.
static ResultCommand run_command(const Sweep *s, const Grid *g, Arena *arena, const char *launch,
                                 int point, int arch, int run) {
    const char **words = ARENA_ARRAY(arena, const char *, MAX_WORDS);
    const ArchColumn *column = &s->columns[arch];
    const int first = s->cfg[point * s->narchs + arch].perturb_run;
    int n = 0;
    words[n++] = "run", words[n++] = launch, words[n++] = "--arch", words[n++] = column->arch.name;
    words[n++] = "--blocks", words[n++] = "model";
    if (g->args->check) words[n++] = "--check", words[n++] = g->args->check;
    if (g->args->no_expect) words[n++] = "--no-expect";
    if (g->args->sms > 1)
        words[n++] = "--sms",
        words[n++] = arena_printf(arena, "%llu", (unsigned long long)g->args->sms);
    n = add_machine(words, n, s, g, arena, point, column);
    if (run) words[n++] = "--set", words[n++] = arena_printf(arena, "perturb.run=%d", first + run);
    return (ResultCommand){.words = words};
}

static ResultCommand synth_command(const Sweep *s, const Grid *g, Arena *arena, int point,
                                   int block) {
    const char **words = ARENA_ARRAY(arena, const char *, MAX_WORDS);
    int n = 0;
    words[n++] = "synth", words[n++] = s->blocks[block], words[n++] = "--flatten",
    words[n++] = "on";
    if (g->args->liberty) words[n++] = "--liberty", words[n++] = g->args->liberty;
    if (g->args->clock) words[n++] = "--clock", words[n++] = g->args->clock;
    add_machine(words, n, s, g, arena, point, NULL);
    return (ResultCommand){.words = words};
}

static double counter_value(json_t *launch, const char *group, const char *name) {
    return json_number_value(
        json_object_get(json_object_get(json_object_get(launch, "counters"), group), name));
}

static json_t *longest_kernel(json_t *launch) {
    json_t *longest = NULL, *kernel;
    size_t i;
    json_array_foreach(json_object_get(launch, "kernels"), i,
                       kernel) if (!longest ||
                                   json_number_value(json_object_get(kernel, "cycles")) >
                                       json_number_value(json_object_get(longest, "cycles")))
        longest = kernel;
    return longest;
}

static const char *kept_text(Arena *arena, json_t *o, const char *name) {
    const char *text = json_string_value(json_object_get(o, name));
    return arena_printf(arena, "%s", text ? text : "");
}

static void read_counters(Counters *c, json_t *launch) {
    for (int i = 0; i < CTR_COUNT; i++)
        c->v[i] = (uint64_t)counter_value(launch, counter_info[i].group, counter_info[i].name);
}

// A run of a cell; the cell is that of its first run, or of the first that does not pass.
static void read_run(const Sweep *s, SweepCell *c, int run, Arena *arena, json_t *report) {
    json_t *launch = json_array_get(json_object_get(report, "launches"), 0),
           *kernel = longest_kernel(launch);
    if (run && !c->passed) return;
    Counters *runs = c->runs;
    *c = (SweepCell){
        .runs = runs, .verdict = status_word(WORD_FAILED), .message = "", .limited_by = ""};
    if (!launch) return;
    c->verdict = kept_text(arena, launch, "verdict");
    c->message = kept_text(arena, launch, "message");
    c->passed = !strcmp(c->verdict, exit_word(EXIT_PASS));
    c->checked = json_is_true(json_object_get(launch, "results_checked"));
    if (!c->passed) return;
    read_counters(&runs[run], launch);
    c->warps = (int)json_integer_value(json_object_get(kernel, "warps_per_sm"));
    c->limited_by = kept_text(arena, kernel, "limited_by");
    json_t *blocks = json_object_get(launch, "blocks");
    for (int b = 0; b < s->nblocks; b++) c->uses[b] = json_object_get(blocks, s->blocks[b]) != NULL;
}

static Interval over_runs(const Sweep *s, const SweepCell *c, const MachineConfig *cfg,
                          CompareMeasure *of) {
    double values[s->nruns];
    for (int r = 0; r < s->nruns; r++) values[r] = of(&c->runs[r], cfg);
    return interval_of(values, s->nruns, INTERVAL_ARITHMETIC);
}

// IPC as a ratio to the first architecture at the first point, in a run.
static double ratio_in_run(const SweepCell *c, const SweepCell *first, int run) {
    return compare_ipc(&c->runs[run], NULL) / compare_ipc(&first->runs[run], NULL);
}

// The numbers of a cell that passed, when all cells are read.
static void sum_runs(const Sweep *s, int point, int kernel, int arch) {
    SweepCell *c = sweep_cell(s, point, kernel, arch);
    const SweepCell *first = sweep_cell(s, 0, kernel, 0);
    const MachineConfig *cfg = &s->cfg[point * s->narchs + arch];
    double ratios[s->nruns], metrics[s->nruns];
    if (!c->passed) return;
    c->over_cycles = over_runs(s, c, cfg, compare_cycles);
    c->over_ipc = over_runs(s, c, cfg, compare_ipc);
    c->cycles = c->over_cycles.mean;
    c->ipc = c->over_ipc.mean;
    c->reads = over_runs(s, c, cfg, compare_reads).mean;
    c->writes = over_runs(s, c, cfg, compare_writes).mean;
    for (int r = 0; r < s->nruns; r++) {
        ratios[r] = first->passed ? ratio_in_run(c, first, r) : NAN;
        metrics[r] = s->metric ? metric_value(s->metric, &c->runs[r], cfg) : NAN;
    }
    c->ratio = interval_of(ratios, s->nruns, INTERVAL_ARITHMETIC);
    c->metric = interval_of(metrics, s->nruns, INTERVAL_ARITHMETIC);
}

static void read_block(SweepBlock *b, json_t *report) {
    json_t *row = json_array_get(json_object_get(report, "results"), 0),
           *area = json_object_get(row, "area_total");
    b->known = area != NULL;
    b->area = json_number_value(area);
    b->fmax = json_number_value(json_object_get(row, "fmax_mhz"));
}

static bool block_counts(const Sweep *s, int point, int arch, int block) {
    return s->given[block][arch] ||
        (s->by_use[block] && sweep_cell(s, point, 0, arch)->uses[block]);
}

// The geometric mean over kernels; none if one of them did not pass.
static void sum_ratios(const Sweep *s, SweepSum *sum, int point, int arch) {
    double ratios[s->nkernels], means[s->nruns];
    sum->ratio = sum->ratio_over_runs = (Interval){NAN, NAN, NAN, 0};
    if (!isfinite(sum->ipc)) return;
    for (int k = 0; k < s->nkernels; k++) ratios[k] = sweep_cell(s, point, k, arch)->ratio.mean;
    sum->ratio = interval_of(ratios, s->nkernels, INTERVAL_GEOMETRIC);
    for (int r = 0; r < s->nruns; r++) {
        for (int k = 0; k < s->nkernels; k++) {
            const SweepCell *c = sweep_cell(s, point, k, arch), *first = sweep_cell(s, 0, k, 0);
            ratios[k] = first->passed ? ratio_in_run(c, first, r) : NAN;
        }
        means[r] = interval_of(ratios, s->nkernels, INTERVAL_GEOMETRIC).mean;
    }
    sum->ratio_over_runs = interval_of(means, s->nruns, INTERVAL_ARITHMETIC);
}

static void sum_up(const Sweep *s, int point, int arch) {
    SweepSum *sum = &s->sums[point * s->narchs + arch];
    double inverse = 0;
    *sum = (SweepSum){.area = 0, .fmax = INFINITY};
    for (int k = 0; k < s->nkernels; k++) {
        const SweepCell *c = sweep_cell(s, point, k, arch);
        inverse += c->passed ? 1 / c->ipc : NAN;
    }
    sum->ipc = s->nkernels / inverse;
    sum_ratios(s, sum, point, arch);
    bool any = false;
    for (int b = 0; b < s->nblocks; b++) {
        const SweepBlock *block = &s->areas[point * s->nblocks + b];
        if (!block_counts(s, point, arch, b)) continue;
        any = true;
        sum->area += block->known ? block->area : NAN;
        if (block->fmax > 0 && block->fmax < sum->fmax) sum->fmax = block->fmax;
    }
    if (!any) sum->area = NAN;
    if (!any || !isfinite(sum->fmax)) sum->fmax = NAN;
}

static void find_front(const Sweep *s) {
    const int n = s->npoints * s->narchs;
    for (int i = 0; i < n; i++) {
        SweepSum *a = &s->sums[i];
        a->front = isfinite(a->ipc) && isfinite(a->area);
        for (int k = 0; k < n && a->front; k++) {
            const SweepSum *b = &s->sums[k];
            const bool better =
                isfinite(b->ipc) && isfinite(b->area) && b->ipc >= a->ipc && b->area <= a->area;
            if (better && (b->ipc > a->ipc || b->area < a->area || k < i)) a->front = false;
        }
    }
}

static void check_blocks(Sweep *s, Arena *arena) {
    for (int b = 0; b < s->nblocks; b++) {
        bool used = false;
        for (int i = 0; i < s->npoints * s->narchs; i++)
            used |= block_counts(s, i / s->narchs, i % s->narchs, b);
        if (!used)
            add_note(s, arena,
                     arena_printf(arena,
                                  "no architecture of this sweep runs %s as a block of its own: "
                                  "--synth ARCH=%s counts it",
                                  s->blocks[b], s->blocks[b]));
    }
    if (s->nblocks)
        add_note(s, arena,
                 "area: of one instance of each block of --synth that counts for the architecture; "
                 "clock: of the slowest of them");
}

static int first_failure(const Sweep *s) {
    for (int i = 0; i < s->npoints * s->nkernels * s->narchs; i++)
        if (!s->cells[i].passed)
            return strcmp(s->cells[i].verdict, exit_word(EXIT_USAGE)) ? EXIT_ENVIRONMENT
                                                                      : EXIT_USAGE;
    return EXIT_PASS;
}

// Commands of all cells, then of the blocks. Returns their number.
static int list_commands(const Sweep *s, const Grid *g, Arena *arena, char **launches,
                         ResultCommand *commands) {
    int at = 0;
    for (int p = 0; p < s->npoints; p++)
        for (int k = 0; k < s->nkernels; k++)
            for (int a = 0; a < s->narchs; a++)
                for (int r = 0; r < s->nruns; r++)
                    commands[at++] = run_command(s, g, arena, launches[k], p, a, r);
    for (int p = 0; p < s->npoints; p++)
        for (int b = 0; b < s->nblocks; b++) commands[at++] = synth_command(s, g, arena, p, b);
    return at;
}

static void read_results(Sweep *s, Results *r, Arena *arena, const ResultCommand *commands, int n) {
    const int ncells = s->npoints * s->nkernels * s->narchs, nruns = ncells * s->nruns;
    s->cells = ARENA_ARRAY(arena, SweepCell, ncells);
    s->areas = ARENA_ARRAY(arena, SweepBlock, s->npoints * s->nblocks + 1);
    s->sums = ARENA_ARRAY(arena, SweepSum, s->npoints * s->narchs);
    for (int i = 0; i < ncells; i++) s->cells[i].runs = ARENA_ARRAY(arena, Counters, s->nruns);
    for (int i = 0; i < n; i++) {
        json_t *report = results_read(r, &commands[i]);
        if (i < nruns) read_run(s, &s->cells[i / s->nruns], i % s->nruns, arena, report);
        else read_block(&s->areas[i - nruns], report);
        json_decref(report);
    }
}

// A failed run is a row of the report too.
static bool measure_points(Sweep *s, const Grid *g, Results *r, Arena *arena, char **launches,
                           Diag *d) {
    const int most = s->npoints * (s->nkernels * s->narchs * s->nruns + s->nblocks);
    ResultCommand *commands = ARENA_ARRAY(arena, ResultCommand, most + 1);
    const int n = list_commands(s, g, arena, launches, commands);
    for (int i = 0; i < n; i++)
        if (!results_key(r, &commands[i], d)) return false;
    if (!runs_make(r, commands, n, (int)g->args->jobs, d) && d->status == EXIT_INTERRUPTED)
        return false;
    read_results(s, r, arena, commands, n);
    for (int p = 0; p < s->npoints; p++)
        for (int k = 0; k < s->nkernels; k++)
            for (int a = 0; a < s->narchs; a++) sum_runs(s, p, k, a);
    for (int p = 0; p < s->npoints; p++)
        for (int a = 0; a < s->narchs; a++) sum_up(s, p, a);
    find_front(s);
    check_blocks(s, arena);
    return true;
}

// ---- the command --------------------------------------------------------------------------------

static bool write_all(const Sweep *s, const SweepArgs *a, Diag *d) {
    const bool to_stdout = (a->csv && !strcmp(a->csv, "-")) || (a->json && !strcmp(a->json, "-"));
    if (!to_stdout) sweep_table(stdout, s);
    return (!a->csv || sweep_csv(a->csv, s, d)) && (!a->json || sweep_json(a->json, s, d)) &&
        (!a->html || sweep_html(a->html, s, d)) && (!a->figures || sweep_figures(a->figures, s, d));
}

static int make_sweep(const SweepArgs *a, Arena *arena, const char *line, char **operands, int n,
                      Diag *d) {
    Sweep s = {.version = SMCOSIM_VERSION, .command = line, .machine = a->machine, .nkernels = n};
    Grid g = {.args = a};
    Results r;
    const char **names = ARENA_ARRAY(arena, const char *, n);
    for (int i = 0; i < n; i++) names[i] = operands[i];
    s.kernels = names;
    char **launches = ARENA_ARRAY(arena, char *, n);
    for (int i = 0; i < n; i++) launches[i] = operands[i];
    if (!kernels_launches(arena, launches, n, d) || !kernels_distinct(launches, n, d) ||
        !make_grid(&s, &g, arena, d) || !runs_open(&r, arena, a->results, d))
        return cli_fail(d);
    const bool measured = measure_points(&s, &g, &r, arena, launches, d);
    results_close(&r);
    if (!measured) return cli_fail(d);
    Diag wrote = {0};
    if (!write_all(&s, a, &wrote)) return cli_fail(diag_ok(d) ? &wrote : d);
    return diag_ok(d) ? first_failure(&s) : (int)d->status;
}

static int run_sweep(int argc, char **argv) {
    Arena arena = {0};
    Diag d = {0};
    SweepArgs a = {0};
    int first;
    bool done;
    const char *line = cli_command_line(&arena, argc, argv);
    if (!cli_parse(&command_sweep, argc, argv, &a, &first, &done, &d)) return cli_fail(&d);
    if (done) return EXIT_PASS;
    if (argc - first < 1)
        diag_fail(&d, EXIT_USAGE,
                  "sweep: expected at least one launch file or kernel; see smcosim sweep --help");
    if (!diag_ok(&d)) return cli_fail(&d);
    cli_catch_signals();
    const int status = make_sweep(&a, &arena, line, argv + first, argc - first, &d);
    arena_free(&arena);
    return status;
}

static const CliExample examples[] = {
    {"smcosim sweep sgemm --set oc.collectors=4,8,16 --arch baseline,corf++ --html sweep.html",
     "plot IPC by number of collectors, with two lines"},
    {"smcosim sweep sgemm bfs --set rf.write_ports=1..2 --synth operand_collector -j2",
     "add area, clock and the Pareto front"},
    {"smcosim sweep spmv --set sm.ctas=1..8 --best sm.ctas --arch baseline,pmode",
     "find the limit of resident CTAs with which the baseline is fastest"},
    {0},
};

const Command command_sweep = {
    .name = "sweep",
    .synopsis = "LAUNCH|KERNEL... --set KEY=VALUE,.. [options]",
    .operand = "LAUNCH|KERNEL",
    .summary = "run a grid of machine parameters, architectures and kernels",
    .about = "Runs launch files, or kernels by name, at every point of a grid of machine "
             "parameters on golden\nmodels. The result of every run is kept, so a sweep that was "
             "interrupted or extended runs only the\nmissing points.",
    CLI_OPTIONS(options),
    .examples = examples,
    .run = run_sweep,
};
