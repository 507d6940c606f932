// SPDX-License-Identifier: Apache-2.0
// Stimuli of load_shape: loads with a base and a stride, some lanes off, and loads that are one
// change away from that.
#include "models/larf/load_shape.h"

#include "models/params.h"
#include "models/stim_bins.h"

#include <stdlib.h>

enum { LOAD_SHAPE_PARAMS(BLOCK_INDEX) };

enum { LANES = 32, MOST_CODE = 128 };

enum { KNOB_LOAD, KNOB_SPOIL, KNOB_ANY, KNOB_FEW, KNOBS };
static const StimKnob KNOB_TABLE[KNOBS] = {
    {"load", 10, 100, "percent of cycles with a load"},
    {"spoil", 0, 70, "percent of loads with something that does not fit"},
    {"any", 0, 30, "percent of loads with any addresses"},
    {"few", 0, 60, "percent of loads with few active lanes"},
};

enum {
    OK_FULL,
    OK_HOLES,
    OK_ONE,
    OK_NO_LANE_0,
    OK_WRAPS,
    OK_ZERO,
    OK_512,
    NO_LANES,
    GAP_ODD,
    ODD,
    TOO_FAR,
    DOWN,
    ONE_LANE,
    FAR_LANE,
    WRAPS,
    UNALIGNED,
    ROW,
    RESET_IDLE,
    RESET_BUSY,
    EVENTS
};
static const char *const EVENT[EVENTS] = {
    "fits-all-lanes",         "fits-with-holes",   "fits-one-lane",     "fits-lane-0-off",
    "base-below-0",           "stride-0",          "stride-512",        "no-lanes",
    "gap-no-power-of-2",      "stride-no-word",    "stride-above-512",  "stride-below-0",
    "one-lane-off-its-place", "one-lane-far-away", "span-over-the-top", "base-no-word",
    "four-loads-in-a-row",    "reset-idle",        "reset-under-way"};

typedef struct Env {
    int gap, tags, in_a_row;
    bool busy;
    uint32_t reset_met;
} Env;

enum { GAPS = 5 };

static int ls_bins(const int *params, CoverBin *bins) {
    BinList l = {bins, 0};
    (void)params;
    bin_words(&l, "event", EVENT, EVENTS);
    for (int g = 0; g < GAPS; g++) bin_add(&l, "gap of the lowest lanes", "%d", 1 << g);
    for (int i = 0; i < LANES; i++) bin_add(&l, "lowest lane", "%d", i);
    // lane 0, when it is on, says where the others are, and lane 1, when it is on, is the first or
    // the second one
    for (int i = 2; i < LANES; i++) bin_add(&l, "only lane off its place", "%d", i);
    bin_lanes(&l, "lanes of a load");
    return l.n;
}

static void ls_forget(void *self) {
    Env *e = self;
    e->reset_met = e->busy ? 2 : 1;
    e->busy = false;
    e->in_a_row = 0;
}

static void *ls_open(const int *params) {
    Env *e = calloc(1, sizeof *e);
    if (e) e->tags = params[P_NumTags];
    return e;
}

static void ls_close(void *self) { free(self); }

static uint32_t draw_mask(StimRandom *r, bool few) {
    const uint32_t x = stim_random(r);
    if ((x >> 10 & 63) == 0) return 0;  // predicated off
    if (few) return x >> 31 ? 1u << (x & 31) : 1u << (x & 31) | 1u << (x >> 5 & 31);
    switch (x >> 29) {
    case 0: return stim_random(r);
    case 1:
    case 2: return stim_lanes(r);
    case 3: return stim_random(r) & stim_random(r);
    case 4:
        return x & 16 ? 0x55555555u << (x & 1)
            : x & 8   ? 0x11111111u << (x & 3)
                      : 0x01010101u << (x & 7);
    default: return UINT32_MAX;
    }
}

static void ls_randomize(void *self, StimRandom *r, const int *knobs, void *inputs) {
    const Env *e = self;
    LoadShapeIn *in = inputs;
    uint32_t addr[LANES];
    in->in_valid[0] = stim_percent(r, knobs[KNOB_LOAD]);
    in->in_tag[0] = stim_random(r) & ((1u << block_bits(e->tags)) - 1);
    in->in_mask[0] = draw_mask(r, stim_percent(r, knobs[KNOB_FEW]));
    const uint32_t x = stim_random(r), kind = x >> 29;
    uint32_t stride = kind == 0 ? 0 : kind == 1 ? 512 : kind < 6 ? 4u << (x & 7) : 4 * (x % 129);
    uint32_t base = x & 1 << 28 ? stim_random(r) : stim_random(r) & ~3u;
    if ((x >> 20 & 15) == 0) base = (x >> 8 & 0x3fff) & ~3u;
    if ((x >> 20 & 15) == 1) base = 0u - (x >> 8 & 0x3fff);
    if ((x >> 20 & 15) == 2) base = 0u - 4 * (x >> 8 & 31) * stride / 4;
    const bool spoil = stim_percent(r, knobs[KNOB_SPOIL]);
    const uint32_t y = stim_random(r);
    if (spoil && y >> 30 == 0)
        stride = y & 1 ? 0u - stride : y & 2 ? stride + 1 + (y >> 8) % 3 : 516 + (y >> 8 & 0x3fc);
    for (uint32_t i = 0; i < LANES; i++) addr[i] = base + i * stride;
    if (spoil && y >> 30 != 0)
        addr[y & 31] ^= y >> 29 & 1 ? 1u << (y >> 5 & 31) : 4u << (y >> 5 & 7);
    if (stim_percent(r, knobs[KNOB_ANY]))
        for (int i = 0; i < LANES; i++) addr[i] = stim_random(r);
    rf_slices_from_lanes(in->in_addr[0], addr);
}

