// SPDX-License-Identifier: Apache-2.0
#include "common.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

void repro_die(int status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fprintf(stderr, "%s: ", repro_command);
    vfprintf(stderr, format, args);
    fprintf(stderr, "\n");
    va_end(args);
    exit(status);
}

void *repro_need(void *p) {
    if (!p) repro_die(REPRO_ENVIRONMENT, "out of memory");
    return p;
}

char *repro_text(const char *format, ...) {
    char *s = NULL;
    va_list args;
    va_start(args, format);
    if (vasprintf(&s, format, args) < 0) s = NULL;
    va_end(args);
    return repro_need(s);
}

int repro_split(const char *list, const char *separators, char **words, int most) {
    int n = 0;
    char *save = NULL, *copy = repro_text("%s", list);
    for (char *w = strtok_r(copy, separators, &save); w; w = strtok_r(NULL, separators, &save)) {
        if (n == most) repro_die(REPRO_USAGE, "more than %d words in '%s'", most, list);
        words[n++] = w;
    }
    return n;
}

// ---- options ----

void repro_options(const ReproOption *options, int n, const char *usage, int argc, char **argv) {
    for (int i = 1; i < argc; i += 2) {
        int k = 0;
        if (!strcmp(argv[i], "--help")) exit(fputs(usage, stdout) < 0);
        while (k < n && strcmp(argv[i], options[k].name) != 0) k++;
        if (k == n) repro_die(REPRO_USAGE, "unknown option '%s'\n%s", argv[i], usage);
        if (i + 1 == argc) repro_die(REPRO_USAGE, "%s: a value is missing", argv[i]);
        *options[k].value = argv[i + 1];
    }
}

void repro_check_size(const char *size) {
    if (strcmp(size, "small") != 0 && strcmp(size, "paper") != 0)
        repro_die(REPRO_USAGE, "--size: found '%s', expected small or paper", size);
}

// ---- runs ----

char *repro_launch(const char *data, const char *kernel, const char *size) {
    char *path = repro_text("%s/%s/%s/launch.yaml", data, kernel, size);
    if (access(path, R_OK) != 0)
        repro_die(REPRO_USAGE, "%s: %s (target bench-data-%s makes the data)", path, strerror(errno), size);
    return path;
}

int repro_sets(char **argv, int n, const char *sets) {
    char *words[64];
    int nwords = repro_split(sets, " ", words, 64);
    for (int i = 0; i < nwords; i++) argv[n++] = "--set", argv[n++] = words[i];
    return n;
}

ReproJob repro_start(char **argv) {
    FILE *out = tmpfile();
    const pid_t pid = out ? fork() : -1;
    if (pid < 0) repro_die(REPRO_ENVIRONMENT, "no temporary file or process: %s", strerror(errno));
    if (pid) return (ReproJob){argv, out, pid};
    dup2(fileno(out), STDOUT_FILENO);
    execv(argv[0], argv);
    fprintf(stderr, "%s: %s: %s\n", repro_command, argv[0], strerror(errno));
    _exit(REPRO_ENVIRONMENT);
}

json_t *repro_finish(ReproJob *job) {
    int status;
    json_error_t error;
    waitpid(job->pid, &status, 0);
    rewind(job->out);
    json_t *root = json_loadf(job->out, 0, &error);
    fclose(job->out);
    const bool ended = WIFEXITED(status), passed = ended && WEXITSTATUS(status) == 0;
    if (passed && root) return root;
    fprintf(stderr, "%s: failed%s:", repro_command, passed ? ", no JSON" : "");
    for (int i = 0; job->argv[i]; i++) fprintf(stderr, " %s", job->argv[i]);
    fprintf(stderr, "\n");
    exit(ended && !passed ? WEXITSTATUS(status) : REPRO_FAILED);
}

json_t *repro_execute(char **argv) {
    ReproJob job = repro_start(argv);
    return repro_finish(&job);
}

json_t *repro_member(json_t *object, const char *name) {
    json_t *v = json_object_get(object, name);
    if (!v) repro_die(REPRO_FAILED, "a report of smcosim lacks '%s'", name);
    return v;
}

long long repro_integer(json_t *object, const char *name) { return json_integer_value(repro_member(object, name)); }

void repro_run_counters(Counters *c, json_t *launch) {
    json_t *groups = repro_member(launch, "counters"), *group;
    const char *name;
    json_object_foreach(groups, name, group)
        for (int i = 0; i < CTR_COUNT; i++)
            if (!strcmp(counter_info[i].group, name)) c->v[i] = (uint64_t)repro_integer(group, counter_info[i].name);
}

void repro_compare_counters(Counters *c, json_t *arch) {
    json_t *counters = repro_member(arch, "counters");
    for (int i = 0; i < CTR_COUNT; i++) c->v[i] = (uint64_t)repro_integer(counters, counter_info[i].name);
}

json_t *repro_longest_kernel(json_t *launch) {
    json_t *longest = NULL, *kernel;
    size_t i;
    json_array_foreach(repro_member(launch, "kernels"), i, kernel)
        if (!longest || repro_integer(kernel, "cycles") > repro_integer(longest, "cycles")) longest = kernel;
    return longest;
}

// ---- document ----

void repro_include(FILE *out, const char *path) {
    char buffer[4096];
    size_t n;
    FILE *in = fopen(path, "r");
    if (!in) repro_die(REPRO_ENVIRONMENT, "%s: %s", path, strerror(errno));
    fputc('\n', out);
    while ((n = fread(buffer, 1, sizeof buffer, in)) > 0) fwrite(buffer, 1, n, out);
    fclose(in);
}

void repro_save(const char *path, const char *document, size_t length) {
    char *part = repro_text("%s.part", path);
    FILE *f = fopen(part, "w");
    if (!f) repro_die(REPRO_ENVIRONMENT, "%s: %s", part, strerror(errno));
    bool ok = fwrite(document, 1, length, f) == length;
    ok = fclose(f) == 0 && ok;
    if (ok && rename(part, path) == 0) return;
    unlink(part);
    repro_die(REPRO_ENVIRONMENT, "%s: could not be written", path);
}

long repro_child_seconds(void) {
    struct rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    return (long)(used.ru_utime.tv_sec + used.ru_stime.tv_sec);
}
