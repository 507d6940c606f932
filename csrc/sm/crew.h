// SPDX-License-Identifier: Apache-2.0
// Threads that simulate parts of a machine quantum by quantum.
#ifndef SMCOSIM_SM_CREW_H
#define SMCOSIM_SM_CREW_H

#include "base/arena.h"

typedef struct Crew Crew;

// What there is to do. All functions get ctx; quanta are numbered from 1 on, through all calls of
// crew_run.
//
//   part(i, k)     quantum k of part i < n        after part(i, k - 1), shared(k - 1), and meet(k) unless ahead(i, k)
//   meet(k)        what is between two quanta   after part(i, k - 1) of all i, shared(k - 1); false: that was all
//   shared(k)      quantum k of what all share    after meet(k)
//   ahead(i, k)    may the part begin before the others have met? Asked after part(i, k - 1) and
//                  shared(k - 1), once;
//                  true: part(i, k) is next
typedef struct CrewWork {
    int n;
    void (*part)(void *ctx, int i, uint64_t quantum);
    bool (*meet)(void *ctx, uint64_t quantum);
    void (*shared)(void *ctx, uint64_t quantum);
    bool (*ahead)(void *ctx, int i, uint64_t quantum);
} CrewWork;

// At most CREW_PARTS parts. With the caller so many threads; fewer where the system gives no more.
enum { CREW_PARTS = 64 };
Crew *crew_open(Arena *arena, const CrewWork *work, void *ctx, int threads);
void crew_close(Crew *c);
// Until meet returns false. Returns the quantum that meet has refused: parts may have been ahead
// and have ended it. The next call begins with the meeting before that quantum.
uint64_t crew_run(Crew *c);
// Within part(i, k): waits until meet(k) has been.
void crew_await(Crew *c, uint64_t quantum);

#endif
