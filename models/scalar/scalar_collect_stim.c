// SPDX-License-Identifier: Apache-2.0
// Stimuli of scalar_collect: contexts anywhere in the file, instructions with none to eight words
// in one bank or both, a head that is not taken. The clock is divided by any number. The
// environment answers reads as scalar_rf does.
#include "models/params.h"
#include "models/scalar/scalar_collect.h"
#include "models/stim_bins.h"

#include <stdlib.h>
#include <string.h>

enum { SCALAR_COLLECT_PARAMS(BLOCK_INDEX) };

enum {
    KNOB_EN,
    KNOB_ALLOC,
    KNOB_READY,
    KNOB_START,
    KNOB_WORDS,
    KNOB_ONE_BANK,
    KNOB_OUTSIDE,
    KNOBS
};
static const StimKnob KNOB_TABLE[KNOBS] = {
    {"en", 15, 100, "percent of cycles of the unit's clock"},
    {"alloc", 10, 100, "percent of cycles in which an instruction arrives"},
    {"ready", 5, 100, "percent of cycles in which the head is taken"},
    {"start", 1, 30, "percent of cycles in which a context gets registers"},
    {"words", 0, 100, "percent of the eight words that an instruction needs"},
    {"one_bank", 0, 100, "percent of instructions whose registers are all even or all odd"},
    {"outside", 0, 10, "percent of instructions with a register that the context does not have"},
};

enum {
    NO_WORDS,
    ALL_WORDS,
    ONE_BANK,
    BOTH_ASKED,
    YOUNGER_ASKED,
    FULL,
    IGNORED,
    HELD,
    TAKEN_AT_ONCE,
    OUTSIDE,
    LAST_REG,
    OFF,
    START_OFF,
    PASS_THROUGH,
    RESET_FULL,
    EVENTS
};

typedef struct Env {
    int words, threads, slots;
    uint32_t base[SC_MAX_THREADS], count[SC_MAX_THREADS];
    uint32_t context[SC_MAX_SLOTS];  // of the instructions that wait, oldest first
    int n;
    uint32_t asked;  // banks, in the last cycle with en
    bool reset_met;
    int event, need, slot;
} Env;

static void layout(Env *e, BinList *l, const int *params) {
    static const char *const events[EVENTS] = {
        "no_words",      "all_words", "one_bank",        "both_banks_asked", "younger_asked",
        "full",          "ignored",   "head_held",       "taken_at_once",    "outside",
        "last_register", "clock_off", "start_while_off", "in_and_out",       "reset_full"};
    e->event = l->n;
    for (int k = 0; k < EVENTS; k++) {
        if (params[P_Slots] == 1 && (k == YOUNGER_ASKED || k == PASS_THROUGH)) continue;
        bin_add(l, "event", "%s", events[k]);
    }
    e->need = bin_numbers(l, "needs", "word", 0, SC_NEED);
    e->slot = bin_numbers(l, "waiting", "x", 1, params[P_Slots]);
}

// The number of an event's bin: with one slot two of them do not exist.
static int event_bin(const Env *e, int k) {
    if (e->slots > 1) return e->event + k;
    return e->event + k - (k > YOUNGER_ASKED) - (k > PASS_THROUGH);
}

static int sc_bins(const int *params, CoverBin *bins) {
    Env e;
    BinList l = {bins, 0};
    layout(&e, &l, params);
    return l.n;
}

static void env_reset(void *self) {
    Env *e = self;
    e->reset_met |= e->n > 0;
    memset(e->base, 0, sizeof e->base);
    memset(e->count, 0, sizeof e->count);
    e->n = 0, e->asked = 0;
}

static void *env_open(const int *params) {
    Env *e = calloc(1, sizeof *e);
    if (!e) abort();
    BinList l = {NULL, 0};
    layout(e, &l, params);
    e->words = params[P_Words], e->threads = params[P_Threads], e->slots = params[P_Slots];
    return e;
}

static bool waits(const Env *e, uint32_t context) {
    for (int i = 0; i < e->n; i++)
        if (e->context[i] == context) return true;
    return false;
}

static void env_randomize(void *self, StimRandom *r, const int *knobs, void *vin) {
    Env *e = self;
    ScalarCollectIn *in = vin;
    in->en[0] = stim_percent(r, knobs[KNOB_EN]);
    in->start_valid[0] = stim_percent(r, knobs[KNOB_START]);
    in->start_ctx[0] = stim_below(r, (uint32_t)e->threads);
    const uint32_t most = e->words < 64 ? (uint32_t)e->words : 64;
    in->start_count[0] = 1 + stim_below(r, most);
    in->start_base[0] = stim_below(r, (uint32_t)e->words - in->start_count[0] + 1);
    in->alloc_valid[0] = stim_percent(r, knobs[KNOB_ALLOC]);
    in->alloc_ctx[0] = stim_below(r, (uint32_t)e->threads);
    for (int i = 0; i < 4 && e->count[in->alloc_ctx[0]] == 0; i++)
        in->alloc_ctx[0] = stim_below(r, (uint32_t)e->threads);
    in->alloc_need[0] = stim_bits(r, knobs[KNOB_WORDS]) & 0xff;
    const bool one = stim_percent(r, knobs[KNOB_ONE_BANK]),
               outside = stim_percent(r, knobs[KNOB_OUTSIDE]);
    const uint32_t count = e->count[in->alloc_ctx[0]], odd = stim_below(r, 2);
    for (int k = 0; k < SC_NEED; k++) {
        uint32_t reg =
            count ? stim_below(r, 6) ? stim_below(r, count) : count - 1 : stim_below(r, 64);
        if (one && count > 1) reg = (reg & ~1u) + odd < count ? (reg & ~1u) + odd : odd;
        if (outside && stim_percent(r, 40)) reg = count + stim_below(r, 3);
        in->alloc_reg[k] = reg & 63;
    }
    in->rd_data_valid[0] = e->asked;
    in->rd_data[0] = stim_random(r), in->rd_data[1] = stim_random(r);
    in->disp_ready[0] = stim_percent(r, knobs[KNOB_READY]);
}

