// SPDX-License-Identifier: Apache-2.0
// One case: its process, its folder, its result.
#include "regress/case.h"

#include "base/json.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define RESULT_SCHEMA "smcosim.regress.result/1"

const char *const outcome_word[OUTCOMES] = {"none", "pass", "fail", "expected failure", "unexpected"};

enum { GRACE = 5 /* seconds of processor time between the signal that can be caught and the one that cannot */ };

char *case_folder(Arena *arena, int number) { return arena_printf(arena, "cases/%05d", number); }

static int remove_entry(const char *path, const struct stat *st, int flag, struct FTW *where) {
    (void)st, (void)flag, (void)where;
    return remove(path);
}

// What a process that was killed left there goes away.
static bool fresh_folder(Arena *arena, const char *dir, int number, Diag *d) {
    const char *cases = arena_printf(arena, "%s/cases", dir), *folder = arena_printf(arena, "%s/%s", dir, case_folder(arena, number));
    if (mkdir(cases, 0777) && errno != EEXIST) return diag_fail(d, EXIT_ENVIRONMENT, "%s: %s", cases, strerror(errno));
    if (nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT) && errno != ENOENT)
        return diag_fail(d, EXIT_ENVIRONMENT, "%s: %s", folder, strerror(errno));
    if (mkdir(folder, 0777)) return diag_fail(d, EXIT_ENVIRONMENT, "%s: %s", folder, strerror(errno));
    return true;
}

// "{}" is the folder; "smcosim" in the first place is the program of the plan.
static char **command_words(Arena *arena, const RegressPlan *p, const RegressCase *c, const char *folder) {
    char **argv = ARENA_ARRAY(arena, char *, c->argc + 1);
    for (int i = 0; i < c->argc; i++) {
        const char *rest = c->argv[i], *at;
        char *word = arena_printf(arena, "%s", "");
        if (!i && !strcmp(rest, "smcosim")) rest = p->program;
        for (; (at = strstr(rest, "{}")); rest = at + 2) word = arena_printf(arena, "%s%.*s%s", word, (int)(at - rest), rest, folder);
        argv[i] = arena_printf(arena, "%s%s", word, rest);
    }
    return argv;
}

// A command finds the program of the plan under its own name.
static void set_path(const char *program) {
    const char *slash = strrchr(program, '/'), *path = getenv("PATH");
    Arena arena = {0};
    if (slash) setenv("PATH", arena_printf(&arena, "%.*s:%s", (int)(slash - program), program, path && *path ? path : "/usr/bin:/bin"), 1);
    arena_free(&arena);
}

static void child(char **argv, const char *program, const char *cwd, const char *out, const char *err, int limit, pid_t parent) {
    struct rlimit cpu;
    if (getrlimit(RLIMIT_CPU, &cpu)) _exit(127);
    // A limit that this process has itself is not raised.
    const rlim_t most = cpu.rlim_max;
    cpu = (struct rlimit){(rlim_t)limit, (rlim_t)limit + GRACE};
    if (cpu.rlim_max > most) cpu.rlim_max = most;
    if (cpu.rlim_cur > most) cpu.rlim_cur = most;
    const int in = open("/dev/null", O_RDONLY), o = open(out, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666),
              e = open(err, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (in < 0 || o < 0 || e < 0 || dup2(in, 0) < 0 || dup2(o, 1) < 0 || dup2(e, 2) < 0 || getppid() != parent || chdir(cwd) ||
        setrlimit(RLIMIT_CPU, &cpu))
        _exit(127);
    set_path(program);
    signal(SIGINT, SIG_DFL), signal(SIGTERM, SIG_DFL), signal(SIGPIPE, SIG_DFL), signal(SIGXFSZ, SIG_DFL);
    execvp(argv[0], argv);
    fprintf(stderr, "smcosim: %s: %s\n", argv[0], strerror(errno));
    _exit(127);
}

static double now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool case_start(CaseProcess *s, Arena *arena, const RegressPlan *p, const char *dir, int number, Diag *d) {
    char here[4096];
    if (!getcwd(here, sizeof here)) return diag_fail(d, EXIT_ENVIRONMENT, "the current folder: %s", strerror(errno));
    if (!fresh_folder(arena, dir, number, d)) return false;
    const RegressCase *c = &p->cases[number];
    const char *root = *dir == '/' ? dir : arena_printf(arena, "%s/%s", here, dir);
    *s = (CaseProcess){.number = number, .folder = arena_printf(arena, "%s/%s", root, case_folder(arena, number)), .since = now(CLOCK_MONOTONIC)};
    char **argv = command_words(arena, p, c, s->folder);
    const char *out = arena_printf(arena, "%s/out.txt", s->folder), *err = arena_printf(arena, "%s/err.txt", s->folder);
    const time_t t = time(NULL);
    struct tm utc;
    strftime(s->started, sizeof s->started, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&t, &utc));
    const pid_t parent = getpid();
    s->pid = fork();
    if (s->pid < 0) return diag_fail(d, EXIT_ENVIRONMENT, "fork: %s", strerror(errno));
    if (!s->pid) child(argv, p->program, p->dir, out, err, c->limit, parent);
    setpgid(s->pid, s->pid);
    return true;
}

