// SPDX-License-Identifier: Apache-2.0
// smcosim compare: the same launches on several architectures, side by side.
#include "base/console.h"
#include "cli/cli.h"
#include "cli/kernels.h"
#include "proc/clock.h"
#include "session/session.h"
#include "report/compare_report.h"
#include "systems/systems.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

typedef struct CompareArgs {
    SessionOptions session;
    const char *archs, *html, *figures;
    Arch parsed[COMPARE_MAX_ARCHS];
    uint64_t jobs;
    bool allow_idle;
} CompareArgs;

static bool set_checks(void *settings, const char *value, Diag *d) {
    return session_set_checks(&((CompareArgs *)settings)->session, value, d);
}

static bool set_threads(void *settings, const char *value, Diag *d) {
    return session_set_threads(&((CompareArgs *)settings)->session, value, d);
}

static const CliOption options[] = {
    {"arch", "ARCH,..", "architectures; ratios are to the first",
     "baseline,packing,corf,corf++,corf++:rfv", "Machine", CLI_TEXT(CompareArgs, archs)},
    {"machine", "MACHINE|FILE", "machine preset, see smcosim list machines", "fermi",
     CLI_TEXT(CompareArgs, session.machine)},
    {"set", "KEY=VALUE", "override a machine parameter (may be repeated)",
     CLI_LIST(CompareArgs, session.sets, session.nsets, SESSION_MAX_SETS)},
    {"max-cycles", "N", "cycle limit of a launch",
     CLI_NUMBER(CompareArgs, session.max_cycles, 1, UINT64_MAX)},
    {"sms", "N", "SMs on one memory system in every run, as smcosim run", "1",
     CLI_NUMBER(CompareArgs, session.sms, 1, GPU_MAX_SMS)},
    {"blocks", "model|rtl|lockstep|BLOCK=MODE,..",
     "golden models, RTL or both simulate the blocks; the counters are the same", "model",
     "Blocks and checks", CLI_TEXT(CompareArgs, session.blocks)},
    {"check", "retire,oracle,race,strict,codec", "further checks, as smcosim run",
     CLI_CALL(set_checks)},
    {"allow-idle", NULL,
     "a block that no launch gives work is named, and does not make its architecture vacuous "
     "(status 5)",
     CLI_FLAG(CompareArgs, allow_idle)},
    {"skip-idle", NULL,
     "do not clock RTL in cycles in which the blocks have no work: faster, verifies less",
     CLI_FLAG(CompareArgs, session.skip_idle)},
    {"threads", "N|auto", "threads that simulate a run, as smcosim run", "auto",
     CLI_CALL(set_threads)},
    {"html", "FILE", "verdicts and plots of the papers' figures, one self-contained page", NULL,
     "Reports", CLI_TEXT(CompareArgs, html)},
    {"figures", "DIR", "every figure as an SVG and a CSV file in this folder",
     CLI_TEXT(CompareArgs, figures)},
    {"json", "FILE|-", "the same as JSON; - is standard output",
     CLI_TEXT(CompareArgs, session.json)},
    {"jobs", "N", "runs at the same time; the results do not depend on it", "1", .letter = 'j',
     CLI_NUMBER(CompareArgs, jobs, 1, 256)},
};

static bool split_archs(Compare *c, Arch *archs, Arena *arena, const char *text, Diag *d) {
    for (const char *word = text;;) {
        size_t n = strcspn(word, ",");
        Arch *arch = &archs[c->narchs];
        if (c->narchs == COMPARE_MAX_ARCHS)
            return diag_fail(d, EXIT_USAGE, "--arch: more than %d architectures",
                             COMPARE_MAX_ARCHS);
        if (!arch_parse(arena_strndup(arena, word, n), arch, d)) return false;
        if (compare_arch(c, arch->name) >= 0)
            return diag_fail(d, EXIT_USAGE, "--arch: '%s' twice", arch->name);
        c->archs[c->narchs++] = arch->name;
        if (!word[n]) return true;
        word += n + 1;
    }
}

