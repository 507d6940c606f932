// SPDX-License-Identifier: Apache-2.0
// Random programs through the program itself. programs.c assigns the runs, programs_run.c runs them
// and reads the reports, programs_keep.c makes a failing program smaller and keeps it.
#ifndef SMCOSIM_TESTS_FUZZ_PROGRAMS_H
#define SMCOSIM_TESTS_FUZZ_PROGRAMS_H

#include "ptxgen.h"

#include <stdbool.h>
#include <sys/types.h>

enum { MOST_BATCH = 64, MOST_SETS = 6, DIFFERS = 100 };

// An architecture on a machine, with keys of its configuration.
typedef struct Way {
    const char *arch, *machine, *sets[MOST_SETS];
    bool lockstep;
} Way;

typedef struct Program {
    uint64_t seed;
    PtxgenOptions o;
} Program;

// `status` is as the shell gives it; DIFFERS: model and lockstep count differently. skipped: more
// registers are needed.
typedef struct Outcome {
    int status;
    bool skipped;
    char text[200], plain[200];
} Outcome;

typedef struct Options {
    const char *smcosim, *keep, *log, *arch, *machine;
    uint64_t first, programs;
    double seconds;
    int batch, lockstep_every;  // 0: never
    bool whole, shrinking;      // failing programs are kept as they are; one is being made smaller
    bool each;                  // every architecture for each program
    // status 0 when the first failure says this; NULL: when there is none
    const char *expect;
} Options;

extern char run_dir[200];     // scratch of this process
extern char run_error[1000];  // the last message of smcosim

void run_make_dir(void);  // in TMPDIR
// Writes launch file, text and input of a program into the scratch folder.
void run_write(Program *p, uint64_t seed);
void run_path(char path[300], uint64_t seed, const char *end);
// Does the machine run an empty kernel under the architecture, with the keys? False: run_error says
// why.
bool run_accepts(const Options *o, const Way *way);
// Runs the programs in one process; in lockstep also on golden models, whose counters must be the
// same. False: one is refused, and the machine does not accept the architecture with the keys.
bool run_batch(const Options *o, const Way *way, const Program *programs, int n, Outcome *outcomes);
// The lines that `smcosim list WHAT` begins with, freed by nobody.
int run_list(const Options *o, const char *what, const char ***names);
double run_cpu_seconds(void);
void die(const char *what);

// Tells of a failure, makes the program smaller and keeps it in Options.keep.
void keep_failure(const Options *o, const Way *way, const Program *p, const Outcome *got,
                  bool shrink);

#endif
