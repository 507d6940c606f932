// SPDX-License-Identifier: Apache-2.0
// Commands side by side, each a process of its own, so that one that dies takes nothing with it.
#include "results/store.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_MS = 5, PATIENCE_MS = 5000 /* for processes that were asked to end */ };

typedef struct Process {
    pid_t pid;             // 0: free
    const ResultCommand *command;
    FILE *out, *err;
} Process;

typedef struct Pool {
    const Results *results;
    const ResultsRun *run;
    const ResultCommand **todo;
    Process *slots;
    int ntodo, next, running, done, status;  // status: of the first in the list that failed
    const ResultCommand *first_failed;
    Arena *arena;
    Diag *d;
} Pool;

static void nap(void) {
    const struct timespec t = {0, LOOK_MS * 1000000L};
    nanosleep(&t, NULL);
}

static const char *command_text(Arena *arena, const ResultCommand *c) {
    const char *text = "smcosim";
    for (int i = 0; c->words[i]; i++) text = arena_printf(arena, "%s %s", text, arena_shell_word(arena, c->words[i]));
    return text;
}

// ---- a process ---------------------------------------------------------------------------------------------

static void child(char **argv, int out, int err, pid_t parent) {
    const int in = open("/dev/null", O_RDONLY);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (in < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0 || getppid() != parent) _exit(EXIT_ENVIRONMENT);
    signal(SIGINT, SIG_IGN), signal(SIGTERM, SIG_DFL);  // a terminal's Ctrl-C is the parent's to pass on
    execv(argv[0], argv);
    _exit(EXIT_ENVIRONMENT);
}

static bool start(Pool *p, Process *s, const ResultCommand *c) {
    int n = 0;
    while (c->words[n]) n++;
    char **argv = ARENA_ARRAY(p->arena, char *, n + 2);
    argv[0] = arena_printf(p->arena, "%s", p->results->program);
    for (int i = 0; i < n; i++) argv[i + 1] = arena_printf(p->arena, "%s", c->words[i]);
    *s = (Process){.command = c, .out = tmpfile(), .err = tmpfile()};
    const pid_t parent = getpid(), pid = s->out && s->err ? fork() : -1;
    if (pid < 0) return diag_fail(p->d, EXIT_ENVIRONMENT, "no temporary file or process: %s", strerror(errno));
    if (!pid) child(argv, fileno(s->out), fileno(s->err), parent);
    s->pid = pid;
    p->running++;
    return true;
}

static char *whole(Arena *arena, FILE *f, size_t *n) {
    struct stat st;
    *n = fstat(fileno(f), &st) ? 0 : (size_t)st.st_size;
    char *text = arena_alloc(arena, *n + 1);
    rewind(f);
    *n = fread(text, 1, *n, f);
    return text;
}

static void fail(Pool *p, const Process *s, int status, const char *text) {
    if (!p->first_failed || s->command < p->first_failed) p->first_failed = s->command, p->status = status;
    if (p->run->failed) p->run->failed(command_text(p->arena, s->command), status, text);
}

static bool finish(Pool *p, Process *s, int wait_status, bool drop) {
    Arena arena = {0};
    size_t n, nerr;
    bool kept = false;
    const int status = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : EXIT_ENVIRONMENT;
    const char *out = whole(&arena, s->out, &n), *err = whole(&arena, s->err, &nerr);
    const bool ok = drop || store_write(p->results, s->command, status, out, n, &kept, p->d);
    fclose(s->out), fclose(s->err);
    s->pid = 0, p->running--;
    if (!drop && ok && !kept) fail(p, s, status ? status : EXIT_ENVIRONMENT, err);
    if (!drop) p->done++;
    arena_free(&arena);
    return ok;
}

// ---- all of them ---------------------------------------------------------------------------------------------

static bool reap(Pool *p, bool drop) {
    for (int i = 0; i < p->run->jobs; i++) {
        int status;
        if (!p->slots[i].pid || waitpid(p->slots[i].pid, &status, WNOHANG) != p->slots[i].pid) continue;
        if (!finish(p, &p->slots[i], status, drop)) return false;
    }
    return true;
}

static bool fill(Pool *p) {
    for (int i = 0; i < p->run->jobs && p->next < p->ntodo; i++) {
        if (p->slots[i].pid) continue;
        const ResultCommand *c = p->todo[p->next++];
        if (p->run->progress) p->run->progress(p->next, p->ntodo, command_text(p->arena, c));
        if (!start(p, &p->slots[i], c)) return false;
    }
    return true;
}

static void stop_all(Pool *p) {
    for (int waited = 0; p->running; waited += LOOK_MS) {
        for (int i = 0; i < p->run->jobs; i++)
            if (p->slots[i].pid && (!waited || waited >= PATIENCE_MS)) kill(p->slots[i].pid, waited ? SIGKILL : SIGTERM);
        nap();
        reap(p, true);
    }
}

// Without result, each key once.
static void find_todo(Pool *p, const ResultCommand *commands, int n) {
    p->todo = ARENA_ARRAY(p->arena, const ResultCommand *, n + 1);
    for (int i = 0; i < n; i++) {
        bool known = !access(results_path(p->results, p->arena, &commands[i]), R_OK);
        if (known) {  // a file that is damaged is none
            json_t *output = results_read(p->results, &commands[i]);
            known = output != NULL;
            json_decref(output);
        }
        for (int k = 0; k < p->ntodo && !known; k++) known = p->todo[k]->key == commands[i].key;
        if (!known) p->todo[p->ntodo++] = &commands[i];
    }
}

bool results_run(const Results *r, const ResultCommand *commands, int n, const ResultsRun *run, int *ran, Diag *d) {
    Arena arena = {0};
    Pool p = {.results = r, .run = run, .arena = &arena, .d = d, .slots = ARENA_ARRAY(&arena, Process, run->jobs)};
    find_todo(&p, commands, n);
    bool ok = !p.ntodo || store_folder(r, d);
    while (ok && !*run->stop && (p.next < p.ntodo || p.running)) {
        ok = fill(&p) && reap(&p, false);
        if (p.running) nap();
    }
    stop_all(&p);
    if (ran) *ran = p.done;
    if (ok && *run->stop) ok = diag_fail(d, EXIT_INTERRUPTED, "interrupted after %d of %d runs; the same command resumes", p.done, p.ntodo);
    if (ok && p.first_failed)
        ok = diag_fail(d, (ExitStatus)p.status, "%s: exit status %d", command_text(&arena, p.first_failed), p.status);
    arena_free(&arena);
    return ok;
}