void case_kill(const CaseProcess *s, int number) { kill(-s->pid, number); }

static RegressOutcome judge(const RegressCase *c, const RegressResult *r) {
    const bool passed = r->status == 0;
    if (!c->expect) return passed ? OUTCOME_PASS : OUTCOME_FAIL;
    const bool as_said = !passed && (!strcmp(c->expect, "fail") || !strcmp(c->expect, r->verdict));
    return as_said ? OUTCOME_EXPECTED : OUTCOME_UNEXPECTED;
}

static json_t *bins_json(const RegressResult *r) {
    json_t *a = json_array();
    for (int i = 0; i < r->nbins; i++)
        json_array_append_new(a, json_pack("[s,s,s,I]", r->bins[i].block, r->bins[i].group, r->bins[i].name, (json_int_t)r->bins[i].hits));
    return a;
}

static json_t *code_json(const RegressResult *r) {
    json_t *a = json_array();
    for (int i = 0; i < r->ncode; i++) {
        const RegressCode *c = &r->code[i];
        json_t *missing = json_array();
        for (int m = 0; m < c->nmissing; m++) json_array_append_new(missing, json_string(c->missing[m]));
        json_array_append_new(a, json_pack("{s:s, s:s, s:I, s:I, s:o}", "block", c->block, "what", c->what, "points",
                                           (json_int_t)c->points, "hit", (json_int_t)c->hit, "missing", missing));
    }
    return a;
}

static json_t *work_json(const RegressResult *r) {
    json_t *a = json_array();
    for (int i = 0; i < r->nwork; i++)
        json_array_append_new(a, json_pack("[s,s,s,b]", r->work[i].arch, r->work[i].block, r->work[i].rtl, r->work[i].worked));
    return a;
}

static bool write_result(const RegressResult *r, const char *folder, const RegressCase *c, Diag *d) {
    Arena arena = {0};
    json_t *o = json_pack("{s:s, s:s, s:s, s:i, s:s, s:s, s:s, s:s, s:s, s:s, s:f, s:f, s:I, s:o, s:o, s:o, s:b}", "schema", RESULT_SCHEMA, "key", c->key,
                          "outcome", outcome_word[r->outcome], "status", r->status, "verdict", r->verdict, "bucket", r->bucket, "message",
                          r->message, "reproduce", r->reproduce, "host", r->host, "started", r->started, "wall", r->wall, "cpu", r->cpu,
                          "cycles", (json_int_t)r->cycles, "bins", bins_json(r), "code", code_json(r), "work", work_json(r), "unchecked", r->unchecked);
    const bool ok = o ? json_write(arena_printf(&arena, "%s/result.json", folder), o, JSON_INDENT(1), d)
                      : diag_fail(d, EXIT_ENVIRONMENT, "%s: its result is not UTF-8", folder);
    json_decref(o);
    arena_free(&arena);
    return ok;
}

bool case_finish(const CaseProcess *s, const RegressPlan *p, int wait_status, const struct rusage *used, Diag *d) {
    Arena arena = {0};
    char host[256] = "";
    const RegressCase *c = &p->cases[s->number];
    const double cpu = (double)used->ru_utime.tv_sec + (double)used->ru_stime.tv_sec +
                       1e-6 * (double)(used->ru_utime.tv_usec + used->ru_stime.tv_usec);
    const int by = WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : 0;
    gethostname(host, sizeof host - 1);
    char **argv = command_words(&arena, p, c, s->folder), *line = arena_printf(&arena, "%s", "");
    for (int i = 0; i < c->argc; i++) line = arena_printf(&arena, "%s%s%s", line, i ? " " : "", arena_shell_word(&arena, argv[i]));
    RegressResult r = {.status = by ? 128 + by : WEXITSTATUS(wait_status), .reproduce = line, .host = host, .started = s->started,
                       .wall = now(CLOCK_MONOTONIC) - s->since, .cpu = cpu};
    if (by) r.verdict = by == SIGXCPU || (by == SIGKILL && cpu >= c->limit) ? "timeout" : "crash";
    case_evidence(&r, &arena, c, s->folder);
    r.outcome = judge(c, &r);
    const bool ok = write_result(&r, s->folder, c, d);
    arena_free(&arena);
    return ok;
}

