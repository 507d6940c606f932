// SPDX-License-Identifier: Apache-2.0
// Runs items of work in children, some in parallel, until all are done or the user stops them.
#ifndef SMCOSIM_PROC_CHILDREN_H
#define SMCOSIM_PROC_CHILDREN_H

#include "proc/child.h"

enum { CHILDREN_MAX = 256, PATIENCE_ENDLESS = -1 /* never SIGKILL */ };

typedef struct Task {
    int item, place;  // places are numbered from 0 to jobs - 1; a place has one child at a time
} Task;

typedef struct Children {
    int jobs;            // maximum number of parallel children, at most CHILDREN_MAX
    int look_ms;         // longest pause between two polls
    int patience_ms;     // after a stop: time from SIGTERM to SIGKILL; 0: SIGKILL immediately
    bool groups;         // each child leads a group, which gets the signals; its rest is killed
    volatile int *stop;  // NULL: never stopped
    void *ctx;
    int n;  // items 0 to n - 1 in this order, unless `next` is set
    // The next item for a free place; -1: none at present. Not called after a stop.
    int (*next)(void *ctx, int place);
    // Starts a child. 0: not possible now (`next` returns the item again); -1: all other children
    // are ended.
    pid_t (*start)(void *ctx, Task t);
    // Called when a child has ended before any stop. False: all other children are ended. May be
    // NULL.
    bool (*ended)(void *ctx, Task t, const ChildEnd *end);
    void (*look)(void *ctx);  // called after each poll; may be NULL
} Children;

typedef enum ChildrenEnd { CHILDREN_DONE, CHILDREN_STOPPED, CHILDREN_FAILED } ChildrenEnd;

// No child remains when it returns.
ChildrenEnd children_run(const Children *c);

#endif
