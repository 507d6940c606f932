// SPDX-License-Identifier: Apache-2.0
// Stimuli of bdi_compress: lines of values around a base and around zero, for each size of value
// and delta. Deltas are at the ends of their range and one beyond. Also equal values, and lines
// with one value that spoils an encoding.
#include "models/lines/bdi_compress.h"
#include "models/params.h"
#include "models/stim_bins.h"

#include <stdlib.h>

enum { BDI_COMPRESS_PARAMS(BLOCK_INDEX) };

enum { KNOB_LINE, KNOB_ZERO, KNOB_END, KNOB_SPOIL, KNOB_SAME, KNOBS };
static const StimKnob KNOB_TABLE[KNOBS] = {
    {"line", 5, 100, "percent of cycles with a line"},
    {"zero", 0, 100, "percent of values around zero, not the base"},
    {"end", 0, 100, "percent of deltas at an end of their range"},
    {"spoil", 0, 60, "percent of lines with one value that is any"},
    {"same", 0, 40, "percent of lines whose values are all the same"},
};

enum { ENCODINGS = 8, FIRST_DELTAS = 2 };
enum { ALL_DELTAS, SOME_DELTAS, NO_DELTAS, BEGINS_SMALL, MIXES };
enum { BACK_TO_BACK, GAP, FLOWS };

static const struct {
    int n, k;
} SIZE[ENCODINGS] = {{0, 0}, {0, 0}, {8, 1}, {8, 2}, {8, 4}, {4, 1}, {4, 2}, {2, 1}};

typedef struct Env {
    int under_way;
    int answer, mix, end, flow, reset;  // first bin of each group
    int reset_met;
} Env;

static void layout(Env *e, const int *params, BinList *l) {
    static const char *const mixes[] = {"all-from-zero", "both", "all-from-base",
                                        "first-from-zero"};
    static const char *const flows[] = {"back-to-back", "gap"},
                             *const resets[] = {"empty", "under-way"};
    (void)params;
    e->answer = bin_numbers(l, "answer", "", 0, ENCODINGS);
    bin_add(l, "answer", "raw");
    e->mix = l->n;
    for (int i = FIRST_DELTAS; i < ENCODINGS; i++)
        for (int k = 0; k < MIXES; k++) bin_add(l, "mask", "%d.%s", i, mixes[k]);
    e->end = l->n;
    for (int i = FIRST_DELTAS; i < ENCODINGS; i++)
        for (int k = 0; k < 2; k++)
            bin_add(l, "end of a delta's range", "%d.%s", i, k ? "most" : "least");
    e->flow = bin_words(l, "flow", flows, FLOWS);
    e->reset = bin_words(l, "reset", resets, 2);
}

static int bc_bins(const int *params, CoverBin *bins) {
    Env e;
    BinList l = {bins, 0};
    layout(&e, params, &l);
    return l.n;
}

static void *bc_open(const int *params) {
    Env *e = calloc(1, sizeof *e);
    if (e) layout(e, params, &(BinList){NULL, 0});
    return e;
}

static void bc_reset(void *self) {
    Env *e = self;
    e->reset_met = 1 + ((e->under_way & 31) != 0);
    e->under_way = 0;
}

static uint64_t draw_delta(StimRandom *r, const int *knobs, int k) {
    const uint64_t half = (uint64_t)1 << (8 * k - 1);
    if (stim_percent(r, knobs[KNOB_END]))
        return stim_random(r) >> 31 ? half - 1 : (uint64_t)0 - half;
    return stim_random64(r) % (2 * half) - half;
}

static void draw_line(StimRandom *r, const int *knobs, uint8_t *line) {
    const int encoding = FIRST_DELTAS + (int)stim_below(r, ENCODINGS - FIRST_DELTAS),
              n = SIZE[encoding].n;
    const int k = SIZE[encoding].k;
    uint64_t base = stim_random64(r) ^ (uint64_t)stim_random(r) << 32;
    // next to an overflow
    if (stim_below(r, 4) == 0) base = (uint64_t)1 << (stim_below(r, 2) ? 8 * n - 1 : 4 * n);
    for (int at = 0; at < 128; at += n) {
        const uint64_t from = stim_percent(r, knobs[KNOB_ZERO]) ? 0 : base,
                       v = from + draw_delta(r, knobs, k);
        memcpy(line + at, &v, (size_t)n);
    }
    // all next to the largest delta, on both sides: the first one is a delta, and near those that
    // are none
    if (stim_below(r, 8) == 0)
        for (int at = 0; at < 128; at += n) {
            const uint32_t spread = k == 1 ? 8 : k == 2 ? 200 : 100000;
            const uint64_t v = ((uint64_t)1 << (8 * k - 1)) - spread + stim_below(r, 2 * spread);
            memcpy(line + at, &v, (size_t)n);
        }
    // the base is the first value that is no delta: itself, so that the others are around it
    const int first = (int)stim_below(r, (uint32_t)(128 / n)) * (stim_below(r, 2) ? 1 : 0);
    for (int at = 0; at < 128 && stim_below(r, 8); at += n) {
        int64_t v = 0;
        memcpy(&v, line + at, (size_t)n);
        const int64_t s = (int64_t)((uint64_t)v << (64 - 8 * n)) >> (64 - 8 * n),
                      half = (int64_t)1 << (8 * k - 1);
        if (at < first * n || (s >= -half && s < half)) continue;
        memcpy(line + at, &base, (size_t)n);
        break;
    }
}

