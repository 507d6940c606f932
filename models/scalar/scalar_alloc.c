// SPDX-License-Identifier: Apache-2.0
// Golden model of scalar_alloc (contract: scalar_alloc.h): a list of the threads that run. A word
// is taken when a thread's registers cover it; there are no maps of parts.
#include "models/params.h"
#include "models/scalar/scalar_alloc.h"

#include <stdlib.h>

enum { SCALAR_ALLOC_PARAMS(BLOCK_INDEX) PARAMS };

typedef struct Thread {
    bool runs;
    int unit, first;  // its registers are first .. first + length - 1
} Thread;

typedef struct Threads {
    int params[PARAMS];
    int length, parts;
    Thread of[SA_MAX_THREADS];
} Threads;

static void threads_reset(void *self) {
    Threads *t = self;
    t->length = t->parts = 0;
    for (int c = 0; c < SA_MAX_THREADS; c++) t->of[c].runs = false;
}

static void *threads_open(const int *params) {
    Threads *t = calloc(1, sizeof *t);
    if (!t) abort();
    for (int i = 0; i < PARAMS; i++) t->params[i] = params[i];
    return t;
}

static bool covered(const Threads *t, int unit, int word) {
    for (int c = 0; c < t->params[P_Threads]; c++) {
        const Thread *x = &t->of[c];
        if (x->runs && x->unit == unit && word >= x->first && word < x->first + t->length)
            return true;
    }
    return false;
}

// The lowest word from which a thread's registers are free on this unit; -1: none.
static int room(const Threads *t, int unit) {
    for (int word = 0; word < t->parts * t->length; word += t->length)
        if (!covered(t, unit, word)) return word;
    return -1;
}

static int free_context(const Threads *t) {
    for (int c = 0; c < t->params[P_Threads]; c++)
        if (!t->of[c].runs) return c;
    return -1;
}

static bool place(const Threads *t, const ScalarAllocIn *in, int *context, int *first) {
    if (in->cfg_valid[0] || !in->start_valid[0]) return false;
    *context = free_context(t), *first = room(t, (int)in->start_unit[0]);
    return *context >= 0 && *first >= 0;
}

static void threads_eval(void *self, const void *vin, void *vout) {
    const Threads *t = self;
    ScalarAllocOut *out = vout;
    int context, first;
    out->ready[0] = 0;
    for (int u = 0; u < t->params[P_Units]; u++)
        if (free_context(t) >= 0 && room(t, u) >= 0) out->ready[0] |= 1u << u;
    out->start_grant[0] = place(t, vin, &context, &first);
    if (!out->start_grant[0]) return;
    out->start_ctx[0] = (uint32_t)context;
    out->start_base[0] = (uint32_t)first;
}

static void threads_tick(void *self, const void *vin) {
    Threads *t = self;
    const ScalarAllocIn *in = vin;
    int context, first;
    const bool starts = place(t, in, &context, &first);
    if (in->cfg_valid[0]) {
        threads_reset(t);
        t->length = (int)in->cfg_words[0], t->parts = (int)in->cfg_parts[0];
        return;
    }
    for (int c = 0; c < t->params[P_Threads]; c++)
        if (in->end_mask[c]) t->of[c].runs = false;
    if (starts) t->of[context] = (Thread){true, (int)in->start_unit[0], first};
}

static uint32_t threads_obs_count(void *self) {
    return 2u + (uint32_t)((Threads *)self)->params[P_Threads];
}

static void threads_observe(void *self, uint32_t addr, uint32_t *words) {
    const Threads *t = self;
    words[0] = 0;
    if (addr >= BLOCK_OBS_PARAM) {
        if (addr - BLOCK_OBS_PARAM < PARAMS) words[0] = (uint32_t)t->params[addr - BLOCK_OBS_PARAM];
    } else if (addr < 2) {
        words[0] = (uint32_t)(addr ? t->parts : t->length);
    } else if (t->of[addr - 2].runs) {
        const Thread *x = &t->of[addr - 2];
        words[0] = 1u | (uint32_t)(x->first / t->length) << 1 | (uint32_t)x->unit << 9;
    }
}

const BlockModel scalar_alloc_model = {.name = "scalar_alloc",
                                       .open = threads_open,
                                       .close = free,
                                       .reset = threads_reset,
                                       .eval = threads_eval,
                                       .tick = threads_tick,
                                       .obs_count = threads_obs_count,
                                       .observe = threads_observe,
                                       .obs_words = 1};
