// SPDX-License-Identifier: Apache-2.0
// The process of one case, from its start to its result.
#ifndef SMCOSIM_REGRESS_CASE_H
#define SMCOSIM_REGRESS_CASE_H

#include "regress/regress.h"

#include <sys/resource.h>
#include <sys/types.h>

typedef struct CaseProcess {
    int number;            // of the case
    pid_t pid;             // also of its process group
    const char *folder;    // absolute
    char started[24];      // UTC
    double since;          // seconds of the monotonic clock
} CaseProcess;

// Starts case `number` in its folder, which is made anew: standard output and error go to out.txt and err.txt there.
bool case_start(CaseProcess *s, Arena *arena, const RegressPlan *p, const char *dir, int number, Diag *d);
// A signal to the process and what it started.
void case_kill(const CaseProcess *s, int number);
// After the process ended: judges it and writes result.json.
bool case_finish(const CaseProcess *s, const RegressPlan *p, int wait_status, const struct rusage *used, Diag *d);

#endif
