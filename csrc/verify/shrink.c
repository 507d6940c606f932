// SPDX-License-Identifier: Apache-2.0
// The stimulus is held as a list of cycles, each a copy of the port struct. One round is
//   cycles -> data that no valid bit covers -> transactions and resets -> cycles -> values
// and rounds repeat until one of them drops nothing. A long stimulus is made mostly idle first
// (coarse.c). Its limit grows with its length. Only large pieces of it are dropped, because a fault
// that waits for a number of cycles requires all of them.
#include "verify/shrink.h"

#include <stdlib.h>
#include <string.h>

const ShrinkLimits shrink_automatic = {5000, 3000000};
const ShrinkLimits shrink_thorough = {100000, 50000000};

enum {
    LONG = 20000 /* cycles */,
    LONG_RUNS = 60 /* of the whole stimulus, at least */,
    LONG_PIECES = 16
};
#define MOST_BYTES ((size_t)512 << 20)

typedef struct Step {
    bool reset, fault;  // fault: the harness' fault begins at its clock edge
    char *in;
} Step;

typedef struct Shrinker {
    Harness *h;
    const Stimulus *shape;  // ports, for transactions; seeds
    const Mismatch *want;
    ShrinkLimits limits;
    size_t in_size;
    Step *steps, *trial;  // the best so far; a candidate, whose `in` are borrowed or in `edited`
    size_t nsteps, ntrial, cap;
    char *driven;  // inputs of a candidate as constrain left them
    Mismatch met;
    uint64_t runs, cycles;
    bool limited;  // a limit or the stop ended it
} Shrinker;

static void *alloc_zeroed(size_t bytes) {
    void *p = calloc(1, bytes ? bytes : 1);
    panic_if(!p, "out of memory");
    return p;
}

// ---- candidates --------------------------------------------------------------------------------

// Runs trial[0..n). Inputs as driven are left in s->driven, as many as were run.
static bool trial_fails(Shrinker *s, size_t n, size_t *used) {
    harness_restart(s->h, s->shape->start_seed);
    bool good = true;
    size_t i = 0;
    for (; good && i < n; i++) {
        char *in = s->driven + i * s->in_size;
        memcpy(in, s->trial[i].in, s->in_size);
        harness_fault(s->h, s->trial[i].fault);
        good = harness_step(s->h, s->trial[i].reset, in, NULL);
    }
    if (good && !strcmp(s->want->port, "state")) harness_compare_state(s->h, s->shape->seed);
    s->runs++;
    s->cycles += i + 1;
    *used = i;
    const Mismatch *m = harness_mismatch(s->h);
    if (!m || !mismatch_same_place(m, s->want)) return false;
    s->met = *m;
    return true;
}

static bool is_exhausted(Shrinker *s) {
    s->limited |=
        s->runs >= s->limits.runs || s->cycles >= s->limits.cycles || harness_stopped(s->h);
    return s->limited;
}

// The cost to reduce, most important first: transactions and resets, set bits, numbers of elements.
typedef struct Cost {
    uint64_t transactions, bits, places;
} Cost;

static void add_cost(const Shrinker *s, bool reset, const char *in, Cost *c) {
    c->transactions += (uint64_t)stimulus_transactions(s->shape, in) + reset;
    for (int i = 0; i < s->shape->nports; i++) {
        const Port *p = &s->shape->ports[i];
        for (int e = 0; p->dir == PORT_IN && e < p->count; e++) {
            const uint32_t *v = port_element(p, in, e);
            uint64_t bits = 0;
            for (int w = 0; w < p->words; w++) bits += (uint64_t)__builtin_popcount(v[w]);
            c->bits += bits;
            if (bits) c->places += (uint64_t)e;
            if (p->count == 1 && p->words == 1)
                for (uint32_t left = *v; left; left &= left - 1)
                    c->places += (uint64_t)__builtin_ctz(left);
        }
    }
}

