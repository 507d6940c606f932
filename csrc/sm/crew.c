// SPDX-License-Identifier: Apache-2.0
// Quanta simulated by several threads. A thread first runs its own parts, whose number equals the
// thread's number modulo the number of threads. The state of an SM therefore stays in the caches of
// one core. A thread does not wait while one of its parts may begin the next quantum. After a while
// without such a part, it runs parts of late threads. A thread that the host suspends therefore
// delays one part at most.
//
// The meetings and the shared part are links of one chain: meet_quantum(1), shared(1),
// meet_quantum(2), .. For the same reason, the thread that ran the last link also runs the next
// one. Another thread takes over the chain after it has waited for a while. If a part waits for a
// meeting within a quantum, its thread runs that meeting immediately.
//
// Shared cache lines are slow (csrc/cosim/README.md). A part's progress is therefore in a line that
// only its thread writes. Each thread reads the lines of the others only when it needs them.
#include "sm/crew.h"

#include "base/threads.h"

enum { MOST_THREADS = 64, SPINS = 20000, PATIENCE = 64, LONG = 512, LINE = 64 };

typedef struct Hand {
    Crew *crew;
    pthread_t thread;
    int number;
} Hand;

// Quanta that have begun and ended, and the quantum that waits for its meeting. `late`: another
// thread had to run the part. Other threads may do so again until the part's own thread returns.
typedef struct Progress {
    _Atomic uint64_t begun, ended, waits;
    _Atomic bool late;
} __attribute__((aligned(LINE))) Progress;

struct Crew {
    CrewWork work;
    void *ctx;
    int nthreads;
    Progress parts[CREW_PARTS];
    // links of the chain that are complete
    _Atomic uint64_t met __attribute__((aligned(LINE))), shared;
    _Atomic bool over;                                      // meet has returned false
    _Atomic bool held __attribute__((aligned(LINE)));       // a thread makes a link
    _Atomic int keeper;                                     // the thread that made the last link
    _Atomic uint64_t round __attribute__((aligned(LINE)));  // odd: crew_run is in progress
    _Atomic int inside;                                     // other threads that work in the round
    _Atomic bool quit;
    Bell begins;
    Hand hands[MOST_THREADS];
};

static uint64_t see_number(const _Atomic uint64_t *n) {
    return atomic_load_explicit(n, memory_order_acquire);
}
static void tell_number(_Atomic uint64_t *n, uint64_t value) {
    atomic_store_explicit(n, value, memory_order_release);
}
static bool is_over(const Crew *c) { return atomic_load_explicit(&c->over, memory_order_acquire); }

// ---- the chain ----

static bool all_ended(const Crew *c, uint64_t quantum) {
    for (int i = 0; i < c->work.n; i++)
        if (see_number(&c->parts[i].ended) < quantum) return false;
    return true;
}

static bool hold_chain(Crew *c) {
    return !atomic_load(&c->held) && !atomic_exchange(&c->held, true);
}

static bool meet_quantum(Crew *c) {
    const uint64_t k = see_number(&c->met) + 1;
    if (see_number(&c->shared) != k - 1 || is_over(c) || !all_ended(c, k - 1)) return false;
    if (c->work.meet(c->ctx, k)) tell_number(&c->met, k);
    else atomic_store(&c->over, true);
    return true;
}

static bool share_quantum(Crew *c) {
    const uint64_t k = see_number(&c->shared) + 1;
    if (see_number(&c->met) != k) return false;
    c->work.shared(c->ctx, k);
    tell_number(&c->shared, k);
    return true;
}

// Runs all links that are ready; false: none was ready.
static bool make_links(Crew *c, int number) {
    bool any = false;
    if (!hold_chain(c)) return false;
    while (meet_quantum(c) || share_quantum(c)) any = true;
    if (any) atomic_store_explicit(&c->keeper, number, memory_order_relaxed);
    atomic_store(&c->held, false);
    return any;
}

// ---- parts ----

// Claims the next quantum of a part, if it may begin.
static bool take_part(Crew *c, int i, uint64_t *quantum) {
    Progress *p = &c->parts[i];
    uint64_t before = see_number(&p->ended);
    *quantum = before + 1;
    const bool met = see_number(&c->met) >= *quantum;
    if (see_number(&c->shared) < before || is_over(c) ||
        (!met && see_number(&p->waits) == *quantum))
        return false;
    if (see_number(&p->begun) != before ||
        !atomic_compare_exchange_strong(&p->begun, &before, *quantum))
        return false;
    if (met || c->work.ahead(c->ctx, i, *quantum)) return true;
    tell_number(&p->waits, *quantum);
    tell_number(&p->begun, before);
    return false;
}

