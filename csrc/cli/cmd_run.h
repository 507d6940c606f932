// SPDX-License-Identifier: Apache-2.0
// Shared by run and exec: the rows of run_options.def and the output of a verdict.
#ifndef SMCOSIM_CLI_RUN_H
#define SMCOSIM_CLI_RUN_H

#include "session/session.h"

bool run_set_lockstep_sm(void *settings, const char *value, Diag *d);
bool run_set_arch(void *settings, const char *value, Diag *d);
bool run_set_checks(void *settings, const char *value, Diag *d);
bool run_set_snapshots(void *settings, const char *value, Diag *d);

typedef struct Printing {
    Arena *arena;
    RunReport *run;
    bool table;
    bool note_idle;  // prints idle blocks, because they do not fail the launch
} Printing;
// SessionOptions.verdict; ctx: a Printing.
void run_print_verdict(void *ctx, const LaunchReport *l);

#endif
