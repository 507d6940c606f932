// SPDX-License-Identifier: Apache-2.0
// smcosim run: options and reports. One launch file at a time goes through csrc/session/session.c.
#include "base/console.h"
#include "base/plain.h"
#include "cli/block_list.h"
#include "cli/cli.h"
#include "cli/kernels.h"
#include "cli/cmd_run.h"
#include "proc/clock.h"
#include "report/profile_report.h"
#include "session/session.h"
#include "session/spread.h"
#include "systems/systems.h"

#include <stdlib.h>
#include <string.h>

bool run_set_arch(void *settings, const char *value, Diag *d) {
    return arch_parse(value, &((SessionOptions *)settings)->arch, d);
}

bool run_set_lockstep_sm(void *settings, const char *value, Diag *d) {
    SessionOptions *o = settings;
    uint64_t sm;
    o->lockstep_sm = 0;
    if (!strcmp(value, "all")) return true;
    if (!cli_number("lockstep-sm", value, 0, GPU_MAX_SMS - 1, &sm, d)) return false;
    o->lockstep_sm = (int)sm + 1;
    return true;
}

bool run_set_start(void *settings, const char *value, Diag *d) {
    SessionOptions *o = settings;
    uint64_t seed;
    if (!cli_number("start", value, 0, INT64_MAX, &seed, d)) return false;
    o->start = 1 + seed;
    return true;
}

bool run_set_checks(void *settings, const char *value, Diag *d) {
    return session_set_checks(settings, value, d);
}

bool run_set_snapshots(void *settings, const char *value, Diag *d) {
    SessionOptions *o = settings;
    if (!cli_number("snapshot-interval", value, 0, UINT32_MAX, &o->snapshot_interval, d))
        return false;
    if (!o->snapshot_interval || o->snapshot_interval >= SESSION_SNAPSHOT_LEAST) return true;
    return diag_fail(d, EXIT_USAGE,
                     "--snapshot-interval: %s is out of range, expected 0 or at least %d", value,
                     SESSION_SNAPSHOT_LEAST);
}

bool run_set_threads(void *settings, const char *value, Diag *d) {
    return session_set_threads(settings, value, d);
}

static bool set_queues(SessionOptions *o, const char *queues, Diag *d) {
    char *block;
    o->queue = strtoul(queues, &block, 10);
    if (block == queues || (*block && (*block != ',' || !block[1])))
        return diag_fail(d, EXIT_USAGE, "internal queues: found '%s', expected BYTES[,BLOCK]",
                         queues);
    if (*block) o->kept = block + 1;
    return true;
}

static const CliOption options[] = {
#include "cli/run_options.def"
    {"profile", "FILE",
     "write counts per instruction to FILE: HTML for FILE.html, JSON for FILE.json, otherwise text",
     CLI_TEXT(RunArgs, profile)},
    {"spread", "N",
     "runs of each launch file, all but the first perturbed (keys perturb.*, on golden models); "
     "their means with 95 % intervals follow the verdict",
     NULL, "Spread", CLI_NUMBER(RunArgs, spread, SPREAD_LEAST, SPREAD_MOST)},
    {"no-expect", NULL,
     "do not compare results with `expect` of the launch file, for kernels whose results depend on "
     "the order of threads",
     NULL, "Results", CLI_FLAG(RunArgs, session.no_expect)},
    {"threads", "N|auto",
     "threads of the simulation: all but the first evaluate the RTL in lockstep (auto: idle cores, "
     "if faster); results do not depend on N",
     "auto", "Speed", CLI_CALL(run_set_threads)},
};

enum { FINDINGS_PRINTED = 12 };

// Findings about the program that are not part of the verdict's message.
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
        if (f->count > 1)
            snprintf(times, sizeof times, " (%llu times)", (unsigned long long)f->count);
        fprintf(stderr, "smcosim: %s: %s%s\n", f->note ? "note" : "warning",
                plain_text(arena, f->text), times);
        shown++;
    }
    if (more) fprintf(stderr, "smcosim: and %d more; --json lists all\n", more);
}

