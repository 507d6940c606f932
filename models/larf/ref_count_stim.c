// SPDX-License-Identifier: Apache-2.0
// Stimuli of ref_count: registers are allocated until none is left. One of them is shared until its
// count is full, at any width of the count. Mappings end in bursts. A table answers releases late.
// Look-ups hit registers whose release is in flight.
#include "models/larf/ref_count.h"

#include "models/params.h"
#include "models/stim_bins.h"

#include <stdlib.h>

enum { REF_COUNT_PARAMS(BLOCK_INDEX) };

enum { MAX_PHYS = 1 << 15, SENT_MAX = 64 };

enum {
    KNOB_ALLOC,
    KNOB_INC,
    KNOB_DEC,
    KNOB_HOT,
    KNOB_READY,
    KNOB_DONE,
    KNOB_MARK,
    KNOB_CLEAR,
    KNOB_FAVORITE,
    KNOBS
};
static const StimKnob KNOB_TABLE[KNOBS] = {
    {"alloc", 0, 100, "percent of ports that allocate"},
    {"inc", 0, 60, "percent of ports that count up"},
    {"dec", 0, 100, "percent of ports that count down"},
    {"hot", 0, 100, "percent of counts that name one of the last registers"},
    {"ready", 10, 100, "percent of cycles in which the table takes a release"},
    {"done", 5, 100, "percent of cycles in which it answers one"},
    {"mark", 0, 100, "percent of cycles in which a register is entered"},
    {"clear", 0, 2, "clears in 1000 cycles"},
    {"favorite", 0, 100, "percent of counts up that name one register for a while"},
};

enum { BANKS = 32 };
enum {
    GRANT_HOME,
    GRANT_OTHER,
    GRANT_ALL,
    INC_ONE,
    INC_TWICE,
    INC_FULL,
    INC_FILLS,
    INC_PENDING,
    INC_SENT,
    DEC_ONE,
    DEC_TWICE,
    DEC_LAST,
    DEC_FULL,
    UP_AND_DOWN,
    DEC_WHILE_SENT,
    REL,
    REL_WAITS,
    REL_COUNTED_UP,
    DONE_FREES,
    DONE_CANCELED,
    DONE_PENDING,
    MARK,
    MARK_LAST,
    FREE_AT_ONCE,
    FREE_SEVERAL,
    ALL_FREE,
    CLEAR,
    RESET_IDLE,
    RESET_USED,
    REFUSED,
    NONE_FREE,
    EVENTS
};
static const char *const EVENT[EVENTS] = {"granted-at-home",
                                          "granted-elsewhere",
                                          "all-ports-granted",
                                          "up",
                                          "up-twice",
                                          "up-full",
                                          "up-fills-and-up",
                                          "up-while-pending",
                                          "up-while-sent",
                                          "down",
                                          "down-twice",
                                          "down-to-0",
                                          "down-from-full",
                                          "up-and-down",
                                          "down-to-0-while-sent",
                                          "released",
                                          "release-waits",
                                          "released-and-up",
                                          "answer-frees",
                                          "answer-after-up",
                                          "answer-while-pending",
                                          "entered",
                                          "entered-with-last-count-down",
                                          "free-without-entry",
                                          "several-free-without-entry",
                                          "all-free",
                                          "clear",
                                          "reset-idle",
                                          "reset-used",
                                          "no-register",
                                          "none-free"};

typedef struct Env {
    int banks, entries, entry_bits, allocs, decs, most;
    uint16_t count[MAX_PHYS];
    bool pending[MAX_PHYS], sent[MAX_PHYS], entered[MAX_PHYS];
    uint32_t flight[SENT_MAX];  // registers whose release the table has not answered
    int flying;
    uint32_t favorite;
    uint32_t last[8];
    uint32_t nlast;
    int used;
    uint32_t reset_met;
    int bin[EVENTS + BANKS];  // of events and banks
} Env;

// Events possible at this shape: one bank has no other, a count of one bit no sharers, a large file
// is hardly ever empty.
static bool reachable(const int *params, int event) {
    switch (event) {
    case GRANT_OTHER: return params[P_Banks] > 1;
    case GRANT_ALL: return params[P_NumAlloc] <= params[P_Banks];
    case INC_TWICE: return params[P_CountBits] > 1;
    case INC_FILLS: return params[P_CountBits] > 1;
    case DEC_TWICE: return params[P_NumDec] > 1 && params[P_CountBits] > 1;
    case FREE_SEVERAL: return params[P_NumDec] > 1;
    case REFUSED:
    case NONE_FREE: return params[P_Entries] < 32;
    default: return true;
    }
}

