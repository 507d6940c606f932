// SPDX-License-Identifier: Apache-2.0
// Followers are threads that evaluate and compare the RTL later than the SM's thread.
//
// The SM's thread evaluates only the golden models. It appends the inputs and the model's outputs
// to the block's queue, in order. A free thread takes the block with the fullest queue, evaluates
// and compares part of the queue, and selects again. The SM's thread does the same when it would
// otherwise wait for a queue. At any time at most one thread evaluates a block's RTL, in the order
// of its queue. If the RTL of a block differs, the block records the difference and the number of
// the evaluation and discards later records. The other blocks continue, so that the earliest
// difference of all blocks is found.
//
// Shared cache lines are slow (README.md beside this file). For this reason:
// (1) Only changed lines of inputs and outputs are copied.
// (2) Each side publishes its progress once per batch.
// (3) Data that one thread writes in each cycle shares no line with data that another thread reads.
// (4) A thread keeps its block while no other queue is much fuller.
#include "cosim/follow.h"

#include "base/threads.h"
#include "cosim/state_compare.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEAST_QUEUE = 1 << 15,  // bytes; a power of two
    MOST_QUEUE = 1 << 18,   // all queues fit the L2 cache of a core
    // largest records that a queue holds, unless MOST_QUEUE limits it
    RECORDS = 16,
    BATCHES = 8,  // per queue; each side publishes its progress after a batch
    LINE = 64,    // bytes of a cache line
    // distance in bytes at which the SM's thread prefetches the queue
    AHEAD = 1 << 12,
    SPINS = 2000,  // polls of the other side before a thread sleeps
    ALIGN = 16,
};

typedef enum Op { OP_EVAL, OP_TICK, OP_RESET, OP_RESET_DRIVEN, OP_WRAP } Op;

// One call of the RTL, as a queue stores it. The changed lines of inputs and golden outputs follow
// it in the queue (pack_changes).
typedef struct Record {
    uint32_t bytes;  // including the lines that follow
    uint8_t op;
    bool in, out;
    uint64_t order;  // number of the evaluation
} Record;

// The lines of a port structure that are copied, as a bit per line in words of 64 bits. A line is
// copied if it holds an element of a port in this shape. A row of 1024 bits with a valid bit is
// copied only when that bit is set. Gate: the valid port; masks: [element][word]
typedef struct Gate {
    size_t offset;
    int count;
    uint64_t *masks;
} Gate;
typedef struct Lines {
    size_t bytes;  // of the structure
    int words;
    uint64_t *always;
    Gate *gates;
    int ngates;
} Lines;

typedef struct Queue {
    Instance *x;
    Follow *follow;
    char *ring;
    size_t size, batch;  // bytes
    bool kept;           // only the SM's thread evaluates it
    Lines in_lines, out_lines;
    char apart1[LINE];
    // Written by the SM's thread: inputs and golden outputs of the last record, bytes written, and
    // the limit up to which the queue has room.
    char *sent_in, *sent_out;
    bool known;  // sent_in and sent_out match the last record
    bool own;    // the SM's thread has taken the queue and calls the RTL
    uint64_t written, room_until;
    char apart2[LINE];
    _Atomic uint64_t head;  // the written bytes that are published to the followers
    char apart3[LINE];
    // The thread that has taken the queue writes these.
    _Atomic bool taken;
    _Atomic uint64_t tail;  // bytes that have been read
    _Atomic int last;       // number of the thread that took it last
    char *in, *golden;
    bool found;
    Mismatch first;  // valid when `found`
    uint64_t first_order;
    uint64_t helped;  // calls by the SM's thread
    char apart4[LINE];
} Queue;

typedef struct Follower {
    Follow *follow;
    pthread_t thread;
    bool begun;
    int number;
} Follower;

enum { SMS_THREAD = 0 };  // number; followers count from 1

