// SPDX-License-Identifier: Apache-2.0
// One case: its process, its folder, its result.
#include "campaign/case.h"

#include "base/output.h"
#include "base/status.h"
#include "proc/clock.h"

#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert(WORD_CASE_UNEXPECTED - WORD_CASE_NONE == OUTCOME_UNEXPECTED,
               "a word for each outcome, in their order");
const char *outcome_word(RegressOutcome outcome) { return status_word(WORD_CASE_NONE + outcome); }

char *case_folder(Arena *arena, int number) { return arena_printf(arena, "cases/%05d", number); }

static int remove_entry(const char *path, const struct stat *st, int flag, struct FTW *where) {
    (void)st, (void)flag, (void)where;
    return remove(path);
}

// Makes an empty folder for the case, without files of a killed process.
static bool fresh_folder(Arena *arena, const char *dir, int number, Diag *d) {
    const char *cases = arena_printf(arena, "%s/cases", dir),
               *folder = arena_printf(arena, "%s/%s", dir, case_folder(arena, number));
    if (!output_folder(cases, d)) return false;
    if (nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT) && errno != ENOENT)
        return diag_fail(d, EXIT_ENVIRONMENT, "%s: %s", folder, strerror(errno));
    if (mkdir(folder, 0777))
        return diag_fail(d, EXIT_ENVIRONMENT, "%s: %s", folder, strerror(errno));
    return true;
}

// "{}" is the folder; "smcosim" in the first place is the program of the plan.
static const char **command_words(Arena *arena, const RegressPlan *p, const RegressCase *c,
                                  const char *folder) {
    const char **argv = ARENA_ARRAY(arena, const char *, c->argc + 1);
    for (int i = 0; i < c->argc; i++) {
        const char *rest = c->argv[i], *at;
        char *word = arena_printf(arena, "%s", "");
        if (!i && !strcmp(rest, "smcosim")) rest = p->program;
        for (; (at = strstr(rest, "{}")); rest = at + 2)
            word = arena_printf(arena, "%s%.*s%s", word, (int)(at - rest), rest, folder);
        argv[i] = arena_printf(arena, "%s%s", word, rest);
    }
    return argv;
}

// A command finds the program of the plan under its own name.
static void set_path(void *ctx) {
    const char *program = ctx, *slash = strrchr(program, '/'), *path = getenv("PATH");
    Arena arena = {0};
    if (slash)
        setenv("PATH",
               arena_printf(&arena, "%.*s:%s", (int)(slash - program), program,
                            path && *path ? path : "/usr/bin:/bin"),
               1);
    arena_free(&arena);
}

const char *case_here(Arena *arena, Diag *d) {
    char here[4096];
    if (getcwd(here, sizeof here)) return arena_printf(arena, "%s", here);
    diag_fail(d, EXIT_ENVIRONMENT, "the current folder: %s", strerror(errno));
    return NULL;
}

pid_t case_start(CaseProcess *s, Arena *arena, const RegressPlan *p, const char *dir, int number,
                 Diag *d) {
    const char *here = case_here(arena, d);
    if (!here || !fresh_folder(arena, dir, number, d)) return -1;
    const char *root = *dir == '/' ? dir : arena_printf(arena, "%s/%s", here, dir);
    const RegressCase *c = &p->cases[number];
    *s = (CaseProcess){.number = number,
                       .folder = arena_printf(arena, "%s/%s", root, case_folder(arena, number)),
                       .since = clock_seconds()};
    clock_utc(s->started);
    const Child child = {.argv = command_words(arena, p, c, s->folder),
                         .inside = set_path,
                         .ctx = (void *)(uintptr_t)p->program,
                         .death = SIGKILL,
                         .group = true,
                         .signals = CHILD_DEFAULT,
                         .no_input = true,
                         .out = arena_printf(arena, "%s/out.txt", s->folder),
                         .err = arena_printf(arena, "%s/err.txt", s->folder),
                         .seconds = c->limit,
                         .folder = p->dir,
                         .says = true};
    const pid_t pid = child_start(&child);
    if (pid < 0) diag_fail(d, EXIT_ENVIRONMENT, "fork: %s", strerror(errno));
    return pid;
}

static RegressOutcome judge_result(const RegressCase *c, const RegressResult *r) {
    const bool passed = r->status == 0;
    if (!c->expect) return passed ? OUTCOME_PASS : OUTCOME_FAIL;
    const bool as_said = !passed &&
        (!strcmp(c->expect, outcome_word(OUTCOME_FAIL)) || !strcmp(c->expect, r->verdict));
    return as_said ? OUTCOME_EXPECTED : OUTCOME_UNEXPECTED;
}

bool case_finish(const CaseProcess *s, const RegressPlan *p, const ChildEnd *end, Diag *d) {
    Arena arena = {0};
    char host[256] = "";
    const RegressCase *c = &p->cases[s->number];
    gethostname(host, sizeof host - 1);
    const char **argv = command_words(&arena, p, c, s->folder), *line = "";
    for (int i = 0; i < c->argc; i++)
        line =
            arena_printf(&arena, "%s%s%s", line, i ? " " : "", arena_shell_word(&arena, argv[i]));
    RegressResult r = {.status = end->status,
                       .reproduce = line,
                       .host = host,
                       .started = s->started,
                       .wall = clock_seconds() - s->since,
                       .cpu = end->seconds};
    const bool late =
        end->signal == SIGXCPU || (end->signal == SIGKILL && end->seconds >= c->limit);
    if (end->signal) r.verdict = status_word(late ? WORD_TIMEOUT : WORD_CRASH);
    case_evidence(&r, &arena, c, s->folder);
    r.outcome = judge_result(c, &r);
    const bool ok = case_write(&r, s->folder, c, d);
    arena_free(&arena);
    return ok;
}