static void layout(const int *params, BinList *l, int bin[EVENTS + BANKS]) {
    for (int k = 0; k < EVENTS; k++)
        bin[k] = bin_add_if(reachable(params, k), l, "event", EVENT[k]);
    for (int b = 0; b < params[P_Banks]; b++) bin[EVENTS + b] = bin_add(l, "bank granted", "%d", b);
}

static int rc_bins(const int *params, CoverBin *bins) {
    BinList l = {bins, 0};
    int bin[EVENTS + BANKS];
    layout(params, &l, bin);
    return l.n;
}

static void forget(Env *e) {
    memset(e->count, 0, sizeof e->count);
    memset(e->pending, 0, sizeof e->pending);
    memset(e->sent, 0, sizeof e->sent);
    memset(e->entered, 0, sizeof e->entered);
    e->flying = e->used = 0;
}

static void rc_forget(void *self) {
    Env *e = self;
    e->reset_met = e->used ? 2 : 1;
    forget(e);
}

static void *rc_open(const int *params) {
    Env *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    e->banks = params[P_Banks], e->entries = params[P_Entries],
    e->entry_bits = block_bits(params[P_Entries]);
    e->allocs = params[P_NumAlloc], e->decs = params[P_NumDec],
    e->most = (1 << params[P_CountBits]) - 1;
    BinList l = {NULL, 0};
    layout(params, &l, e->bin);
    return e;
}

static void rc_close(void *self) { free(self); }

static uint32_t draw_phys(const Env *e, StimRandom *r, const int *knobs) {
    if (e->nlast && stim_percent(r, knobs[KNOB_HOT]))
        return e->last[(e->nlast - 1 - stim_below(r, e->nlast < 8 ? e->nlast : 8)) % 8];
    return stim_below(r, (uint32_t)e->banks) << e->entry_bits | stim_below(r, (uint32_t)e->entries);
}

static bool in_use(const Env *e, uint32_t phys) {
    return e->count[phys] || e->pending[phys] || e->sent[phys];
}

static void rc_randomize(void *self, StimRandom *r, const int *knobs, void *inputs) {
    Env *e = self;
    RefCountIn *in = inputs;
    in->al_valid[0] = in->inc_valid[0] = in->dec_valid[0] = 0;
    in->cl_valid[0] = stim_below(r, 1000) < (uint32_t)knobs[KNOB_CLEAR];
    in->rel_ready[0] = stim_percent(r, knobs[KNOB_READY]);
    in->done_valid[0] = stim_percent(r, knobs[KNOB_DONE]);
    in->done_phys[0] =
        e->flying ? e->flight[stim_percent(r, 80) ? 0 : stim_below(r, (uint32_t)e->flying)] : 0;
    in->mk_valid[0] = stim_percent(r, knobs[KNOB_MARK]);
    in->mk_phys[0] = draw_phys(e, r, knobs);
    const uint32_t home = stim_below(r, (uint32_t)e->banks);
    for (int p = 0; p < e->allocs; p++) {
        in->al_valid[0] |= (uint32_t)stim_percent(r, knobs[KNOB_ALLOC]) << p;
        in->al_bank[p] = stim_percent(r, 50) ? home : stim_below(r, (uint32_t)e->banks);
    }
    const uint32_t same = draw_phys(e, r, knobs);
    if (e->nlast && (!in_use(e, e->favorite) || stim_below(r, 256) == 0))
        e->favorite = e->last[(e->nlast - 1) % 8];
    for (int i = 0; i < RC_INC; i++) {
        in->inc_valid[0] |= (uint32_t)stim_percent(r, knobs[KNOB_INC]) << i;
        in->inc_phys[i] = stim_percent(r, 40) ? same : draw_phys(e, r, knobs);
        if (stim_percent(r, knobs[KNOB_FAVORITE])) in->inc_phys[i] = e->favorite;
    }
    for (int d = 0; d < e->decs; d++) {
        in->dec_valid[0] |= (uint32_t)stim_percent(r, knobs[KNOB_DEC]) << d;
        in->dec_phys[d] = stim_percent(r, 40) ? same : draw_phys(e, r, knobs);
    }
}

