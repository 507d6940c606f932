// SPDX-License-Identifier: Apache-2.0
// smcosim synth: area and timing of blocks, from the RTL that is verified.
#include "base/console.h"
#include "base/output.h"
#include "base/status.h"
#include "cli/block_list.h"
#include "cli/cli.h"
#include "cli/kernels.h"
#include "cli/cmd_synth.h"
#include "proc/children.h"
#include "proc/clock.h"
#include "systems/systems.h"
#include "verify/fourstate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool set_clock(void *settings, const char *value, Diag *d) {
    SynthSettings *s = settings;
    char *end;
    s->clock = strtod(value, &end);
    if (!*value || *end || !isfinite(s->clock) || s->clock < 0.01 || s->clock > 10000)
        return diag_fail(d, EXIT_USAGE, "--clock: '%s': expected a period in ns from 0.01 to 10000",
                         value);
    return true;
}

static bool set_arch(void *settings, const char *value, Diag *d) {
    return arch_parse(value, &((SynthSettings *)settings)->arch, d);
}

#define SYNTH_CYCLES "1000-2000"

enum { LOOK_MS = 50 };

static bool set_cycle_range(void *settings, const char *value, Diag *d) {
    SynthSettings *s = settings;
    unsigned long long from, to;
    int end = 0;
    if (sscanf(value, "%9llu-%9llu%n", &from, &to, &end) != 2 || value[end] ||
        strspn(value, "0123456789-") != strlen(value) || to <= from)
        return diag_fail(d, EXIT_USAGE,
                         "--cycles: '%s': expected two cycles FROM-TO, the first below the last",
                         value);
    s->range[0] = from, s->range[1] = to;
    return true;
}

static const CliOption options[] = {
    {"machine", "MACHINE|FILE", "machine preset whose shapes are synthesized", "fermi",
     "What is synthesized", CLI_TEXT(SynthSettings, machine)},
    {"set", "KEY=VALUE", "override a machine parameter (may be repeated)",
     CLI_LIST(SynthSettings, sets, nsets, SYNTH_CLI_LIST)},
    {"param", "NAME=VALUE", "override a parameter of the block itself (one block; may be repeated)",
     CLI_LIST(SynthSettings, params, nparams, SYNTH_CLI_LIST)},
    {"rtl", "BLOCK=FILE.sv[,..]", "your own RTL for a block",
     CLI_LIST(SynthSettings, rtls, nrtls, SYNTH_CLI_LIST)},
    {"overheads", NULL,
     "print only the storage of the systems at the papers' sizes, beside the papers' figures",
     CLI_FLAG(SynthSettings, overheads)},
    {"constants", NULL, "print only the constants of the memory estimate, with their sources",
     CLI_FLAG(SynthSettings, constants)},
    {"liberty", "FILE", "cell library; the default is OSU 0.18 um", SYNTH_DEFAULT_LIBERTY,
     "Library and mapping", CLI_TEXT(SynthSettings, liberty_path)},
    {"nm", "N", "node of the library, for estimates of memories (default: by its name)",
     CLI_NUMBER(SynthSettings, nm, 1, 1000)},
    {"clock", "NS", "target clock period", SYNTH_DEFAULT_CLOCK, CLI_CALL(set_clock)},
    {"flatten", "on|off|both",
     "flatten the hierarchy, keep it, or measure both; only flattened netlists are timed", "both",
     CLI_WORD(SynthSettings, flatten, FLATTEN_ON)},
    {"bottom-up", NULL,
     "map each module once and flatten the hierarchy afterwards; for large blocks",
     CLI_FLAG(SynthSettings, bottom_up)},
    {"sweep", "NAME=A..B|A,B,..",
     "print a row per value of a parameter, a configuration key or its last part (iw: bow.window)",
     NULL, "Sweeps", CLI_TEXT(SynthSettings, sweep)},
    {"kernel", "LAUNCH|KERNEL",
     "with --sweep: run this launch file or kernel at every point, join cycles, IPC and RF energy",
     CLI_TEXT(SynthSettings, kernel)},
    {"power", "LAUNCH|KERNEL",
     "estimate power of the block under this launch file or kernel, from its toggle rates (one "
     "block)",
     NULL, "Power", CLI_TEXT(SynthSettings, power)},
    {"cycles", "FROM-TO", "with --power: cycles whose toggles count", SYNTH_CYCLES,
     CLI_CALL(set_cycle_range)},
    {"arch", "ARCH", "with --kernel or --power: the architecture (default: baseline)",
     CLI_CALL(set_arch)},
    {"gate-level", "N", "replay N transactions of `verify` on the measured netlist, 4-state", NULL,
     "Checks and results", CLI_NUMBER(SynthSettings, gate_level, 1, 1000000)},
    {"check", "FILE",
     "compare with baselines; area or worst path moved by more than 5 %: exit status 1",
     CLI_TEXT(SynthSettings, check)},
    {"update", "FILE", "write baselines", CLI_TEXT(SynthSettings, update)},
    {"keep", "DIR",
     "keep netlist, macros, cell models, scripts and logs there, in a folder per block",
     CLI_TEXT(SynthSettings, keep)},
    {"json", "FILE|-", "write the report as JSON; - is standard output, without the table",
     CLI_TEXT(SynthSettings, json)},
    {"csv", "FILE", "report as CSV", CLI_TEXT(SynthSettings, csv)},
    {"jobs", "N", "parallel blocks", "1", .letter = 'j', CLI_NUMBER(SynthSettings, jobs, 1, 64)},
};

