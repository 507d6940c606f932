// SPDX-License-Identifier: Apache-2.0
// smcosim on a batch of programs, and its report on each.
#include "programs.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    MOST_ARGS = MOST_BATCH + 40,
    ALONE_SECONDS = 60,
    EACH_SECONDS = 10,
    REFUSED = 2,
    ENVIRONMENT = 7
};
// Cycles: far more than a program takes. One that has lost lines may never end.
#define MOST_CYCLES "2000000"
#define MOST_CYCLES_SMALLER "100000"

#define EMPTY UINT64_MAX  // the seed by which the files of the empty kernel are named

char run_dir[200];
char run_error[1000];

void die(const char *what) {
    perror(what);
    exit(ENVIRONMENT);
}

double run_cpu_seconds(void) {
    struct rusage r;
    getrusage(RUSAGE_CHILDREN, &r);
    return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
        1e-6 * (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec);
}

// ---- files ----

void run_make_dir(void) {
    const char *parent = getenv("TMPDIR");
    const int n = snprintf(run_dir, sizeof run_dir, "%s/smcosim-programs-XXXXXX",
                           parent && *parent ? parent : "/tmp");
    if (n >= (int)sizeof run_dir) errno = ENAMETOOLONG;
    if (n >= (int)sizeof run_dir || !mkdtemp(run_dir)) die(run_dir);
}

void run_path(char path[300], uint64_t seed, const char *end) {
    snprintf(path, 300, "%s/p%llu.%s", run_dir, (unsigned long long)seed, end);
}

static FILE *open_file(uint64_t seed, const char *end) {
    char path[300];
    run_path(path, seed, end);
    FILE *f = fopen(path, "w");
    if (!f) die(path);
    return f;
}

static void close_file(FILE *f) {
    if (ferror(f) | fclose(f)) die(run_dir);
}

void run_write(Program *p, uint64_t seed) {
    uint8_t bytes[PTXGEN_INPUT_BYTES];
    char ptx[40], input[40];
    snprintf(ptx, sizeof ptx, "p%llu.ptx", (unsigned long long)seed);
    snprintf(input, sizeof input, "p%llu.bin", (unsigned long long)seed);
    FILE *f = open_file(seed, "ptx");
    *p = (Program){.seed = seed, .o = ptxgen_program(f, seed)};
    close_file(f);
    f = open_file(seed, "yaml");
    ptxgen_launch(f, &p->o, ptx, input);
    close_file(f);
    ptxgen_input(bytes, seed);
    f = open_file(seed, "bin");
    fwrite(bytes, 1, sizeof bytes, f);
    close_file(f);
}

// ---- one process ----

static void start(const char *program, char *const *args, int seconds) {
    const struct rlimit limit = {(rlim_t)seconds, (rlim_t)seconds}, no_core = {0, 0};
    setrlimit(RLIMIT_CPU, &limit);
    setrlimit(RLIMIT_CORE, &no_core);
    int fd = chdir(run_dir) ? -1 : open("output", O_CREAT | O_TRUNC | O_WRONLY, 0644);
    if (fd < 0 || dup2(fd, 1) < 0 || dup2(fd, 2) < 0) _exit(126);
    execv(program, args);
    _exit(127);
}