static bool exists(const Env *e, uint32_t phys) {
    return (int)(phys >> e->entry_bits) < e->banks &&
        (int)(phys & ((1u << e->entry_bits) - 1)) < e->entries;
}

// The most that a register may be counted down by: its count and its increments in this cycle
// (full: refused).
static int room_down(const Env *e, const RefCountIn *in, uint32_t phys) {
    int count = e->count[phys];
    for (int i = 0; i < RC_INC; i++)
        if (in->inc_valid[0] >> i & 1 && in->inc_phys[i] == phys && count < e->most) count++;
    return count;
}

static void rc_constrain(void *self, void *inputs, const void *outputs) {
    const Env *e = self;
    RefCountIn *in = inputs;
    (void)outputs;
    for (int p = 0; p < e->allocs; p++)
        if ((int)in->al_bank[p] >= e->banks) in->al_bank[p] = 0;
    for (int i = 0; i < RC_INC; i++)
        if (!exists(e, in->inc_phys[i]) || !in_use(e, in->inc_phys[i]))
            in->inc_valid[0] &= ~(1u << i), in->inc_phys[i] = 0;
    for (int d = 0; d < e->decs; d++) {
        const uint32_t phys = in->dec_phys[d];
        if (!exists(e, phys) || !in_use(e, phys))
            in->dec_valid[0] &= ~(1u << d), in->dec_phys[d] = 0;
        if (!(in->dec_valid[0] >> d & 1)) continue;
        int before = 0;
        for (int q = 0; q < d; q++) before += in->dec_valid[0] >> q & 1 && in->dec_phys[q] == phys;
        if (before >= room_down(e, in, phys)) in->dec_valid[0] &= ~(1u << d);
    }
    if (!exists(e, in->mk_phys[0]) || !e->count[in->mk_phys[0]])
        in->mk_valid[0] = 0, in->mk_phys[0] = 0;
    if (!exists(e, in->done_phys[0]) || !e->sent[in->done_phys[0]])
        in->done_valid[0] = 0, in->done_phys[0] = 0;
}

static void see_up(Env *e, const RefCountIn *in, const RefCountOut *out, uint64_t *hits) {
    for (int i = 0; i < RC_INC; i++) {
        const uint32_t phys = in->inc_phys[i];
        if (!(in->inc_valid[0] >> i & 1)) continue;
        if (!(out->inc_grant[0] >> i & 1)) {
            hits[INC_FULL]++;
            for (int j = 0; j < i; j++)
                hits[INC_FILLS] += out->inc_grant[0] >> j & 1 && in->inc_phys[j] == phys;
            continue;
        }
        hits[INC_ONE]++;
        for (int j = 0; j < i; j++)
            hits[INC_TWICE] += out->inc_grant[0] >> j & 1 && in->inc_phys[j] == phys;
        hits[INC_PENDING] += e->pending[phys];
        hits[INC_SENT] += e->sent[phys] && e->count[phys] == 0;
        for (int d = 0; d < e->decs; d++)
            hits[UP_AND_DOWN] += in->dec_valid[0] >> d & 1 && in->dec_phys[d] == phys;
        if (out->rel_valid[0] && in->rel_ready[0] && out->rel_phys[0] == phys)
            hits[REL_COUNTED_UP]++;
        e->count[phys]++;
        e->pending[phys] = false;
    }
}

static void see_down(Env *e, const RefCountIn *in, uint64_t *hits) {
    int freed = 0;
    for (int d = 0; d < e->decs; d++) {
        const uint32_t phys = in->dec_phys[d];
        if (!(in->dec_valid[0] >> d & 1) || !e->count[phys]) continue;
        hits[DEC_ONE]++;
        hits[DEC_FULL] += e->count[phys] == e->most;
        for (int q = 0; q < d; q++)
            hits[DEC_TWICE] += in->dec_valid[0] >> q & 1 && in->dec_phys[q] == phys;
        if (--e->count[phys]) continue;
        hits[DEC_LAST]++;
        hits[DEC_WHILE_SENT] += e->sent[phys];
        e->pending[phys] = e->entered[phys];
        hits[MARK_LAST] += in->mk_valid[0] && in->mk_phys[0] == phys;
        hits[FREE_AT_ONCE] += !e->entered[phys] && !e->sent[phys];
        freed += !e->entered[phys];
    }
    hits[FREE_SEVERAL] += freed > 1;
}

