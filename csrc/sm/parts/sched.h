// SPDX-License-Identifier: Apache-2.0
// Plug point "scheduler": which of the warps that can issue does. A policy is four functions over
// sets of warps. That of a system finds the system's state in sm->policy_self.
#ifndef SMCOSIM_SM_PARTS_SCHED_H
#define SMCOSIM_SM_PARTS_SCHED_H

#include "sm/warp.h"

typedef struct Sm Sm;

typedef struct Scheduler {
    WarpSet mine;    // its warps
    int last;        // issued last, SM_NONE
    WarpSet active;  // two-level: active set
    int rotate;      // lrr, two-level
    int second;      // flight whose second micro-operation follows, SM_NONE
    // gto: the order of age. Sets of warps, oldest first; in a set a higher slot is younger. Warps
    // of a CTA begin by ascending slots, so that there are few.
    WarpSet ages[SM_MAX_WARPS];
    int nages;
    int youngest;  // slot that began last, if it is in the last set; else SM_MAX_WARPS
} Scheduler;

typedef struct SchedPolicy {
    const char *name;
    // before picking; NULL: nothing to do
    void (*cycle)(Sm *sm, Scheduler *s);
    // highest priority of a non-empty set
    int (*first)(const Sm *sm, const Scheduler *s, WarpSet of);
    WarpSet (*may)(const Sm *sm, const Scheduler *s);  // warps allowed to issue; NULL: all
    void (*issued)(Sm *sm, Scheduler *s, int warp);
} SchedPolicy;

// The machine's policies, by SCHED_*.
extern const SchedPolicy sched_policies[];

#endif
