// SPDX-License-Identifier: Apache-2.0
// Followers: threads that evaluate and compare the RTL behind the SM.
//
// The SM's thread evaluates the golden models only. What it drives and what the model answered go into the ring buffer
// of the block's follower, in order: one producer, one consumer. A follower that meets a difference keeps it with the
// number of the evaluation and discards what comes after; the others go on, so that the first of all is found.
//
// A cache line that one core writes and the other reads costs as much as a hundred instructions. So only those lines of
// inputs and outputs travel that changed, each side tells its progress once per BATCH bytes, and what one side
// writes in each cycle lies in no line that the other reads.
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
    RING = 1 << 18,        // bytes; a power of two; it stays in the second cache of a core
    BATCH = 1 << 15,       // bytes after which a side tells how far it is
    LINE = 64,             // bytes of a cache line
    AHEAD = 1 << 12,       // bytes of the ring that the SM's thread asks for before it writes them
    SPINS = 2000,          // looks at the other side before a thread sleeps
    ALIGN = 16,
};

typedef enum Op { OP_EVAL, OP_TICK, OP_RESET, OP_RESET_DRIVEN, OP_WRAP } Op;

// One call of the RTL. Behind it, in the ring: what changed of the inputs and of the golden outputs (pack_changes).
typedef struct Record {
    uint32_t bytes;        // with what is behind it
    uint8_t op, block;     // block: of c->blocks
    bool in, out;
    uint64_t order;        // number of the evaluation
} Record;

// The lines of a structure of ports that travel, a bit per line in words of 64 bits: those with an element of a port in
// this shape. Rows of 1024 bits that are compared where a valid bit is set travel where it is set.
typedef struct Gate { size_t offset; int count; uint64_t *masks; } Gate;  // valid port; masks: [element][word]
typedef struct Lines {
    size_t bytes;          // of the structure
    int words;
    uint64_t *always;
    Gate *gates;
    int ngates;
} Lines;

// A block's inputs and golden outputs, as the SM's thread handed them over last.
typedef struct Sent { Lines in_lines, out_lines; char *in, *out; bool known; } Sent;
// The same as the follower has them, and what it works with.
typedef struct Taken { char *in, *golden; const ShimApi *shim; void *rtl; size_t in_size, out_size; } Taken;

typedef struct Follower {
    Cosim *c;
    pthread_t thread;
    bool started;
    char *ring;
    Taken *blocks;                   // by number; of its own only
    pthread_mutex_t mutex;
    pthread_cond_t moved;
    _Atomic bool quit, found, consumer_sleeps, producer_sleeps;
    Mismatch first;                  // valid when `found`
    Instance *first_block;
    uint64_t first_order;
    char apart1[LINE];
    uint64_t written, room_until;    // the SM's thread: bytes written, and how far there is room for sure
    _Atomic uint64_t head;           // of these told to the follower
    char apart2[LINE];
    _Atomic uint64_t tail;           // bytes that the follower has read
    char apart3[LINE];
} Follower;

struct Follow {
    Follower *followers;
    int n;
    Follower *of[COSIM_MAX_BLOCKS];  // NULL: not in lockstep
    Sent sent[COSIM_MAX_BLOCKS];
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

static bool has_room(const Follower *f, size_t n) { return atomic_load(&f->tail) + RING >= f->written + n; }
static bool is_empty(const Follower *f, size_t n) { return (void)n, atomic_load(&f->head) == atomic_load(&f->tail); }
static bool has_work(const Follower *f, size_t n) { return !is_empty(f, n) || atomic_load(&f->quit); }

// ---- what changed ----------------------------------------------------------------------------------
//
// A bit per line of a structure, in words of 64 bits, then the lines whose bits are set.

static size_t mask_words(size_t n) { return (n + LINE * 64 - 1) / (LINE * 64); }
static size_t most_bytes(size_t n) { return 8 * mask_words(n) + padded(n) + LINE; }

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
        *g = (Gate){x->ports[p->valid].offset, p->count, ARENA_ARRAY(arena, uint64_t, p->count * l.words)};
        for (int e = 0; e < p->count; e++)
            set_lines(g->masks + e * l.words, p->offset + size * (size_t)e, p->offset + size * (size_t)(e + 1));
    }
    return l;
}

