// SPDX-License-Identifier: Apache-2.0
// Items of work in children, some at the same time, until all are done or the user stops.
#ifndef SMCOSIM_PROC_CHILDREN_H
#define SMCOSIM_PROC_CHILDREN_H

#include "proc/child.h"

enum { CHILDREN_MAX = 256, PATIENCE_ENDLESS = -1 /* never SIGKILL */ };

typedef struct Task {
    int item, place;  // places are numbered from 0 to jobs - 1; a place has one child at a time
} Task;

typedef struct Children {
    int jobs;            // at the same time, at most CHILDREN_MAX
    int look_ms;         // longest pause between two looks
    int patience_ms;     // after a stop, from SIGTERM to SIGKILL; 0: SIGKILL at once
    bool groups;         // each leads a group: signals go to all of it, its rest is killed
    volatile int *stop;  // NULL: nothing stops them
    void *ctx;
    int n;  // items 0 to n - 1, in this order, unless there is `next`
    // The next item for a free place, -1: none now. It is not asked after a stop.
    int (*next)(void *ctx, int place);
    // Starts a child. 0: not this time (`next` gives the item again); -1: all the others are ended.
    pid_t (*start)(void *ctx, Task t);
    // A child has ended, before any stop. False: all the others are ended. NULL: not told.
    bool (*ended)(void *ctx, Task t, const ChildEnd *end);
    void (*look)(void *ctx);  // after each look, NULL: none
} Children;

typedef enum ChildrenEnd { CHILDREN_DONE, CHILDREN_STOPPED, CHILDREN_FAILED } ChildrenEnd;

// No child is left when it returns.
ChildrenEnd children_run(const Children *c);

#endif
