// SPDX-License-Identifier: Apache-2.0
// smcosim exec: a CUDA program whose kernels run on the SM.
//
//   program --- libcudart.so (csrc/cuda) --- Unix socket --- serve.c --- context.c --- modules,
//   memory, SM
//
// Simulator and program are two processes. Neither can damage the other's memory. A program that
// crashes still gets its verdict. An address of the device is meaningless to the host.
#include "base/console.h"
#include "base/plain.h"
#include "cli/cli.h"
#include "device/context.h"
#include "cli/cmd_run.h"
#include "device/executable.h"
#include "device/serve.h"
#include "proc/clock.h"
#include "report/profile_report.h"

#include <string.h>
#include <unistd.h>

static bool set_threads(void *settings, const char *value, Diag *d) {
    return session_set_threads(&((ExecOptions *)settings)->session, value, d);
}

static const CliOption options[] = {
    {"capture", "DIR", "write each simulated launch as a launch file, with the oracle's result",
     NULL, "Launches", CLI_TEXT(ExecOptions, capture)},
    {"only", "KERNEL[:N]|N", "simulate these launches; the oracle executes the others, faster",
     CLI_TEXT(ExecOptions, only)},
    {"wait-left", "SECONDS",
     "time to wait for requests of remaining CUDA processes after the program has ended, then "
     "status 7; 0: no wait",
     "600", CLI_NUMBER(ExecOptions, wait_left, 0, UINT32_MAX)},
#include "cli/run_options.def"
    {"profile", "FILE",
     "write counts per instruction to FILE: HTML for FILE.html, JSON for FILE.json, otherwise text",
     CLI_TEXT(ExecOptions, profile)},
    {"threads", "N|auto",
     "threads that simulate several SMs (--sms) in parallel; results do not depend on N", "auto",
     "Speed", CLI_CALL(set_threads)},
};

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// The program's own verdict on its result counts as well.
static void judge_program(const Served *served, LaunchReport *r, Arena *arena, Diag *d) {
    const char *text = NULL;
    if (served->signal)
        text = arena_printf(arena, "%s: signal %d (%s) ended the program", r->name, served->signal,
                            strsignal(served->signal));
    else if (served->status)
        text = arena_printf(arena, "%s: the program ended with status %d", r->name, served->status);
    r->program = arena_printf(arena, served->signal ? "signal %d" : "status %d",
                              served->signal ? served->signal : served->status);
    if (!text) return;
    const bool first = diag_ok(d) || d->status == EXIT_VACUOUS;
    if (first) *d = (Diag){0};
    else text = arena_printf(arena, "%s\n%s", d->text, text);
    if (first) diag_fail(d, EXIT_WRONG_RESULT, "%s", text);
    r->status = d->status;
    r->message = text;
}

static int report_program(const ExecOptions *e, Printing *p, Diag *d) {
    const SessionOptions *o = &e->session;
    LaunchReport *l = p->run->launches;
    run_print_verdict(p, l);
    if (l->replay) fprintf(stderr, "smcosim: %s\n", plain_text(p->arena, l->replay));
    if ((o->json && !report_json(o->json, p->run, d)) ||
        (e->profile && !profile_file(e->profile, p->run, d))) {
        const int wrote = cli_fail(d);
        return l->status == EXIT_PASS ? wrote : (int)l->status;
    }
    return (int)l->status;
}

