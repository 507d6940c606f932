// SPDX-License-Identifier: Apache-2.0
// smcosim repro: the papers' figures from runs, a chapter each.
//
// A chapter has a writer in bench/repro. The writer is a script that names the smcosim commands
// that it requires and turns their output into the chapter:
//     WRITER --plan --results INDEX     prints the commands without a result, a line each, words
//                                       with tabs between
//     WRITER --results INDEX --output FILE --figures DIR      writes document and drawings
// --program names this program, which draws for the writer with `internal draw`. INDEX has a line
// per result: file, tab, command. The plan is requested repeatedly until it is empty, because later
// commands may depend on results.
#include "base/console.h"
#include "base/output.h"
#include "cli/cli.h"
#include "cli/runs.h"
#include "proc/child.h"
#include "proc/clock.h"
#include "session/spread.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_ROUNDS = 20, MAX_WORDS = 256, MAX_ARGS = 64 };

typedef struct Chapter {
    // figures: how the names of its figures begin, with blanks between; "": none by name
    const char *name, *figures;
    const char *what;
    bool one_figure;  // the writer takes --figure
    bool area;        // and tables of areas
} Chapter;
static const Chapter chapters[] = {
    {"corf", "2. T2.", "register packing, CORF, CORF++, virtualization (thesis, chapter 2)", true,
     false},
    {"bow", "3.", "BOW and the register file cache (thesis, chapter 3)", false, false},
    {"regmutex", "4.", "RegMutex, OWF (thesis, chapter 4)", false, true},
    {"larf", "5.", "LARF, LAS (thesis, chapter 5)", false, false},
    {"pmode", "", "P-mode and its comparators", false, false},
    {"scalar", "", "the flexible scalar unit", false, false},
    {"caba", "", "assist warps (CABA)", false, false},
};
enum { NCHAPTERS = sizeof chapters / sizeof *chapters };

typedef struct ReproArgs {
    const char *size, *kernels, *machine, *experiments, *fit_size, *large_size, *storage, *sweep,
        *output, *results, *data;
    uint64_t jobs, spread;
    bool list;
} ReproArgs;

static const CliOption options[] = {
    {"size", "small|paper",
     "size of the kernels (default: the size that the chapter's document names)", NULL,
     "What is run", CLI_TEXT(ReproArgs, size)},
    {"fit-size", "small|paper", "bow: size of the kernels on smaller register files",
     CLI_TEXT(ReproArgs, fit_size)},
    {"large-size", "small|paper", "bow: size of eight kernels beside the others",
     CLI_TEXT(ReproArgs, large_size)},
    {"kernels", "NAMES", "run only these kernels, if the chapter allows a choice",
     CLI_TEXT(ReproArgs, kernels)},
    {"spread", "N",
     "runs of each kernel of the chapter's headlines, all but the first perturbed (keys "
     "perturb.*): their 95 % intervals, in section Intervals",
     CLI_NUMBER(ReproArgs, spread, SPREAD_LEAST, SPREAD_MOST)},
    {"machine", "MACHINE|FILE", "use another machine than the chapter's",
     CLI_TEXT(ReproArgs, machine)},
    {"experiments", "NUMBERS", "corf: run only these experiments, '' for none",
     CLI_TEXT(ReproArgs, experiments)},
    {"storage", "FILE", "bow: file with the output of smcosim synth --overheads",
     CLI_TEXT(ReproArgs, storage)},
    {"sweep", "FILE",
     "bow: file written by smcosim synth bypass_collector --sweep iw=2..7 --kernel K --json",
     CLI_TEXT(ReproArgs, sweep)},
    {"data", "DIR", "folder of the kernels' data (default: that of the build)",
     CLI_TEXT(ReproArgs, data)},
    {"jobs", "N", "parallel runs; results do not depend on N", "1", .letter = 'j',
     CLI_NUMBER(ReproArgs, jobs, 1, 256)},
    {"list", NULL, "instead: the chapters", CLI_FLAG(ReproArgs, list)},
    {"output", "DIR",
     "folder for documents, with drawings in its folder figures (default: bench/repro)", NULL,
     "Results", CLI_TEXT(ReproArgs, output)},
    {"results", "DIR", "folder that keeps the result of each run for reuse (default: in the cache)",
     CLI_TEXT(ReproArgs, results)},
};

// ---- a writer -----------------------------------------------------------------------------------

typedef struct Job {
    const ReproArgs *args;
    const Chapter *chapter;
    const char *figure;  // NULL: all
    const char *index;
    Results *results;
    ResultCommand *commands;  // that have a result
    int n, cap;
    Arena *arena;
} Job;

static const char *source_path(Arena *arena, const char *path) {
    return arena_printf(arena, "%s/bench/%s", SMCOSIM_SOURCE_DIR, path);
}

static int add_option(const char **argv, int n, const char *option, const char *value) {
    if (value) argv[n++] = option, argv[n++] = value;
    return n;
}

