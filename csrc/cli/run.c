// SPDX-License-Identifier: Apache-2.0
// smcosim run: options and reports. One launch file at a time goes through csrc/cli/session.c.
#include "base/plain.h"
#include "cli/blocks.h"
#include "cli/cli.h"
#include "cli/kernels.h"
#include "cli/session.h"

#include <string.h>
#include <unistd.h>

static bool set_arch(void *settings, const char *value, Diag *d) {
    return arch_parse(value, &((SessionOptions *)settings)->arch, d);
}

static bool set_checks(void *settings, const char *value, Diag *d) { return session_set_checks(settings, value, d); }

static bool set_snapshots(void *settings, const char *value, Diag *d) {
    SessionOptions *o = settings;
    if (!cli_number("snapshot-interval", value, 0, UINT32_MAX, &o->snapshot_interval, d)) return false;
    if (!o->snapshot_interval || o->snapshot_interval >= SESSION_SNAPSHOT_LEAST) return true;
    return diag_fail(d, EXIT_USAGE, "--snapshot-interval: %s is out of range, expected 0 or at least %d", value,
                     SESSION_SNAPSHOT_LEAST);
}

static const CliOption options[] = {
    {"machine", "MACHINE|FILE", "machine preset, see smcosim list machines", "fermi", "Machine",
     CLI_TEXT(SessionOptions, machine)},
    {"arch", "ARCH", "architecture, see smcosim list archs", "baseline", CLI_CALL(set_arch)},
    {"set", "KEY=VALUE", "override a machine parameter (may be repeated)",
     CLI_LIST(SessionOptions, sets, nsets, SESSION_MAX_SETS)},
    {"max-cycles", "N", "end with status 4 after N cycles of one kernel",
     CLI_NUMBER(SessionOptions, max_cycles, 1, UINT32_MAX)},
    {"blocks", "model|rtl|lockstep|BLOCK=MODE,..",
     "what simulates the blocks: golden model, Verilog, or both, compared in each cycle", "lockstep",
     "Blocks and checks", CLI_TEXT(SessionOptions, blocks)},
    {"check", "retire,oracle,race,strict",
     "compare every warp instruction; final memory with the PTX oracle; find races; refuse what PTX leaves undefined",
     CLI_CALL(set_checks)},
    {"skip-idle", NULL, "do not clock RTL in cycles in which the blocks have no work: faster, verifies less",
     CLI_FLAG(SessionOptions, skip_idle)},
    {"snapshot-interval", "N",
     "cycles between snapshots and comparisons of the whole state, 0: none", SESSION_SNAPSHOT_INTERVAL,
     CLI_CALL(set_snapshots)},
    {"rtl", "BLOCK=FILE.sv[,..]",
     "your own RTL for a block (same ports), against our golden model", NULL, "RTL and faults",
     CLI_LIST(SessionOptions, rtl, nrtl, SESSION_MAX_RTL)},
    {"testbug", "BLOCK=N", "seed fault N into the RTL of a block, to see it reported",
     CLI_TEXT(SessionOptions, testbug)},
    {"fault", "BLOCK:PLACE:KIND[@N]", "flip a state bit of the RTL in cycle N, or hold it (sa0, sa1)",
     CLI_TEXT(SessionOptions, fault)},
    {"plusarg", "NAME=VALUE", "for $value$plusargs in the RTL (may be repeated)",
     CLI_LIST(SessionOptions, plusargs, nplusargs, SESSION_MAX_PLUSARGS)},
    {"wave", "FILE[:FROM-TO]",
     "FST wave of these cycles, with a GTKWave save file beside it", NULL, "Waves and reports",
     CLI_TEXT(SessionOptions, wave)},
    {"trace", "FILE[:FROM-TO]", "Perfetto trace (JSON) of these cycles", CLI_TEXT(SessionOptions, trace)},
    {"json", "FILE|-", "report as JSON; - is standard output, without the table", CLI_TEXT(SessionOptions, json)},
    {"bundle", "DIR", "folder for what a mismatch leaves", "smcosim-mismatch", CLI_TEXT(SessionOptions, bundle_dir)},
};

enum { FINDINGS_PRINTED = 12 };

typedef struct Printing {
    Arena *arena;
    RunReport *run;
    bool table;
} Printing;

// What was noticed about the program and is not part of the verdict's message.
static void print_findings(Arena *arena, const LaunchReport *l) {
    int shown = 0, more = 0;
    for (int i = 0; i < l->nfindings; i++) {
        const ReportFinding *f = &l->findings[i];
        char times[40] = "";
        if (f->in_message || (f->note && !l->race_checked)) continue;
        if (shown == FINDINGS_PRINTED) {
            more++;
            continue;
        }
        if (f->count > 1) snprintf(times, sizeof times, " (%llu times)", (unsigned long long)f->count);
        fprintf(stderr, "smcosim: %s: %s%s\n", f->note ? "note" : "warning", plain_text(arena, f->text), times);
        shown++;
    }
    if (more) fprintf(stderr, "smcosim: and %d more; --json has them all\n", more);
}