static bool run_part(Crew *c, int i) {
    uint64_t quantum;
    if (!take_part(c, i, &quantum)) return false;
    c->work.part(c->ctx, i, quantum);
    tell_number(&c->parts[i].ended, quantum);
    return true;
}

static bool run_own(Crew *c, int number) {
    bool any = false;
    for (int i = number; i < c->work.n; i += c->nthreads) {
        if (!run_part(c, i)) continue;
        any = true;
        if (atomic_load_explicit(&c->parts[i].late, memory_order_relaxed))
            atomic_store(&c->parts[i].late, false);
    }
    return any;
}

// Is it one of several parts that its thread has not begun?
static bool one_of_several(const Crew *c, int i) {
    const Progress *p = &c->parts[i], *before = i < c->nthreads ? NULL : &c->parts[i - c->nthreads];
    return before && see_number(&before->begun) <= see_number(&p->begun) &&
        see_number(&before->ended) == see_number(&p->ended);
}

// Runs a part that another thread has not begun, highest number first. If it is that thread's only
// part, the thread must be late.
static bool run_other(Crew *c, bool any) {
    for (int i = c->work.n - 1; i >= 0; i--) {
        _Atomic bool *late = &c->parts[i].late;
        const bool several = one_of_several(c, i);
        if (!any && !several && !atomic_load_explicit(late, memory_order_relaxed)) continue;
        if (!run_part(c, i)) continue;
        if (!several) atomic_store(late, true);
        return true;
    }
    return false;
}

static void work_round(Crew *c, int number) {
    for (int idle = 0; !is_over(c);) {
        const bool keeper = atomic_load_explicit(&c->keeper, memory_order_relaxed) == number;
        if (((keeper || idle > PATIENCE) && make_links(c, number)) || run_own(c, number) ||
            (idle && run_other(c, idle > LONG))) {
            idle = 0;
            continue;
        }
        thread_pause(++idle);
    }
}

// It waits for parts in the previous quantum, and these wait for nothing. If no thread has begun
// such a part, it runs the part itself.
void crew_await(Crew *c, uint64_t quantum) {
    for (int i = 1; see_number(&c->met) < quantum && !is_over(c); i++) {
        if (all_ended(c, quantum - 1) && hold_chain(c)) {
            if (see_number(&c->met) < quantum) meet_quantum(c);
            atomic_store(&c->held, false);
        } else if (i > LONG) {
            for (int j = 0; j < c->work.n; j++)
                if (see_number(&c->parts[j].ended) < quantum - 1) run_part(c, j);
        }
        thread_pause(i);
    }
}

// ---- threads ----

typedef struct Wait {
    const Crew *crew;
    uint64_t round;
} Wait;

static bool has_begun(void *wait) {
    const Wait *w = wait;
    return atomic_load(&w->crew->round) > w->round || atomic_load(&w->crew->quit);
}

// A thread that arrives after the end of the round sees this and runs no part.
static void *run_hand(void *self) {
    const Hand *h = self;
    Crew *c = h->crew;
    for (uint64_t round = 0;;) {
        bell_wait(&c->begins, SPINS, has_begun, &(Wait){c, round});
        if (atomic_load(&c->quit)) return NULL;
        atomic_fetch_add(&c->inside, 1);
        round = atomic_load(&c->round);
        if (round & 1) work_round(c, h->number);
        atomic_fetch_sub(&c->inside, 1);
    }
}

uint64_t crew_run(Crew *c) {
    const bool alone = c->nthreads == 1;
    atomic_store(&c->over, false);
    if (!alone) {
        atomic_fetch_add(&c->round, 1);
        bell_ring(&c->begins);
    }
    work_round(c, 0);
    if (!alone) {
        atomic_fetch_add(&c->round, 1);
        for (int i = 1; atomic_load(&c->inside); i++) thread_pause(i);
    }
    return see_number(&c->met) + 1;
}

Crew *crew_open(Arena *arena, const CrewWork *w, void *ctx, int threads) {
    panic_if(w->n > CREW_PARTS, "%d parts", w->n);
    Crew *c = ARENA_NEW(arena, Crew);
    c->work = *w;
    c->ctx = ctx;
    bell_open(&c->begins);
    c->nthreads = threads < 1 ? 1 : threads > MOST_THREADS ? MOST_THREADS : threads;
    for (int i = 1; i < c->nthreads; i++) {
        c->hands[i] = (Hand){.crew = c, .number = i};
        if (thread_begin(&c->hands[i].thread, run_hand, &c->hands[i])) c->nthreads = i;
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
