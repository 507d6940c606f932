// SPDX-License-Identifier: Apache-2.0
// Stimuli of wait_table: several sharers of one value. Values arrive when the table is full,
// together, or in the cycle in which a waiter enters.
#include "models/larf/wait_table.h"

#include "models/params.h"
#include "models/stim_bins.h"

#include <stdlib.h>

enum { WAIT_TABLE_PARAMS(BLOCK_INDEX) };

enum { KNOB_ENTER, KNOB_ARRIVE, KNOB_VALUES, KNOB_CLEAR, KNOBS };
static const StimKnob KNOB_TABLE[KNOBS] = {
    {"enter", 10, 100, "percent of cycles in which a sharer waits"},
    {"arrive", 0, 60, "percent of ports with an arrival"},
    {"values", 1, 8, "values in flight"},
    {"clear", 0, 3, "clears in 1000 cycles"},
};

enum {
    ENTER,
    REFUSED,
    ARRIVE_NONE,
    ARRIVE_ONE,
    ARRIVE_SEVERAL,
    ARRIVE_ENTERS,
    ARRIVE_TWICE,
    WAKE_ALL,
    WAKE_NEXT,
    FULL,
    CLEAR,
    RESET_IDLE,
    RESET_USED,
    EVENTS
};
static const char *const EVENT[EVENTS] = {"enters",
                                          "refused",
                                          "nobody-waits-for-it",
                                          "one-waits",
                                          "several-wait",
                                          "enters-as-it-arrives",
                                          "same-value-on-two-ports",
                                          "woken-on-all-ports",
                                          "woken-in-the-next-cycles",
                                          "full",
                                          "clear",
                                          "reset-idle",
                                          "reset-used"};

typedef struct Env {
    int waiters, ports, warps, regs;
    uint32_t phys_mask;
    uint32_t value[8];
    uint32_t waits[WT_MAX_WAITERS];  // registers waited for, + 1
    bool there[WT_MAX_WAITERS];
    uint32_t reset_met;
} Env;

static int wt_bins(const int *params, CoverBin *bins) {
    BinList l = {bins, 0};
    bin_words(&l, "event", EVENT, EVENTS);
    for (int p = 0; p < params[P_Waiters]; p++) bin_add(&l, "place", "%d", p);
    return l.n;
}

static void wt_forget(void *self) {
    Env *e = self;
    e->reset_met = 1;
    for (int p = 0; p < e->waiters; p++)
        if (e->waits[p]) e->reset_met = 2;
    memset(e->waits, 0, sizeof e->waits);
}

static void *wt_open(const int *params) {
    Env *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    e->waiters = params[P_Waiters], e->ports = params[P_NumWr], e->warps = params[P_Warps],
    e->regs = params[P_Regs];
    e->phys_mask = (1u << (block_bits(params[P_Banks]) + block_bits(params[P_Entries]))) - 1;
    return e;
}

static void wt_close(void *self) { free(self); }

static void wt_randomize(void *self, StimRandom *r, const int *knobs, void *inputs) {
    Env *e = self;
    WaitTableIn *in = inputs;
    const uint32_t values = (uint32_t)knobs[KNOB_VALUES];
    if (stim_below(r, 64) == 0) e->value[stim_below(r, 8)] = stim_random(r) & e->phys_mask;
    if (stim_below(r, 64) == 0)
        e->value[stim_below(r, 8)] =
            e->value[stim_below(r, 8)] ^ (1u << stim_below(r, 4) & e->phys_mask);
    in->cl_valid[0] = stim_below(r, 1000) < (uint32_t)knobs[KNOB_CLEAR];
    in->en_valid[0] = stim_percent(r, knobs[KNOB_ENTER]);
    in->en_phys[0] = e->value[stim_below(r, values)];
    in->en_warp[0] = stim_below(r, (uint32_t)e->warps);
    in->en_reg[0] = stim_below(r, (uint32_t)e->regs);
    in->arr_valid[0] = 0;
    for (int w = 0; w < e->ports; w++) {
        in->arr_valid[0] |= (uint32_t)stim_percent(r, knobs[KNOB_ARRIVE]) << w;
        in->arr_phys[w] =
            stim_below(r, 8) ? e->value[stim_below(r, values)] : stim_random(r) & e->phys_mask;
    }
}

