// SPDX-License-Identifier: Apache-2.0
#include "campaign/bisect.h"

#include "base/output.h"
#include "campaign/case.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef enum Verdict { UNKNOWN, GOOD, BAD, UNBUILDABLE } Verdict;

typedef struct Bisect {
    const RegressCase *c;
    const BisectOptions *o;
    Arena *arena;
    const char *top, *inside;  // of the work tree; folder of the suite below it, "" or "/.."
    const char **commits;      // good first, bad last
    Verdict *verdicts;
    int n;
    FILE *out;
    Diag *d;
} Bisect;

enum { ANSWER = 1 << 22 };

static bool run_git(Bisect *b, char **answer, const char *const *arguments) {
    const char *argv[16] = {"git", "-C", b->top};
    int n = 3;
    for (int i = 0; arguments[i]; i++) argv[n++] = arguments[i];
    char *text = arena_alloc(b->arena, ANSWER);
    const int status = child_answer(argv, text, ANSWER);
    *answer = text;
    if (status == CHILD_MISSING) return diag_fail(b->d, EXIT_ENVIRONMENT, "git was not found");
    return status == 0 || diag_fail(b->d, EXIT_USAGE, "git %s: %s", arguments[0], text);
}

static bool find_commits(Bisect *b) {
    char *good, *bad, *list;
    const char *const from = arena_printf(b->arena, "%s^{commit}", b->o->good),
                      *const to = arena_printf(b->arena, "%s^{commit}", b->o->bad);
    if (!run_git(b, &good,
                 (const char *const[]){"rev-parse", "--verify", "--end-of-options", from, NULL}) ||
        !run_git(b, &bad,
                 (const char *const[]){"rev-parse", "--verify", "--end-of-options", to, NULL}))
        return false;
    if (!run_git(b, &list,
                 (const char *const[]){"rev-list", "--first-parent", "--reverse",
                                       arena_printf(b->arena, "%s..%s", good, bad), NULL}))
        return false;
    int cap = 0;
    *ARENA_PUSH(b->arena, b->commits, b->n, cap) = good;
    for (char *line = strtok(list, "\n"); line; line = strtok(NULL, "\n"))
        *ARENA_PUSH(b->arena, b->commits, b->n, cap) = line;
    if (b->n < 2)
        return diag_fail(b->d, EXIT_USAGE, "there is no commit between %s and %s", b->o->good,
                         b->o->bad);
    b->verdicts = ARENA_ARRAY(b->arena, Verdict, b->n);
    return true;
}

// Runs a command in a folder, with its output in a file. Returns the exit status, -1 after a signal
// or when *stop was set.
static int run_in(Bisect *b, const char *const *argv, const char *folder, const char *log) {
    const Child c = {.argv = argv,
                     .group = true,
                     .signals = CHILD_DEFAULT,
                     .no_input = true,
                     .out = log,
                     .err = log,
                     .folder = folder};
    ChildEnd end;
    const pid_t pid = child_start(&c);
    return pid > 0 && child_wait(pid, b->o->stop, SIGTERM, &end) && !end.signal ? end.status : -1;
}

// Makes the work tree of a commit and builds it once.
static bool build_commit(Bisect *b, int i, const char **tree, bool *built) {
    const char *commit = b->commits[i], *stamp, *log;
    char *answer;
    *tree = arena_printf(b->arena, "%s/%s", b->o->cache, commit);
    stamp = arena_printf(b->arena, "%s.built", *tree),
    log = arena_printf(b->arena, "%s.build.txt", *tree);
    *built = !access(stamp, F_OK);
    if (*built) return true;
    if (access(*tree, F_OK) &&
        (!run_git(b, &answer, (const char *const[]){"worktree", "prune", NULL}) ||
         !run_git(
             b, &answer,
             (const char *const[]){"worktree", "add", "--detach", "--force", *tree, commit, NULL})))
        return false;
    fprintf(b->out, "%.12s: building, %s\n", commit, log);
    fflush(b->out);
    const int status = run_in(b, b->o->build, *tree, log);
    if (*b->o->stop)
        return diag_fail(b->d, EXIT_INTERRUPTED, "interrupted; the builds remain in %s",
                         b->o->cache);
    *built = status == 0;
    return status != 0 || output_text(stamp, commit, strlen(commit), b->d);
}

