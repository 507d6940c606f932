// SPDX-License-Identifier: Apache-2.0
// Stored results of smcosim commands. sweep and repro name their commands, and the commands without
// a result run in parallel. An interrupted campaign resumes with the missing results.
//   store.c    the file of a result, its name, its content
//   missing.c  runs the missing commands in parallel
//
// A result is one file, DIR/<hash>.json, written completely or not at all. The hash covers the
// program itself, the words of the command, and the content of each file that a word names. For a
// launch file it covers all files beside it except other launch files. Results of another build or
// of other data are therefore never used.
#ifndef SMCOSIM_CAMPAIGN_STORE_H
#define SMCOSIM_CAMPAIGN_STORE_H

#include "base/arena.h"
#include "base/diag.h"

#include <jansson.h>
#include <stdint.h>

// A command without the program: {"run", "sgemm/launch.yaml", "--json", "-", NULL}.
typedef struct ResultCommand {
    const char *const *words;  // NULL-terminated
    uint64_t key;              // set by results_key
} ResultCommand;

typedef struct Results {
    const char *dir;  // folder of the files, made when the first one is written
    // the program; the folder of its machines, part of the key because presets can be edited
    const char *program, *data;
    uint64_t program_key;  // set by results_open
    Arena arena;
    struct ResultFile {
        const char *path;
        uint64_t hash;
    } * files;  // the files read so far
    int nfiles, cap_files;
} Results;

// False: the program cannot be read.
bool results_open(Results *r, const char *dir, const char *program, const char *data, Diag *d);
void results_close(Results *r);

// Key of a command. EXIT_USAGE: a file that a word names cannot be read.
bool results_key(Results *r, ResultCommand *c, Diag *d);

// The command's standard output: a JSON document, or a string if it printed text. The caller owns
// it. NULL: no result yet, or the file belongs to another command because it was copied or renamed.
// The command then runs again.
json_t *results_read(const Results *r, const ResultCommand *c);
const char *results_path(const Results *r, Arena *arena, const ResultCommand *c);

typedef struct ResultsRun {
    int jobs;  // parallel processes
    volatile int *stop;
    void (*progress)(int done, int of, const char *command);  // NULL: none
    // Called for a failure with the command, its status and its standard error. The other commands
    // continue.
    void (*failed)(const char *command, int status, const char *text);
} ResultsRun;

// Runs each command without a result once. A result with status 0 is stored. A result with status 2
// is stored if its report says that a launch does not fit the machine (verdict usage). False with
// the status of the first failure, or EXIT_INTERRUPTED after a stop.
bool results_run(const Results *r, const ResultCommand *commands, int n, const ResultsRun *run,
                 int *ran, Diag *d);

// For missing.c: makes the folder of the results; stores a command's output if it is a result.
bool store_folder(const Results *r, Diag *d);
bool store_write(const Results *r, const ResultCommand *c, int status, const char *text, size_t n,
                 bool *kept, Diag *d);

#endif