// The lines that travel with these values.
static uint64_t wanted_lines(const Lines *l, const char *now, int word) {
    uint64_t wanted = l->always[word];
    for (int i = 0; i < l->ngates; i++) {
        const Gate *g = &l->gates[i];
        uint32_t valid;
        memcpy(&valid, now + g->offset, sizeof valid);
        valid &= UINT32_MAX >> (32 - g->count);
        for (; valid; valid &= valid - 1) wanted |= g->masks[__builtin_ctz(valid) * l->words + word];
    }
    return wanted;
}

static bool same_line(const char *a, const char *b) {
    uint64_t x[LINE / 8], y[LINE / 8], d = 0;
    memcpy(x, a, LINE), memcpy(y, b, LINE);
    for (int i = 0; i < LINE / 8; i++) d |= x[i] ^ y[i];
    return d == 0;
}

// The last line may be cut short. Written so that whole lines are copied by a few instructions.
static void copy_line(char *to, const char *from, size_t size) {
    if (size >= LINE) memcpy(to, from, LINE);
    else for (size_t i = 0; i < size; i++) to[i] = from[i];
}

// Keeps in `last` what is new in `now` and writes it to `to`. Returns the bytes written, 0 when nothing is new.
// known: `last` holds what was handed over.
static size_t pack_changes(char *to, const Lines *l, char *last, const char *now, bool known) {
    char *first = to + 8 * l->words, *p = first;
    for (int w = 0; w < l->words; w++) {
        uint64_t fresh = 0;
        for (uint64_t left = wanted_lines(l, now, w); left; left &= left - 1) {
            const size_t at = LINE * (64 * (size_t)w + (size_t)__builtin_ctzll(left));
            const size_t size = l->bytes - at;
            if (known && (size >= LINE ? same_line(last + at, now + at) : !memcmp(last + at, now + at, size))) continue;
            fresh |= left & -left;
            copy_line(last + at, now + at, size);
            copy_line(p, now + at, size);
            p += LINE;
        }
        memcpy(to + 8 * w, &fresh, sizeof fresh);
    }
    return p == first ? 0 : (size_t)(p - to);
}

// Takes over what pack_changes wrote; returns what is behind it.
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

// ---- the follower --------------------------------------------------------------------------------

static void compare(Follower *f, const Taken *b, const Record *r) {
    if (b->shim->same(b->rtl, b->golden)) return;
    Instance *x = f->c->blocks[r->block];
    b->shim->read(b->rtl, x->rtl_out);
    panic_if(compare_ports(x->desc->name, x->ports, x->nports, b->golden, x->rtl_out, &f->first),
             "%s: outputs differ but no port does", x->desc->name);
    f->first_block = x, f->first_order = r->order;
    atomic_store(&f->found, true);
}

static void perform(Follower *f, const Record *r) {
    const Taken *b = &f->blocks[r->block];
    const char *payload = (const char *)(r + 1);
    if (r->in) payload = unpack_changes(b->in, payload, b->in_size);
    if (r->out) unpack_changes(b->golden, payload, b->out_size);
    const char *in = r->in ? b->in : NULL;
    switch ((Op)r->op) {
    case OP_EVAL:
        b->shim->eval(b->rtl, in);
        compare(f, b, r);
        break;
    case OP_TICK: b->shim->tick(b->rtl, in); break;
    case OP_RESET: b->shim->reset(b->rtl); break;
    case OP_RESET_DRIVEN:
        b->shim->eval(b->rtl, in);
        b->shim->reset(b->rtl);
        break;
    case OP_WRAP: break;
    }
}

static void *work(void *ctx) {
    Follower *f = ctx;
    uint64_t tail = atomic_load(&f->tail), told = tail;
    for (;;) {
        wait_until(f, &f->consumer_sleeps, has_work, 0);
        const uint64_t head = atomic_load(&f->head);
        if (head == tail) return NULL;  // only `quit` is left
        while (tail != head) {
            const Record *r = (const Record *)(const void *)(f->ring + (tail & (RING - 1)));
            if (!atomic_load_explicit(&f->found, memory_order_relaxed)) perform(f, r);
            tail += r->bytes;
            if (tail != head && tail - told < BATCH) continue;
            atomic_store(&f->tail, told = tail);
            if (atomic_load(&f->head) - tail <= RING / 2) wake(f, &f->producer_sleeps);
        }
    }
}

// ---- the SM's thread -----------------------------------------------------------------------------

// A follower that sleeps is not woken for little: waking takes longer than the work does.
static void tell(Follower *f, bool all) {
    atomic_store(&f->head, f->written);
    if (all || f->written - atomic_load(&f->tail) >= RING / 4) wake(f, &f->consumer_sleeps);
}