static bool costs_less(const Cost *a, const Cost *b) {
    if (a->transactions != b->transactions) return a->transactions < b->transactions;
    return a->bits != b->bits ? a->bits < b->bits : a->places < b->places;
}

// Is the driven candidate cheaper than the best stimulus? For a long stimulus only the edited cycle
// is compared.
static bool is_smaller(const Shrinker *s, size_t used, size_t edited) {
    Cost now = {0}, then = {0};
    if (used < s->nsteps) return true;
    bool all = used <= 64;
    for (size_t i = all ? 0 : edited; i < (all ? used : edited + 1); i++) {
        add_cost(s, s->trial[i].reset, s->driven + i * s->in_size, &now);
        add_cost(s, s->steps[i].reset, s->steps[i].in, &then);
    }
    return costs_less(&now, &then);
}

enum { WHOLE = -1 };  // no single cycle was edited

// Accepts the candidate if it fails and is cheaper. The inputs as driven, up to the mismatch,
// become the best stimulus.
static bool try_trial(Shrinker *s, size_t n, ptrdiff_t edited) {
    size_t used;
    if (is_exhausted(s)) return false;
    if (!trial_fails(s, n, &used) || (edited != WHOLE && !is_smaller(s, used, (size_t)edited)))
        return false;
    // `steps` owns the buffers; the kept ones are moved to the front.
    for (size_t i = 0; i < used; i++) {
        memcpy(s->steps[i].in, s->driven + i * s->in_size, s->in_size);
        s->steps[i].reset = s->trial[i].reset, s->steps[i].fault = s->trial[i].fault;
    }
    s->nsteps = used;
    return true;
}

static void trial_as_best(Shrinker *s) {
    memcpy(s->trial, s->steps, s->nsteps * sizeof *s->trial);
    s->ntrial = s->nsteps;
}

// Without steps [from, to). A fault that began in these steps begins at the next step.
static bool try_without(Shrinker *s, size_t from, size_t to) {
    memcpy(s->trial, s->steps, from * sizeof *s->trial);
    memcpy(s->trial + from, s->steps + to, (s->nsteps - to) * sizeof *s->trial);
    for (size_t i = from; i < to && to < s->nsteps; i++) s->trial[from].fault |= s->steps[i].fault;
    // `driven` is copied back in order, so that a buffer read later is never overwritten too early.
    return try_trial(s, s->nsteps - (to - from), WHOLE);
}

// Tries other inputs in one cycle.
static bool try_edit(Shrinker *s, size_t i, bool reset, char *in) {
    trial_as_best(s);
    s->trial[i] = (Step){reset, s->steps[i].fault, in};
    return try_trial(s, s->ntrial, (ptrdiff_t)i);
}

// ---- cycles ------------------------------------------------------------------------------------

// The last few cycles alone, then twice as many, .. This is cheap, and the relevant cycles are
// mostly near the mismatch.
static void keep_suffix(Shrinker *s) {
    for (size_t n = 1; n < s->nsteps && !is_exhausted(s); n *= 2)
        if (try_without(s, 0, s->nsteps - n)) return;
}

// Drops pieces of decreasing size.
static bool drop_cycles(Shrinker *s) {
    bool any = false;
    const size_t least = s->nsteps > LONG ? s->nsteps / LONG_PIECES : 1;
    for (size_t piece = (s->nsteps + 1) / 2; piece >= least; piece /= 2) {
        for (size_t from = 0; from < s->nsteps && !is_exhausted(s);) {
            size_t to = from + piece < s->nsteps ? from + piece : s->nsteps;
            size_t before = s->nsteps;
            if (s->nsteps > 1 && try_without(s, from, to)) any = true;
            else from = to;
            if (s->nsteps < before && from > s->nsteps) from = s->nsteps;
        }
        if (piece == 1) break;
    }
    return any;
}

// ---- transactions ------------------------------------------------------------------------------

