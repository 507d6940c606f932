// SPDX-License-Identifier: Apache-2.0
// Stimuli of bdi_decompress: every encoding with masks and deltas of any kind. Bases are next to
// overflow of the value and of its lower half. Some heads are not BDI's.
#include "models/lines/bdi_decompress.h"
#include "models/params.h"
#include "models/stim_bins.h"

#include <stdlib.h>

enum { BDI_DECOMPRESS_PARAMS(BLOCK_INDEX) };

enum { KNOB_IMAGE, KNOB_UNKNOWN, KNOB_EDGE, KNOB_FAR, KNOBS };
static const StimKnob KNOB_TABLE[KNOBS] = {
    {"image", 5, 100, "percent of cycles with an image"},
    {"unknown", 0, 30, "percent of images whose head is not BDI's"},
    {"edge", 0, 100, "percent of bases next to an overflow"},
    {"far", 0, 100, "percent of deltas at an end of their range"},
};

enum { ENCODINGS = 8 };
enum { MASK_NONE, MASK_SOME, MASK_ALL, MASKS };
enum { OTHER_CODEC, OTHER_ENCODING, UNKNOWNS };
enum { CARRY_HALF, CARRY_OUT, BORROW, CARRIES };
enum { BACK_TO_BACK, GAP, FLOWS };

typedef struct Layout {
    int n, k, mask, base, deltas;
} Layout;
static const Layout LAYOUT[ENCODINGS] = {{0, 0, 0, 0, 0},  {8, 0, 0, 8, 0},  {8, 1, 2, 8, 16},
                                         {8, 2, 2, 8, 16}, {8, 4, 2, 8, 16}, {4, 1, 4, 8, 12},
                                         {4, 2, 4, 8, 12}, {2, 1, 4, 2, 12}};

typedef struct Env {
    int cycles, under_way;  // images younger than Cycles, one bit each
    int encoding, mask, sign, carry, unknown, flow, reset;  // first bin of each group
    int reset_met;  // 0, or 1 + whether a line was in flight
} Env;

static void layout(Env *e, const int *params, BinList *l) {
    static const char *const masks[] = {"none", "some", "all"},
                             *const unknowns[] = {"codec", "encoding"};
    static const char *const carries[] = {"into-upper-half", "out-of-the-value", "borrow"};
    static const char *const flows[] = {"back-to-back", "gap"},
                             *const resets[] = {"empty", "under-way"};
    e->cycles = params[P_Cycles];
    e->encoding = bin_numbers(l, "encoding", "", 0, ENCODINGS);
    e->mask = l->n;
    for (int i = 2; i < ENCODINGS; i++)
        for (int k = 0; k < MASKS; k++) bin_add(l, "mask", "%d.%s", i, masks[k]);
    e->sign = l->n;
    for (int i = 2; i < ENCODINGS; i++)
        for (int k = 0; k < 2; k++)
            bin_add(l, "delta of a value", "%d.%s", i, k ? "negative" : "positive");
    e->carry = l->n;
    for (int i = 2; i < ENCODINGS; i++)
        for (int k = 0; k < CARRIES; k++) bin_add(l, "carry", "%d.%s", i, carries[k]);
    e->unknown = bin_words(l, "unknown head", unknowns, UNKNOWNS);
    e->flow = bin_words(l, "flow", flows, FLOWS);
    e->reset = bin_words(l, "reset", resets, 2);
}

static int bd_bins(const int *params, CoverBin *bins) {
    Env e;
    BinList l = {bins, 0};
    layout(&e, params, &l);
    return l.n;
}

static void *bd_open(const int *params) {
    Env *e = calloc(1, sizeof *e);
    if (e) layout(e, params, &(BinList){NULL, 0});
    return e;
}

static void bd_reset(void *self) {
    Env *e = self;
    e->reset_met = 1 + ((e->under_way & ((1 << e->cycles) - 1)) != 0);
    e->under_way = 0;
}

static void put(uint8_t *at, uint64_t v, int bytes) {
    for (int i = 0; i < bytes; i++) at[i] = (uint8_t)(v >> 8 * i);
}

static uint64_t get(const uint8_t *at, int bytes) {
    uint64_t v = 0;
    for (int i = 0; i < bytes; i++) v |= (uint64_t)at[i] << 8 * i;
    return v;
}

static void draw_base(StimRandom *r, const int *knobs, const Layout *l, uint8_t *image) {
    uint64_t base = stim_random64(r);
    if (stim_percent(r, knobs[KNOB_EDGE])) {
        const uint64_t near = stim_below(r, 200) - (uint64_t)100;
        base = near + (stim_random(r) >> 31 ? (uint64_t)1 << (4 * l->n) : 0);
    }
    put(image + l->base, base, l->n);
}

