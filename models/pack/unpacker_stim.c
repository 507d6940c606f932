// SPDX-License-Identifier: Apache-2.0
// Stimuli of unpacker: rows with one or two values under all pairs of masks, also equal and
// overlapping ones.
#include "models/pack/unpacker.h"
#include "models/params.h"
#include "models/stim_bins.h"

#include <stdlib.h>

enum { UNPACKER_PARAMS(BLOCK_INDEX) };

enum { KNOB_VALID, KNOB_PAIR, KNOB_DISJOINT, KNOBS };
static const StimKnob KNOB_TABLE[KNOBS] = {
    {"valid", 10, 100, "percent of rows that are delivered"},
    {"pair", 0, 100, "percent of rows with a second value"},
    {"disjoint", 50, 100, "percent of second masks that do not overlap the first"},
};

enum { KIND_NEITHER, KIND_FIRST, KIND_SECOND, KIND_EQUAL, KIND_OVERLAP, KINDS };

typedef struct Env {
    int rows;
    uint32_t all;
    int mask1, mask2, pair, kind, sign, count, idle;
    int pair_bin[16][16];  // disjoint masks, neither 0
} Env;

static void layout(Env *e, const int *params, BinList *l) {
    static const char *const kinds[] = {"neither", "first-only", "second-only", "equal", "overlap"};
    e->rows = params[P_NumRows];
    e->all = UINT32_MAX >> (32 - e->rows);
    e->mask1 = l->n;
    for (int r = 0; r < e->rows; r++) {
        char prefix[16];
        snprintf(prefix, sizeof prefix, "row%d.", r);
        bin_masks(l, "first mask", prefix);
    }
    e->mask2 = l->n;
    for (int r = 0; r < e->rows; r++) {
        char prefix[16];
        snprintf(prefix, sizeof prefix, "row%d.", r);
        bin_masks(l, "second mask", prefix);
    }
    e->pair = l->n;
    for (int a = 1; a < 16; a++)
        for (int b = 1; b < 16; b++)
            if (!(a & b))
                e->pair_bin[a][b] =
                    bin_add(l, "packed together", "%d%d%d%d+%d%d%d%d", a >> 3, a >> 2 & 1,
                            a >> 1 & 1, a & 1, b >> 3, b >> 2 & 1, b >> 1 & 1, b & 1);
    e->kind = bin_words(l, "masks", kinds, KINDS);
    e->sign = l->n;
    for (int n = 1; n <= 4; n++) {
        bin_add(l, "sign", "%d-bytes.plus", n);
        bin_add(l, "sign", "%d-bytes.minus", n);
    }
    e->count = bin_numbers(l, "rows at once", "x", 1, e->rows);
    e->idle = bin_add(l, "not delivered", "with-masks");
}

static int up_bins(const int *params, CoverBin *bins) {
    Env e;
    BinList l = {bins, 0};
    layout(&e, params, &l);
    return l.n;
}

static void *up_open(const int *params) {
    Env *e = calloc(1, sizeof *e);
    if (e) layout(e, params, &(BinList){NULL, 0});
    return e;
}

static void up_close(void *self) { free(self); }
static void up_reset(void *self) { (void)self; }

static void up_randomize(void *self, StimRandom *r, const int *knobs, void *inputs) {
    const Env *e = self;
    UnpackerIn *in = inputs;
    in->up_valid[0] = stim_bits(r, knobs[KNOB_VALID]) & e->all;
    const uint32_t pair = stim_bits(r, knobs[KNOB_PAIR]),
                   disjoint = stim_bits(r, knobs[KNOB_DISJOINT]);
    // Every number of rows has its turn, however many there are.
    if (stim_below(r, 16) == 0)
        in->up_valid[0] = UINT32_MAX >> (31 - stim_below(r, (uint32_t)e->rows));
    for (int i = 0; i < e->rows; i++) {
        const uint32_t random = stim_random(r), m1 = random & 15, m2 = random >> 4 & 15;
        in->up_mask1[i] = m1;
        in->up_mask2[i] = !(pair >> i & 1) ? 0
            : disjoint >> i & 1            ? m2 & ~m1
            : random >> 31                 ? m1
                                           : m2;
        if (in->up_valid[0] >> i & 1) stim_row(r, in->up_row[i]);
    }
}

static void up_constrain(void *self, void *in, const void *out) { (void)self, (void)in, (void)out; }

static void see_value(const Env *e, const uint32_t value[32], uint32_t mask, uint64_t *hits) {
    const int at = e->sign + 2 * (stim_ones(mask) - 1);
    for (int l = 0; l < 32; l += 31) hits[at + (int)(stim_lane(value, l) >> 31)]++;
}

static void up_observe(void *self, const void *inputs, const void *outputs, uint64_t *hits) {
    const Env *e = self;
    const UnpackerIn *in = inputs;
    const UnpackerOut *out = outputs;
    for (int i = 0; i < e->rows; i++) {
        const uint32_t m1 = in->up_mask1[i], m2 = in->up_mask2[i];
        if (!(in->up_valid[0] >> i & 1)) {
            hits[e->idle] += m1 && m2;
            continue;
        }
        hits[e->mask1 + 16 * i + (int)m1]++;
        hits[e->mask2 + 16 * i + (int)m2]++;
        if (m1) see_value(e, out->up_first[i], m1, hits);
        if (m2) see_value(e, out->up_second[i], m2, hits);
        if (m1 && m2 && !(m1 & m2)) hits[e->pair_bin[m1][m2]]++;
        else
            hits[e->kind +
                 (!m1 && !m2     ? KIND_NEITHER
                      : !m2      ? KIND_FIRST
                      : !m1      ? KIND_SECOND
                      : m1 == m2 ? KIND_EQUAL
                                 : KIND_OVERLAP)]++;
    }
    if (in->up_valid[0]) hits[e->count + __builtin_popcount(in->up_valid[0]) - 1]++;
}

static const StimShape SHAPES[] = {
    {"NumRows=5", "odd rows"},
    {0},
};

const BlockStim unpacker_stim = {.shapes = SHAPES,
                                 .knobs = KNOB_TABLE,
                                 .nknobs = KNOBS,
                                 .needs_out = false,
                                 .bins = up_bins,
                                 .open = up_open,
                                 .close = up_close,
                                 .reset = up_reset,
                                 .randomize = up_randomize,
                                 .constrain = up_constrain,
                                 .observe = up_observe};
