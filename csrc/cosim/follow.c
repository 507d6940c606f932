// SPDX-License-Identifier: Apache-2.0
// Followers: threads that evaluate and compare the RTL behind the SM.
//
// The SM's thread evaluates the golden models only. What it drives and what the model answered go into the ring buffer
// of the block's follower, in order: one producer, one consumer. A follower that meets a difference keeps it with the
// number of the evaluation and discards what comes after; the others go on, so that the first of all is found.
#include "cosim/follow.h"

#include "cosim/compare.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    RING = 1 << 20,        // bytes; a power of two
    SPINS = 2000,          // looks at the other side before a thread sleeps
    ALIGN = 16,
};

typedef enum Op { OP_EVAL, OP_TICK, OP_RESET, OP_RESET_DRIVEN, OP_WRAP } Op;

// One call of the RTL. Behind it, in the ring: the inputs and the golden outputs, each when they changed.
typedef struct Record {
    uint32_t bytes;        // with what is behind it
    uint8_t op, block;     // block: of c->blocks
    bool in, out;
    uint64_t order;        // number of the evaluation
} Record;

// What the SM's thread and the follower each remember of a block.
typedef struct Followed {
    void *in, *out;        // as handed over last
    bool known;            // they are
    void *golden;          // the follower's: outputs to compare with
} Followed;

typedef struct Follower {
    Cosim *c;
    pthread_t thread;
    bool started;
    char *ring;
    _Atomic uint64_t head, tail;     // bytes ever written and read
    _Atomic bool quit, found, consumer_sleeps, producer_sleeps;
    pthread_mutex_t mutex;
    pthread_cond_t moved;
    Mismatch first;                  // valid when `found`
    Instance *first_block;
    uint64_t first_order;
} Follower;

struct Follow {
    Follower *followers;
    int n;
    Follower *of[COSIM_MAX_BLOCKS];  // NULL: not in lockstep
    Followed blocks[COSIM_MAX_BLOCKS];
    uint64_t order;
};

static size_t padded(size_t n) { return (n + ALIGN - 1) & ~(size_t)(ALIGN - 1); }

static void relax(int spin) {
#if defined __x86_64__
    if (spin % 64) __builtin_ia32_pause();
    else
#endif
        sched_yield();
}

// ---- waiting -------------------------------------------------------------------------------------

static void wake(Follower *f, _Atomic bool *sleeps) {
    if (!atomic_load(sleeps)) return;
    pthread_mutex_lock(&f->mutex);
    atomic_store(sleeps, false);
    pthread_cond_broadcast(&f->moved);
    pthread_mutex_unlock(&f->mutex);
}

// Until `ready`; spins, then sleeps. The flag is set before the condition is looked at again, and the other side
// looks at the flag after it changed the condition, so no change is missed.
static void wait_until(Follower *f, _Atomic bool *sleeps, bool (*ready)(const Follower *f, size_t n), size_t n) {
    for (int i = 0; i < SPINS; i++) {
        if (ready(f, n)) return;
        relax(i);
    }
    pthread_mutex_lock(&f->mutex);
    for (;;) {
        atomic_store(sleeps, true);
        if (ready(f, n)) break;
        pthread_cond_wait(&f->moved, &f->mutex);
    }
    atomic_store(sleeps, false);
    pthread_mutex_unlock(&f->mutex);
}

static bool has_room(const Follower *f, size_t n) { return atomic_load(&f->head) + n - atomic_load(&f->tail) <= RING; }
static bool is_empty(const Follower *f, size_t n) { return (void)n, atomic_load(&f->head) == atomic_load(&f->tail); }
static bool has_work(const Follower *f, size_t n) { return !is_empty(f, n) || atomic_load(&f->quit); }

// ---- the follower --------------------------------------------------------------------------------

static void compare(Follower *f, Instance *x, const Record *r) {
    const Followed *b = &f->c->follow->blocks[r->block];
    if (x->shim->same(x->rtl, b->golden)) return;
    x->shim->read(x->rtl, x->rtl_out);
    panic_if(compare_ports(x->desc->name, x->ports, x->nports, b->golden, x->rtl_out, &f->first),
             "%s: outputs differ but no port does", x->desc->name);
    f->first_block = x, f->first_order = r->order;
    atomic_store(&f->found, true);
}

