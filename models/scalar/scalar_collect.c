// SPDX-License-Identifier: Apache-2.0
// Golden model of scalar_collect: a list of instructions, oldest first. Each has a list of words
// that are needed, in flight or present.
#include "models/params.h"
#include "models/scalar/scalar_collect.h"

#include <stdlib.h>
#include <string.h>

enum { SCALAR_COLLECT_PARAMS(BLOCK_INDEX) PARAMS };

typedef enum WordState { UNUSED, WANTED, ON_ITS_WAY, THERE } WordState;

typedef struct Waiting {
    uint32_t context;
    WordState state[SC_NEED];
    uint32_t word[SC_NEED];  // its address; its value after arrival
} Waiting;

typedef struct Collect {
    int params[PARAMS];
    struct {
        uint32_t base, count;
    } place[SC_MAX_THREADS];
    int n;
    Waiting queue[SC_MAX_SLOTS];
} Collect;

static void collect_reset(void *self) {
    Collect *c = self;
    memset(c->place, 0, sizeof c->place);
    c->n = 0;
}

static void *collect_open(const int *params) {
    Collect *c = calloc(1, sizeof *c);
    if (!c) abort();
    memcpy(c->params, params, sizeof c->params);
    return c;
}

static bool complete(const Waiting *w) {
    for (int k = 0; k < SC_NEED; k++)
        if (w->state[k] == WANTED || w->state[k] == ON_ITS_WAY) return false;
    return true;
}

// The word that the bank reads next or, with ON_ITS_WAY, the requested word; its instruction, or
// NULL.
static Waiting *first_in(Collect *c, uint32_t bank, WordState state, int *k) {
    for (int i = 0; i < c->n; i++)
        for (*k = 0; *k < SC_NEED; ++*k)
            if (c->queue[i].state[*k] == state && c->queue[i].word[*k] % SC_BANKS == bank)
                return &c->queue[i];
    return NULL;
}

static bool outside(const Collect *c, const ScalarCollectIn *in) {
    for (int k = 0; k < SC_NEED; k++)
        if ((in->alloc_need[0] >> k & 1) && in->alloc_reg[k] >= c->place[in->alloc_ctx[0]].count)
            return true;
    return false;
}

static bool arrives(const Collect *c, const ScalarCollectIn *in) {
    return in->en[0] && in->alloc_valid[0] && c->n < c->params[P_Slots];
}

static void collect_eval(void *self, const void *vin, void *vout) {
    Collect *c = self;
    const ScalarCollectIn *in = vin;
    ScalarCollectOut *out = vout;
    out->alloc_ready[0] = c->n < c->params[P_Slots];
    out->error[0] = arrives(c, in) && outside(c, in);
    out->rd_valid[0] = out->disp_valid[0] = out->disp_need[0] = 0;
    for (uint32_t b = 0; b < SC_BANKS; b++) {
        int k;
        const Waiting *w = first_in(c, b, WANTED, &k);
        if (!w) continue;
        out->rd_valid[0] |= 1u << b;
        out->rd_addr[b] = w->word[k] / SC_BANKS;
    }
    if (c->n == 0 || !complete(&c->queue[0])) return;
    out->disp_valid[0] = 1;
    out->disp_ctx[0] = c->queue[0].context;
    for (int k = 0; k < SC_NEED; k++) {
        if (c->queue[0].state[k] != THERE) continue;
        out->disp_need[0] |= 1u << k;
        out->disp_data[k] = c->queue[0].word[k];
    }
}

static Waiting enter(const Collect *c, const ScalarCollectIn *in) {
    Waiting w = {.context = in->alloc_ctx[0]};
    for (int k = 0; k < SC_NEED; k++) {
        if (!(in->alloc_need[0] >> k & 1)) continue;
        w.state[k] = WANTED;
        w.word[k] = c->place[w.context].base + in->alloc_reg[k];
    }
    return w;
}

static void collect_tick(void *self, const void *vin) {
    Collect *c = self;
    const ScalarCollectIn *in = vin;
    if (in->en[0]) {
        const bool more = arrives(c, in) && !outside(c, in);
        const Waiting next = more ? enter(c, in) : (Waiting){0};
        const bool leaves = c->n > 0 && complete(&c->queue[0]) && in->disp_ready[0];
        for (uint32_t b = 0; b < SC_BANKS; b++) {
            int k, asked;
            Waiting *w = first_in(c, b, ON_ITS_WAY, &k), *to = first_in(c, b, WANTED, &asked);
            if (w && (in->rd_data_valid[0] >> b & 1))
                w->state[k] = THERE, w->word[k] = in->rd_data[b];
            if (to) to->state[asked] = ON_ITS_WAY;
        }
        if (leaves) memmove(&c->queue[0], &c->queue[1], (size_t)--c->n * sizeof c->queue[0]);
        if (more) c->queue[c->n++] = next;
    }
    if (in->start_valid[0]) {
        c->place[in->start_ctx[0]].base = in->start_base[0];
        c->place[in->start_ctx[0]].count = in->start_count[0];
    }
}

static uint32_t collect_obs_count(void *self) {
    const Collect *c = self;
    return (uint32_t)(c->params[P_Threads] + c->params[P_Slots]);
}

static void collect_observe(void *self, uint32_t addr, uint32_t *words) {
    const Collect *c = self;
    memset(words, 0, 10 * sizeof *words);
    if (addr >= BLOCK_OBS_PARAM) {
        if (addr - BLOCK_OBS_PARAM < PARAMS) words[0] = (uint32_t)c->params[addr - BLOCK_OBS_PARAM];
        return;
    }
    if (addr < (uint32_t)c->params[P_Threads]) {
        words[0] = c->place[addr].base | c->place[addr].count << 16;
        return;
    }
    const int i = (int)addr - c->params[P_Threads];
    if (i >= c->n) return;
    const Waiting *w = &c->queue[i];
    words[0] = 1, words[1] = w->context;
    for (int k = 0; k < SC_NEED; k++) {
        if (w->state[k] == UNUSED) continue;
        words[0] |= 2u << k;
        if (w->state[k] != WANTED) words[0] |= 1u << (9 + k);
        if (w->state[k] == THERE) words[0] |= 1u << (17 + k);
        words[2 + k] = w->word[k];
    }
}

const BlockModel scalar_collect_model = {.name = "scalar_collect",
                                         .open = collect_open,
                                         .close = free,
                                         .reset = collect_reset,
                                         .eval = collect_eval,
                                         .tick = collect_tick,
                                         .obs_count = collect_obs_count,
                                         .observe = collect_observe,
                                         .obs_words = 10};
