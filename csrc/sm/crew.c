// SPDX-License-Identifier: Apache-2.0
// A thread takes its own tasks first, those whose number it has modulo the number of threads: then the state of an SM
// stays in the caches of one core. What is left when it has none it takes from the others. So a thread that comes late
// finds nothing to do and holds up nobody.
//
// A task is taken by setting its number to that of the round, which only one thread can do. Rounds are short, so who
// waits looks some thousand times; a thread that finds no new round for long sleeps.
#include "sm/crew.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>

enum { MOST_THREADS = 64, SPINS = 20000, PAUSES = 64 };

typedef struct Hand { Crew *crew; pthread_t thread; int number; } Hand;

struct Crew {
    void (*task)(void *ctx, int i);
    void *ctx;
    _Atomic int n, nthreads;
    _Atomic uint64_t round;
    _Atomic uint64_t taken[CREW_TASKS];   // round in which it was taken last
    _Atomic int done;                     // of this round
    _Atomic int sleepers;
    _Atomic bool quit;
    pthread_mutex_t mutex;
    pthread_cond_t begins;
    Hand hands[MOST_THREADS];
};

static void relax(int spin) {
#if defined __x86_64__
    if (spin % PAUSES) __builtin_ia32_pause();
    else
#endif
        sched_yield();
}

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

static bool begun(const Crew *c, uint64_t round) { return atomic_load(&c->round) != round || atomic_load(&c->quit); }

static void wait_for_round(Crew *c, uint64_t round) {
    for (int i = 0; i < SPINS; i++) {
        if (begun(c, round)) return;
        relax(i);
    }
    pthread_mutex_lock(&c->mutex);
    atomic_fetch_add(&c->sleepers, 1);
    while (!begun(c, round)) pthread_cond_wait(&c->begins, &c->mutex);
    atomic_fetch_sub(&c->sleepers, 1);
    pthread_mutex_unlock(&c->mutex);
}

static void *hand(void *self) {
    const Hand *h = self;
    Crew *c = h->crew;
    for (uint64_t round = 0;;) {
        wait_for_round(c, round);
        if (atomic_load(&c->quit)) return NULL;
        round = atomic_load(&c->round);
        work(c, round, h->number);
    }
}

static void wake(Crew *c) {
    if (!atomic_load(&c->sleepers)) return;
    pthread_mutex_lock(&c->mutex);
    pthread_cond_broadcast(&c->begins);
    pthread_mutex_unlock(&c->mutex);
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
    wake(c);
    work(c, round, 0);
    for (int i = 1; atomic_load(&c->done) < n; i++) relax(i);
}

// Signals go to the thread that began: it is the one that looks for them.
Crew *crew_open(Arena *arena, int threads) {
    Crew *c = ARENA_NEW(arena, Crew);
    sigset_t all, before;
    pthread_mutex_init(&c->mutex, NULL);
    pthread_cond_init(&c->begins, NULL);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    c->nthreads = threads < 1 ? 1 : threads > MOST_THREADS ? MOST_THREADS : threads;
    for (int i = 1; i < c->nthreads; i++) {
        c->hands[i] = (Hand){.crew = c, .number = i};
        if (!pthread_create(&c->hands[i].thread, NULL, hand, &c->hands[i])) continue;
        c->nthreads = i;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return c;
}

void crew_close(Crew *c) {
    if (!c) return;
    atomic_store(&c->quit, true);
    wake(c);
    pthread_mutex_lock(&c->mutex);
    pthread_cond_broadcast(&c->begins);
    pthread_mutex_unlock(&c->mutex);
    for (int i = 1; i < c->nthreads; i++) pthread_join(c->hands[i].thread, NULL);
    pthread_cond_destroy(&c->begins);
    pthread_mutex_destroy(&c->mutex);
}
