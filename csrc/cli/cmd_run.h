// SPDX-License-Identifier: Apache-2.0
// Shared by run and exec: the rows of run_options.def and the output of a verdict.
#ifndef SMCOSIM_CLI_RUN_H
#define SMCOSIM_CLI_RUN_H

#include "session/session.h"

// Default of --blocks, except for profile.
#define RUN_BLOCKS "lockstep"

bool run_set_start(void *settings, const char *value, Diag *d);
bool run_set_lockstep_sm(void *settings, const char *value, Diag *d);
bool run_set_arch(void *settings, const char *value, Diag *d);
bool run_set_checks(void *settings, const char *value, Diag *d);
bool run_set_threads(void *settings, const char *value, Diag *d);
bool run_set_snapshots(void *settings, const char *value, Diag *d);

typedef struct Printing {
    Arena *arena;
    RunReport *run;
    bool table;
    bool profile;    // .. is the profile's
    bool note_idle;  // prints idle blocks, because they do not fail the launch
} Printing;
// SessionOptions.verdict; ctx: a Printing.
void run_print_verdict(void *ctx, const LaunchReport *l);

typedef struct RunArgs {
    SessionOptions session;  // first: the rows of run_options.def name its members
    const char *profile;     // file of the profile; NULL: none
    const char *html;        // page of command profile
    bool profiles;           // it is that command
    uint64_t spread;         // runs of each launch file, perturbed but the first; 0: one run
} RunArgs;
// Runs launch files and reports each as it ends. Returns the exit status.
int run_all(RunArgs *args, Arena *arena, char **paths, int npaths, Diag *d);
// The command line of run and of profile.
struct Command;
int run_command(const struct Command *command, RunArgs *args, int argc, char **argv);

#endif