// ---- results -------------------------------------------------------------------------------------

static const char *text_of(Arena *arena, const json_t *o, const char *key) {
    const char *s = json_string_value(json_object_get(o, key));
    return arena_strndup(arena, s ? s : "", s ? strlen(s) : 0);
}

static void read_lists(RegressResult *r, Arena *arena, const json_t *o) {
    json_t *each;
    size_t i, m;
    json_array_foreach(json_object_get(o, "bins"), i, each) {
        const char *block, *group, *name;
        json_int_t hits;
        if (!json_unpack(each, "[s,s,s,I]", &block, &group, &name, &hits))
            *ARENA_PUSH(arena, r->bins, r->nbins, r->cap_bins) =
                (RegressBins){arena_strndup(arena, block, strlen(block)), arena_strndup(arena, group, strlen(group)),
                              arena_strndup(arena, name, strlen(name)), (uint64_t)hits};
    }
    json_array_foreach(json_object_get(o, "work"), i, each) {
        const char *arch, *block, *rtl;
        int worked;
        if (!json_unpack(each, "[s,s,s,b]", &arch, &block, &rtl, &worked))
            *ARENA_PUSH(arena, r->work, r->nwork, r->cap_work) =
                (RegressWork){arena_strndup(arena, arch, strlen(arch)), arena_strndup(arena, block, strlen(block)),
                              arena_strndup(arena, rtl, strlen(rtl)), worked != 0};
    }
    json_array_foreach(json_object_get(o, "code"), i, each) {
        const json_t *missing = json_object_get(each, "missing");
        RegressCode *c = ARENA_PUSH(arena, r->code, r->ncode, r->cap_code);
        *c = (RegressCode){.block = text_of(arena, each, "block"), .what = text_of(arena, each, "what"),
                           .points = (uint64_t)json_integer_value(json_object_get(each, "points")),
                           .hit = (uint64_t)json_integer_value(json_object_get(each, "hit"))};
        c->missing = ARENA_ARRAY(arena, const char *, json_array_size(missing) + 1);
        for (m = 0; m < json_array_size(missing); m++) {
            const char *s = json_string_value(json_array_get(missing, m));
            if (s) c->missing[c->nmissing++] = arena_strndup(arena, s, strlen(s));
        }
    }
}

bool case_result(RegressResult *r, Arena *arena, const char *dir, const RegressPlan *p, int number, Diag *d) {
    *r = (RegressResult){.verdict = "", .bucket = "", .message = "", .reproduce = "", .host = "", .started = ""};
    const char *path = arena_printf(arena, "%s/%s/result.json", dir, case_folder(arena, number));
    if (access(path, F_OK)) return true;
    json_error_t e;
    json_t *o = json_load_file(path, 0, &e);
    if (!o) return diag_fail(d, EXIT_USAGE, "%s:%d:%d: error: %s", path, e.line, e.column, e.text);
    const char *key = json_string_value(json_object_get(o, "key")), *outcome = json_string_value(json_object_get(o, "outcome"));
    for (int i = 1; outcome && i < OUTCOMES; i++)
        if (!strcmp(outcome, outcome_word[i])) r->outcome = (RegressOutcome)i;
    const bool ok = key && !strcmp(key, p->cases[number].key) && r->outcome;
    r->status = (int)json_integer_value(json_object_get(o, "status"));
    r->cycles = (uint64_t)json_integer_value(json_object_get(o, "cycles"));
    r->wall = json_number_value(json_object_get(o, "wall")), r->cpu = json_number_value(json_object_get(o, "cpu"));
    r->verdict = text_of(arena, o, "verdict"), r->bucket = text_of(arena, o, "bucket"), r->message = text_of(arena, o, "message");
    r->reproduce = text_of(arena, o, "reproduce"), r->host = text_of(arena, o, "host"), r->started = text_of(arena, o, "started");
    r->unchecked = json_is_true(json_object_get(o, "unchecked"));
    read_lists(r, arena, o);
    json_decref(o);
    return ok || diag_fail(d, EXIT_USAGE, "%s: not the result of case `%s`", path, p->cases[number].key);
}