struct Follow {
    Cosim *c;
    Queue *queues[COSIM_MAX_BLOCKS];
    int nqueues;
    Queue *of[COSIM_MAX_BLOCKS];  // by number of the block; NULL: the block is not in lockstep
    Follower *followers;
    int nfollowers;
    uint64_t order;
    _Atomic bool quit, found;
    _Atomic bool idle;  // a follower found no work
    Bell work, room;    // followers sleep on work, the SM's thread on room
};

static size_t pad_size(size_t n) { return (n + ALIGN - 1) & ~(size_t)(ALIGN - 1); }

// ---- changed lines ------------------------------------------------------------------------------
//
// A bit per line of a structure, in words of 64 bits, then the lines whose bits are set.

static size_t mask_words(size_t n) { return (n + LINE * 64 - 1) / (LINE * 64); }
static size_t most_bytes(size_t n) { return 8 * mask_words(n) + pad_size(n) + LINE; }

static void set_lines(uint64_t *mask, size_t from, size_t to) {
    for (size_t i = from / LINE; i <= (to - 1) / LINE; i++) mask[i / 64] |= (uint64_t)1 << i % 64;
}

static Lines lines_of(Arena *arena, const Instance *x, PortDir dir) {
    const size_t bytes = dir == PORT_IN ? x->desc->in_size : x->desc->out_size;
    Lines l = {.bytes = bytes, .words = (int)mask_words(bytes)};
    l.always = ARENA_ARRAY(arena, uint64_t, l.words);
    l.gates = ARENA_ARRAY(arena, Gate, x->nports);
    for (int i = 0; i < x->nports; i++) {
        const Port *p = &x->ports[i];
        const size_t size = 4 * (size_t)p->words;
        if (p->dir != dir) continue;
        if (p->words == 1 || p->valid < 0) {
            set_lines(l.always, p->offset, p->offset + size * (size_t)p->count);
            continue;
        }
        Gate *g = &l.gates[l.ngates++];
        *g = (Gate){x->ports[p->valid].offset, p->count,
                    ARENA_ARRAY(arena, uint64_t, p->count * l.words)};
        for (int e = 0; e < p->count; e++)
            set_lines(g->masks + e * l.words, p->offset + size * (size_t)e,
                      p->offset + size * (size_t)(e + 1));
    }
    return l;
}

// The lines that are copied with these values.
static uint64_t wanted_lines(const Lines *l, const char *now, int word) {
    uint64_t wanted = l->always[word];
    for (int i = 0; i < l->ngates; i++) {
        const Gate *g = &l->gates[i];
        uint32_t valid;
        memcpy(&valid, now + g->offset, sizeof valid);
        valid &= UINT32_MAX >> (32 - g->count);
        for (; valid; valid &= valid - 1)
            wanted |= g->masks[__builtin_ctz(valid) * l->words + word];
    }
    return wanted;
}

static bool same_line(const char *a, const char *b) {
    uint64_t x[LINE / 8], y[LINE / 8], d = 0;
    memcpy(x, a, LINE), memcpy(y, b, LINE);
    for (int i = 0; i < LINE / 8; i++) d |= x[i] ^ y[i];
    return d == 0;
}

// The last line may be shorter. A whole line is copied by a few instructions.
static void copy_line(char *to, const char *from, size_t size) {
    if (size >= LINE) memcpy(to, from, LINE);
    else
        for (size_t i = 0; i < size; i++) to[i] = from[i];
}

// Writes the lines of `now` that differ from `last` to `to` and updates `last`. Returns the bytes
// written, 0 when nothing has changed. If `known` is false all lines count as new, because `last`
// does not match the last record.
static size_t pack_changes(char *to, const Lines *l, char *last, const char *now, bool known) {
    char *first = to + 8 * l->words, *p = first;
    for (int w = 0; w < l->words; w++) {
        uint64_t fresh = 0;
        for (uint64_t left = wanted_lines(l, now, w); left; left &= left - 1) {
            const size_t at = LINE * (64 * (size_t)w + (size_t)__builtin_ctzll(left));
            const size_t size = l->bytes - at;
            if (known &&
                (size >= LINE ? same_line(last + at, now + at)
                              : !memcmp(last + at, now + at, size)))
                continue;
            fresh |= left & -left;
            copy_line(last + at, now + at, size);
            copy_line(p, now + at, size);
            p += LINE;
        }
        memcpy(to + 8 * w, &fresh, sizeof fresh);
    }
    return p == first ? 0 : (size_t)(p - to);
}