// Clears all data whose valid bit is 0, in all cycles at once, else cycle by cycle.
static bool drop_uncovered(Shrinker *s, char *scratch) {
    bool any = false;
    for (size_t i = 0; i < s->nsteps && !is_exhausted(s); i++) {
        memcpy(scratch, s->steps[i].in, s->in_size);
        stimulus_clear_ungated(s->shape, scratch);
        if (memcmp(scratch, s->steps[i].in, s->in_size))
            any |= try_edit(s, i, s->steps[i].reset, scratch);
    }
    return any;
}

static bool drop_uncovered_everywhere(Shrinker *s) {
    char *copies = alloc_zeroed(s->nsteps * s->in_size);
    trial_as_best(s);
    for (size_t i = 0; i < s->nsteps; i++) {
        char *in = copies + i * s->in_size;
        memcpy(in, s->steps[i].in, s->in_size);
        stimulus_clear_ungated(s->shape, in);
        s->trial[i].in = in;
    }
    bool ok = try_trial(s, s->ntrial, WHOLE);
    free(copies);
    return ok;
}

static uint32_t *element_at(const Port *p, char *in, int e) {
    return (uint32_t *)port_element(p, in, e);
}

// Drops bits of valid ports, all of a cycle, then one by one. Drops resets.
static bool drop_transactions(Shrinker *s, char *scratch) {
    int valid[BLOCK_MAX_PORTS], n = verify_valid_ports(s->shape->ports, s->shape->nports, valid);
    bool any = false;
    for (size_t i = 0; i < s->nsteps && !is_exhausted(s); i++) {
        if (s->steps[i].reset) {
            memcpy(scratch, s->steps[i].in, s->in_size);
            any |= try_edit(s, i, false, scratch);
        }
        for (int v = 0; v < n && i < s->nsteps; v++) {
            const Port *p = &s->shape->ports[valid[v]];
            for (uint32_t left = *element_at(p, s->steps[i].in, 0); left; left &= left - 1) {
                memcpy(scratch, s->steps[i].in, s->in_size);
                *element_at(p, scratch, 0) &= ~(left & -left);
                stimulus_clear_ungated(s->shape, scratch);
                any |= try_edit(s, i, s->steps[i].reset, scratch);
                if (i >= s->nsteps) break;
                left &= *element_at(p, s->steps[i].in, 0) | (left & -left);
            }
        }
    }
    return any;
}

// Moves bit `from` of a valid port with its data to bit `to`.
static void move_transaction(const Shrinker *s, int valid, int from, int to, char *in) {
    const Port *v = &s->shape->ports[valid];
    for (int i = 0; i < s->shape->nports; i++) {
        const Port *p = &s->shape->ports[i];
        if (p->dir != PORT_IN || p->gate != valid || p->count % v->width) continue;
        size_t per = (size_t)(p->count / v->width) * (size_t)p->words;
        uint32_t *data = element_at(p, in, 0);
        memcpy(data + per * (size_t)to, data + per * (size_t)from, per * sizeof *data);
        memset(data + per * (size_t)from, 0, per * sizeof *data);
    }
    *element_at(v, in, 0) = (*element_at(v, in, 0) & ~(1u << from)) | 1u << to;
}

// Lower numbers are easier to read: port 0 instead of port 13.
static bool lower_transactions(Shrinker *s, char *scratch) {
    int valid[BLOCK_MAX_PORTS], n = verify_valid_ports(s->shape->ports, s->shape->nports, valid);
    bool any = false;
    for (size_t i = 0; i < s->nsteps; i++)
        for (int v = 0; v < n && i < s->nsteps; v++)
            for (int from = 1; from < 32 && i < s->nsteps && !is_exhausted(s); from++) {
                uint32_t bits = *element_at(&s->shape->ports[valid[v]], s->steps[i].in, 0);
                if (!(bits >> from & 1)) continue;
                const int to = __builtin_ctz(~bits);
                if (to > from) continue;
                memcpy(scratch, s->steps[i].in, s->in_size);
                move_transaction(s, valid[v], from, to, scratch);
                any |= try_edit(s, i, s->steps[i].reset, scratch);
            }
    return any;
}