static int writer_words(const Job *j, const char **argv, const char *document) {
    const ReproArgs *a = j->args;
    Arena *arena = j->arena;
    const char *name = j->chapter->name;
    int n = 0;
    argv[n++] = source_path(arena, arena_printf(arena, "repro/%s", name));
    n = add_option(argv, n, "--data",
                   a->data ? a->data : arena_printf(arena, "%s/kernels", cli_data_dir()));
    n = add_option(argv, n, "--findings",
                   source_path(arena, arena_printf(arena, "repro/%s.findings.md", name)));
    n = add_option(argv, n, "--area",
                   j->chapter->area ? source_path(arena, "area/TABLES.md") : NULL);
    n = add_option(argv, n, "--program", j->results->program);
    n = add_option(argv, n, "--size", a->size);
    n = add_option(argv, n, "--fit-size", a->fit_size);
    n = add_option(argv, n, "--large-size", a->large_size);
    n = add_option(argv, n, "--storage", a->storage);
    n = add_option(argv, n, "--sweep", a->sweep);
    n = add_option(argv, n, "--kernels", a->kernels);
    n = add_option(argv, n, "--machine", a->machine);
    n = add_option(argv, n, "--experiments", a->experiments);
    n = add_option(argv, n, "--spread",
                   a->spread ? arena_printf(arena, "%d", (int)a->spread) : NULL);
    n = add_option(argv, n, "--figure", j->figure);
    n = add_option(argv, n, "--output", document);
    n = add_option(
        argv, n, "--figures",
        arena_printf(arena, "%.*s/figures", (int)(strrchr(document, '/') - document), document));
    n = add_option(argv, n, "--results", j->index);
    return n;
}

// Its standard output goes to `out`.
static bool run_writer(const char *const *argv, FILE *out, Diag *d) {
    if (access(argv[0], X_OK))
        return diag_fail(d, EXIT_ENVIRONMENT, "%s: %s (repro requires the source tree)", argv[0],
                         strerror(errno));
    const Child writer = {
        .argv = argv, .out_fd = fileno(out), .missing = EXIT_ENVIRONMENT, .says = true};
    ChildEnd end;
    const pid_t pid = child_start(&writer);
    if (pid < 0) return diag_fail(d, EXIT_ENVIRONMENT, "fork: %s", strerror(errno));
    child_wait(pid, NULL, 0, &end);
    if (!end.status) return true;
    return diag_fail(d,
                     !end.signal    ? (ExitStatus)end.status
                         : cli_stop ? EXIT_INTERRUPTED
                                    : EXIT_ENVIRONMENT,
                     "%s failed", argv[0]);
}

// ---- plan, runs, document -----------------------------------------------------------------------

static bool read_command(Job *j, char *line, Diag *d) {
    const char **words = ARENA_ARRAY(j->arena, const char *, MAX_WORDS);
    int n = 0;
    line[strcspn(line, "\n")] = 0;
    for (char *word = arena_printf(j->arena, "%s", line), *next; word; word = next) {
        next = strchr(word, '\t');
        if (next) *next++ = 0;
        if (n == MAX_WORDS - 1)
            return diag_fail(d, EXIT_ENVIRONMENT, "the plan of %s has a line of more than %d words",
                             j->chapter->name, MAX_WORDS - 1);
        words[n++] = word;
    }
    ResultCommand c = {.words = words};
    if (!results_key(j->results, &c, d)) return false;
    *ARENA_PUSH(j->arena, j->commands, j->n, j->cap) = c;
    return true;
}

// The commands that are missing, behind the others.
static bool plan_commands(Job *j, const char *document, Diag *d) {
    const char *argv[MAX_ARGS];
    char *line = NULL;
    size_t size = 0;
    int n = writer_words(j, argv, document);
    argv[n++] = "--plan", argv[n] = NULL;
    FILE *out = tmpfile();
    if (!out) return diag_fail(d, EXIT_ENVIRONMENT, "no temporary file: %s", strerror(errno));
    bool ok = run_writer(argv, out, d);
    rewind(out);
    while (ok && getline(&line, &size, out) > 0) ok = read_command(j, line, d);
    free(line);
    fclose(out);
    return ok;
}

static bool write_index(const Job *j, Diag *d) {
    FILE *f = fopen(j->index, "w");
    if (!f) return diag_fail(d, EXIT_ENVIRONMENT, "%s: %s", j->index, strerror(errno));
    for (int i = 0; i < j->n; i++) {
        fputs(results_path(j->results, j->arena, &j->commands[i]), f);
        for (int w = 0; j->commands[i].words[w]; w++) fprintf(f, "\t%s", j->commands[i].words[w]);
        fputc('\n', f);
    }
    const bool lost = ferror(f) != 0;
    return (!fclose(f) && !lost) ||
        diag_fail(d, EXIT_ENVIRONMENT, "%s: cannot be written", j->index);
}

