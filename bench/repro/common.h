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
// All options take a value; --help prints `usage` and ends the program. --results FILE and --plan, of all commands, are
// repro_open's.
void repro_options(const ReproOption *options, int n, const char *usage, int argc, char **argv);
void repro_check_size(const char *option, const char *size); // small or paper

// ---- runs ----

// The launch file of a kernel, which must be there.
char *repro_launch(const char *data, const char *kernel, const char *size);
// "key=value key=value" as --set; returns the new number of words.
int repro_sets(const char **argv, int n, const char *sets);
// Results of commands of smcosim (csrc/results), by the words of the command, NULL-terminated, without the program.
// index: lines of a file and the words that it is the result of, with tabs between; NULL: there are none. plan: what is
// not there is printed on standard output, once, and NULL; else it ends the program.
void repro_open(const char *index, bool plan);
json_t *repro_result(const char *const *words);
// Has anything been missing? Then there is no document yet.
bool repro_missing(void);
// The report of one launch file on golden models: sets as in repro_sets, check as --check or NULL. Its only launch;
// NULL: missing.
json_t *repro_run(const char *launch, const char *arch, const char *machine, const char *sets, const char *check);
void repro_passed(json_t *launch); // ends the program where its verdict is another one
json_t *repro_config(json_t *launch); // of the report that the launch is of
json_t *repro_member(json_t *object, const char *name);
long long repro_integer(json_t *object, const char *name);
void repro_run_counters(Counters *c, json_t *launch);
// The kernel of a launch in a report of smcosim run that took most cycles, or NULL.
json_t *repro_longest_kernel(json_t *launch);

// ---- document ----

// A text file, behind an empty line.
void repro_include(FILE *out, const char *path);
// All of the document or nothing of it.
void repro_save(const char *path, const char *document, size_t length);

#endif