static bool choose_blocks(SynthSettings *s, char **names, int n, Diag *d) {
    if (!cli_choose_blocks("synth", names, n, s->blocks, &s->nblocks, SYNTH_CLI_LIST, d))
        return false;
    if (s->nblocks > 1 && s->nparams)
        return diag_fail(d, EXIT_USAGE, "--param: name exactly one block");
    if (s->nblocks > 1 && s->sweep)
        return diag_fail(d, EXIT_USAGE, "--sweep: name exactly one block");
    return true;
}

static bool check_rtls(const SynthSettings *s, Diag *d) {
    for (int i = 0; i < s->nrtls; i++) {
        bool used = false;
        for (int k = 0; k < s->nblocks; k++) {
            const char *file = cli_value_for(&s->rtls[i], 1, s->blocks[k]->name);
            used |= file && *file;
        }
        if (!used)
            return diag_fail(d, EXIT_USAGE,
                             "--rtl %s: expected BLOCK=FILE.sv of a synthesized block", s->rtls[i]);
    }
    return true;
}

static bool check_modes(const SynthSettings *s, Diag *d) {
    if (s->kernel && !s->sweep) return diag_fail(d, EXIT_USAGE, "--kernel: needs --sweep");
    if (s->arch.n && !s->kernel && !s->power)
        return diag_fail(d, EXIT_USAGE, "--arch: requires --kernel or --power");
    if (s->power && s->nblocks != 1)
        return diag_fail(d, EXIT_USAGE, "--power: name exactly one block");
    if (s->power && s->sweep) return diag_fail(d, EXIT_USAGE, "--power: goes without --sweep");
    if (s->power && s->nparams)
        return diag_fail(
            d, EXIT_USAGE,
            "--power: the machine defines the shape of the block; omit --param, use --set");
    if (s->power && s->flatten == FLATTEN_OFF)
        return diag_fail(d, EXIT_USAGE, "--power: requires --flatten on or both");
    if (s->check && s->update)
        return diag_fail(d, EXIT_USAGE, "--check and --update exclude each other");
    if (s->sweep && (s->check || s->update))
        return diag_fail(d, EXIT_USAGE, "--sweep: has no baselines; omit --check and --update");
    if (s->gate_level && s->flatten == FLATTEN_OFF)
        return diag_fail(d, EXIT_USAGE, "--gate-level: requires --flatten on or both");
    if ((s->check || s->update) && s->flatten == FLATTEN_OFF)
        return diag_fail(d, EXIT_USAGE, "--check, --update: require --flatten on or both");
    return true;
}

