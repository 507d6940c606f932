// SPDX-License-Identifier: Apache-2.0
// smcosim compare: the same launches on several architectures, side by side.
#include "base/console.h"
#include "cli/arch_columns.h"
#include "cli/cli.h"
#include "cli/kernels.h"
#include "proc/clock.h"
#include "report/profile_pair.h"
#include "session/session.h"
#include "session/spread.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

typedef struct CompareArgs {
    SessionOptions session;
    const char *archs, *html, *figures, *csv, *latex, *scatter, *profile;
    ArchColumn columns[COMPARE_MAX_ARCHS];
    SessionOptions of_column[COMPARE_MAX_ARCHS];  // session's, with the column's settings
    uint64_t jobs, spread;
    bool allow_idle;
} CompareArgs;

static bool set_checks(void *settings, const char *value, Diag *d) {
    return session_set_checks(&((CompareArgs *)settings)->session, value, d);
}

static bool set_threads(void *settings, const char *value, Diag *d) {
    return session_set_threads(&((CompareArgs *)settings)->session, value, d);
}

static const CliOption options[] = {
    {"arch", "ARCH[,KEY=VALUE..],..",
     "architectures, each followed by its own settings; ratios refer to the first",
     "baseline,packing,corf,corf++,corf++:rfv", "Machine", CLI_TEXT(CompareArgs, archs)},
    {"machine", "MACHINE|FILE", "machine preset, see smcosim list machines", "fermi",
     CLI_TEXT(CompareArgs, session.machine)},
    {"set", "KEY=VALUE", "override a machine parameter (may be repeated)",
     CLI_LIST(CompareArgs, session.sets, session.nsets, SESSION_MAX_SETS)},
    {"max-cycles", "N", "cycle limit of a launch",
     CLI_NUMBER(CompareArgs, session.max_cycles, 1, UINT64_MAX)},
    {"sms", "N", "SMs on one memory system in every run, as in smcosim run", "1",
     CLI_NUMBER(CompareArgs, session.sms, 1, GPU_MAX_SMS)},
    {"spread", "N",
     "runs of each kernel on each architecture, all but the first perturbed (keys perturb.*, on "
     "golden models); numbers become means with 95 % intervals",
     CLI_NUMBER(CompareArgs, spread, SPREAD_LEAST, SPREAD_MOST)},
    {"blocks", "model|rtl|lockstep|BLOCK=MODE,..",
     "simulate the blocks with golden models, RTL or both; the counters are the same", "model",
     "Blocks and checks", CLI_TEXT(CompareArgs, session.blocks)},
    {"check", "retire,oracle,race,strict,codec", "further checks, as in smcosim run",
     CLI_CALL(set_checks)},
    {"no-expect", NULL,
     "do not compare results with `expect` of the launch files, for kernels whose results depend "
     "on the order of threads",
     CLI_FLAG(CompareArgs, session.no_expect)},
    {"allow-idle", NULL,
     "list blocks without work in all launches, instead of ending as vacuous (status 5)",
     CLI_FLAG(CompareArgs, allow_idle)},
    {"skip-idle", NULL, "skip the RTL in cycles without work of the blocks: faster, verifies less",
     CLI_FLAG(CompareArgs, session.skip_idle)},
    {"threads", "N|auto", "threads per run, as in smcosim run", "auto", CLI_CALL(set_threads)},
    {"html", "FILE", "write verdicts and plots of the papers' figures as one self-contained page",
     NULL, "Reports", CLI_TEXT(CompareArgs, html)},
    {"scatter", "COUNTER[/COUNTER]",
     "speed-up of each kernel against a counter of the first architecture, a ratio of two, ipc or "
     "energy, with the correlation",
     CLI_TEXT(CompareArgs, scatter)},
    {"csv", "FILE|-", "values per kernel and architecture; - is standard output, without the table",
     CLI_TEXT(CompareArgs, csv)},
    {"latex", "FILE", "speed-ups per kernel and their geometric mean as a LaTeX table",
     CLI_TEXT(CompareArgs, latex)},
    {"profile", "FILE",
     "of two architectures: counts by PTX line side by side, lines that differ most first; HTML "
     "for FILE.html, JSON for FILE.json, else text",
     CLI_TEXT(CompareArgs, profile)},
    {"figures", "DIR", "write every figure as an SVG and a CSV file into this folder",
     CLI_TEXT(CompareArgs, figures)},
    {"json", "FILE|-", "write the report as JSON; - is standard output",
     CLI_TEXT(CompareArgs, session.json)},
    {"jobs", "N", "parallel runs; results do not depend on N", "1", .letter = 'j',
     CLI_NUMBER(CompareArgs, jobs, 1, 256)},
};

