// SPDX-License-Identifier: Apache-2.0
// Results of commands of smcosim, kept one by one: sweep and repro name the commands they need,
// those that are missing run side by side, and a campaign that was interrupted resumes with what is
// missing.
//   store.c    the file of a result, its name, its content
//   missing.c  runs what is missing, some at the same time
//
// A result is one file, DIR/<hash>.json, written complete or not at all. The hash is over the
// program itself, the words of the command, and the content of each file that a word names (a
// launch file: of everything beside it but other launch files), so that what was measured by
// another build, or on other data, is never taken.
#ifndef SMCOSIM_CAMPAIGN_STORE_H
#define SMCOSIM_CAMPAIGN_STORE_H

#include "base/arena.h"
#include "base/diag.h"

#include <jansson.h>
#include <stdint.h>

// A command without the program: {"run", "sgemm/launch.yaml", "--json", "-", NULL}.
typedef struct ResultCommand {
    const char *const *words;  // NULL-terminated
    uint64_t key;              // by results_key
} ResultCommand;

typedef struct Results {
    const char *dir;  // of the files, made when the first one is written
    // what runs; the folder with its machines (part of the key: presets can be edited)
    const char *program, *data;
    uint64_t program_key;  // by results_open
    Arena arena;
    struct ResultFile {
        const char *path;
        uint64_t hash;
    } * files;  // that were read
    int nfiles, cap_files;
} Results;

// False: the program cannot be read.
bool results_open(Results *r, const char *dir, const char *program, const char *data, Diag *d);
void results_close(Results *r);

// Key of a command. EXIT_USAGE: a file that a word names cannot be read.
bool results_key(Results *r, ResultCommand *c, Diag *d);

// What the command printed on standard output: a JSON document (the caller's), or a string where it
// printed text.
// NULL: there is no result yet, or the file is that of another command (it was copied or renamed):
// it is run again.
json_t *results_read(const Results *r, const ResultCommand *c);
const char *results_path(const Results *r, Arena *arena, const ResultCommand *c);

typedef struct ResultsRun {
    int jobs;  // processes at the same time
    volatile int *stop;
    void (*progress)(int done, int of, const char *command);  // NULL: none
    // Failures: the command, its status and what it printed on standard error. The others run on.
    void (*failed)(const char *command, int status, const char *text);
} ResultsRun;

// Runs the commands that have no result, each once. A run that ends with status 0 is kept, and so
// is one of status 2 whose report says that a launch does not fit the machine (verdict usage).
// False with the status of the first that failed, EXIT_INTERRUPTED after a stop.
bool results_run(const Results *r, const ResultCommand *commands, int n, const ResultsRun *run,
                 int *ran, Diag *d);

// For missing.c: the folder of the results; keeps what a command printed, if that is a result.
bool store_folder(const Results *r, Diag *d);
bool store_write(const Results *r, const ResultCommand *c, int status, const char *text, size_t n,
                 bool *kept, Diag *d);

#endif