// Runs the case at one commit.
static bool test_commit(Bisect *b, int i) {
    static const char *const words[] = {"unknown", "good", "bad", "cannot be built"};
    const char *tree;
    bool built;
    if (b->verdicts[i]) return true;
    if (!build_commit(b, i, &tree, &built)) return false;
    if (!built) {
        b->verdicts[i] = UNBUILDABLE;
    } else {
        const char *dir = arena_printf(b->arena, "%s.case", tree);
        if (!output_folder(dir, b->d)) return false;
        RegressCase c = *b->c;
        c.limit = b->o->limit;
        RegressPlan p = {.program = arena_printf(b->arena, "%s/build/smcosim", tree),
                         .dir = arena_printf(b->arena, "%s%s", tree, b->inside),
                         .cases = &c,
                         .ncases = 1};
        CaseProcess s;
        ChildEnd end;
        const pid_t pid = case_start(&s, b->arena, &p, dir, 0, b->d);
        if (pid < 0) return false;
        child_wait(pid, b->o->stop, SIGKILL, &end);
        if (*b->o->stop)
            return diag_fail(b->d, EXIT_INTERRUPTED, "interrupted; the builds remain in %s",
                             b->o->cache);
        b->verdicts[i] = end.status == 0 ? GOOD : BAD;
    }
    fprintf(b->out, "%.12s: %s\n", b->commits[i], words[b->verdicts[i]]);
    fflush(b->out);
    return true;
}

// The buildable commit nearest to the middle of (low, high), low when none builds.
static bool test_between(Bisect *b, int low, int high, int *tested) {
    const int middle = low + (high - low) / 2;
    *tested = low;
    for (int away = 0; away < high - low; away++)
        for (int side = -1; side <= 1; side += 2) {
            const int i = middle + side * away;
            if (i <= low || i >= high || (!away && side > 0)) continue;
            if (!test_commit(b, i)) return false;
            if (b->verdicts[i] == UNBUILDABLE) continue;
            *tested = i;
            return true;
        }
    return true;
}

static bool search_commits(Bisect *b) {
    int low = 0, high = b->n - 1;
    fprintf(b->out, "%s: %d commits after %s\n", b->c->key, b->n - 1, b->o->good);
    if (!test_commit(b, low) || !test_commit(b, high)) return false;
    if (b->verdicts[low] != GOOD)
        return diag_fail(b->d, EXIT_USAGE, "--from %s: expected a commit at which the case passes",
                         b->o->good);
    if (b->verdicts[high] != BAD)
        return diag_fail(b->d, EXIT_USAGE, "--to %s: expected a commit at which the case fails",
                         b->o->bad);
    while (high - low > 1) {
        int i;
        if (!test_between(b, low, high, &i)) return false;
        if (i == low) break;
        *(b->verdicts[i] == GOOD ? &low : &high) = i;
    }
    char *subject;
    if (!run_git(b, &subject,
                 (const char *const[]){"log", "-1", "--format=%h %ad %s", "--date=short",
                                       b->commits[high], NULL}))
        return false;
    fprintf(b->out, "first bad commit: %s\n", subject);
    if (high - low > 1)
        fprintf(b->out, "or one of the %d commits before it, which do not build\n", high - low - 1);
    return true;
}

bool regress_bisect(const RegressCase *c, const char *dir, const BisectOptions *o, FILE *out,
                    Diag *d) {
    Arena arena = {0};
    Bisect b = {.c = c, .o = o, .arena = &arena, .top = dir, .out = out, .d = d};
    char *top;
    bool ok = run_git(&b, &top, (const char *const[]){"rev-parse", "--show-toplevel", NULL});
    if (ok) {
        char *real = realpath(dir, NULL);
        const size_t n = strlen(top);
        b.top = top;
        b.inside = real && !strncmp(real, top, n) ? arena_printf(&arena, "%s", real + n) : "";
        free(real);
        ok = output_folder(o->cache, d);
    }
    ok = ok && find_commits(&b) && search_commits(&b);
    arena_free(&arena);
    return ok;
}