void run_print_verdict(void *ctx, const LaunchReport *l) {
    const Printing *p = ctx;
    console_progress(NULL);
    if (l->notes && l->notes[0] && l == p->run->launches)
        fprintf(stderr, "smcosim: warnings about the RTL given with --rtl:\n%s\n",
                plain_text(p->arena, l->notes));
    print_findings(p->arena, l);
    const char *idle = report_idle(l, p->arena);
    if (p->note_idle && *idle) fprintf(stderr, "smcosim: note: no work for %s\n", idle);
    // The error precedes the statistics; the verdict's word ends the table. An invalid launch has
    // no statistics.
    const bool table = p->table && (l->status != EXIT_USAGE || l->nkernels);
    if (l->status != EXIT_PASS) fprintf(stderr, "smcosim: %s\n%s", l->message, table ? "\n" : "");
    if (table && p->profile) profile_table(stdout, p->run, l);
    else if (table) report_table(stdout, p->run, l, cli_color());
    fflush(stdout);
}

// Adds up the evidence of several launch files. A block without work in all of them fails.
static int judge_work(RunReport *run, const Printing *p, int status) {
    run->nwork = report_without_work(run->launches, run->nlaunches, 1, p->arena, &run->work);
    if (!run->nwork) return status;
    if (status == EXIT_PASS) status = EXIT_VACUOUS;
    fprintf(stderr, "smcosim: %s\n", report_work_text(run->work, run->nwork, p->arena));
    if (p->table)
        printf("verdict of %d launch files: %s\n", run->nlaunches, exit_word((ExitStatus)status));
    return status;
}

// The files that were asked for, when all launch files have ended.
static bool write_reports(const RunArgs *args, const RunReport *run, Diag *d) {
    const char *json = args->session.json;
    if (json && !(args->profiles ? profile_json(json, run, d) : report_json(json, run, d)))
        return false;
    return (!args->html || profile_html(args->html, run, d)) &&
        (!args->profile || profile_file(args->profile, run, d));
}

// The perturbed runs of the last launch file, if it passed.
static void run_spread(const RunArgs *args, const RunReport *run, Arena *arena, const Printing *p) {
    LaunchReport *l = &run->launches[run->nlaunches - 1];
    Diag failure = {0};
    if (l->status != EXIT_PASS) return;
    if (!session_spread(l, arena, run->cfg, &args->session, (int)args->spread, &failure)) {
        console_progress(NULL);
        fprintf(stderr, "smcosim: %s: %s\n", plain_text(arena, l->path), l->message);
    } else if (p->table) report_spread(stdout, l, run->cfg);
    fflush(stdout);
}

