// SPDX-License-Identifier: Apache-2.0
// The first steps with a long stimulus, on its records. The result is short or mostly idle, so that
// the shrinker can store it cycle by cycle.
#include "verify/shrink.h"

#include <stdlib.h>
#include <string.h>

typedef struct Coarse {
    Harness *h;
    const Stimulus *from;
    const Mismatch *want;
    // records before `first` are dropped; inputs of records before `idle` are 0
    size_t first, idle;
    size_t end;  // behind the record that fails
    const ShrinkLimits *limits;
    uint64_t runs, cycles;  // including the caller's
    void *in;
} Coarse;

static bool get_record(const Coarse *c, size_t i, size_t idle, void *in) {
    const bool reset = stimulus_get(c->from, i, in);
    if (i < idle) memset(in, 0, harness_desc(c->h)->in_size);
    return reset;
}

static size_t place_fault(const Coarse *c, size_t first) {
    if (c->from->fault == NO_FAULT) return NO_FAULT;
    return c->from->fault < first ? first : c->from->fault;
}

static bool replay_fails(Coarse *c, size_t first, size_t idle, size_t *end) {
    const size_t fault = place_fault(c, first);
    bool good = true;
    size_t i = first;
    harness_restart(c->h, c->from->start_seed);
    for (; good && i < c->end; i++) {
        const bool reset = get_record(c, i, idle, c->in);
        harness_fault(c->h, i == fault);
        good = harness_step(c->h, reset, c->in, NULL);
    }
    if (good && !strcmp(c->want->port, "state")) harness_compare_state(c->h, c->from->seed);
    c->runs++;
    c->cycles += i - first;
    *end = i;
    const Mismatch *m = harness_mismatch(c->h);
    return m && mismatch_same_place(m, c->want);
}

static bool is_exhausted(const Coarse *c) {
    return c->runs >= c->limits->runs || c->cycles >= c->limits->cycles || harness_stopped(c->h);
}

// The last record alone, then twice as many, ..
static void leave_out(Coarse *c) {
    size_t end;
    for (size_t n = 1; n < c->end && !is_exhausted(c); n *= 2)
        if (replay_fails(c, c->end - n, 0, &end)) {
            c->first = c->end - n, c->end = end;
            return;
        }
}

static void make_idle(Coarse *c) {
    size_t end;
    for (size_t n = 1; n < c->end - c->first && !is_exhausted(c); n *= 2)
        if (replay_fails(c, c->first, c->end - n, &end)) {
            c->idle = c->end - n, c->end = end;
            return;
        }
}

Stimulus *shrink_coarsely(Harness *h, const Stimulus *from, const Mismatch *want,
                          const ShrinkLimits *limits, uint64_t *runs, uint64_t *cycles) {
    Coarse c = {.h = h,
                .from = from,
                .want = want,
                .end = from->ncycles,
                .limits = limits,
                .runs = *runs,
                .cycles = *cycles,
                .in = calloc(1, harness_desc(h)->in_size)};
    panic_if(!c.in, "out of memory");
    leave_out(&c);
    make_idle(&c);
    Stimulus *s = stimulus_new(from->desc, from->params, from->seed);
    s->start_seed = from->start_seed;
    const size_t fault = place_fault(&c, c.first);
    for (size_t i = c.first; i < c.end; i++) {
        const bool reset = get_record(&c, i, c.idle, c.in);
        if (i == fault) s->fault = s->ncycles;
        stimulus_add(s, reset, c.in);
    }
    free(c.in);
    *runs = c.runs;
    *cycles = c.cycles;
    return s;
}