// ---- rows ---------------------------------------------------------------------------------------

SynthRequest synth_request(const SynthSettings *s, Arena *arena, const BlockDesc *desc,
                           const int *params) {
    const char *rtl = desc ? cli_value_for(s->rtls, s->nrtls, desc->name) : NULL;
    return (SynthRequest){.desc = desc,
                          .params = params,
                          .rtl = rtl,
                          .liberty = &s->liberty,
                          .clock = s->clock,
                          .flatten = s->flatten,
                          .bottom_up = s->bottom_up,
                          .data_dir = cli_data_dir(),
                          .cache_dir = cli_cache_dir(arena)};
}

static bool add_point(SynthSettings *s, Arena *arena, const BlockDesc *desc,
                      const SynthSweep *sweep, int value, Diag *d) {
    MachineConfig cfg;
    SynthPoint *p = &s->points[s->npoints++];
    int *params = ARENA_ARRAY(arena, int, BLOCK_MAX_PARAMS);
    *p = (SynthPoint){.desc = desc, .params = params};
    if (sweep) {
        p->point = arena_printf(arena, "%s=%d", sweep->name, value);
        p->set[0] = arena_printf(arena, "%s=%d", sweep->key, value);
        if (sweep->follows)
            p->set[1] = arena_printf(arena, "%s=%d", sweep->follows,
                                     (s->arch.compiler.half ? 2 : 4) * value);
    }
    if (!config_load(&cfg, arena, cli_data_dir(), s->machine, d)) return false;
    for (int i = 0; i < s->nsets; i++)
        if (!config_set(&cfg, s->sets[i], d)) return false;
    for (int i = 0; p->set[i]; i++)
        if (!config_set(&cfg, p->set[i], d)) return false;
    // A system may run its blocks in another shape than the machine's (hw-bdi: an SM's share of the
    // metadata cache).
    if (s->power && !arch_machine(&s->arch, &cfg, d)) return false;
    if (!config_check(&cfg, d) || !block_params_from_config(desc, &cfg, params, d)) return false;
    for (int i = 0; i < s->nparams; i++)
        if (!cli_block_param(desc, s->params[i], params, d)) return false;
    return true;
}

static bool make_points(SynthSettings *s, Arena *arena, Diag *d) {
    SynthSweep sweep;
    if (s->sweep && !synth_sweep(&sweep, arena, s->blocks[0], s->sweep, d)) return false;
    s->points = ARENA_ARRAY(arena, SynthPoint, s->sweep ? sweep.n : s->nblocks);
    for (int i = 0; s->sweep && i < sweep.n; i++)
        if (!add_point(s, arena, s->blocks[0], &sweep, sweep.values[i], d)) return false;
    for (int i = 0; !s->sweep && i < s->nblocks; i++)
        if (!add_point(s, arena, s->blocks[i], NULL, 0, d)) return false;
    return true;
}

// Each point runs in a process of its own. It passes a result through the cache and a failure
// through shared memory.
typedef struct PointEnd {
    bool begun, ended;
    Diag d;
} PointEnd;

typedef struct Points {
    const SynthSettings *s;
    PointEnd *ends;  // shared
    int mine;        // the point of this process
} Points;

static void make_point(void *ctx) {
    const Points *p = ctx;
    Arena arena = {0};
    SynthResult result;
    PointEnd *end = &p->ends[p->mine];
    const SynthRequest r =
        synth_request(p->s, &arena, p->s->points[p->mine].desc, p->s->points[p->mine].params);
    synth_block(&result, &arena, &r, &end->d);
    end->ended = true;
}

static pid_t start_point(void *ctx, Task t) {
    Points *p = ctx;
    p->mine = t.item;
    p->ends[t.item].begun = true;
    const Child c = {.inside = make_point, .ctx = p};
    const pid_t pid = child_start(&c);
    panic_if(pid < 0, "no process");
    console_progress("%d of %d: %s", t.item + 1, p->s->npoints, p->s->points[t.item].desc->name);
    return pid;
}