// The other side's progress is looked at only when what is known of it does not suffice.
static void make_room(Follower *f, size_t n) {
    if (f->written + n <= f->room_until) return;
    if (!has_room(f, n)) {
        tell(f, true);
        wait_until(f, &f->producer_sleeps, has_room, RING / 2);
    }
    f->room_until = atomic_load(&f->tail) + RING;
}

// Room for n bytes in one piece; what is left before the ring's end is skipped.
static Record *reserve(Follower *f, size_t n) {
    const size_t left = RING - (size_t)(f->written & (RING - 1));
    if (left < n) {
        make_room(f, left);
        *(Record *)(void *)(f->ring + (f->written & (RING - 1))) = (Record){.bytes = (uint32_t)left, .op = OP_WRAP};
        f->written += left;
    }
    make_room(f, n);
    return (Record *)(void *)(f->ring + (f->written & (RING - 1)));
}

// Lines that are written soon are asked for now: a store to a line that the other core has keeps all stores waiting.
static void prefetch_room(const Follower *f, size_t n) {
    for (size_t at = 0; at < n; at += LINE) __builtin_prefetch(f->ring + ((f->written + AHEAD + at) & (RING - 1)), 1);
}

static void hand_over(Instance *x, Op op) {
    Follow *w = x->c->follow;
    Follower *f = w->of[x->number];
    Sent *b = &w->sent[x->number];
    const size_t most = sizeof(Record) + most_bytes(x->desc->in_size) + most_bytes(x->desc->out_size);
    panic_if(most > RING / 2, "%s: its ports do not fit into the ring", x->desc->name);
    Record *r = reserve(f, most);
    char *payload = (char *)(r + 1);
    const size_t in = op == OP_RESET ? 0 : pack_changes(payload, &b->in_lines, b->in, x->block.in, b->known);
    const size_t out = op != OP_EVAL ? 0 : pack_changes(payload + in, &b->out_lines, b->out, x->block.out, b->known);
    // A reset drives what it likes, and a clock edge without an evaluation before it shows no outputs.
    b->known = op == OP_EVAL || (b->known && op == OP_TICK);
    *r = (Record){.bytes = (uint32_t)padded(sizeof *r + in + out), .op = (uint8_t)op, .block = (uint8_t)x->number,
                  .in = in, .out = out, .order = w->order++};
    f->written += r->bytes;
    prefetch_room(f, r->bytes);
    if (f->written - atomic_load_explicit(&f->head, memory_order_relaxed) >= BATCH) tell(f, false);
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
    f->ring = aligned_alloc(LINE, RING);
    f->room_until = RING;
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

// Memory in cache lines of its own: the arena aligns what is as large as a line.
static void *lines(Arena *arena, size_t n) { return arena_alloc(arena, (n / LINE + 1) * LINE); }

bool follow_open(Cosim *c, int threads, Diag *d) {
    Follow *w = c->follow = ARENA_NEW(c->arena, Follow);
    size_t load[COSIM_MAX_BLOCKS] = {0};
    for (int i = 0; i < c->nblocks; i++) w->n += c->blocks[i]->mode == BLOCK_LOCKSTEP && w->n < threads;
    w->followers = ARENA_ARRAY(c->arena, Follower, w->n);
    for (int i = 0; i < w->n; i++) w->followers[i].blocks = lines(c->arena, sizeof(Taken) * COSIM_MAX_BLOCKS);
    for (int i; (i = widest(c)) >= 0;) {
        Instance *x = c->blocks[i];
        const size_t in_size = x->desc->in_size, out_size = x->desc->out_size;
        w->of[i] = least(w, load);
        load[w->of[i] - w->followers] += in_size + out_size;
        w->sent[i] = (Sent){lines_of(c->arena, x, PORT_IN), lines_of(c->arena, x, PORT_OUT), lines(c->arena, in_size),
                            lines(c->arena, out_size), false};
        w->of[i]->blocks[i] = (Taken){lines(c->arena, in_size), lines(c->arena, out_size), x->shim, x->rtl, in_size,
                                      out_size};
        x->block.ops = &follow_ops;
    }
    for (int i = 0; i < w->n; i++)
        if (!start(&w->followers[i], c, d)) return false;
    return true;
}

void follow_drain(Cosim *c) {
    Follow *w = c->follow;
    for (int i = 0; i < w->n; i++) tell(&w->followers[i], true);
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
            tell(f, true);
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
