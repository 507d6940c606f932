// SPDX-License-Identifier: Apache-2.0
// Stimuli of width_detect: rows of a chosen size, values on the edges between sizes, and every
// pattern of needed bytes. Single lanes are wider than the rest and may not count.
#include "models/pack/width_detect.h"
#include "models/params.h"
#include "models/stim_bins.h"

#include <stdlib.h>

enum { WIDTH_DETECT_PARAMS(BLOCK_INDEX) };

enum { KNOB_VALID, KNOB_PARTIAL, KNOB_ODD, KNOB_EDGE, KNOBS };
static const StimKnob KNOB_TABLE[KNOBS] = {
    {"valid", 20, 100, "percent of ports with a result"},
    {"partial", 0, 100, "percent of results of some lanes only"},
    {"odd", 0, 60, "percent of results with one lane that is wider than the others"},
    {"edge", 0, 60, "percent of results with a value next to a change of size in all lanes"},
};

enum { SIGN_PLUS, SIGN_MINUS, SIGN_BOTH, SIGNS };
enum { FLOOR_NONE, FLOOR_LOWER, FLOOR_SAME, FLOOR_RAISES, FLOOR_OFF, FLOORS };
enum { LONE_FIRST, LONE_LAST, LONE_UNWRITTEN, LONES };

typedef struct Env {
    int ports;
    int size, sign, wide, lanes, floor, lone, edge;  // first bin of each group
} Env;

static void layout(Env *e, const int *params, BinList *l) {
    static const char *const sizes[] = {"1", "2", "3", "4"};
    static const char *const signs[] = {"plus", "minus", "both"};
    static const char *const floors[] = {"nothing-before", "wider-now", "same", "raises",
                                         "all-lanes-ignore-it"};
    static const char *const lones[] = {"lane0-decides", "lane31-decides", "unwritten-lane-wider"};
    e->ports = params[P_NumPorts];
    e->size = l->n;
    for (int p = 0; p < e->ports; p++)
        for (int i = 0; i < 4; i++) bin_add(l, "size", "port%d.%s", p, sizes[i]);
    e->sign = l->n;
    for (int n = 1; n < 4; n++)
        for (int i = 0; i < SIGNS; i++) bin_add(l, "sign", "%d-bytes.%s", n, signs[i]);
    e->wide = l->n;
    for (int i = 0; i < 8; i++) bin_add(l, "bytes needed", "%d%d%d", i >> 2, i >> 1 & 1, i & 1);
    e->lanes = bin_lanes(l, "written lanes");
    e->floor = bin_words(l, "size before", floors, FLOORS);
    e->lone = bin_words(l, "single lane", lones, LONES);
    e->edge = l->n;
    for (int i = 0; i < STIM_EDGES; i++) bin_add(l, "edge of a size", "%d", (int32_t)STIM_EDGE[i]);
}

static int wd_bins(const int *params, CoverBin *bins) {
    Env e;
    BinList l = {bins, 0};
    layout(&e, params, &l);
    return l.n;
}

static void *wd_open(const int *params) {
    Env *e = calloc(1, sizeof *e);
    if (e) layout(e, params, &(BinList){NULL, 0});
    return e;
}

static void wd_close(void *self) { free(self); }
static void wd_reset(void *self) { (void)self; }

// Needed bytes in any combination: signs everywhere, then single bits that differ.
static void draw_pattern(StimRandom *r, uint32_t row[32]) {
    const uint32_t random = stim_random(r), signs = stim_random(r);
    for (int l = 0; l < 32; l++) stim_set_lane(row, l, 0u - (signs >> l & 1));
    for (int i = 0; i < 3; i++) {
        if (!(random >> i & 1)) continue;
        const int lane = (int)(random >> (4 + 5 * i) & 31),
                  bit = 7 + 8 * i + (int)(random >> (20 + 3 * i) & 7);
        stim_set_lane(row, lane, stim_lane(row, lane) ^ 1u << bit);
    }
}

static void draw_row(StimRandom *r, const int *knobs, uint32_t row[32]) {
    if (stim_percent(r, knobs[KNOB_EDGE])) {
        stim_uniform(row, STIM_EDGE[stim_below(r, STIM_EDGES)]);
    } else if (stim_below(r, 8) == 0) {
        draw_pattern(r, row);
    } else {
        stim_row(r, row);
        stim_narrow(row, 1 + (int)stim_below(r, 4));
    }
    if (!stim_percent(r, knobs[KNOB_ODD])) return;
    const uint32_t random = stim_random(r);
    const int lane = (random & 3) == 0 ? 0 : (random & 3) == 1 ? 31 : (int)(random >> 2 & 31);
    stim_set_lane(row, lane, stim_random(r) >> (random >> 8 & 24));
}