// ---- the runs, some at the same time -----------------------------------------------------------

typedef struct Cells {
    Compare *compare;
    const SessionOptions *options;
    const Arch *archs;  // as in compare
    char **paths;
    int n;  // cells
    atomic_int next, begun;
    pthread_mutex_t stderr_lock;
} Cells;

typedef struct Worker {
    Cells *cells;
    Arena arena;  // holds its reports until they are printed
    pthread_t thread;
} Worker;

static void run_cell(Worker *w, int i) {
    Cells *cells = w->cells;
    Compare *c = cells->compare;
    const char *path = cells->paths[i / c->narchs], *arch = c->archs[i % c->narchs];
    SessionOptions o = *cells->options;
    Diag failure = {0};
    o.arch = cells->archs[i % c->narchs];
    pthread_mutex_lock(&cells->stderr_lock);
    console_progress("%d of %d: %s, %s", ++cells->begun, cells->n, path, arch);
    pthread_mutex_unlock(&cells->stderr_lock);
    session_run(&c->cells[i], &w->arena, path, c->cfg, &o, &failure);
    if (c->cells[i].status == EXIT_PASS) return;
    pthread_mutex_lock(&cells->stderr_lock);
    console_progress(NULL);
    fprintf(stderr, "smcosim: %s on %s: %s\n", path, arch, c->cells[i].message);
    pthread_mutex_unlock(&cells->stderr_lock);
}

static void *take_cells(void *worker) {
    Worker *w = worker;
    for (int i; !cli_stop && (i = w->cells->next++) < w->cells->n;) run_cell(w, i);
    return NULL;
}

// The first failure in the order of the table decides the exit status. The other runs continue.
static int run_cells(Compare *c, CompareArgs *a, Worker *workers, char **paths, int npaths) {
    const double since = clock_seconds();
    Cells cells = {.compare = c,
                   .options = &a->session,
                   .archs = a->parsed,
                   .paths = paths,
                   .n = npaths * c->narchs,
                   .stderr_lock = PTHREAD_MUTEX_INITIALIZER};
    for (int i = 0; i < (int)a->jobs; i++) workers[i].cells = &cells;
    for (int i = 1; i < (int)a->jobs; i++)
        panic_if(pthread_create(&workers[i].thread, NULL, take_cells, &workers[i]), "no thread");
    take_cells(&workers[0]);
    for (int i = 1; i < (int)a->jobs; i++) pthread_join(workers[i].thread, NULL);
    console_progress(NULL);
    cli_took(since, cells.begun, "run");
    c->nlaunches = npaths;
    if (cli_stop) return EXIT_INTERRUPTED;
    for (int i = 0; i < cells.n; i++)
        if (c->cells[i].status != EXIT_PASS) return (int)c->cells[i].status;
    return EXIT_PASS;
}

// Adds up the evidence of all launches on one architecture. A block without work in all of them
// fails.
static int judge_work(Compare *c, Arena *arena, int status) {
    for (int a = 0; a < c->narchs; a++) {
        c->nwork[a] =
            report_without_work(c->cells + a, c->nlaunches, c->narchs, arena, &c->work[a]);
        if (!c->nwork[a]) continue;
        fprintf(stderr, "smcosim: %s: %s\n", c->archs[a],
                report_work_text(c->work[a], c->nwork[a], arena));
        if (status == EXIT_PASS) status = EXIT_VACUOUS;
    }
    return status;
}

// Verilated blocks share one runtime, which belongs to one thread.
static bool check_jobs(const CompareArgs *a, Diag *d) {
    if (a->jobs == 1 || !strcmp(a->session.blocks, "model")) return true;
    return diag_fail(d, EXIT_USAGE, "--jobs %d: more than one run at a time needs --blocks model",
                     (int)a->jobs);
}

