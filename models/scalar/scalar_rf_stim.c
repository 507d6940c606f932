// SPDX-License-Identifier: Apache-2.0
// Stimuli of scalar_rf: a clock that is divided by any number. Reads of words that were just
// written or are written in the same cycle. Long pauses before a word is taken.
#include "models/params.h"
#include "models/scalar/scalar_rf.h"
#include "models/stim_bins.h"

#include <stdlib.h>

enum { SCALAR_RF_PARAMS(BLOCK_INDEX) };

enum { KNOB_EN, KNOB_READ, KNOB_WRITE, KNOB_HOT, KNOB_SAME, KNOBS };
static const StimKnob KNOB_TABLE[KNOBS] = {
    {"en", 10, 100, "percent of cycles of the unit's clock"},
    {"read", 5, 100, "percent of reads per bank"},
    {"write", 5, 100, "percent of writes per bank"},
    {"hot", 0, 100, "percent of accesses to the rows used last"},
    {"same", 0, 60, "percent of writes to the row that is read"},
};

enum {
    SAME_WORD,
    AFTER_WRITE,
    HELD,
    HELD_DROPPED,
    READ_NONE,
    BOTH_BANKS,
    FIRST_ROW,
    LAST_ROW,
    WHILE_OFF,
    EVENTS
};

typedef struct Env {
    uint32_t rows;
    uint32_t hot[4];
    uint32_t written[SRF_BANKS];  // row written in the last enabled cycle, ~0: none
    int held;                     // cycles that an answer has waited
    int event, bank;
} Env;

static void layout(Env *e, BinList *l) {
    static const char *const events[EVENTS] = {
        "read_and_write_same", "read_after_write", "answer_held", "held_ten",       "no_read",
        "both_banks",          "first_row",        "last_row",    "asked_while_off"};
    e->event = bin_words(l, "event", events, EVENTS);
    e->bank = bin_numbers(l, "read", "bank", 0, SRF_BANKS);
    for (int b = 0; b < SRF_BANKS; b++) bin_add(l, "write", "bank%d", b);
}

static int srf_bins(const int *params, CoverBin *bins) {
    (void)params;
    Env e;
    BinList l = {bins, 0};
    layout(&e, &l);
    return l.n;
}

static void env_reset(void *self) {
    Env *e = self;
    e->written[0] = e->written[1] = UINT32_MAX;
    e->held = 0;
}

static void *env_open(const int *params) {
    Env *e = calloc(1, sizeof *e);
    if (!e) abort();
    BinList l = {NULL, 0};
    layout(e, &l);
    e->rows = (uint32_t)params[P_Words] / SRF_BANKS;
    env_reset(e);
    return e;
}

static uint32_t pick(Env *e, StimRandom *r, int hot) {
    uint32_t *place = &e->hot[stim_below(r, 4)];
    if (stim_percent(r, hot)) return *place;
    uint32_t row = stim_below(r, 8) == 0 ? e->rows - 1
        : stim_below(r, 8) == 0          ? 0
                                         : stim_below(r, e->rows);
    return *place = row;
}

static void env_randomize(void *self, StimRandom *r, const int *knobs, void *vin) {
    Env *e = self;
    ScalarRfIn *in = vin;
    in->en[0] = stim_percent(r, knobs[KNOB_EN]);
    in->rd_valid[0] = in->wr_valid[0] = 0;
    for (int b = 0; b < SRF_BANKS; b++) {
        in->rd_valid[0] |= (uint32_t)stim_percent(r, knobs[KNOB_READ]) << b;
        in->wr_valid[0] |= (uint32_t)stim_percent(r, knobs[KNOB_WRITE]) << b;
        in->rd_addr[b] = pick(e, r, knobs[KNOB_HOT]);
        in->wr_addr[b] =
            stim_percent(r, knobs[KNOB_SAME]) ? in->rd_addr[b] : pick(e, r, knobs[KNOB_HOT]);
        in->wr_data[b] = stim_random(r);
    }
}

static void env_constrain(void *self, void *vin, const void *out) {
    const Env *e = self;
    ScalarRfIn *in = vin;
    (void)out;
    for (int b = 0; b < SRF_BANKS; b++) {
        if (in->rd_addr[b] >= e->rows) in->rd_valid[0] &= ~(1u << b);
        if (in->wr_addr[b] >= e->rows) in->wr_valid[0] &= ~(1u << b);
    }
}

static void env_observe(void *self, const void *vin, const void *vout, uint64_t *hits) {
    Env *e = self;
    const ScalarRfIn *in = vin;
    const ScalarRfOut *out = vout;
    if (!in->en[0]) {
        hits[e->event + WHILE_OFF] += in->rd_valid[0] || in->wr_valid[0];
        if (out->rd_data_valid[0]) {
            hits[e->event + HELD]++;
            hits[e->event + HELD_DROPPED] += ++e->held == 10;
        }
        return;
    }
    e->held = 0;
    hits[e->event + READ_NONE] += !in->rd_valid[0];
    hits[e->event + BOTH_BANKS] += in->rd_valid[0] == 3 && in->wr_valid[0] == 3;
    for (int b = 0; b < SRF_BANKS; b++) {
        const bool reads = in->rd_valid[0] >> b & 1, writes = in->wr_valid[0] >> b & 1;
        hits[e->bank + b] += reads;
        hits[e->bank + SRF_BANKS + b] += writes;
        hits[e->event + SAME_WORD] += reads && writes && in->rd_addr[b] == in->wr_addr[b];
        hits[e->event + AFTER_WRITE] += reads && in->rd_addr[b] == e->written[b];
        hits[e->event + FIRST_ROW] += reads && in->rd_addr[b] == 0;
        hits[e->event + LAST_ROW] += reads && in->rd_addr[b] == e->rows - 1;
        e->written[b] = writes ? in->wr_addr[b] : UINT32_MAX;
    }
}

static bool env_fill(void *self, uint32_t i, void *vin) {
    const Env *e = self;
    ScalarRfIn *in = vin;
    if (i >= e->rows) return false;
    in->en[0] = 1;
    in->wr_valid[0] = 3;
    in->wr_addr[0] = in->wr_addr[1] = i;
    return true;
}

static const StimShape SHAPES[] = {
    {"Words=10", "rows that are no power of two"},
    {0},
};

const BlockStim scalar_rf_stim = {.shapes = SHAPES,
                                  .knobs = KNOB_TABLE,
                                  .nknobs = KNOBS,
                                  .bins = srf_bins,
                                  .open = env_open,
                                  .close = free,
                                  .reset = env_reset,
                                  .randomize = env_randomize,
                                  .constrain = env_constrain,
                                  .observe = env_observe,
                                  .fill = env_fill};