static int execute(const char *program, char *const *args, int seconds) {
    int status;
    fflush(NULL);
    const pid_t pid = fork();
    if (pid < 0) die("fork");
    if (!pid) start(program, args, seconds);
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) die("waitpid");
    if (WIFEXITED(status) && (WEXITSTATUS(status) == 126 || WEXITSTATUS(status) == 127)) {
        fprintf(stderr, "programs: %s cannot be executed\n", program);
        exit(ENVIRONMENT);
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// A message without its numbers, file and instruction, which tells one failure from another.
static void plain_message(char out[200], const char *message) {
    const char *at = strstr(message, "error: ") ? strstr(message, "error: ") : message;
    size_t n = 0;
    for (; *at && *at != '\n' && n + 1 < 200 && strncmp(at, " pc ", 4) &&
         strncmp(at, " instruction ", 13);
         at++)
        if (isdigit((unsigned char)*at)) {
            while (isalnum((unsigned char)at[1])) at++;
        } else out[n++] = *at;
    out[n] = '\0';
}

static void set_outcome(Outcome *o, int status, const char *message) {
    *o = (Outcome){.status = status};
    snprintf(o->text, sizeof o->text, "%.*s", (int)strcspn(message, "\n"), message);
    plain_message(o->plain, message);
}

// The last error in smcosim's output.
static void read_error(void) {
    char path[300], line[1000];
    snprintf(path, sizeof path, "%s/output", run_dir);
    FILE *f = fopen(path, "r");
    if (!f) die(path);
    run_error[0] = '\0';
    while (fgets(line, sizeof line, f)) {
        if (strstr(line, "warning:") || strstr(line, "note:")) continue;
        if (strncmp(line, "smcosim:", 8) && !strstr(line, "rror")) continue;
        line[strcspn(line, "\n")] = '\0';
        snprintf(run_error, sizeof run_error, "%s", line);
    }
    fclose(f);
}

static int process(const Options *o, const Way *way, const Program *programs, int n, bool lockstep,
                   const char *report) {
    const char *args[MOST_ARGS];
    char names[MOST_BATCH][40];
    int k = 0;
    args[k++] = o->smcosim;
    args[k++] = "run";
    for (int i = 0; i < n; i++) {
        snprintf(names[i], sizeof names[i], "p%llu.yaml", (unsigned long long)programs[i].seed);
        args[k++] = names[i];
    }
    const char *const fixed[] = {"--arch",
                                 way->arch,
                                 "--machine",
                                 way->machine,
                                 "--blocks",
                                 lockstep ? "lockstep" : "model",
                                 "--check",
                                 "retire,oracle",
                                 "--allow-idle",
                                 "--threads",
                                 "1",
                                 "--max-cycles",
                                 o->shrinking ? MOST_CYCLES_SMALLER : MOST_CYCLES,
                                 "--bundle",
                                 "bundle",
                                 "--json",
                                 report};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) args[k++] = fixed[i];
    for (int i = 0; i < MOST_SETS && way->sets[i]; i++) {
        args[k++] = "--set";
        args[k++] = way->sets[i];
    }
    args[k] = NULL;
    char path[300];
    snprintf(path, sizeof path, "%s/%s", run_dir, report);
    unlink(path);
    const int status =
        execute(o->smcosim, (char *const *)args, ALONE_SECONDS + (n - 1) * EACH_SECONDS);
    if (status) read_error();
    if (status != ENVIRONMENT) return status;  // 7 says nothing about the programs
    fprintf(stderr, "programs: %s\n", run_error);
    exit(ENVIRONMENT);
}

static json_t *read_report(const char *name) {
    char path[300];
    snprintf(path, sizeof path, "%s/%s", run_dir, name);
    return json_load_file(path, 0, NULL);
}

// ---- one or two modes ----

// The first thing that two reports of one launch do not agree on; NULL: they agree.
static const char *difference(json_t *model, json_t *lockstep) {
    static const char *const same[] = {"cycles", "kernels", "banks"};
    const char *group, *key;
    json_t *of, *v;
    json_t *other = json_object_get(lockstep, "counters");
    json_object_foreach(json_object_get(model, "counters"), group, of) json_object_foreach(
        of, key,
        v) if (!json_equal(v, json_object_get(json_object_get(other, group), key))) return key;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (!json_equal(json_object_get(model, same[i]), json_object_get(lockstep, same[i])))
            return same[i];
    return NULL;
}

// The kernel needs more registers than there are: nothing is wrong.
static void skip_refused(Outcome *out) {
    out->skipped = out->status == REFUSED &&
        (strstr(out->text, "too few registers") ||
         strstr(out->text, "registers per thread, the machine allows"));
    if (out->skipped) out->status = 0;
}