static void draw_deltas(StimRandom *r, const int *knobs, const Layout *l, uint8_t *image) {
    const uint64_t half = (uint64_t)1 << (8 * l->k - 1);
    for (int i = 0; i < 128 / l->n; i++) {
        uint64_t delta = stim_random64(r);
        if (stim_percent(r, knobs[KNOB_FAR])) delta = delta >> 63 ? half : half - 1;
        put(image + l->deltas + i * l->k, delta, l->k);
    }
}

static void bd_randomize(void *self, StimRandom *r, const int *knobs, void *inputs) {
    BdiDecompressIn *in = inputs;
    uint8_t image[4 * BDI_IMAGE_WORDS];
    uint32_t row[BDI_LINE_WORDS];
    (void)self;
    in->in_valid[0] = stim_percent(r, knobs[KNOB_IMAGE]);
    stim_row(r, row);
    memcpy(image, row, sizeof image);
    const Layout *l = &LAYOUT[stim_below(r, ENCODINGS)];
    image[0] = (uint8_t)(l - LAYOUT);
    if (l->k) {
        const uint32_t kind = stim_below(r, 4);
        if (kind < 2) memset(image + l->mask, kind ? 0xff : 0, (size_t)(16 / l->n));
        draw_deltas(r, knobs, l, image);
    }
    if (l->n) draw_base(r, knobs, l, image);
    if (stim_percent(r, knobs[KNOB_UNKNOWN])) {
        const uint32_t head = stim_random(r);
        image[0] = (uint8_t)(head >> 31 ? 8 + (head & 7) : head);
    }
    memcpy(in->in_image, image, sizeof image);
}

static void bd_constrain(void *self, void *inputs, const void *outputs) {
    (void)self, (void)inputs, (void)outputs;
}

static void see_values(const Env *e, const uint8_t *image, int encoding, uint64_t *hits) {
    const Layout *l = &LAYOUT[encoding];
    const uint64_t base = get(image + l->base, l->n),
                   ones = l->n == 8 ? UINT64_MAX : ((uint64_t)1 << 8 * l->n) - 1;
    const uint64_t low = ((uint64_t)1 << 4 * l->n) - 1, half = (uint64_t)1 << (8 * l->k - 1);
    int masked = 0, count = 128 / l->n;
    for (int i = 0; i < count; i++) {
        uint64_t delta = get(image + l->deltas + i * l->k, l->k);
        const bool negative = delta & half;
        if (negative) delta -= 2 * half;
        hits[e->sign + 2 * (encoding - 2) + negative]++;
        if (!(image[l->mask + i / 8] >> i % 8 & 1)) continue;
        masked++;
        uint64_t *carries = hits + e->carry + CARRIES * (encoding - 2);
        carries[CARRY_HALF] += !negative && (base & low) + (delta & low) > low;
        carries[CARRY_OUT] += !negative && base > ones - delta;
        carries[BORROW] += negative && base < -delta;
    }
    hits[e->mask + MASKS * (encoding - 2) +
         (masked == 0           ? MASK_NONE
              : masked == count ? MASK_ALL
                                : MASK_SOME)]++;
}

static void bd_observe(void *self, const void *inputs, const void *outputs, uint64_t *hits) {
    Env *e = self;
    const BdiDecompressIn *in = inputs;
    (void)outputs;
    if (e->reset_met) hits[e->reset + e->reset_met - 1]++;
    e->reset_met = 0;
    if (in->in_valid[0]) {
        uint8_t image[4 * BDI_IMAGE_WORDS];
        memcpy(image, in->in_image, sizeof image);
        hits[e->flow + (e->under_way & 1 ? BACK_TO_BACK : GAP)]++;
        if (image[0] >> 4) hits[e->unknown + OTHER_CODEC]++;
        else if (image[0] >= ENCODINGS) hits[e->unknown + OTHER_ENCODING]++;
        else hits[e->encoding + image[0]]++;
        if (image[0] >= 2 && image[0] < ENCODINGS) see_values(e, image, image[0], hits);
    }
    e->under_way = e->under_way << 1 | (int)in->in_valid[0];
}

static const StimShape SHAPES[] = {
    {"Cycles=3", "stages that hold a line"},
    {0},
};

const BlockStim bdi_decompress_stim = {.shapes = SHAPES,
                                       .knobs = KNOB_TABLE,
                                       .nknobs = KNOBS,
                                       .bins = bd_bins,
                                       .open = bd_open,
                                       .close = free,
                                       .reset = bd_reset,
                                       .randomize = bd_randomize,
                                       .constrain = bd_constrain,
                                       .observe = bd_observe};