// Applies the lines that pack_changes wrote. Returns the address after the changes.
static const char *unpack_changes(char *to, const char *from, size_t n) {
    const uint64_t *mask = (const uint64_t *)(const void *)from;
    from += 8 * mask_words(n);
    for (size_t w = 0; w < mask_words(n); w++)
        for (uint64_t bits = mask[w]; bits; bits &= bits - 1, from += LINE) {
            const size_t at = LINE * (64 * w + (size_t)__builtin_ctzll(bits));
            copy_line(to + at, from, n - at);
        }
    return from;
}

// ---- taking and draining a queue ----------------------------------------------------------------

static uint64_t backlog_of(const Queue *q) { return atomic_load(&q->head) - atomic_load(&q->tail); }

// The queue that a thread takes next: the fullest one that no other thread has; NULL: none. A
// thread prefers the block it took last, because the block's state is in the caches of its core.
// The thread selects another queue when that queue is fuller by a quarter of the queue's size.
static Queue *fullest_queue(Follow *w, int thread, const Queue *mine) {
    Queue *best = NULL;
    uint64_t most = 0;
    for (int i = 0; i < w->nqueues; i++) {
        Queue *q = w->queues[i];
        if ((q != mine && atomic_load(&q->taken)) || (q->kept && thread != SMS_THREAD)) continue;
        const uint64_t n = backlog_of(q);
        if (!n) continue;
        const uint64_t full = 1 + n * 64 / q->size +
            (atomic_load_explicit(&q->last, memory_order_relaxed) == thread ? 64 / 4 : 0);
        if (full > most) best = q, most = full;
    }
    return best;
}

static bool take_queue(Queue *q, int thread) {
    bool free = false;
    if (!atomic_compare_exchange_strong(&q->taken, &free, true)) return false;
    atomic_store_explicit(&q->last, thread, memory_order_relaxed);
    return true;
}

// Afterwards any free thread may take the rest of the queue.
static void leave_queue(Queue *q) {
    atomic_store(&q->taken, false);
    if (backlog_of(q)) bell_ring(&q->follow->work);
    bell_ring(&q->follow->room);
}

static void compare_outputs(Queue *q, const void *golden, uint64_t order) {
    Instance *x = q->x;
    if (x->shim->same(x->rtl, golden)) return;
    x->shim->read(x->rtl, x->rtl_out);
    panic_if(
        compare_ports(x->desc->name, x->ports, x->nports, x->shim, golden, x->rtl_out, &q->first),
        "%s: outputs differ but no port does", x->desc->name);
    q->found = true, q->first_order = order;
    atomic_store(&q->follow->found, true);
}