static void read_launch(Outcome *out, json_t *model, json_t *lockstep) {
    json_t *failed =
        lockstep && !json_integer_value(json_object_get(model, "exit_status")) ? lockstep : model;
    const char *message = json_string_value(json_object_get(failed, "message")), *differs;
    set_outcome(out, (int)json_integer_value(json_object_get(failed, "exit_status")),
                message ? message : "");
    skip_refused(out);
    if (out->status || out->skipped || !lockstep || !(differs = difference(model, lockstep)))
        return;
    char text[100];
    snprintf(text, sizeof text, "model and lockstep differ: %s", differs);
    set_outcome(out, DIFFERS, text);
}

bool run_accepts(const Options *o, const Way *way) {
    const Program p = {.seed = EMPTY};
    char path[300];
    run_path(path, EMPTY, "yaml");
    if (access(path, F_OK)) {
        FILE *f = open_file(EMPTY, "ptx");
        fprintf(f, ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n");
        close_file(f);
        f = open_file(EMPTY, "yaml");
        fprintf(f, "ptx: p%llu.ptx\nkernel: k\ngrid: 1\nblock: 32\n", (unsigned long long)EMPTY);
        close_file(f);
    }
    return process(o, way, &p, 1, way->lockstep, "empty.json") != REFUSED;
}

// Each in a process of its own, and the outcome of a single one without a whole report.
static bool alone(const Options *o, const Way *way, const Program *programs, int n, int status,
                  Outcome *outcomes) {
    if (n == 1) {
        set_outcome(outcomes, status ? status : DIFFERS,
                    status ? run_error : "the report lacks a launch");
        skip_refused(outcomes);
        return true;
    }
    for (int i = 0; i < n; i++)
        if (!run_batch(o, way, &programs[i], 1, &outcomes[i])) return false;
    return true;
}

bool run_batch(const Options *o, const Way *way, const Program *programs, int n,
               Outcome *outcomes) {
    int status = process(o, way, programs, n, false, "model.json");
    json_t *model = read_report("model.json"), *lockstep = NULL;
    if (model && way->lockstep) {
        const int second = process(o, way, programs, n, true, "lockstep.json");
        lockstep = read_report("lockstep.json");
        if (second && (!lockstep || !status)) status = second;
    }
    bool ran = true;
    json_t *left = json_object_get(model, "launches"),
           *right = json_object_get(lockstep, "launches");
    if (json_array_size(left) != (size_t)n ||
        (way->lockstep && json_array_size(right) != (size_t)n))
        ran = alone(o, way, programs, n, status, outcomes);
    else
        for (int i = 0; i < n; i++)
            read_launch(&outcomes[i], json_array_get(left, (size_t)i),
                        lockstep ? json_array_get(right, (size_t)i) : NULL);
    json_decref(model);
    json_decref(lockstep);
    for (int i = 0; ran && !o->shrinking && i < n; i++)
        if (outcomes[i].status == REFUSED) return run_accepts(o, way);
    return ran;
}

int run_list(const Options *o, const char *what, const char ***names) {
    const char *all = strcmp(what, "archs") ? NULL : "--all",
               *args[] = {o->smcosim, "list", what, all, NULL};
    char path[300], line[1000];
    int n = 0;
    *names = NULL;
    if (execute(o->smcosim, (char *const *)args, ALONE_SECONDS)) die(what);
    snprintf(path, sizeof path, "%s/output", run_dir);
    FILE *f = fopen(path, "r");
    if (!f) die(path);
    while (fgets(line, sizeof line, f)) {
        const char **more = realloc(*names, sizeof *more * (size_t)(n + 1));
        line[strcspn(line, " \n")] = '\0';
        if (!more || !(more[n] = strdup(line))) die(what);
        *names = more;
        n++;
    }
    fclose(f);
    return n;
}