static void perform(Follower *f, const Record *r) {
    Instance *x = f->c->blocks[r->block];
    const char *payload = (const char *)(r + 1);
    const void *in = r->in ? payload : NULL;
    if (r->in) payload += padded(x->desc->in_size);
    if (r->out) memcpy(f->c->follow->blocks[r->block].golden, payload, x->desc->out_size);
    switch ((Op)r->op) {
    case OP_EVAL:
        x->shim->eval(x->rtl, in);
        compare(f, x, r);
        break;
    case OP_TICK: x->shim->tick(x->rtl, in); break;
    case OP_RESET: x->shim->reset(x->rtl); break;
    case OP_RESET_DRIVEN:
        x->shim->eval(x->rtl, in);
        x->shim->reset(x->rtl);
        break;
    case OP_WRAP: break;
    }
}

static void *work(void *ctx) {
    Follower *f = ctx;
    uint64_t tail = atomic_load(&f->tail);
    for (;;) {
        wait_until(f, &f->consumer_sleeps, has_work, 0);
        const uint64_t head = atomic_load(&f->head);
        if (head == tail) return NULL;  // only `quit` is left
        while (tail != head) {
            const Record *r = (const Record *)(const void *)(f->ring + (tail & (RING - 1)));
            if (!atomic_load_explicit(&f->found, memory_order_relaxed)) perform(f, r);
            tail += r->bytes;
            atomic_store(&f->tail, tail);
            wake(f, &f->producer_sleeps);
        }
    }
}

// ---- the SM's thread -----------------------------------------------------------------------------

// Room for n bytes in one piece; what is left before the ring's end is skipped.
static Record *reserve(Follower *f, size_t n) {
    uint64_t head = atomic_load_explicit(&f->head, memory_order_relaxed);
    const size_t left = RING - (size_t)(head & (RING - 1));
    if (left < n) {
        if (!has_room(f, left)) wait_until(f, &f->producer_sleeps, has_room, left);
        *(Record *)(void *)(f->ring + (head & (RING - 1))) = (Record){.bytes = (uint32_t)left, .op = OP_WRAP};
        atomic_store(&f->head, head += left);
        wake(f, &f->consumer_sleeps);
    }
    if (!has_room(f, n)) wait_until(f, &f->producer_sleeps, has_room, n);
    return (Record *)(void *)(f->ring + (head & (RING - 1)));
}

// Is it other than what was handed over last? Then keeps it.
static bool changed(void *last, const void *now, size_t n, bool known) {
    if (known && !memcmp(last, now, n)) return false;
    memcpy(last, now, n);
    return true;
}

static void hand_over(Instance *x, Op op) {
    Follow *w = x->c->follow;
    Follower *f = w->of[x->number];
    Followed *b = &w->blocks[x->number];
    const size_t in_size = padded(x->desc->in_size), out_size = padded(x->desc->out_size);
    panic_if(sizeof(Record) + in_size + out_size > RING / 2, "%s: its ports do not fit into the ring", x->desc->name);
    Record *r = reserve(f, sizeof *r + in_size + out_size);
    char *payload = (char *)(r + 1);
    const bool in = op != OP_RESET && changed(b->in, x->block.in, x->desc->in_size, b->known);
    const bool out = op == OP_EVAL && changed(b->out, x->block.out, x->desc->out_size, b->known);
    if (in) memcpy(payload, b->in, x->desc->in_size), payload += in_size;
    if (out) memcpy(payload, b->out, x->desc->out_size), payload += out_size;
    // A reset drives what it likes, and a clock edge without an evaluation before it shows no outputs.
    b->known = op == OP_EVAL || (b->known && op == OP_TICK);
    *r = (Record){.bytes = (uint32_t)(payload - (char *)r), .op = (uint8_t)op, .block = (uint8_t)x->number, .in = in, .out = out, .order = w->order++};
    atomic_store(&f->head, atomic_load_explicit(&f->head, memory_order_relaxed) + r->bytes);
    wake(f, &f->consumer_sleeps);
}

static void follow_eval(Block *block) {
    Instance *x = block->impl;
    lap(x->c, TIME_SM);
    x->desc->model->eval(x->golden, block->in, block->out);
    lap(x->c, TIME_MODEL);
    x->evals++;
    compare_count(x);
    compare_work(x);
    hand_over(x, OP_EVAL);
    lap(x->c, TIME_COMPARE);
}

static void follow_tick(Block *block) {
    Instance *x = block->impl;
    lap(x->c, TIME_SM);
    hand_over(x, OP_TICK);
    lap(x->c, TIME_COMPARE);
    x->desc->model->tick(x->golden, block->in);
    x->clocked++;
    lap(x->c, TIME_MODEL);
}