static void see_table(Env *e, const RefCountIn *in, const RefCountOut *out, uint64_t *hits) {
    if (in->done_valid[0]) {
        const uint32_t phys = in->done_phys[0];
        hits[e->count[phys] ? DONE_CANCELED : e->pending[phys] ? DONE_PENDING : DONE_FREES]++;
        e->sent[phys] = e->entered[phys] = false;
        for (int i = 0; i < e->flying; i++)
            if (e->flight[i] == phys) {
                memmove(e->flight + i, e->flight + i + 1,
                        (size_t)(e->flying - i - 1) * sizeof e->flight[0]);
                e->flying--;
                break;
            }
    }
    if (!out->rel_valid[0]) return;
    hits[in->rel_ready[0] ? REL : REL_WAITS]++;
    if (!in->rel_ready[0]) return;
    e->pending[out->rel_phys[0]] = false;
    e->sent[out->rel_phys[0]] = true;
    if (e->flying < SENT_MAX) e->flight[e->flying++] = out->rel_phys[0];
}

// A file that an episode fills. Larger files are full only now and then, so they have no such bins.

static void see_alloc(Env *e, const RefCountIn *in, const RefCountOut *out, uint64_t *hits) {
    const uint32_t all = (1u << e->allocs) - 1;
    hits[GRANT_ALL] += out->al_grant[0] == all;
    hits[REFUSED] += (in->al_valid[0] & ~out->al_grant[0]) != 0;
    for (int p = 0; p < e->allocs; p++) {
        if (!(out->al_grant[0] >> p & 1)) continue;
        const uint32_t phys = out->al_phys[p], bank = phys >> e->entry_bits;
        hits[bank == in->al_bank[p] ? GRANT_HOME : GRANT_OTHER]++;
        if ((int)bank < e->banks) hits[EVENTS + (int)bank]++;
        e->count[phys] = 1;
        e->last[e->nlast++ % 8] = phys;
        e->used = 1;
    }
}

static void follow(void *self, const void *inputs, const void *outputs, uint64_t *hits) {
    Env *e = self;
    const RefCountIn *in = inputs;
    const RefCountOut *out = outputs;
    if (e->reset_met) hits[e->reset_met > 1 ? RESET_USED : RESET_IDLE]++;
    e->reset_met = 0;
    hits[ALL_FREE] += out->free_count[0] == (uint32_t)(e->banks * e->entries);
    hits[NONE_FREE] += out->free_count[0] == 0;
    if (in->cl_valid[0]) {
        hits[CLEAR]++;
        forget(e);
        return;
    }
    see_table(e, in, out, hits);
    if (in->mk_valid[0]) {
        hits[MARK]++;
        e->entered[in->mk_phys[0]] = true;
    }
    see_up(e, in, out, hits);
    see_alloc(e, in, out, hits);
    see_down(e, in, hits);
}

static void rc_observe(void *self, const void *inputs, const void *outputs, uint64_t *hits) {
    const Env *e = self;
    uint64_t seen[EVENTS + BANKS] = {0};
    follow(self, inputs, outputs, seen);
    for (int k = 0; k < EVENTS + e->banks; k++)
        if (e->bin[k] != NO_BIN) hits[e->bin[k]] += seen[k];
}

static const StimShape SHAPES[] = {
    {"Banks=3 Entries=5 CountBits=3 NumAlloc=4 NumDec=8",
     "more ports than banks, odd banks and entries"},
    {"Banks=1 Entries=2 CountBits=1 NumAlloc=1 NumDec=1",
     "one bank, a count of one bit: no sharers at all"},
    {0},
};

const BlockStim ref_count_stim = {.shapes = SHAPES,
                                  .knobs = KNOB_TABLE,
                                  .nknobs = KNOBS,
                                  .bins = rc_bins,
                                  .open = rc_open,
                                  .close = rc_close,
                                  .reset = rc_forget,
                                  .randomize = rc_randomize,
                                  .constrain = rc_constrain,
                                  .observe = rc_observe};