// in: NULL when the inputs are unchanged.
static void call_shim(Queue *q, Op op, const void *in, const void *golden, uint64_t order) {
    const Instance *x = q->x;
    if (q->found) return;
    switch (op) {
    case OP_EVAL:
        x->shim->eval(x->rtl, in);
        compare_outputs(q, golden, order);
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

static void perform_record(Queue *q, const Record *r) {
    const char *payload = (const char *)(r + 1);
    if (r->in) payload = unpack_changes(q->in, payload, q->x->desc->in_size);
    if (r->out) unpack_changes(q->golden, payload, q->x->desc->out_size);
    call_shim(q, (Op)r->op, r->in ? q->in : NULL, q->golden, r->order);
}

// Performs the records of at most `batches` batches.
static void work_off(Queue *q, int batches, bool help) {
    const uint64_t head = atomic_load(&q->head);
    uint64_t tail = atomic_load(&q->tail), told = tail;
    for (; tail != head && batches > 0; batches--) {
        while (tail != head && tail - told < q->batch) {
            const Record *r = (const Record *)(const void *)(q->ring + (tail & (q->size - 1)));
            perform_record(q, r);
            if (help) q->helped++;
            tail += r->bytes;
        }
        atomic_store(&q->tail, told = tail);
        if (backlog_of(q) <= q->size / 2) bell_ring(&q->follow->room);
    }
}

static bool has_work(void *ctx) {
    const Follower *f = ctx;
    return atomic_load(&f->follow->quit) || fullest_queue(f->follow, f->number, NULL);
}

static void *run_follower(void *ctx) {
    Follower *f = ctx;
    Queue *mine = NULL;
    while (!atomic_load(&f->follow->quit)) {
        Queue *q = fullest_queue(f->follow, f->number, mine);
        if (mine && mine != q) leave_queue(mine), mine = NULL;
        if (!q) {
            atomic_store(&f->follow->idle, true);
            bell_wait(&f->follow->work, SPINS, has_work, f);
            continue;
        }
        if (!mine && !take_queue(q, f->number)) continue;
        mine = q;
        if (atomic_load_explicit(&f->follow->idle, memory_order_relaxed))
            atomic_store(&f->follow->idle, false);
        work_off(q, 2, false);
    }
    return NULL;
}

// ---- the SM's thread ----------------------------------------------------------------------------

// A small backlog does not wake a follower, because waking takes longer than the work.
static void tell_followers(Queue *q, bool all) {
    if (atomic_load_explicit(&q->head, memory_order_relaxed) == q->written && !all) return;
    atomic_store(&q->head, q->written);
    const uint64_t n = backlog_of(q);
    if (!q->kept && (all ? n > 0 : n >= q->size / 4)) bell_ring(&q->follow->work);
}

static void tell_all(Follow *w) {
    for (int i = 0; i < w->nqueues; i++) tell_followers(w->queues[i], true);
}

// Evaluates the fullest queue instead of waiting. False: other threads have taken every queue with
// work. The SM's thread keeps a queue that it has drained while the followers have enough work,
// because its records then need no packing.
static bool help_followers(Follow *w) {
    Queue *q = fullest_queue(w, SMS_THREAD, NULL);
    if (!q) return false;
    if (!take_queue(q, SMS_THREAD)) return true;
    work_off(q, BATCHES, true);
    q->own = !backlog_of(q) && (w->c->options.queue || !atomic_load(&w->idle));
    if (!q->own) leave_queue(q);
    return true;
}

// Should the SM's thread return a block? Yes when a follower has no work. With a test's queue size
// (options.queue) it returns one at regular intervals, independent of the host's load.
static bool is_due(const Follow *w) {
    enum { OFTEN = 13 };  // calls
    return w->c->options.queue ? w->order % OFTEN == 0
                               : atomic_load_explicit(&w->idle, memory_order_relaxed);
}

// Returns one queue at a time.
static void give_back(Queue *q) {
    q->own = q->known = false;
    atomic_store(&q->follow->idle, false);
    leave_queue(q);
}

static bool can_help(Follow *w) { return fullest_queue(w, SMS_THREAD, NULL) != NULL; }

static bool has_room(const Queue *q, size_t n) {
    return atomic_load(&q->tail) + q->size >= q->written + n;
}
static bool room_or_help(void *ctx) {
    const Queue *q = ctx;
    return has_room(q, q->size / 2) || can_help(q->follow);
}
static bool all_empty(const Follow *w) {
    for (int i = 0; i < w->nqueues; i++)
        if (backlog_of(w->queues[i])) return false;
    return true;
}
static bool empty_or_help(void *ctx) { return all_empty(ctx) || can_help(ctx); }

// Reads the followers' progress only when the room known so far does not suffice.
static void make_room(Queue *q, size_t n) {
    if (q->written + n <= q->room_until) return;
    if (!has_room(q, n)) {
        tell_all(q->follow);
        while (!has_room(q, q->size / 2))
            if (!help_followers(q->follow)) bell_wait(&q->follow->room, SPINS, room_or_help, q);
    }
    q->room_until = atomic_load(&q->tail) + q->size;
}

// Reserves n contiguous bytes. If they do not fit before the ring's end, the rest of the ring is
// skipped. The caller ignores the result when the SM's thread has taken the block meanwhile
// (q->own).
static Record *reserve_record(Queue *q, size_t n) {
    const size_t left = q->size - (size_t)(q->written & (q->size - 1));
    if (left < n) {
        make_room(q, left);
        if (q->own) return NULL;
        *(Record *)(void *)(q->ring + (q->written & (q->size - 1))) =
            (Record){.bytes = (uint32_t)left, .op = OP_WRAP};
        q->written += left;
    }
    make_room(q, n);
    return (Record *)(void *)(q->ring + (q->written & (q->size - 1)));
}

// Prefetches the lines that are written soon, because a store to a line in another core's cache
// stalls all later stores.
static void prefetch_room(const Queue *q, size_t n) {
    for (size_t at = 0; at < n; at += LINE)
        __builtin_prefetch(q->ring + ((q->written + AHEAD + at) & (q->size - 1)), 1);
}

static size_t most_of(const Instance *x) {
    return sizeof(Record) + most_bytes(x->desc->in_size) + most_bytes(x->desc->out_size);
}

static void hand_over(Instance *x, Op op) {
    Follow *w = x->c->follow;
    Queue *q = w->of[x->number];
    if (q->own && !q->kept && is_due(w)) give_back(q);
    Record *r = q->own ? NULL : reserve_record(q, most_of(x));
    if (q->own) {
        call_shim(q, op, x->block.in, x->block.out, w->order++);
        q->helped++;
        return;
    }
    char *payload = (char *)(r + 1);
    const size_t in =
        op == OP_RESET ? 0 : pack_changes(payload, &q->in_lines, q->sent_in, x->block.in, q->known);
    const size_t out = op != OP_EVAL
        ? 0
        : pack_changes(payload + in, &q->out_lines, q->sent_out, x->block.out, q->known);
    // After a reset the last record does not match sent_in and sent_out: a reset drives its own
    // inputs. A clock edge that follows the reset without an evaluation has the same effect.
    q->known = op == OP_EVAL || (q->known && op == OP_TICK);
    *r = (Record){.bytes = (uint32_t)pad_size(sizeof *r + in + out),
                  .op = (uint8_t)op,
                  .in = in,
                  .out = out,
                  .order = w->order++};
    q->written += r->bytes;
    prefetch_room(q, r->bytes);
    if (q->written - atomic_load_explicit(&q->head, memory_order_relaxed) >= q->batch)
        tell_followers(q, false);
}

static void follow_eval(Block *block) {
    Instance *x = block->impl;
    times_lap(x->c, TIME_SM);
    x->desc->model->eval(x->golden, block->in, block->out);
    times_lap(x->c, TIME_MODEL);
    x->evals++;
    compare_count(x);
    compare_work(x);
    hand_over(x, OP_EVAL);
    times_lap(x->c, TIME_COMPARE);
}

static void follow_tick(Block *block) {
    Instance *x = block->impl;
    times_lap(x->c, TIME_SM);
    hand_over(x, OP_TICK);
    times_lap(x->c, TIME_COMPARE);
    x->desc->model->tick(x->golden, block->in);
    x->clocked++;
    times_lap(x->c, TIME_MODEL);
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

// ---- opening, looking, closing ------------------------------------------------------------------

// Memory in cache lines of its own, because the arena aligns blocks as large as a line.
static void *alloc_lines(Arena *arena, size_t n) {
    return arena_alloc(arena, (n / LINE + 1) * LINE);
}

static size_t queue_size(const Cosim *c, const Instance *x) {
    const size_t most = most_of(x);
    size_t size = c->options.queue ? ALIGN : LEAST_QUEUE;
    while (size < (c->options.queue ? c->options.queue : RECORDS * most) && size < MOST_QUEUE)
        size *= 2;
    while (size < 2 * most) size *= 2;
    return size;
}

static bool open_queue(Follow *w, Instance *x, Diag *d) {
    Arena *arena = w->c->arena;
    Queue *q = w->of[x->number] = w->queues[w->nqueues++] = alloc_lines(arena, sizeof *q);
    const size_t in_size = x->desc->in_size, out_size = x->desc->out_size;
    q->x = x, q->follow = w;
    q->kept = w->c->options.kept && !strcmp(w->c->options.kept, x->desc->name);
    q->in_lines = lines_of(arena, x, PORT_IN), q->out_lines = lines_of(arena, x, PORT_OUT);
    q->sent_in = alloc_lines(arena, in_size), q->sent_out = alloc_lines(arena, out_size);
    q->in = alloc_lines(arena, in_size), q->golden = alloc_lines(arena, out_size);
    q->room_until = q->size = queue_size(w->c, x);
    q->batch = q->size / BATCHES;
    q->last = -1;
    q->ring = aligned_alloc(LINE, q->size);
    x->block.ops = &follow_ops;
    return q->ring || diag_fail(d, EXIT_ENVIRONMENT, "--threads: no memory for the RTL's inputs");
}

bool follow_open(Cosim *c, int threads, Diag *d) {
    Follow *w = c->follow = ARENA_NEW(c->arena, Follow);
    w->c = c;
    bell_open(&w->work);
    bell_open(&w->room);
    for (int i = 0; i < c->nblocks; i++)
        if (c->blocks[i]->mode == BLOCK_LOCKSTEP && !open_queue(w, c->blocks[i], d)) return false;
    w->nfollowers = threads < w->nqueues ? threads : w->nqueues;
    w->followers = ARENA_ARRAY(c->arena, Follower, w->nfollowers);
    for (int i = 0; i < w->nfollowers; i++) {
        Follower *f = &w->followers[i];
        *f = (Follower){.follow = w, .number = i + 1};
        const int error = thread_begin(&f->thread, run_follower, f);
        if (error)
            return diag_fail(d, EXIT_ENVIRONMENT, "--threads: no thread for the RTL: %s",
                             strerror(error));
        f->begun = true;
    }
    return true;
}

void follow_drain(Cosim *c) {
    Follow *w = c->follow;
    tell_all(w);
    while (!all_empty(w))
        if (!help_followers(w)) bell_wait(&w->room, SPINS, empty_or_help, w);
}

void follow_look(Cosim *c) {
    Follow *w = c->follow;
    const Queue *first = NULL;
    if (!atomic_load_explicit(&w->found, memory_order_relaxed) || c->mismatched) return;
    follow_drain(c);
    for (int i = 0; i < w->nqueues; i++) {
        const Queue *q = w->queues[i];
        if (q->found && (!first || q->first_order < first->first_order)) first = q;
    }
    cosim_record(c, first->x, &first->first);
}

uint64_t follow_helped(const Cosim *c, const Instance *x) {
    const Queue *q = c->follow ? c->follow->of[x->number] : NULL;
    return q ? q->helped : 0;
}

void follow_close(Cosim *c) {
    Follow *w = c->follow;
    if (!w) return;
    atomic_store(&w->quit, true);
    bell_ring(&w->work);
    for (int i = 0; i < w->nfollowers; i++)
        if (w->followers[i].begun) pthread_join(w->followers[i].thread, NULL);
    for (int i = 0; i < w->nqueues; i++) free(w->queues[i]->ring);
    bell_close(&w->work);
    bell_close(&w->room);
    c->follow = NULL;
}