static void take_point(SynthRow *row, PointEnd *end) {
    if (!end->ended) {
        end->d = (Diag){0};
        diag_fail(&end->d, cli_stop ? EXIT_INTERRUPTED : EXIT_ENVIRONMENT,
                  end->begun ? "the process ended early" : "interrupted");
    }
    if (diag_ok(&end->d)) return;
    row->status = end->d.status;
    row->word = end->d.timeout ? status_word(WORD_TIMEOUT) : NULL;
    row->message = strdup(end->d.text);
}

// Runs all points into the cache, s->jobs at a time. After a stop each process ends its tool and
// reports the interrupt.
static void fill_cache(const SynthSettings *s, SynthRow *rows) {
    const double since = clock_seconds();
    const size_t bytes = (size_t)s->npoints * sizeof(PointEnd);
    Points p = {.s = s, .ends = child_shared(bytes)};
    const Children points = {.jobs = (int)s->jobs,
                             .look_ms = LOOK_MS,
                             .patience_ms = PATIENCE_ENDLESS,
                             .stop = &cli_stop,
                             .ctx = &p,
                             .n = s->npoints,
                             .start = start_point};
    children_run(&points);
    for (int i = 0; i < s->npoints; i++) take_point(&rows[i], &p.ends[i]);
    child_unshare(p.ends, bytes);
    console_progress(NULL);
    cli_took(since, s->npoints, "point");
}

static void load_rows(const SynthSettings *s, Arena *arena, SynthRow *rows) {
    for (int i = 0; i < s->npoints; i++) {
        Diag d = {0};
        const SynthPoint *p = &s->points[i];
        rows[i].point = p->point;
        rows[i].result.desc = p->desc;
        if (rows[i].status != EXIT_PASS) continue;
        const SynthRequest r = synth_request(s, arena, p->desc, p->params);
        if (synth_block(&rows[i].result, arena, &r, &d)) continue;
        rows[i].status = d.status;
        rows[i].word = d.timeout ? status_word(WORD_TIMEOUT) : NULL;
        rows[i].message = arena_printf(arena, "%s", d.text);
    }
}

static int run_points(SynthSettings *s, Arena *arena, const char *command, Diag *d) {
    const bool table = !s->json || strcmp(s->json, "-");
    SynthReport report = {.version = SMCOSIM_VERSION,
                          .command = command,
                          .tools = synth_tools(arena, d),
                          .liberty = &s->liberty,
                          .clock = s->clock,
                          .flatten = s->flatten,
                          .kernel = s->kernel,
                          .power = s->power,
                          .nrows = s->npoints,
                          .rows = ARENA_ARRAY(arena, SynthRow, s->npoints)};
    if (!report.tools || !liberty_try(&s->liberty, arena, cli_cache_dir(arena), d) ||
        !liberty_fo4(&s->liberty, arena, cli_cache_dir(arena), d))
        return cli_fail(d);
    fill_cache(s, report.rows);
    load_rows(s, arena, report.rows);
    int status = EXIT_PASS;
    if (s->kernel) status = synth_kernels(s, arena, &report);
    if (s->power) status = synth_powers(s, arena, &report);
    if (s->gate_level || s->keep) {
        const int gates = synth_gate_level(s, arena, &report);
        if (status == EXIT_PASS) status = gates;
    }
    if (table) synth_table(stdout, &report), synth_macro_table(stdout, &report);
    for (int i = 0; i < report.nrows; i++) {
        if (report.rows[i].status == EXIT_PASS) continue;
        fprintf(stderr, "smcosim: %s\n", report.rows[i].message);
        if (status == EXIT_PASS) status = report.rows[i].status;
    }
    if (s->json && diag_ok(d)) synth_json(s->json, &report, d);
    if (s->csv && diag_ok(d)) synth_csv(s->csv, &report, d);
    if (status == EXIT_PASS && s->check && diag_ok(d))
        status = baseline_check(s->check, &report, table ? stdout : stderr, d);
    if (status == EXIT_PASS && s->update && diag_ok(d)) baseline_update(s->update, &report, d);
    if (diag_ok(d)) return status;
    const int wrote = cli_fail(d);
    return status == EXIT_PASS ? wrote : status;
}