static int run_program(ExecOptions *e, Arena *arena, char **argv, Diag *d) {
    SessionOptions *o = &e->session;
    const double since = clock_seconds();
    MachineConfig cfg, preset;
    if (!executable_check(arena, argv[0], d) || !session_config(&cfg, arena, o, d) ||
        !session_check(arena, &cfg, o, d) ||
        !config_load(&preset, arena, o->data_dir, o->machine, d))
        return cli_fail(d);
    LaunchReport l = {.name = plain_text(arena, base_name(argv[0])),
                      .path = argv[0],
                      .message = "",
                      .retire_checked = o->check_retire,
                      .oracle_checked = o->check_oracle,
                      .race_checked = o->check_race,
                      .strict_checked = o->check_strict,
                      .codec_checked = o->check_codec,
                      .unclocked = -1};
    RunReport all = {.version = SMCOSIM_VERSION,
                     .command = o->command_line,
                     .arch = o->arch.name,
                     .cfg = &cfg,
                     .preset_rf_bytes = report_rf_bytes(&preset),
                     .launches = &l,
                     .nlaunches = 1,
                     .bow_rows = config_bow_rows(&cfg, o->arch.compiler.half)};
    Printing printing = {.arena = arena,
                         .run = &all,
                         .table = !o->json || strcmp(o->json, "-"),
                         .note_idle = o->allow_idle};
    o->by_line = e->profile != NULL;
    Served served;
    Context *c = context_open(arena, e, &cfg, &l, d);
    if (!c) return cli_fail(d);
    cli_loading(false);
    const bool ran =
        serve_program(c, arena, e, argv, printing.table ? -1 : STDERR_FILENO, &served, d);
    console_progress(NULL);
    if (!ran) {
        context_close(c);
        return cli_fail(d);
    }
    context_finish(c, d);
    judge_program(&served, &l, arena, d);
    if (!served.connections && d->status == EXIT_VACUOUS)
        l.message = arena_printf(arena,
                                 "%s; the program has not loaded smcosim's CUDA runtime (is it "
                                 "linked with nvcc -cudart shared?)",
                                 l.message);
    cli_took(since, context_launches(c), "launch");
    const int status = report_program(e, &printing, d);
    context_close(c);
    return status;
}

static int run_exec(int argc, char **argv) {
    Arena arena = {0};
    Diag d = {0};
    ExecOptions e = {.session = {.stop = &cli_stop, .loaded = cli_loaded}};
    session_set_threads(&e.session, "auto", NULL);
    int first;
    bool done;
    e.session.command_line = cli_command_line(&arena, argc, argv);
    e.session.data_dir = cli_data_dir();
    e.session.cache_dir = cli_cache_dir(&arena);
    if (!cli_parse(&command_exec, argc, argv, &e, &first, &done, &d)) return cli_fail(&d);
    if (done) return EXIT_PASS;
    if (first == argc) {
        diag_fail(&d, EXIT_USAGE, "exec: expected a program; see smcosim exec --help");
        return cli_fail(&d);
    }
    cli_catch_signals();
    cli_loading(true);
    const int status = run_program(&e, &arena, argv + first, &d);
    arena_free(&arena);
    return status;
}

static const CliExample examples[] = {
    {"nvcc -cudart shared -arch=compute_75 -o saxpy saxpy.cu && smcosim exec -- ./saxpy 1000",
     "run a CUDA program with its kernels on the SM in lockstep"},
    {"smcosim exec --blocks model --check oracle --arch corf++ -- ./saxpy 1000",
     "use golden models, and compare each launch with the PTX oracle"},
    {"smcosim exec --only sgemm:3 --capture cases -- ./app",
     "simulate only the third launch of sgemm, and write it as a launch file into cases/"},
    {0},
};

const Command command_exec = {
    .name = "exec",
    .synopsis = "[options] -- PROGRAM [ARGUMENT...]",
    .operand = "FILE",
    .summary = "run a CUDA program with its kernels on one SM",
    .about = "Runs a CUDA program that was linked with nvcc -cudart shared and contains PTX "
             "(-arch=compute_75).\nsmcosim's own CUDA runtime library replaces NVIDIA's, and each "
             "launch runs on one SM with the\noptions of run. The exit status is 0 if the program "
             "ended with 0 and every launch passed.",
    CLI_OPTIONS(options),
    .examples = examples,
    .run = run_exec,
};