static void env_constrain(void *self, void *vin, const void *out) {
    const Env *e = self;
    ScalarCollectIn *in = vin;
    (void)out;
    if (in->alloc_ctx[0] >= (uint32_t)e->threads) in->alloc_valid[0] = in->alloc_ctx[0] = 0;
    if (in->start_ctx[0] >= (uint32_t)e->threads) in->start_valid[0] = in->start_ctx[0] = 0;
    if (in->start_count[0] > 64 || in->start_base[0] + in->start_count[0] > (uint32_t)e->words ||
        waits(e, in->start_ctx[0]) || (in->alloc_valid[0] && in->alloc_ctx[0] == in->start_ctx[0]))
        in->start_valid[0] = 0;
    in->rd_data_valid[0] = e->asked;
}

static void see_arrival(const Env *e, const ScalarCollectIn *in, const ScalarCollectOut *out,
                        uint64_t *hits) {
    if (!out->alloc_ready[0]) {
        hits[event_bin(e, IGNORED)]++;
        return;
    }
    hits[event_bin(e, OUTSIDE)] += out->error[0];
    if (out->error[0]) return;
    uint32_t odd = 0, even = 0;
    for (int k = 0; k < SC_NEED; k++) {
        if (!(in->alloc_need[0] >> k & 1)) continue;
        hits[e->need + k]++;
        const uint32_t word = e->base[in->alloc_ctx[0]] + in->alloc_reg[k];
        odd += word % 2, even += word % 2 == 0;
        hits[event_bin(e, LAST_REG)] += in->alloc_reg[k] + 1 == e->count[in->alloc_ctx[0]];
    }
    hits[event_bin(e, NO_WORDS)] += odd + even == 0;
    hits[event_bin(e, ALL_WORDS)] += odd + even == SC_NEED;
    hits[event_bin(e, ONE_BANK)] += (odd == 0) != (even == 0);
}

static void env_observe(void *self, const void *vin, const void *vout, uint64_t *hits) {
    Env *e = self;
    const ScalarCollectIn *in = vin;
    const ScalarCollectOut *out = vout;
    hits[event_bin(e, RESET_FULL)] += e->reset_met;
    e->reset_met = false;
    if (in->start_valid[0]) {
        e->base[in->start_ctx[0]] = in->start_base[0],
        e->count[in->start_ctx[0]] = in->start_count[0];
        hits[event_bin(e, START_OFF)] += !in->en[0];
    }
    if (!in->en[0]) {
        hits[event_bin(e, OFF)] += e->n > 0;
        return;
    }
    const bool leaves = out->disp_valid[0] && in->disp_ready[0];
    const bool enters = in->alloc_valid[0] && out->alloc_ready[0] && !out->error[0];
    hits[event_bin(e, HELD)] += out->disp_valid[0] && !leaves;
    hits[event_bin(e, TAKEN_AT_ONCE)] += leaves;
    hits[event_bin(e, BOTH_ASKED)] += out->rd_valid[0] == 3;
    hits[event_bin(e, FULL)] += !out->alloc_ready[0];
    if (e->slots > 1) {
        hits[event_bin(e, YOUNGER_ASKED)] += out->disp_valid[0] && out->rd_valid[0];
        hits[event_bin(e, PASS_THROUGH)] += leaves && enters;
    }
    if (in->alloc_valid[0]) see_arrival(e, in, out, hits);
    if (leaves) memmove(&e->context[0], &e->context[1], (size_t)--e->n * sizeof e->context[0]);
    if (enters) e->context[e->n++] = in->alloc_ctx[0];
    if (e->n) hits[e->slot + e->n - 1]++;
    e->asked = out->rd_valid[0];
}

static const StimShape SHAPES[] = {
    {"Words=10 Threads=3 Slots=1", "one instruction at a time, rows that are no power of two"},
    {"Words=170 Threads=11 Slots=4", "four instructions, a sixth of 1024 registers"},
    {0},
};

const BlockStim scalar_collect_stim = {.shapes = SHAPES,
                                       .knobs = KNOB_TABLE,
                                       .nknobs = KNOBS,
                                       .bins = sc_bins,
                                       .open = env_open,
                                       .close = free,
                                       .reset = env_reset,
                                       .randomize = env_randomize,
                                       .constrain = env_constrain,
                                       .observe = env_observe};