static void ls_constrain(void *self, void *inputs, const void *outputs) {
    (void)self, (void)inputs, (void)outputs;
}

// Lanes that are not where the two lowest ones say.
static uint32_t off_place(const uint32_t *addr, uint32_t mask, int f, int64_t stride) {
    uint32_t off = 0;
    for (int i = 0; i < LANES; i++)
        if (mask >> i & 1 && (int64_t)addr[i] != addr[f] + (i - f) * stride) off |= 1u << i;
    return off;
}

static void see_misfit(const uint32_t *addr, uint32_t mask, int f, int gap, uint64_t *hits) {
    const int64_t rise = (int64_t)addr[f + gap] - addr[f], stride = rise / gap;
    const int counts = EVENTS + GAPS + LANES;
    if (gap & (gap - 1)) hits[GAP_ODD]++;
    else if (rise < 0) hits[DOWN]++;
    else if (rise % gap || stride & 3) hits[ODD]++;
    else if (stride > 512) hits[TOO_FAR]++;
    else {
        const uint32_t off = off_place(addr, mask, f, stride);
        if (!off || off & (off - 1)) return;
        const int lane = __builtin_ctz(off);
        const int64_t wants = addr[f] + (lane - f) * stride;
        hits[counts + lane - 2]++;
        hits[wants - addr[lane] > 1 << 14 || addr[lane] - wants > 1 << 14 ? FAR_LANE : ONE_LANE]++;
        hits[WRAPS] += wants > UINT32_MAX;
    }
}

static void see_load(const LoadShapeIn *in, uint64_t *hits) {
    const uint32_t mask = in->in_mask[0];
    uint32_t addr[LANES];
    hits[EVENTS + GAPS + LANES + LANES - 2 + stim_lanes_kind(mask)]++;
    if (!mask) {
        hits[NO_LANES]++;
        return;
    }
    rf_lanes_from_slices(addr, in->in_addr[0]);
    const int f = __builtin_ctz(mask);
    const uint32_t later = mask & (mask - 1);
    const int gap = later ? __builtin_ctz(later) - f : 1;
    const int64_t stride = later ? ((int64_t)addr[f + gap] - addr[f]) / gap : 0;
    const bool whole = !later || ((int64_t)addr[f + gap] - addr[f]) % gap == 0;
    const bool fits = whole && !(gap & (gap - 1)) && stride >= 0 && stride <= 512 &&
        !(stride & 3) && !off_place(addr, mask, f, stride);
    if (later && !(gap & (gap - 1))) hits[EVENTS + __builtin_ctz((unsigned)gap)]++;
    hits[EVENTS + GAPS + f]++;
    if (!fits) {
        const uint32_t last = 31 - (uint32_t)__builtin_clz(mask);
        hits[WRAPS] += stride > 0 && stride <= 512 &&
            addr[f] + (last - (uint32_t)f) * (uint64_t)stride > UINT32_MAX;
        if (later) see_misfit(addr, mask, f, gap, hits);
        return;
    }
    hits[!later ? OK_ONE : mask == UINT32_MAX ? OK_FULL : OK_HOLES]++;
    hits[OK_NO_LANE_0] += f != 0;
    hits[OK_WRAPS] += (int64_t)addr[f] < f * stride;
    hits[OK_ZERO] += later && stride == 0;
    hits[OK_512] += stride == 512;
    hits[UNALIGNED] += (addr[f] & 3) != 0;
}

static void ls_observe(void *self, const void *inputs, const void *outputs, uint64_t *hits) {
    Env *e = self;
    const LoadShapeIn *in = inputs;
    (void)outputs;
    if (e->reset_met) hits[e->reset_met > 1 ? RESET_BUSY : RESET_IDLE]++;
    e->reset_met = 0;
    e->busy = in->in_valid[0];
    e->in_a_row = in->in_valid[0] ? e->in_a_row + 1 : 0;
    hits[ROW] += e->in_a_row >= 4;
    if (in->in_valid[0]) see_load(in, hits);
}

static const StimShape SHAPES[] = {
    {"NumTags=33", "tags that are no power of two"},
    {0},
};

const BlockStim load_shape_stim = {.shapes = SHAPES,
                                   .knobs = KNOB_TABLE,
                                   .nknobs = KNOBS,
                                   .bins = ls_bins,
                                   .open = ls_open,
                                   .close = ls_close,
                                   .reset = ls_forget,
                                   .randomize = ls_randomize,
                                   .constrain = ls_constrain,
                                   .observe = ls_observe};