// The machine of each column, checked as that of a run.
static bool open_columns(Compare *c, CompareArgs *a, Arena *arena, Diag *d) {
    c->narchs = arch_columns(a->columns, arena, a->archs, d);
    for (int i = 0; i < c->narchs; i++) {
        const ArchColumn *column = &a->columns[i];
        SessionOptions *o = &a->of_column[i];
        MachineConfig *cfg = ARENA_NEW(arena, MachineConfig);
        *o = a->session;
        o->arch = column->arch;
        if (o->nsets + column->nsets > SESSION_MAX_SETS)
            return diag_fail(d, EXIT_USAGE, "--arch %s: more than %d settings with those of --set",
                             column->label, SESSION_MAX_SETS);
        for (int k = 0; k < column->nsets; k++) o->sets[o->nsets++] = column->sets[k];
        if (!session_config(cfg, arena, o, d) || !session_check(arena, cfg, o, d)) return false;
        c->columns[i] = (CompareColumn){column->label, column->settings, &column->arch, cfg};
    }
    return c->narchs > 0;
}

// ---- the runs, some at the same time -----------------------------------------------------------

typedef struct Cells {
    Compare *compare;
    const SessionOptions *options;  // by column
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
    const int arch = i % c->narchs, run = i / (c->narchs * c->nlaunches);
    const char *path = cells->paths[i / c->narchs % c->nlaunches], *label = c->columns[arch].label;
    const MachineConfig *cfg = c->columns[arch].cfg;
    const SessionOptions *o = &cells->options[arch];
    Diag failure = {0};
    pthread_mutex_lock(&cells->stderr_lock);
    console_progress("%d of %d: %s, %s", ++cells->begun, cells->n, path, label);
    pthread_mutex_unlock(&cells->stderr_lock);
    if (run) session_perturbed(&c->cells[i], &w->arena, path, cfg, o, run, &failure);
    else session_run(&c->cells[i], &w->arena, path, cfg, o, &failure);
    if (c->cells[i].status == EXIT_PASS) return;
    pthread_mutex_lock(&cells->stderr_lock);
    console_progress(NULL);
    fprintf(stderr, "smcosim: %s on %s", path, label);
    if (run) fprintf(stderr, ", perturb.run=%d", cfg->perturb_run + run);
    fprintf(stderr, ": %s\n", c->cells[i].message);
    pthread_mutex_unlock(&cells->stderr_lock);
}

static void *take_cells(void *worker) {
    Worker *w = worker;
    for (int i; !cli_stop && (i = w->cells->next++) < w->cells->n;) run_cell(w, i);
    return NULL;
}

// The first failure in the order of the table decides the exit status. The other runs continue.
static int run_cells(Compare *c, CompareArgs *a, Worker *workers, char **paths) {
    const double since = clock_seconds();
    Cells cells = {.compare = c,
                   .options = a->of_column,
                   .paths = paths,
                   .n = c->nruns * c->nlaunches * c->narchs,
                   .stderr_lock = PTHREAD_MUTEX_INITIALIZER};
    for (int i = 0; i < (int)a->jobs; i++) workers[i].cells = &cells;
    for (int i = 1; i < (int)a->jobs; i++)
        panic_if(pthread_create(&workers[i].thread, NULL, take_cells, &workers[i]), "no thread");
    take_cells(&workers[0]);
    for (int i = 1; i < (int)a->jobs; i++) pthread_join(workers[i].thread, NULL);
    console_progress(NULL);
    cli_took(since, cells.begun, "run");
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
        fprintf(stderr, "smcosim: %s: %s\n", c->columns[a].label,
                report_work_text(c->work[a], c->nwork[a], arena));
        if (status == EXIT_PASS) status = EXIT_VACUOUS;
    }
    return status;
}