static void wt_constrain(void *self, void *inputs, const void *outputs) {
    (void)self, (void)inputs, (void)outputs;
}

static void see_arrival(const Env *e, const WaitTableIn *in, int w, uint64_t *hits) {
    int waiting = 0;
    for (int p = 0; p < e->waiters; p++)
        waiting += e->waits[p] == in->arr_phys[w] + 1 && !e->there[p];
    hits[waiting == 0 ? ARRIVE_NONE : waiting == 1 ? ARRIVE_ONE : ARRIVE_SEVERAL]++;
    for (int v = 0; v < w; v++)
        hits[ARRIVE_TWICE] +=
            waiting && in->arr_valid[0] >> v & 1 && in->arr_phys[v] == in->arr_phys[w];
}

static void wt_observe(void *self, const void *inputs, const void *outputs, uint64_t *hits) {
    Env *e = self;
    const WaitTableIn *in = inputs;
    const WaitTableOut *out = outputs;
    int fresh = -1, left = (int)__builtin_popcount(out->wk_valid[0]);
    if (e->reset_met) hits[e->reset_met > 1 ? RESET_USED : RESET_IDLE]++;
    e->reset_met = 0;
    for (int p = e->waiters - 1; p >= 0; p--)
        if (!e->waits[p]) fresh = p;
    hits[FULL] += fresh < 0;
    for (int w = 0; w < e->ports; w++)
        if (in->arr_valid[0] >> w & 1) see_arrival(e, in, w, hits);
    hits[WAKE_ALL] += left == e->ports;
    for (int p = 0; p < e->waiters; p++) {
        if (!e->waits[p] || !e->there[p]) continue;
        if (left-- > 0) e->waits[p] = 0;
        else hits[WAKE_NEXT]++;
    }
    if (in->en_valid[0]) hits[out->en_ready[0] ? ENTER : REFUSED]++;
    if (in->en_valid[0] && fresh >= 0) {
        e->waits[fresh] = in->en_phys[0] + 1;
        e->there[fresh] = false;
        hits[EVENTS + fresh]++;
    }
    for (int w = 0; w < e->ports; w++) {
        if (!(in->arr_valid[0] >> w & 1)) continue;
        hits[ARRIVE_ENTERS] += in->en_valid[0] && fresh >= 0 && in->en_phys[0] == in->arr_phys[w];
        for (int p = 0; p < e->waiters; p++)
            if (e->waits[p] == in->arr_phys[w] + 1) e->there[p] = true;
    }
    if (!in->cl_valid[0]) return;
    hits[CLEAR]++;
    memset(e->waits, 0, sizeof e->waits);
}

static const StimShape SHAPES[] = {
    {"Waiters=1 NumWr=1", "a single place"},
    {"Waiters=7 NumWr=3", "a number of places that is no power of two"},
    {0},
};

static const StimWaiver WAIVERS[] = {
    {"Waiters=1", "event", "several-wait", "there is one place"},
    {"Waiters=1", "event", "woken-in-the-next-cycles", "there is one place"},
    {"NumWr=1", "event", "same-value-on-two-ports", "there is one port"},
    {0},
};

const BlockStim wait_table_stim = {.shapes = SHAPES,
                                   .waivers = WAIVERS,
                                   .knobs = KNOB_TABLE,
                                   .nknobs = KNOBS,
                                   .bins = wt_bins,
                                   .open = wt_open,
                                   .close = wt_close,
                                   .reset = wt_forget,
                                   .randomize = wt_randomize,
                                   .constrain = wt_constrain,
                                   .observe = wt_observe};