// ---- values ------------------------------------------------------------------------------------

static bool is_zero(const uint32_t *v, int words) {
    uint32_t any = 0;
    for (int i = 0; i < words; i++) any |= v[i];
    return !any;
}

static int highest_bit(const uint32_t *v, int words) {
    for (int i = words - 1; i >= 0; i--)
        if (v[i]) return 32 * i + 31 - __builtin_clz(v[i]);
    return -1;
}

// Clears runs of `span` bits of one element.
static bool clear_bits(Shrinker *s, size_t i, const Port *p, int e, int span, char *scratch) {
    bool any = false;
    for (int from = 0; i < s->nsteps &&
         from <= highest_bit(element_at(p, s->steps[i].in, e), p->words) && !is_exhausted(s);
         from += span) {
        memcpy(scratch, s->steps[i].in, s->in_size);
        uint32_t *v = element_at(p, scratch, e);
        bool changes = false;
        for (int b = from; b < from + span && b < 32 * p->words; b++) {
            changes |= v[b / 32] >> (b % 32) & 1;
            v[b / 32] &= ~(1u << (b % 32));
        }
        if (changes) any |= try_edit(s, i, s->steps[i].reset, scratch);
    }
    return any;
}

// Clears all of an element, then halves, quarters, .. of it, down to single bits.
static bool simplify_element(Shrinker *s, size_t i, const Port *p, int e, char *scratch) {
    if (is_zero(element_at(p, s->steps[i].in, e), p->words)) return false;
    memcpy(scratch, s->steps[i].in, s->in_size);
    memset(element_at(p, scratch, e), 0, sizeof(uint32_t) * (size_t)p->words);
    if (try_edit(s, i, s->steps[i].reset, scratch)) return true;
    bool any = false;
    int bits = p->words == 1 ? p->width : 1024;
    for (int span = (bits + 1) / 2; span >= 1 && i < s->nsteps; span /= 2)
        any |= clear_bits(s, i, p, e, span, scratch);
    return any;
}

static bool simplify_values(Shrinker *s, char *scratch) {
    bool any = false;
    for (size_t i = 0; i < s->nsteps && !is_exhausted(s); i++)
        for (int p = 0; p < s->shape->nports && i < s->nsteps; p++) {
            const Port *port = &s->shape->ports[p];
            for (int e = 0;
                 port->dir == PORT_IN && e < port->count && i < s->nsteps && !is_exhausted(s); e++)
                any |= simplify_element(s, i, port, e, scratch);
        }
    return any;
}

// ---- all together ------------------------------------------------------------------------------

static size_t count_transactions(const Stimulus *s) {
    size_t n = 0;
    void *in = alloc_zeroed(s->desc->in_size);
    for (size_t i = 0; i < s->ncycles; i++) {
        stimulus_get(s, i, in);
        n += (size_t)stimulus_transactions(s, in);
    }
    free(in);
    return n;
}

static void run_passes(Shrinker *s) {
    char *scratch = alloc_zeroed(s->in_size);
    keep_suffix(s);
    for (bool again = true; again && !is_exhausted(s);) {
        again = drop_cycles(s);
        if (!drop_uncovered_everywhere(s)) drop_uncovered(s, scratch);
        if (drop_transactions(s, scratch)) again |= drop_cycles(s), again = true;
        again |= lower_transactions(s, scratch);
        again |= simplify_values(s, scratch);
    }
    free(scratch);
}

static void open_steps(Shrinker *s, const Stimulus *from) {
    s->cap = s->nsteps = from->ncycles;
    s->steps = alloc_zeroed(s->cap * sizeof *s->steps);
    s->trial = alloc_zeroed(s->cap * sizeof *s->trial);
    s->driven = alloc_zeroed(s->cap * s->in_size);
    for (size_t i = 0; i < s->nsteps; i++) {
        s->steps[i].in = alloc_zeroed(s->in_size);
        s->steps[i].reset = stimulus_get(from, i, s->steps[i].in);
        s->steps[i].fault = i == from->fault;
    }
}

