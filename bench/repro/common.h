// SPDX-License-Identifier: Apache-2.0
// What the commands of bench/repro share: text, options, runs of smcosim, their counters, and writing the document.
// Errors end the program with smcosim's exit statuses.
#ifndef SMCOSIM_BENCH_REPRO_COMMON_H
#define SMCOSIM_BENCH_REPRO_COMMON_H

#include "counters/counters.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

enum { REPRO_FAILED = 1, REPRO_USAGE = 2, REPRO_ENVIRONMENT = 7 };

// Named in messages, as "bench/repro/corf"; each command defines it.
extern const char repro_command[];

_Noreturn void repro_die(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));
void *repro_need(void *p); // ends the program where there is no memory
// Formatted text that stays; the programs are short-lived.
char *repro_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
// Words of `list` between `separators`; more than `most` are an error. Returns how many.
int repro_split(const char *list, const char *separators, char **words, int most);

// ---- options ----

typedef struct ReproOption {
    const char *name, **value;
} ReproOption;
// All options take a value; --help prints `usage` and ends the program.
void repro_options(const ReproOption *options, int n, const char *usage, int argc, char **argv);
void repro_check_size(const char *size); // small or paper

// ---- runs ----

// The launch file of a kernel, which must be there.
char *repro_launch(const char *data, const char *kernel, const char *size);
// "key=value key=value" as --set; returns the new number of words.
int repro_sets(char **argv, int n, const char *sets);
// Runs argv and reads the JSON on its standard output.
json_t *repro_execute(char **argv);
// The same in two steps, so that several run at the same time; argv stays until the end.
typedef struct ReproJob {
    char **argv;
    FILE *out;
    int pid;
} ReproJob;
ReproJob repro_start(char **argv);
json_t *repro_finish(ReproJob *job);
json_t *repro_member(json_t *object, const char *name);
long long repro_integer(json_t *object, const char *name);
// Of a launch in a report of smcosim run, and of an architecture of a launch in one of smcosim compare.
void repro_run_counters(Counters *c, json_t *launch);
void repro_compare_counters(Counters *c, json_t *arch);
// The kernel of a launch in a report of smcosim run that took most cycles, or NULL.
json_t *repro_longest_kernel(json_t *launch);

// ---- document ----

// A text file, behind an empty line.
void repro_include(FILE *out, const char *path);
// All of the document or nothing of it.
void repro_save(const char *path, const char *document, size_t length);
long repro_child_seconds(void); // processor time of what was run

#endif