static bool run_commands(Job *j, const char *document, Diag *d) {
    for (int round = 0; round < MAX_ROUNDS; round++) {
        const int before = j->n;
        if (!write_index(j, d) || !plan_commands(j, document, d)) return false;
        if (j->n == before) return true;
        if (!runs_make(j->results, j->commands + before, j->n - before, (int)j->args->jobs, d))
            return false;
    }
    return diag_fail(d, EXIT_ENVIRONMENT, "the plan of %s does not end", j->chapter->name);
}

static bool write_document(Job *j, const char *document, Diag *d) {
    const char *argv[MAX_ARGS];
    argv[writer_words(j, argv, document)] = NULL;
    return run_writer(argv, stdout, d);
}

static bool reproduce_chapter(const ReproArgs *a, Results *r, Arena *arena, const Chapter *c,
                              const char *figure, Diag *d) {
    const double since = clock_children();
    const char *output = a->output ? a->output : source_path(arena, "repro");
    Job j = {.args = a,
             .chapter = c,
             .figure = c->one_figure ? figure : NULL,
             .results = r,
             .arena = arena,
             .index = arena_printf(arena, "%s/index.tmp%d", output, (int)getpid())};
    if (!output_folder(output, d)) return false;
    const char *document = arena_printf(arena, "%s/%s%s%s.md", output, c->name, j.figure ? "-" : "",
                                        j.figure ? j.figure : "");
    const bool ok = run_commands(&j, document, d) && write_document(&j, document, d);
    unlink(j.index);
    if (ok)
        console_notice(arena_printf(arena, "%s: from %d results, %.0f s of processor time",
                                    document, j.n, clock_children() - since));
    return ok;
}

// ---- the command --------------------------------------------------------------------------------

static bool has_figure(const Chapter *c, const char *name) {
    for (const char *p = c->figures; *p;) {
        const size_t n = strcspn(p, " ");
        if (n && !strncmp(name, p, n)) return true;
        p += n + (p[n] == ' ');
    }
    return false;
}

// A chapter, or the one of a figure.
static const Chapter *chapter_of(const char *name, bool *figure, Diag *d) {
    const char *names[NCHAPTERS];
    for (int i = 0; i < NCHAPTERS; i++) {
        names[i] = chapters[i].name;
        *figure = has_figure(&chapters[i], name);
        if (*figure || !strcmp(chapters[i].name, name)) return &chapters[i];
    }
    const char *near = name_suggest(name, names, NCHAPTERS);
    diag_fail(d, EXIT_USAGE, "no chapter or figure '%s'%s%s%s", name,
              near ? "; did you mean '" : " (smcosim repro --list)", near ? near : "",
              near ? "'?" : "");
    return NULL;
}

static bool reproduce_all(const ReproArgs *a, Arena *arena, char **operands, int n, Diag *d) {
    Results r;
    if (!runs_open(&r, arena, a->results, d)) return false;
    bool ok = true, figure;
    for (int i = 0; i < (n ? n : NCHAPTERS) && ok; i++) {
        const Chapter *c = n ? chapter_of(operands[i], &figure, d) : &chapters[i];
        ok = c && reproduce_chapter(a, &r, arena, c, n && figure ? operands[i] : NULL, d);
    }
    results_close(&r);
    return ok;
}

static int run_repro(int argc, char **argv) {
    Arena arena = {0};
    Diag d = {0};
    ReproArgs a = {0};
    int first;
    bool done, figure;
    if (!cli_parse(&command_repro, argc, argv, &a, &first, &done, &d)) return cli_fail(&d);
    if (done) return EXIT_PASS;
    for (int i = 0; i < NCHAPTERS && a.list; i++)
        printf("%-10s %-8s %s\n", chapters[i].name, chapters[i].figures, chapters[i].what);
    if (a.list) return EXIT_PASS;
    for (int i = first; i < argc; i++)
        if (!chapter_of(argv[i], &figure, &d)) return cli_fail(&d);
    cli_catch_signals();
    const int status =
        reproduce_all(&a, &arena, argv + first, argc - first, &d) ? EXIT_PASS : cli_fail(&d);
    arena_free(&arena);
    return status;
}

static const CliExample examples[] = {
    {"smcosim repro corf -j4",
     "write the whole CORF chapter: bench/repro/corf.md and drawings; hours of processor time"},
    {"smcosim repro 2.15 --size small --kernels 'saxpy rle' --output build/repro",
     "write one figure, with two small kernels"},
    {0},
};

const Command command_repro = {
    .name = "repro",
    .synopsis = "[CHAPTER|FIGURE...] [options]",
    .operand = "CHAPTER|FIGURE",
    .summary = "reproduce the papers' figures as documents and drawings",
    .about = "Performs the runs of a chapter's figures (without CHAPTER: of all chapters) and "
             "writes\nbench/repro/CHAPTER.md and drawings from their results. Each result is saved "
             "immediately, so the\nsame command resumes after an interrupt.",
    CLI_OPTIONS(options),
    .examples = examples,
    .run = run_repro,
};