static void wd_randomize(void *self, StimRandom *r, const int *knobs, void *inputs) {
    const Env *e = self;
    WidthDetectIn *in = inputs;
    in->wd_valid[0] = stim_bits(r, knobs[KNOB_VALID]) & ((1u << e->ports) - 1);
    for (int p = 0; p < e->ports; p++) {
        draw_row(r, knobs, in->wd_data[p]);  // of a port that is not valid, too: it must be ignored
        in->wd_lane[p] = stim_percent(r, knobs[KNOB_PARTIAL]) ? stim_lanes(r) : UINT32_MAX;
        in->wd_old[p] = stim_below(r, 5);
    }
}

static void wd_constrain(void *self, void *inputs, const void *out) {
    (void)out;
    const Env *e = self;
    WidthDetectIn *in = inputs;
    for (int p = 0; p < e->ports; p++)
        if (in->wd_old[p] > 4) in->wd_old[p] = 4;
}

// Whether a single lane determines the width of the result, and the width of the others.
static void see_lanes(const Env *e, const WidthDetectIn *in, int p, int size, uint64_t *hits) {
    const uint32_t lanes = in->wd_lane[p];
    uint32_t words[32], all = 0, first = 0, last = 0, unwritten = 0;
    rf_lanes_from_slices(words, in->wd_data[p]);
    bool plus = false, minus = false;
    for (int l = 0; l < 32; l++) {
        const uint32_t v = words[l] >> 31 ? ~words[l] : words[l];
        if (!(lanes >> l & 1)) {
            unwritten |= v;
            continue;
        }
        plus |= !(words[l] >> 31), minus |= words[l] >> 31;
        if (l != 0) first |= v;
        if (l != 31) last |= v;
        all |= v;
    }
    hits[e->lone + LONE_FIRST] += stim_size(first) < stim_size(all);
    hits[e->lone + LONE_LAST] += stim_size(last) < stim_size(all);
    hits[e->lone + LONE_UNWRITTEN] += stim_size(unwritten) > size;
    if (size < 4 && (plus || minus))
        hits[e->sign + (size - 1) * SIGNS +
             (plus && minus ? SIGN_BOTH
                  : minus   ? SIGN_MINUS
                            : SIGN_PLUS)]++;
}

static void wd_observe(void *self, const void *inputs, const void *outputs, uint64_t *hits) {
    const Env *e = self;
    const WidthDetectIn *in = inputs;
    const WidthDetectOut *out = outputs;
    for (uint32_t left = in->wd_valid[0]; left; left &= left - 1) {
        const int p = __builtin_ctz(left), size = (int)out->wd_size[p], old = (int)in->wd_old[p];
        const uint32_t lanes = in->wd_lane[p], wide = out->wd_wide[p];
        const int found = wide & 4 ? 4 : wide & 2 ? 3 : wide & 1 ? 2 : 1;
        hits[e->size + 4 * p + size - 1]++;
        hits[e->wide + (int)wide]++;
        hits[e->lanes + stim_lanes_kind(lanes)]++;
        if (lanes == UINT32_MAX) hits[e->floor + FLOOR_OFF] += old > found;
        else
            hits[e->floor +
                 (old == 0           ? FLOOR_NONE
                      : old < found  ? FLOOR_LOWER
                      : old == found ? FLOOR_SAME
                                     : FLOOR_RAISES)]++;
        see_lanes(e, in, p, size, hits);
        if (lanes != UINT32_MAX) continue;
        const uint32_t value = stim_lane(in->wd_data[p], 0);
        for (int i = 0; i < STIM_EDGES; i++)
            hits[e->edge + i] += value == STIM_EDGE[i] && stim_size(value) == size;
    }
}

static const StimShape SHAPES[] = {
    {"NumPorts=3", "three ports"},
    {0},
};

const BlockStim width_detect_stim = {.shapes = SHAPES,
                                     .knobs = KNOB_TABLE,
                                     .nknobs = KNOBS,
                                     .needs_out = false,
                                     .bins = wd_bins,
                                     .open = wd_open,
                                     .close = wd_close,
                                     .reset = wd_reset,
                                     .randomize = wd_randomize,
                                     .constrain = wd_constrain,
                                     .observe = wd_observe};