static void follow_reset(Block *block) {
    Instance *x = block->impl;
    memset(block->in, 0, x->desc->in_size);
    memset(block->out, 0, x->desc->out_size);
    x->desc->model->reset(x->golden);
    hand_over(x, OP_RESET);
}

static const BlockOps follow_ops = {follow_eval, follow_tick, follow_reset};

void follow_reset_driven(Instance *x) { hand_over(x, OP_RESET_DRIVEN); }

// ---- opening, looking, closing -------------------------------------------------------------------

static bool start(Follower *f, Cosim *c, Diag *d) {
    f->c = c;
    f->ring = aligned_alloc(64, RING);
    pthread_mutex_init(&f->mutex, NULL);
    pthread_cond_init(&f->moved, NULL);
    // Signals are for the SM's thread, whose waiting they interrupt.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int error = f->ring ? pthread_create(&f->thread, NULL, work, f) : ENOMEM;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    f->started = !error;
    return !error || diag_fail(d, EXIT_ENVIRONMENT, "--threads: no thread for the RTL: %s", strerror(error));
}

// The widest block not yet given away, -1: none.
static int widest(const Cosim *c) {
    int best = -1;
    for (int i = 0; i < c->nblocks; i++) {
        const BlockDesc *desc = c->blocks[i]->desc;
        if (c->blocks[i]->mode != BLOCK_LOCKSTEP || c->follow->of[i]) continue;
        if (best < 0 || desc->in_size + desc->out_size > c->blocks[best]->desc->in_size + c->blocks[best]->desc->out_size) best = i;
    }
    return best;
}

// The follower with the least to do, by the width of its blocks' ports.
static Follower *least(Follow *w, const size_t *load) {
    int best = 0;
    for (int i = 1; i < w->n; i++)
        if (load[i] < load[best]) best = i;
    return &w->followers[best];
}

bool follow_open(Cosim *c, int threads, Diag *d) {
    Follow *w = c->follow = ARENA_NEW(c->arena, Follow);
    size_t load[COSIM_MAX_BLOCKS] = {0};
    for (int i = 0; i < c->nblocks; i++) w->n += c->blocks[i]->mode == BLOCK_LOCKSTEP && w->n < threads;
    w->followers = ARENA_ARRAY(c->arena, Follower, w->n);
    for (int i; (i = widest(c)) >= 0;) {
        Instance *x = c->blocks[i];
        Followed *b = &w->blocks[i];
        w->of[i] = least(w, load);
        load[w->of[i] - w->followers] += x->desc->in_size + x->desc->out_size;
        b->in = arena_alloc(c->arena, x->desc->in_size);
        b->out = arena_alloc(c->arena, x->desc->out_size);
        b->golden = arena_alloc(c->arena, x->desc->out_size);
        x->block.ops = &follow_ops;
    }
    for (int i = 0; i < w->n; i++)
        if (!start(&w->followers[i], c, d)) return false;
    return true;
}

void follow_drain(Cosim *c) {
    Follow *w = c->follow;
    for (int i = 0; i < w->n; i++)
        if (!is_empty(&w->followers[i], 0)) wait_until(&w->followers[i], &w->followers[i].producer_sleeps, is_empty, 0);
}

void follow_look(Cosim *c) {
    Follow *w = c->follow;
    const Follower *first = NULL;
    bool any = false;
    for (int i = 0; i < w->n; i++) any |= atomic_load_explicit(&w->followers[i].found, memory_order_relaxed);
    if (!any || c->mismatched) return;
    follow_drain(c);
    for (int i = 0; i < w->n; i++) {
        const Follower *f = &w->followers[i];
        if (atomic_load(&f->found) && (!first || f->first_order < first->first_order)) first = f;
    }
    cosim_record(c, first->first_block, &first->first);
}

void follow_close(Cosim *c) {
    Follow *w = c->follow;
    for (int i = 0; w && i < w->n; i++) {
        Follower *f = &w->followers[i];
        if (f->started) {
            atomic_store(&f->quit, true);
            wake(f, &f->consumer_sleeps);
            pthread_join(f->thread, NULL);
            pthread_mutex_destroy(&f->mutex);
            pthread_cond_destroy(&f->moved);
        }
        free(f->ring);
    }
    c->follow = NULL;
}