int run_all(RunArgs *args, Arena *arena, char **paths, int npaths, Diag *d) {
    SessionOptions *o = &args->session;
    const double since = clock_seconds();
    MachineConfig cfg;
    LaunchReport *reports = ARENA_ARRAY(arena, LaunchReport, npaths);
    // The blocks' evidence of several launch files adds up.
    const bool together = npaths > 1 && !o->allow_idle;
    o->allow_idle |= together;
    if (!session_config(&cfg, arena, o, d) || !session_check(arena, &cfg, o, d) ||
        !kernels_launches(arena, paths, npaths, d))
        return cli_fail(d);
    RunReport run = {.version = SMCOSIM_VERSION,
                     .command = o->command_line,
                     .arch = o->arch.name,
                     .cfg = &cfg,
                     .launches = reports,
                     .bow_rows = config_bow_rows(&cfg, o->arch.compiler.half)};
    MachineConfig preset;
    if (!config_load(&preset, arena, o->data_dir, o->machine, d)) return cli_fail(d);
    run.preset_rf_bytes = report_rf_bytes(&preset);
    Printing printing = {.arena = arena,
                         .run = &run,
                         .table = !o->json || strcmp(o->json, "-"),
                         .profile = args->profiles,
                         .note_idle = o->allow_idle};
    o->by_line = args->profiles || args->profile;
    o->verdict = run_print_verdict;
    o->verdict_ctx = &printing;
    for (int i = 0; i < npaths && !cli_stop; i++) {
        Diag failure = {0};
        if (npaths > 1) console_progress("%d of %d: %s", i + 1, npaths, paths[i]);
        else console_progress("%s", paths[i]);
        session_run(&reports[i], arena, paths[i], &cfg, o, &failure);
        run.nlaunches = i + 1;
        if (args->spread) run_spread(args, &run, arena, &printing);
        if (reports[i].replay)
            fprintf(stderr, "smcosim: %s\n", plain_text(arena, reports[i].replay));
    }
    const LaunchReport *failed = report_first_failure(&run);
    int status = failed ? (int)failed->status : EXIT_PASS;
    if (together && !cli_stop) status = judge_work(&run, &printing, status);
    cli_took(since, npaths, "launch file");
    if (!write_reports(args, &run, d)) {
        int wrote = cli_fail(d);
        return status == EXIT_PASS ? wrote : status;
    }
    return status;
}

int run_command(const Command *command, RunArgs *args, int argc, char **argv) {
    Arena arena = {0};
    Diag d = {0};
    SessionOptions *o = &args->session;
    o->stop = &cli_stop;
    o->loaded = cli_loaded;
    session_set_threads(o, "auto", NULL);
    int first;
    bool done;
    o->command_line = cli_command_line(&arena, argc, argv);
    o->data_dir = cli_data_dir();
    o->cache_dir = cli_cache_dir(&arena);
    if (!cli_parse(command, argc, argv, args, &first, &done, &d)) return cli_fail(&d);
    if (done) return EXIT_PASS;
    int n = argc - first;
    if (n < 1)
        diag_fail(&d, EXIT_USAGE,
                  "%s: expected at least one launch file or kernel; see smcosim %s --help",
                  command->name, command->name);
    else if (n > 1 && (o->wave || o->trace))
        diag_fail(&d, EXIT_USAGE, "%s: --wave and --trace take one launch file, found %d",
                  command->name, n);
    if (!diag_ok(&d)) return cli_fail(&d);
    cli_catch_signals();
    cli_loading(true);
    int status = run_all(args, &arena, argv + first, n, &d);
    arena_free(&arena);
    return status;
}

int run_queues(const char *queues, int argc, char **argv) {
    Diag d = {0};
    RunArgs args = {0};
    if (!set_queues(&args.session, queues, &d)) return cli_fail(&d);
    return run_command(&command_run, &args, argc, argv);
}

static int run_launches(int argc, char **argv) {
    return run_command(&command_run, &(RunArgs){0}, argc, argv);
}

static const CliExample examples[] = {
    {"smcosim run sgemm", "run a kernel of the project with Verilog and golden models in lockstep"},
    {"smcosim run my.yaml --check retire,oracle,race,strict", "run a launch file with every check"},
    {"smcosim run my.yaml --arch corf++ --set rf.banks=8 --blocks model --json report.json",
     "run another architecture and shape on golden models only, and report as JSON"},
    {"smcosim run my.yaml --wave my.fst:400-700",
     "run in lockstep and write a wave of cycles 400 to 700"},
    {0},
};

const Command command_run = {
    .name = "run",
    .synopsis = "LAUNCH|KERNEL... [options]",
    .operand = "LAUNCH|KERNEL",
    .summary = "run kernels on one SM, and check blocks and results",
    .about = "Runs the kernels of launch files on one SM, and checks its blocks and the results. "
             "KERNEL is a name\nof smcosim list kernels: sgemm is the small size, sgemm/paper the "
             "larger one. A file with that name\ntakes precedence.",
    CLI_OPTIONS(options),
    .examples = examples,
    .run = run_launches,
};