static void bc_randomize(void *self, StimRandom *r, const int *knobs, void *inputs) {
    BdiCompressIn *in = inputs;
    uint8_t line[128];
    (void)self;
    in->in_valid[0] = stim_percent(r, knobs[KNOB_LINE]);
    if (stim_below(r, 16) == 0) {
        stim_row(r, in->in_line[0]);
        return;
    }
    draw_line(r, knobs, line);
    if (stim_percent(r, knobs[KNOB_SAME])) {
        const uint64_t same = stim_below(r, 3) ? stim_random64(r) : 0;
        for (int at = 0; at < 128; at += 8) memcpy(line + at, &same, 8);
    }
    if (stim_percent(r, knobs[KNOB_SPOIL])) {
        const uint64_t any = stim_random64(r);
        const uint32_t where = stim_below(r, 2) ? 15 : stim_below(r, 16);
        memcpy(line + 8 * where + 4 * stim_below(r, 2), &any, 4);
    }
    memcpy(in->in_line[0], line, sizeof line);
}

static void bc_constrain(void *self, void *inputs, const void *outputs) {
    (void)self, (void)inputs, (void)outputs;
}

static void see_image(const Env *e, const uint8_t *image, int encoding, uint64_t *hits) {
    const int n = SIZE[encoding].n, k = SIZE[encoding].k, count = 128 / n, mask = n == 8 ? 2 : 4;
    const int deltas = n == 8 ? 16 : 12;
    int from_base = 0;
    for (int i = 0; i < count; i++) {
        from_base += image[mask + i / 8] >> i % 8 & 1;
        uint64_t delta = 0;
        memcpy(&delta, image + deltas + i * k, (size_t)k);
        hits[e->end + 2 * (encoding - FIRST_DELTAS)] += delta == (uint64_t)1 << (8 * k - 1);
        hits[e->end + 2 * (encoding - FIRST_DELTAS) + 1] +=
            delta == ((uint64_t)1 << (8 * k - 1)) - 1;
    }
    uint64_t *mixes = hits + e->mix + MIXES * (encoding - FIRST_DELTAS);
    mixes[from_base == 0 ? ALL_DELTAS : from_base == count ? NO_DELTAS : SOME_DELTAS]++;
    mixes[BEGINS_SMALL] += from_base && !(image[mask] & 1);
}

static void bc_observe(void *self, const void *inputs, const void *outputs, uint64_t *hits) {
    Env *e = self;
    const BdiCompressIn *in = inputs;
    const BdiCompressOut *out = outputs;
    if (e->reset_met) hits[e->reset + e->reset_met - 1]++;
    e->reset_met = 0;
    if (in->in_valid[0]) hits[e->flow + (e->under_way & 1 ? BACK_TO_BACK : GAP)]++;
    if (out->out_valid[0]) {
        const int encoding = (int)out->out_enc[0];
        hits[e->answer + (encoding == BDI_RAW ? ENCODINGS : encoding)]++;
        if (encoding >= FIRST_DELTAS && encoding < ENCODINGS) {
            uint8_t image[4 * BDI_COMPRESS_WORDS];
            memcpy(image, out->out_image, sizeof image);
            see_image(e, image, encoding, hits);
        }
    }
    e->under_way = e->under_way << 1 | (int)in->in_valid[0];
}

static const StimShape SHAPES[] = {
    {"Base=1", "the base is always the first value"},
    {0},
};

const BlockStim bdi_compress_stim = {.shapes = SHAPES,
                                     .knobs = KNOB_TABLE,
                                     .nknobs = KNOBS,
                                     .bins = bc_bins,
                                     .open = bc_open,
                                     .close = free,
                                     .reset = bc_reset,
                                     .randomize = bc_randomize,
                                     .constrain = bc_constrain,
                                     .observe = bc_observe};
