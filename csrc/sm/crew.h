// SPDX-License-Identifier: Apache-2.0
// Threads that simulate the parts of a machine, one quantum at a time.
#ifndef SMCOSIM_SM_CREW_H
#define SMCOSIM_SM_CREW_H

#include "base/arena.h"

typedef struct Crew Crew;

// The work. All functions get ctx. Quanta are numbered from 1 on, through all calls of crew_run.
//
//   part(i, k)     quantum k of part i < n; after part(i, k - 1), shared(k - 1), and meet(k)
//                  unless ahead(i, k)
//   meet(k)        work between two quanta; after part(i, k - 1) of all i, shared(k - 1);
//                  false: the end
//   shared(k)      quantum k of the shared part; after meet(k)
//   ahead(i, k)    may the part begin before meet(k)? Asked once, after part(i, k - 1) and
//                  shared(k - 1); true: part(i, k) is next
typedef struct CrewWork {
    int n;
    void (*part)(void *ctx, int i, uint64_t quantum);
    bool (*meet)(void *ctx, uint64_t quantum);
    void (*shared)(void *ctx, uint64_t quantum);
    bool (*ahead)(void *ctx, int i, uint64_t quantum);
} CrewWork;

// At most CREW_PARTS parts. The crew has up to `threads` threads including the caller; fewer if the
// operating system provides fewer.
enum { CREW_PARTS = 64 };
Crew *crew_open(Arena *arena, const CrewWork *work, void *ctx, int threads);
void crew_close(Crew *c);
// Runs until meet returns false, and returns the quantum that meet refused. Parts that were ahead
// may have completed that quantum. The next call begins with the meeting before that quantum.
uint64_t crew_run(Crew *c);
// Within part(i, k): waits until meet(k) has returned.
void crew_await(Crew *c, uint64_t quantum);

#endif