static void close_steps(Shrinker *s) {
    for (size_t i = 0; i < s->cap; i++) free(s->steps[i].in);
    free(s->steps);
    free(s->trial);
    free(s->driven);
}

static Stimulus *shrink_steps(Shrinker *s, const Stimulus *from) {
    open_steps(s, from);
    trial_as_best(s);
    try_trial(s, s->ntrial, WHOLE);  // up to the mismatch, as it was driven
    run_passes(s);
    Stimulus *best = stimulus_new(harness_desc(s->h), harness_params(s->h), from->seed);
    best->start_seed = from->start_seed;
    for (size_t i = 0; i < s->nsteps; i++) {
        if (s->steps[i].fault) best->fault = i;
        stimulus_add(best, s->steps[i].reset, s->steps[i].in);
    }
    close_steps(s);
    return best;
}

// NULL: the stimulus no longer fails.
static Stimulus *shrink_from(Shrinker *s, const Stimulus *from) {
    if (from->ncycles <= LONG) return shrink_steps(s, from);
    if (s->limits.cycles < LONG_RUNS * from->ncycles) s->limits.cycles = LONG_RUNS * from->ncycles;
    Stimulus *coarse = shrink_coarsely(s->h, from, s->want, &s->limits, &s->runs, &s->cycles);
    if (coarse->ncycles > MOST_BYTES / (2 * s->in_size)) {
        const Mismatch *met = verify_run_stimulus(s->h, coarse);
        s->limited = true;
        if (met && mismatch_same_place(met, s->want)) return s->met = *met, coarse;
        stimulus_free(coarse);
        return NULL;
    }
    Stimulus *best = shrink_steps(s, coarse);
    stimulus_free(coarse);
    return best;
}

static bool not_failing(const Mismatch *want, const Mismatch *met, Diag *d) {
    return diag_fail(d, EXIT_NONDETERMINISTIC,
                     "the recorded stimulus does not fail at port %s of block %s: it %s%s",
                     want ? want->port : "(any)", want ? want->block : "(any)",
                     met ? "fails at " : "passes", met ? met->port : "");
}

// Does the stimulus fail at the same place if all start values are 0? The failure then has another
// cause than a missing reset. *zero shares the records of `from`.
static bool fails_from_zero(Harness *h, const Stimulus *from, const Mismatch *want, Stimulus *zero,
                            Mismatch *met) {
    *zero = *from;
    zero->start_seed = 0;
    const Mismatch *m = from->start_seed ? verify_run_stimulus(h, zero) : NULL;
    if (!m || !mismatch_same_place(m, want)) return false;
    *met = *m;
    return true;
}

bool shrink_stimulus(Harness *h, const Stimulus *from, const Mismatch *want,
                     const ShrinkLimits *limits, ShrinkResult *r, Diag *d) {
    Stimulus zero;
    const Mismatch *met = verify_run_stimulus(h, from);
    *r = (ShrinkResult){0};
    if (!met || (want && !mismatch_same_place(met, want))) return not_failing(want, met, d);
    Mismatch first = want ? *want : *met, now = *met;
    if (fails_from_zero(h, from, &first, &zero, &now)) from = &zero;
    Shrinker s = {.h = h,
                  .shape = from,
                  .want = &first,
                  .limits = *limits,
                  .in_size = harness_desc(h)->in_size,
                  .met = now};
    r->cycles_before = from->ncycles;
    r->transactions_before = count_transactions(from);
    if (!(r->stimulus = shrink_from(&s, from))) return not_failing(&first, NULL, d);
    r->cycles = r->stimulus->ncycles;
    r->transactions = count_transactions(r->stimulus);
    r->runs = s.runs;
    r->complete = !s.limited;
    r->mismatch = s.met;
    return true;
}
