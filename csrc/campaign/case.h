// SPDX-License-Identifier: Apache-2.0
// The process of one case, from its start to its result.
#ifndef SMCOSIM_CAMPAIGN_CASE_H
#define SMCOSIM_CAMPAIGN_CASE_H

#include "campaign/campaign.h"
#include "proc/child.h"

typedef struct CaseProcess {
    int number;          // of the case
    const char *folder;  // absolute
    char started[24];    // UTC
    double since;        // seconds of the monotonic clock
} CaseProcess;

// Starts case `number` in its new folder, with standard output and error in out.txt and err.txt.
// The case leads a process group. -1 after a Diag.
pid_t case_start(CaseProcess *s, Arena *arena, const RegressPlan *p, const char *dir, int number,
                 Diag *d);
// After the process ended: judges it and writes result.json.
bool case_finish(const CaseProcess *s, const RegressPlan *p, const ChildEnd *end, Diag *d);
// The current folder. NULL after a Diag.
const char *case_here(Arena *arena, Diag *d);
// Writes the result file into the folder: complete or absent.
bool case_write(const RegressResult *r, const char *folder, const RegressCase *c, Diag *d);

#endif