// As soon as a verdict is known.
static void print_verdict(void *ctx, const LaunchReport *l) {
    const Printing *p = ctx;
    cli_progress(NULL);
    if (l->notes && l->notes[0] && l == p->run->launches)
        fprintf(stderr, "smcosim: warnings about the RTL given with --rtl:\n%s\n", plain_text(p->arena, l->notes));
    print_findings(p->arena, l);
    // What went wrong comes before the statistics; the verdict's word ends the table.
    // Of a launch that is no launch there is nothing else to tell.
    const bool table = p->table && (l->status != EXIT_USAGE || l->nkernels);
    if (l->status != EXIT_PASS) fprintf(stderr, "smcosim: %s\n%s", l->message, table ? "\n" : "");
    if (table) report_table(stdout, p->run, l, cli_color());
    fflush(stdout);
}

// Runs every launch file and reports each as it ends; the first failure decides the exit status.
static int run_all(SessionOptions *o, Arena *arena, char **paths, int npaths, Diag *d) {
    const double since = cli_seconds();
    MachineConfig cfg;
    LaunchReport *reports = ARENA_ARRAY(arena, LaunchReport, npaths);
    int status = EXIT_PASS;
    if (!session_config(&cfg, arena, o, d) || !session_check(arena, &cfg, o, d) ||
        !kernels_launches(arena, paths, npaths, d))
        return cli_fail(d);
    RunReport run = {.version = SMCOSIM_VERSION, .command = o->command_line, .arch = o->arch.name, .cfg = &cfg,
                     .launches = reports, .bow_rows = config_bow_rows(&cfg, o->arch.compiler.half)};
    MachineConfig preset;
    if (!config_load(&preset, arena, o->data_dir, o->machine, d)) return cli_fail(d);
    run.preset_rf_bytes = report_rf_bytes(&preset);
    Printing printing = {arena, &run, !o->json || strcmp(o->json, "-")};
    o->verdict = print_verdict;
    o->verdict_ctx = &printing;
    for (int i = 0; i < npaths && !cli_stop; i++) {
        Diag failure = {0};
        if (npaths > 1) cli_progress("%d of %d: %s", i + 1, npaths, paths[i]);
        else cli_progress("%s", paths[i]);
        session_run(&reports[i], arena, paths[i], &cfg, o, &failure);
        run.nlaunches = i + 1;
        if (reports[i].replay) fprintf(stderr, "smcosim: %s\n", plain_text(arena, reports[i].replay));
        if (status == EXIT_PASS) status = reports[i].status;
    }
    cli_took(since, npaths, "launch file");
    if (o->json && !report_json(o->json, &run, d)) {
        int wrote = cli_fail(d);
        return status == EXIT_PASS ? wrote : status;
    }
    return status;
}

static int command(int argc, char **argv) {
    Arena arena = {0};
    Diag d = {0};
    SessionOptions o = {.stop = &cli_stop};
    int first;
    bool done;
    o.command_line = cli_command_line(&arena, argc, argv);
    o.data_dir = cli_data_dir();
    o.cache_dir = cli_cache_dir(&arena);
    if (!cli_parse(&command_run, argc, argv, &o, &first, &done, &d))
        return cli_fail(&d);
    if (done) return EXIT_PASS;
    int n = argc - first;
    if (n < 1) diag_fail(&d, EXIT_USAGE, "run: expected at least one launch file or kernel; see smcosim run --help");
    else if (n > 1 && (o.wave || o.trace))
        diag_fail(&d, EXIT_USAGE, "run: --wave and --trace take one launch file, found %d", n);
    if (!diag_ok(&d)) return cli_fail(&d);
    cli_catch_signals();
    cli_loading(true);
    int status = run_all(&o, &arena, argv + first, n, &d);
    arena_free(&arena);
    return status;
}

static const CliExample examples[] = {
    {"smcosim run sgemm", "a kernel of the project, Verilog and golden models in lockstep"},
    {"smcosim run my.yaml --check retire,oracle,race,strict", "a launch file, with every check"},
    {"smcosim run my.yaml --arch corf++ --set rf.banks=8 --blocks model --json report.json",
     "another architecture and shape on golden models only, as JSON"},
    {"smcosim run my.yaml --wave my.fst:400-700", "lockstep, with a wave of cycles 400 to 700"},
    {0},
};

const Command command_run = {
    .name = "run", .synopsis = "LAUNCH|KERNEL... [options]", .operand = "LAUNCH|KERNEL",
    .summary = "run kernels on one SM and check blocks and results",
    .about = "Runs the kernels of launch files on one SM, checks its blocks and the results. KERNEL is one of\n"
             "smcosim list kernels: sgemm is its small size, sgemm/paper the larger one. A file of that name comes\n"
             "first.",
    CLI_OPTIONS(options), .examples = examples, .run = command,
};