static int print_comparison(const Compare *c, const CompareArgs *a, Arena *arena, int status,
                            Diag *d) {
    Figure *figures;
    int nfigures = compare_figures(c, arena, &figures);
    bool any = false;
    for (int i = 0; i < c->nlaunches * c->narchs; i++) any |= c->cells[i].nkernels > 0;
    if (any && (!a->session.json || strcmp(a->session.json, "-")))
        compare_table(stdout, c, figures, nfigures);
    bool ok = !a->session.json || compare_json(a->session.json, c, figures, nfigures, d);
    ok = ok && (!a->html || compare_html(a->html, c, figures, nfigures, d));
    ok = ok && (!a->figures || compare_export(a->figures, c, figures, nfigures, d));
    if (ok) return status;
    int wrote = cli_fail(d);
    return status == EXIT_PASS ? wrote : status;
}

static int compare_archs(CompareArgs *a, Arena *arena, char **paths, int npaths, Diag *d) {
    MachineConfig cfg;
    Compare c = {.version = SMCOSIM_VERSION, .command = a->session.command_line, .cfg = &cfg};
    if (!session_config(&cfg, arena, &a->session, d) ||
        !split_archs(&c, a->parsed, arena, a->archs, d))
        return cli_fail(d);
    if (!check_jobs(a, d)) return cli_fail(d);
    for (int i = 0; i < c.narchs; i++) {
        a->session.arch = a->parsed[i];
        if (!session_check(arena, &cfg, &a->session, d)) return cli_fail(d);
    }
    if (!kernels_launches(arena, paths, npaths, d) || !kernels_distinct(paths, npaths, d))
        return cli_fail(d);
    c.cells = ARENA_ARRAY(arena, LaunchReport, npaths * c.narchs);
    Worker *workers = ARENA_ARRAY(arena, Worker, a->jobs);
    a->session.allow_idle = true;
    int status = run_cells(&c, a, workers, paths, npaths);
    if (status != EXIT_INTERRUPTED && !a->allow_idle) status = judge_work(&c, arena, status);
    if (status != EXIT_INTERRUPTED) status = print_comparison(&c, a, arena, status, d);
    for (int i = 0; i < (int)a->jobs; i++) arena_free(&workers[i].arena);
    return status;
}

static int run_compare(int argc, char **argv) {
    Arena arena = {0};
    Diag d = {0};
    CompareArgs a = {.session = {.stop = &cli_stop, .loaded = cli_loaded}};
    session_set_threads(&a.session, "auto", NULL);
    int first;
    bool done;
    a.session.command_line = cli_command_line(&arena, argc, argv);
    a.session.data_dir = cli_data_dir();
    a.session.cache_dir = cli_cache_dir(&arena);
    if (!cli_parse(&command_compare, argc, argv, &a, &first, &done, &d)) return cli_fail(&d);
    if (done) return EXIT_PASS;
    if (argc - first < 1)
        diag_fail(
            &d, EXIT_USAGE,
            "compare: expected at least one launch file or kernel; see smcosim compare --help");
    if (!diag_ok(&d)) return cli_fail(&d);
    cli_catch_signals();
    cli_loading(true);
    int status = compare_archs(&a, &arena, argv + first, argc - first, &d);
    arena_free(&arena);
    return status;
}

static const CliExample examples[] = {
    {"smcosim compare sgemm --arch baseline,corf++",
     "cycles, IPC and the papers' figures, ratios to baseline"},
    {"smcosim compare sgemm bfs my.yaml --html plots.html", "several kernels, as a page of plots"},
    {0},
};

const Command command_compare = {
    .name = "compare",
    .synopsis = "LAUNCH|KERNEL... [options]",
    .operand = "LAUNCH|KERNEL",
    .summary = "architectures side by side, ratios to the first",
    .about = "Runs launch files, or kernels by name (smcosim list kernels), on several "
             "architectures and prints what\n"
             "differs, with the papers' figures beside ours where the architectures allow.",
    CLI_OPTIONS(options),
    .examples = examples,
    .run = run_compare,
};
