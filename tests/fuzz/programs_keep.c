// SPDX-License-Identifier: Apache-2.0
// A program that fails: made smaller as long as the same failure stays, and kept.
#include "programs.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SHRINK_RUNS = 500, SHRINK_SECONDS = 20 };

static char *read_program(const Program *p, char ***lines, int *n) {
    char path[300];
    struct stat st;
    run_path(path, p->seed, "ptx");
    FILE *f = fopen(path, "r");
    if (!f || fstat(fileno(f), &st)) die(path);
    char *text = calloc(1, (size_t)st.st_size + 1);
    *lines = calloc((size_t)st.st_size + 1, sizeof **lines);
    if (!text || !*lines || fread(text, 1, (size_t)st.st_size, f) != (size_t)st.st_size) die(path);
    fclose(f);
    *n = 0;
    for (char *at = strtok(text, "\n"); at; at = strtok(NULL, "\n")) (*lines)[(*n)++] = at;
    return text;
}

static void write_lines(const Program *p, char *const *lines, int n, int skip, int count) {
    char path[300];
    run_path(path, p->seed, "ptx");
    FILE *f = fopen(path, "w");
    if (!f) die(path);
    for (int i = 0; i < n; i++)
        if (i < skip || i >= skip + count) fprintf(f, "%s\n", lines[i]);
    fclose(f);
}

static bool same_failure(const Options *options, const Way *way, const Program *p,
                         const Outcome *want, bool shrinking) {
    Options o = *options;
    Outcome got;
    o.shrinking = shrinking;
    return run_batch(&o, way, p, 1, &got) && got.status == want->status &&
        !strcmp(got.plain, want->plain);
}

// Leaves out lines, in halves, quarters and so on, until no single line can go.
static int shrink(const Options *o, const Way *way, const Program *p, const Outcome *want) {
    char **lines;
    int n, runs = 0;
    char *text = read_program(p, &lines, &n);
    const double end = run_cpu_seconds() + SHRINK_SECONDS;
    for (int size = n / 2, before = n; size > 0; size = size > 1 ? size / 2 : n < before) {
        before = n;
        for (int at = 0; at + size <= n && runs < SHRINK_RUNS && run_cpu_seconds() < end; runs++) {
            write_lines(p, lines, n, at, size);
            if (!same_failure(o, way, p, want, true)) {
                at += size;
                continue;
            }
            memmove(lines + at, lines + at + size, sizeof *lines * (size_t)(n - at - size));
            n -= size;
        }
    }
    write_lines(p, lines, n, n, 0);
    free(lines);
    free(text);
    return n;
}

static void print_command(const Options *o, const Way *way, const Program *p) {
    printf("%s run %s/p%llu.yaml --check retire,oracle --allow-idle --arch %s --machine %s "
           "--blocks %s",
           o->smcosim, o->keep, (unsigned long long)p->seed, way->arch, way->machine,
           way->lockstep ? "lockstep" : "model");
    for (int i = 0; i < MOST_SETS && way->sets[i]; i++) printf(" --set %s", way->sets[i]);
    printf("\n");
}

void keep_failure(const Options *o, const Way *way, const Program *p, const Outcome *got,
                  bool smaller) {
    printf("seed %llu: status %d, architecture %s, machine %s, %s: %s\n",
           (unsigned long long)p->seed, got->status, way->arch, way->machine,
           way->lockstep ? "lockstep" : "model", got->text);
    fflush(stdout);
    if (o->expect) return;
    if (smaller && !same_failure(o, way, p, got, false)) {
        printf("  passes alone: it fails in one process with those before it\n");
        smaller = false;
    }
    const int left = smaller ? shrink(o, way, p, got) : 0;
    char command[1000], path[300];
    run_path(path, p->seed, "*");
    snprintf(command, sizeof command, "mkdir -p '%s' && cp %s '%s'", o->keep, path, o->keep);
    if (system(command) != 0) fprintf(stderr, "programs: cannot be kept: %s\n", command);
    if (left) printf("  %d lines are left: ", left);
    else printf("  kept as it is: ");
    print_command(o, way, p);
    fflush(stdout);
}
