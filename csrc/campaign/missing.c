// SPDX-License-Identifier: Apache-2.0
// Runs commands without a result in parallel. Each is a process, so that a crash affects no other
// command.
#include "campaign/store.h"
#include "proc/children.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { LOOK_MS = 5, PATIENCE_MS = 5000 /* for processes that were asked to end */ };

typedef struct Printed {
    FILE *out, *err;
} Printed;

typedef struct Missing {
    const Results *results;
    const ResultsRun *run;
    const ResultCommand **todo;
    Printed *printed;         // by place
    int ntodo, done, status;  // status: of the first failed command in the list
    const ResultCommand *first_failed;
    Arena *arena;
    Diag *d;
} Missing;

static const char *command_text(Arena *arena, const ResultCommand *c) {
    const char *text = "smcosim";
    for (int i = 0; c->words[i]; i++)
        text = arena_printf(arena, "%s %s", text, arena_shell_word(arena, c->words[i]));
    return text;
}

static pid_t start_command(void *ctx, Task t) {
    Missing *m = ctx;
    const ResultCommand *c = m->todo[t.item];
    Printed *p = &m->printed[t.place];
    if (m->run->progress) m->run->progress(t.item + 1, m->ntodo, command_text(m->arena, c));
    int n = 0;
    while (c->words[n]) n++;
    const char **argv = ARENA_ARRAY(m->arena, const char *, n + 2);
    argv[0] = m->results->program;
    for (int i = 0; i < n; i++) argv[i + 1] = c->words[i];
    *p = (Printed){tmpfile(), tmpfile()};
    Child child = {.argv = argv,
                   .death = SIGKILL,
                   .signals = CHILD_SPARED,
                   .no_input = true,
                   .missing = EXIT_ENVIRONMENT};
    if (p->out && p->err) child.out_fd = fileno(p->out), child.err_fd = fileno(p->err);
    const pid_t pid = child.err_fd ? child_start(&child) : -1;
    if (pid < 0)
        diag_fail(m->d, EXIT_ENVIRONMENT, "no temporary file or process: %s", strerror(errno));
    return pid;
}

static void close_printed(Printed *p) {
    if (p->out) fclose(p->out);
    if (p->err) fclose(p->err);
    *p = (Printed){0};
}

static char *read_printed(Arena *arena, FILE *f, size_t *n) {
    struct stat st;
    *n = fstat(fileno(f), &st) ? 0 : (size_t)st.st_size;
    char *text = arena_alloc(arena, *n + 1);
    rewind(f);
    *n = fread(text, 1, *n, f);
    return text;
}

static void tell_failure(Missing *m, const ResultCommand *c, int status, const char *text) {
    if (!m->first_failed || c < m->first_failed) m->first_failed = c, m->status = status;
    if (m->run->failed) m->run->failed(command_text(m->arena, c), status, text);
}

static bool end_command(void *ctx, Task t, const ChildEnd *end) {
    Missing *m = ctx;
    Printed *p = &m->printed[t.place];
    Arena arena = {0};
    size_t n, nerr;
    bool kept;
    const int status = end->signal ? EXIT_ENVIRONMENT : end->status;
    const char *out = read_printed(&arena, p->out, &n), *err = read_printed(&arena, p->err, &nerr);
    const bool ok = store_write(m->results, m->todo[t.item], status, out, n, &kept, m->d);
    if (ok && !kept) tell_failure(m, m->todo[t.item], status ? status : EXIT_ENVIRONMENT, err);
    m->done++;
    close_printed(p);
    arena_free(&arena);
    return ok;
}

// Selects the commands without a result, each key once.
static void find_todo(Missing *m, const ResultCommand *commands, int n) {
    m->todo = ARENA_ARRAY(m->arena, const ResultCommand *, n + 1);
    for (int i = 0; i < n; i++) {
        json_t *output = results_read(m->results, &commands[i]);  // a damaged file is no result
        bool known = output != NULL;
        json_decref(output);
        for (int k = 0; k < m->ntodo && !known; k++) known = m->todo[k]->key == commands[i].key;
        if (!known) m->todo[m->ntodo++] = &commands[i];
    }
}

bool results_run(const Results *r, const ResultCommand *commands, int n, const ResultsRun *run,
                 int *ran, Diag *d) {
    Arena arena = {0};
    Missing m = {.results = r,
                 .run = run,
                 .arena = &arena,
                 .d = d,
                 .printed = ARENA_ARRAY(&arena, Printed, run->jobs)};
    Children children = {.jobs = run->jobs,
                         .look_ms = LOOK_MS,
                         .patience_ms = PATIENCE_MS,
                         .stop = run->stop,
                         .ctx = &m,
                         .start = start_command,
                         .ended = end_command};
    find_todo(&m, commands, n);
    children.n = m.ntodo;
    bool ok = !m.ntodo || (store_folder(r, d) && children_run(&children) != CHILDREN_FAILED);
    for (int i = 0; i < run->jobs; i++) close_printed(&m.printed[i]);
    if (ran) *ran = m.done;
    if (ok && *run->stop)
        ok =
            diag_fail(d, EXIT_INTERRUPTED,
                      "interrupted after %d of %d runs; the same command resumes", m.done, m.ntodo);
    if (ok && m.first_failed)
        ok = diag_fail(d, (ExitStatus)m.status, "%s: exit status %d",
                       command_text(&arena, m.first_failed), m.status);
    arena_free(&arena);
    return ok;
}
