// SPDX-License-Identifier: Apache-2.0
// --sweep, and the measurements of a kernel at each of its points.
#include "cli/cli.h"
#include "session/session.h"
#include "cli/cmd_synth.h"
#include "counters/energy.h"
#include "systems/systems.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

// Is `name` a term of a parameter's key that is a sum of keys?
static bool is_term(const BlockParam *p, const char *name) {
    const char *at = strstr(p->key, name);
    const size_t n = strlen(name);
    return strchr(p->key, '+') && strchr(name, '.') && at && (at == p->key || at[-1] == ' ') &&
        (!at[n] || at[n] == ' ');
}

// "NAME=": finds the block's parameter by its name, its key, or the last part of its key. A
// parameter that is a sum of keys is found by each of them.
static const BlockParam *find_param(const BlockDesc *desc, const char *name, Diag *d) {
    const BlockParam *found = NULL;
    const char *names[2 * BLOCK_MAX_PARAMS];
    int n = 0;
    if (!strcmp(name, "iw")) name = "bow.window";
    for (int i = 0; i < desc->nparams; i++) {
        const BlockParam *p = &desc->params[i];
        if (!strcmp(p->name, name) || !strcmp(p->key, name) || is_term(p, name)) return p;
        names[n++] = p->name, names[n++] = p->key;
    }
    for (int i = 0; i < desc->nparams; i++) {
        const BlockParam *p = &desc->params[i];
        const char *dot = strrchr(p->key, '.');
        if (strcasecmp(p->name, name) && (!dot || strcmp(dot + 1, name))) continue;
        if (found) {
            diag_fail(d, EXIT_USAGE, "--sweep: '%s' may be %s or %s of block %s; write the key",
                      name, found->key, p->key, desc->name);
            return NULL;
        }
        found = p;
    }
    if (found) return found;
    const char *near = name_suggest(name, names, n);
    diag_fail(d, EXIT_USAGE, "--sweep: block %s has no parameter '%s'%s%s%s", desc->name, name,
              near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    return NULL;
}

static bool add_value(SynthSweep *s, long value, Diag *d) {
    if (s->n == SYNTH_MAX_POINTS)
        return diag_fail(d, EXIT_USAGE, "--sweep: more than %d values", SYNTH_MAX_POINTS);
    s->values[s->n++] = (int)value;
    return true;
}

static bool refuse_syntax(const char *text, Diag *d) {
    return diag_fail(d, EXIT_USAGE,
                     "--sweep '%s': expected NAME=FIRST..LAST or NAME=VALUE,VALUE,..", text);
}

bool synth_sweep(SynthSweep *s, Arena *arena, const BlockDesc *desc, const char *text, Diag *d) {
    const char *equals = strchr(text, '=');
    *s = (SynthSweep){0};
    if (!equals || equals == text || !equals[1]) return refuse_syntax(text, d);
    s->name = arena_strndup(arena, text, (size_t)(equals - text));
    for (const char *at = equals + 1;;) {
        char *end;
        if (*at < '0' || *at > '9') return refuse_syntax(text, d);
        const long first = strtol(at, &end, 10);
        long last = first;
        if (end[0] == '.' && end[1] == '.') {
            at = end + 2;
            if (*at < '0' || *at > '9') return refuse_syntax(text, d);
            last = strtol(at, &end, 10);
            if (last < first)
                return diag_fail(d, EXIT_USAGE, "--sweep '%s': %ld is less than %ld", text, last,
                                 first);
        }
        if (last > 1000000 || first > 1000000) return refuse_syntax(text, d);
        for (long v = first; v <= last; v++)
            if (!add_value(s, v, d)) return false;
        if (!*end) break;
        if (*end != ',') return refuse_syntax(text, d);
        at = end + 1;
    }
    const BlockParam *p = find_param(desc, s->name, d);
    if (p && !strchr(p->key, '.'))
        return diag_fail(d, EXIT_USAGE, "--sweep: %s of block %s is %s on every machine", p->name,
                         desc->name, p->key);
    if (p && strchr(p->key, '+') && !is_term(p, s->name))
        return diag_fail(d, EXIT_USAGE, "--sweep: %s of block %s is %s; write one of these keys",
                         p->name, desc->name, p->key);
    s->key = !p ? NULL : strchr(p->key, '+') ? s->name : p->key;
    // A window of IW instructions has room for four values of each, of half size for two.
    s->follows = p && !strcmp(p->key, "bow.window") ? "bow.entries" : NULL;
    return p != NULL;
}

// ---- kernels ------------------------------------------------------------------------------------

static void add_note(Arena *arena, SynthReport *report, const char *text) {
    const char **notes = ARENA_ARRAY(arena, const char *, report->nnotes + 1);
    for (int i = 0; i < report->nnotes; i++) notes[i] = report->notes[i];
    notes[report->nnotes++] = text;
    report->notes = notes;
}

// Keys that belong to one architecture's structures; the others are read by every SM.
static bool is_architectural(const char *key) {
    return !strncmp(key, "bow.", 4) || !strncmp(key, "rfc.", 4) || !strncmp(key, "pmode.", 6) ||
        !strncmp(key, "larf.", 5) || !strncmp(key, "rename.", 7);
}

static bool used_by(const LaunchReport *l, const char *key) {
    for (int b = 0; b < l->nblocks; b++) {
        const BlockDesc *desc = block_desc_find(l->blocks[b].block);
        for (int i = 0; desc && i < desc->nparams; i++)
            if (!strcmp(desc->params[i].key, key)) return true;
    }
    return false;
}

static bool has_block(const LaunchReport *l, const char *block) {
    for (int b = 0; b < l->nblocks; b++)
        if (!strcmp(l->blocks[b].block, block)) return true;
    return false;
}

// Energy of the register file and of the architecture's additional structures, in nJ. rows: of each
// bypassing collector; 0: no such collectors.
static double launch_energy(const LaunchReport *l, const MachineConfig *cfg, int rows) {
    const int registers = cfg->rf_banks * cfg->rf_entries;
    const Energy e = rows ? bow_energy_of(&l->counters, registers, cfg->oc_collectors, rows)
                          : energy_of(&l->counters, registers);
    return e.dynamic + e.dynamic_added + e.leakage + e.leakage_added;
}

int synth_kernels(const SynthSettings *s, Arena *arena, SynthReport *report) {
    Diag d = {0};
    SynthSweep sweep;
    Arch arch = s->arch;
    if (!arch.n && !arch_of(&arch, NULL, 0, &d)) return cli_fail(&d);
    if (!synth_sweep(&sweep, arena, s->blocks[0], s->sweep, &d)) return cli_fail(&d);
    const bool sized = !strncmp(sweep.key, "rf.", 3);
    bool bypassing = false;
    for (int i = 0; i < report->nrows && !cli_stop; i++) {
        MachineConfig cfg;
        LaunchReport launch = {0};
        SessionOptions o = {.machine = s->machine,
                            .arch = arch,
                            .blocks = "model",
                            .stop = &cli_stop,
                            .loaded = cli_loaded,
                            .data_dir = cli_data_dir(),
                            .cache_dir = cli_cache_dir(arena),
                            .command_line = report->command};
        if (s->nsets + 2 > SESSION_MAX_SETS)
            return diag_fail(&d, EXIT_USAGE, "--set: given too often"), cli_fail(&d);
        for (int k = 0; k < s->nsets; k++) o.sets[o.nsets++] = s->sets[k];
        for (int k = 0; k < 2 && s->points[i].set[k]; k++) o.sets[o.nsets++] = s->points[i].set[k];
        if (!session_config(&cfg, arena, &o, &d)) return cli_fail(&d);
        session_run(&launch, arena, s->kernel, &cfg, &o, &d);
        if (launch.status != EXIT_PASS || !diag_ok(&d)) {
            if (diag_ok(&d)) diag_fail(&d, launch.status, "%s: %s", s->kernel, launch.message);
            return cli_fail(&d);
        }
        if (is_architectural(sweep.key) && !used_by(&launch, sweep.key)) {
            add_note(
                arena, report,
                arena_printf(arena,
                             "no columns cycles, IPC, RF energy: architecture %s does not use %s",
                             arch.name, sweep.key));
            return EXIT_PASS;
        }
        SynthKernel *k = &report->rows[i].kernel;
        const uint64_t cycles = launch.counters.v[CTR_CYCLES];
        bypassing = has_block(&launch, "bypass_collector");
        *k = (SynthKernel){
            true, cycles, cycles ? (double)launch.counters.v[CTR_WARP_INSTS] / (double)cycles : 0,
            sized ? -1
                  : launch_energy(&launch, &cfg,
                                  bypassing ? config_bow_rows(&cfg, arch.compiler.half) : 0)};
    }
    if (sized)
        add_note(arena, report,
                 "no column RF energy: its constants hold for the papers' banks, but the sweep "
                 "changes the banks");
    add_note(arena, report,
             arena_printf(arena, "cycles, IPC, RF energy: %s on architecture %s, model mode%s",
                          s->kernel, arch.name,
                          bypassing ? "; energy in nJ by the constants of the BOW paper" : ""));
    return EXIT_PASS;
}
