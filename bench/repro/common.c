// SPDX-License-Identifier: Apache-2.0
#include "common.h"

#include "base/hash.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
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
    const char *index = NULL;
    bool plan = false;
    for (int i = 1; i < argc; i++) {
        int k = 0;
        if (!strcmp(argv[i], "--help")) exit(fputs(usage, stdout) < 0);
        if (!strcmp(argv[i], "--plan")) {
            plan = true;
            continue;
        }
        while (k < n && strcmp(argv[i], options[k].name) != 0) k++;
        const bool results_of = !strcmp(argv[i], "--results");
        if (k == n && !results_of) repro_die(REPRO_USAGE, "unknown option '%s'\n%s", argv[i], usage);
        if (i + 1 == argc) repro_die(REPRO_USAGE, "%s: a value is missing", argv[i]);
        *(results_of ? &index : options[k].value) = argv[i + 1];
        i++;
    }
    repro_open(index, plan);
}

void repro_check_size(const char *option, const char *size) {
    if (strcmp(size, "small") != 0 && strcmp(size, "paper") != 0)
        repro_die(REPRO_USAGE, "%s: found '%s', expected small or paper", option, size);
}

// ---- runs ----

char *repro_launch(const char *data, const char *kernel, const char *size) {
    char *path = repro_text("%s/%s/%s/launch.yaml", data, kernel, size);
    if (access(path, R_OK) != 0)
        repro_die(REPRO_USAGE, "%s: %s (target bench-data-%s makes the data)", path, strerror(errno), size);
    return path;
}

int repro_sets(const char **argv, int n, const char *sets) {
    char *words[64];
    int nwords = repro_split(sets, " ", words, 64);
    for (int i = 0; i < nwords; i++) argv[n++] = "--set", argv[n++] = words[i];
    return n;
}

// ---- results ----

typedef struct Known {
    uint64_t hash;
    const char *command, *path; // path NULL: missing, and said so
    json_t *output;             // once it was read
} Known;
static struct { Known *list; int n; bool plan, missing; } results;

static Known *add(const char *command, const char *path) {
    results.list = repro_need(realloc(results.list, (size_t)(results.n + 1) * sizeof *results.list));
    results.list[results.n] = (Known){hash_bytes(HASH_START, command, strlen(command)), command, path, NULL};
    return &results.list[results.n++];
}

void repro_open(const char *index, bool plan) {
    char *line = NULL, *tab;
    size_t size = 0;
    results.plan = plan;
    FILE *f = index ? fopen(index, "r") : NULL;
    if (!f && index) repro_die(REPRO_USAGE, "%s: %s", index, strerror(errno));
    while (f && getline(&line, &size, f) > 0) {
        line[strcspn(line, "\n")] = 0;
        if (!(tab = strchr(line, '\t'))) repro_die(REPRO_USAGE, "%s: expected lines FILE<tab>COMMAND, found '%s'", index, line);
        *tab = 0;
        add(repro_text("%s", tab + 1), repro_text("%s", line));
    }
    free(line);
    if (f) fclose(f);
}

bool repro_missing(void) { return results.missing; }

json_t *repro_result(const char *const *words) {
    char *command = repro_text("%s", words[0]);
    for (int i = 1; words[i]; i++) {
        char *longer = repro_text("%s\t%s", command, words[i]);
        free(command);
        command = longer;
    }
    Known *k = results.list, *end = results.list + results.n;
    const uint64_t hash = hash_bytes(HASH_START, command, strlen(command));
    while (k < end && (k->hash != hash || strcmp(k->command, command) != 0)) k++;
    if (k == end && !results.plan) repro_die(REPRO_USAGE, "no result of: smcosim %s", command);
    if (k == end) puts(command), k = add(command, NULL);
    if (!k->path) return results.missing = true, NULL;
    if (!k->output) {
        json_t *doc = json_load_file(k->path, 0, NULL);
        k->output = json_incref(repro_member(doc, "output"));
        json_decref(doc);
    }
    return k->output;
}

json_t *repro_run(const char *launch, const char *arch, const char *machine, const char *sets, const char *check) {
    const char *words[160] = {"run", launch, "--arch", arch, "--machine", machine, "--blocks", "model", "--json", "-"};
    int n = 10;
    if (check) words[n++] = "--check", words[n++] = check;
    words[repro_sets(words, n, sets)] = NULL;
    json_t *report = repro_result(words), *one = report ? json_array_get(repro_member(report, "launches"), 0) : NULL;
    if (report && !one) repro_die(REPRO_FAILED, "the report of %s lacks the launch", launch);
    if (one) json_object_set(one, "config", repro_member(report, "config"));
    return one;
}

void repro_passed(json_t *launch) {
    const char *verdict = json_string_value(repro_member(launch, "verdict"));
    if (strcmp(verdict, "pass") != 0)
        repro_die(REPRO_USAGE, "%s: %s: %s", json_string_value(repro_member(launch, "name")), verdict,
                  json_string_value(repro_member(launch, "message")));
}

json_t *repro_config(json_t *launch) { return repro_member(launch, "config"); }

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