// Verilated blocks share one runtime, which belongs to one thread.
static bool check_jobs(const CompareArgs *a, Diag *d) {
    if (a->jobs == 1 || !strcmp(a->session.blocks, "model")) return true;
    return diag_fail(d, EXIT_USAGE, "--jobs %d: parallel runs require --blocks model",
                     (int)a->jobs);
}

static bool is_stdout(const char *path) { return path && !strcmp(path, "-"); }

static bool write_files(const Compare *c, const CompareArgs *a, const Figure *figures, int nfigures,
                        Diag *d) {
    return (!a->session.json || compare_json(a->session.json, c, figures, nfigures, d)) &&
        (!a->html || compare_html(a->html, c, figures, nfigures, d)) &&
        (!a->csv || compare_csv(a->csv, c, d)) && (!a->latex || compare_latex(a->latex, c, d)) &&
        (!a->profile || profile_pair(a->profile, c, d)) &&
        (!a->figures || compare_export(a->figures, c, figures, nfigures, d));
}

static int print_comparison(const Compare *c, const CompareArgs *a, Arena *arena, int status,
                            Diag *d) {
    Figure *figures;
    int nfigures = compare_figures(c, arena, &figures);
    bool any = false;
    for (int i = 0; i < c->nlaunches * c->narchs; i++) any |= c->cells[i].nkernels > 0;
    if (any && !is_stdout(a->session.json) && !is_stdout(a->csv))
        compare_table(stdout, c, figures, nfigures);
    if (write_files(c, a, figures, nfigures, d)) return status;
    int wrote = cli_fail(d);
    return status == EXIT_PASS ? wrote : status;
}

// Between the options and the runs: kernels, architectures, the scatter's counter.
static bool open_comparison(Compare *c, CompareArgs *a, Arena *arena, char **paths, int npaths,
                            Diag *d) {
    Metric *scatter = ARENA_NEW(arena, Metric);
    a->session.allow_idle = true;
    c->nlaunches = npaths;
    c->nruns = a->spread ? (int)a->spread : 1;
    if (a->scatter) {
        if (!metric_parse(scatter, arena, a->scatter, "scatter", d)) return false;
        c->scatter = scatter;
    }
    a->session.by_line = a->profile != NULL;
    if (!open_columns(c, a, arena, d) || !check_jobs(a, d)) return false;
    if (a->profile && c->narchs != 2)
        return diag_fail(d, EXIT_USAGE, "--profile: expected two architectures, found %d",
                         c->narchs);
    c->machine = c->columns[0].cfg->machine;
    return kernels_launches(arena, paths, npaths, d) && kernels_distinct(paths, npaths, d);
}

static int compare_archs(CompareArgs *a, Arena *arena, char **paths, int npaths, Diag *d) {
    Compare c = {.version = SMCOSIM_VERSION, .command = a->session.command_line};
    const bool allow_idle = a->allow_idle;
    if (!open_comparison(&c, a, arena, paths, npaths, d)) return cli_fail(d);
    c.cells = ARENA_ARRAY(arena, LaunchReport, c.nruns * npaths * c.narchs);
    Worker *workers = ARENA_ARRAY(arena, Worker, a->jobs);
    int status = run_cells(&c, a, workers, paths);
    if (status != EXIT_INTERRUPTED && !allow_idle) status = judge_work(&c, arena, status);
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
    {"smcosim compare sgemm --arch baseline,corf++,oc.collectors=31 --machine pascal",
     "a setting of one architecture alone"},
    {"smcosim compare sgemm bfs nw --spread 5 --scatter l1_misses/warp_instructions",
     "with 95 % intervals, and the counter that goes with the gain"},
    {0},
};

const Command command_compare = {
    .name = "compare",
    .synopsis = "LAUNCH|KERNEL... [options]",
    .operand = "LAUNCH|KERNEL",
    .summary = "compare architectures on kernels",
    .about = "Runs launch files, or kernels by name (smcosim list kernels), on several "
             "architectures. Prints the\ndiffering counters, and the papers' figures that the "
             "architectures support, beside the papers'\nvalues.",
    CLI_OPTIONS(options),
    .examples = examples,
    .run = run_compare,
};
