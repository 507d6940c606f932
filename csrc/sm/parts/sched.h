// SPDX-License-Identifier: Apache-2.0
// Plug point "scheduler": selects the warp that issues among those that can. A policy is four
// functions over sets of warps. The policy of a system finds the system's state in sm->policy_self.
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
    // gto: the order of age. Sets of warps, oldest first; within a set a higher slot is younger.
    // There are few sets, because the warps of a CTA begin in ascending slots.
    WarpSet ages[SM_MAX_WARPS];
    int nages;
    int youngest;  // the last slot that began, if it is in the last set; otherwise SM_MAX_WARPS
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
