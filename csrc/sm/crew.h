// SPDX-License-Identifier: Apache-2.0
// Threads that do a number of tasks again and again, as each window of several SMs does.
#ifndef SMCOSIM_SM_CREW_H
#define SMCOSIM_SM_CREW_H

#include "base/arena.h"

typedef struct Crew Crew;

// With the caller so many threads; fewer where the system gives no more.
Crew *crew_open(Arena *arena, int threads);
void crew_close(Crew *c);
// task(ctx, 0 .. n-1), each once, in any order and by any thread; returns when all are done. At most CREW_TASKS.
enum { CREW_TASKS = 64 };
void crew_run(Crew *c, int n, void (*task)(void *ctx, int i), void *ctx);

#endif