// Checks that the output paths are writable before the work begins.
static bool check_outputs(const SynthSettings *s, Diag *d) {
    const char *const paths[] = {s->json, s->csv, s->update};
    for (int i = 0; i < 3; i++) {
        if (!paths[i] || !strcmp(paths[i], "-")) continue;
        if (!output_probe(paths[i], d)) return false;
    }
    return true;
}

enum { WARNINGS_SHOWN = 30 };

// Reads the library and reports the cells that the copy omits, to which nothing is mapped.
static bool read_library(SynthSettings *s, Arena *arena, Diag *d) {
    Liberty *l = &s->liberty;
    const bool good = liberty_read(l, arena, s->liberty_path, (int)s->nm, d);
    for (int i = 0; i < l->nleft_out && i < WARNINGS_SHOWN; i++) {
        const LibertyNote *note = &l->left_out[i];
        fprintf(stderr, "smcosim: warning: %s:%d:%d: cell %s is omitted: %s\n", note->path,
                note->line, note->col, note->cell, note->why);
    }
    if (l->nleft_out > WARNINGS_SHOWN)
        fprintf(stderr, "smcosim: warning: %s: %d more cells are omitted\n", l->path,
                l->nleft_out - WARNINGS_SHOWN);
    return good;
}

static int run_synth(int argc, char **argv) {
    Arena arena = {0};
    Diag d = {0};
    SynthSettings s = {0};
    int first;
    bool done;
    const char *line = cli_command_line(&arena, argc, argv);
    if (!cli_parse(&command_synth, argc, argv, &s, &first, &done, &d)) return cli_fail(&d);
    if (done) return EXIT_PASS;
    if (s.constants) return macro_constants(stdout), EXIT_PASS;
    cli_catch_signals();
    tool_stop_on(&cli_stop);
    if (!choose_blocks(&s, argv + first, argc - first, &d) || !check_rtls(&s, &d) ||
        !check_modes(&s, &d) || (s.kernel && !(s.kernel = kernels_launch(&arena, s.kernel, &d))) ||
        (s.power && !(s.power = kernels_launch(&arena, s.power, &d))) ||
        !read_library(&s, &arena, &d) || !make_points(&s, &arena, &d) || !check_outputs(&s, &d) ||
        (s.power && !synth_power_check(&s, &arena, &d)))
        return cli_fail(&d);
    int status;
    if (s.overheads) {
        const SynthRequest base = synth_request(&s, &arena, NULL, NULL);
        status = synth_tools(&arena, &d) &&
                liberty_try(&s.liberty, &arena, cli_cache_dir(&arena), &d) &&
                synth_overheads(stdout, s.json, &arena, &base, &d)
            ? EXIT_PASS
            : cli_fail(&d);
    } else status = run_points(&s, &arena, line, &d);
    arena_free(&arena);
    return status;
}

static const CliExample examples[] = {
    {"smcosim synth coalescer width_detect -j2", "measure two blocks with the default library"},
    {"smcosim synth coalescer --flatten on --sweep alloc_ports=1..2",
     "print a row per value of a parameter"},
    {"smcosim synth operand_collector --flatten on --power sgemm", "power under a kernel"},
    {0},
};

const Command command_synth = {
    .name = "synth",
    .synopsis = "[BLOCK...] [options]",
    .operand = "BLOCK",
    .summary = "measure area and timing of blocks",
    .about = "Measures area and timing of blocks, from the RTL that the simulation uses. Yosys and "
             "abc map the\nblocks to a Liberty library, and OpenSTA times them. Without BLOCK: all "
             "blocks (smcosim list\nblocks), which takes minutes.",
    CLI_OPTIONS(options),
    .examples = examples,
    .run = run_synth,
};
