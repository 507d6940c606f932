// SPDX-License-Identifier: Apache-2.0
// A thread takes its own tasks first, those whose number it has modulo the number of threads: then the state of an SM
// stays in the caches of one core. What is left when it has none it takes from the others. So a thread that comes late
// finds nothing to do and holds up nobody.
//
// A task is taken by setting its number to that of the round, which only one thread can do. Rounds are short, so a
// thread looks for the next one for long before it sleeps.
#include "sm/crew.h"

#include "base/threads.h"

enum { MOST_THREADS = 64, SPINS = 20000 };

typedef struct Hand { Crew *crew; pthread_t thread; int number; } Hand;

struct Crew {
    void (*task)(void *ctx, int i);
    void *ctx;
    _Atomic int n, nthreads;
    _Atomic uint64_t round;
    _Atomic uint64_t taken[CREW_TASKS];   // round in which it was taken last
    _Atomic int done;                     // of this round
    _Atomic bool quit;
    Bell begins;
    Hand hands[MOST_THREADS];
};

static void take(Crew *c, uint64_t round, int i) {
    uint64_t before = round - 1;
    if (atomic_load(&c->taken[i]) != before || !atomic_compare_exchange_strong(&c->taken[i], &before, round)) return;
    c->task(c->ctx, i);
    atomic_fetch_add(&c->done, 1);
}

// A thread that is late may have the number of tasks of another round; it finds them all taken.
static void work(Crew *c, uint64_t round, int number) {
    const int n = c->n;
    for (int i = number; i < n; i += c->nthreads) take(c, round, i);
    for (int i = 0; i < n; i++) take(c, round, i);
}

typedef struct Wait { const Crew *crew; uint64_t round; } Wait;

static bool begun(void *wait) {
    const Wait *w = wait;
    return atomic_load(&w->crew->round) != w->round || atomic_load(&w->crew->quit);
}

static void *hand(void *self) {
    const Hand *h = self;
    Crew *c = h->crew;
    for (uint64_t round = 0;;) {
        bell_wait(&c->begins, SPINS, begun, &(Wait){c, round});
        if (atomic_load(&c->quit)) return NULL;
        round = atomic_load(&c->round);
        work(c, round, h->number);
    }
}

void crew_run(Crew *c, int n, void (*task)(void *ctx, int i), void *ctx) {
    panic_if(n > CREW_TASKS, "%d tasks", n);
    const uint64_t round = atomic_load(&c->round) + 1;
    c->task = task;
    c->ctx = ctx;
    c->n = n;
    atomic_store(&c->done, 0);
    // Tasks that there are not are taken already.
    for (int i = 0; i < CREW_TASKS; i++) atomic_store(&c->taken[i], i < n ? round - 1 : round);
    atomic_store(&c->round, round);
    bell_ring(&c->begins);
    work(c, round, 0);
    for (int i = 1; atomic_load(&c->done) < n; i++) thread_pause(i);
}

Crew *crew_open(Arena *arena, int threads) {
    Crew *c = ARENA_NEW(arena, Crew);
    bell_open(&c->begins);
    c->nthreads = threads < 1 ? 1 : threads > MOST_THREADS ? MOST_THREADS : threads;
    for (int i = 1; i < c->nthreads; i++) {
        c->hands[i] = (Hand){.crew = c, .number = i};
        if (thread_begin(&c->hands[i].thread, hand, &c->hands[i])) c->nthreads = i;
    }
    return c;
}

void crew_close(Crew *c) {
    if (!c) return;
    atomic_store(&c->quit, true);
    bell_ring(&c->begins);
    for (int i = 1; i < c->nthreads; i++) pthread_join(c->hands[i].thread, NULL);
    bell_close(&c->begins);
}
