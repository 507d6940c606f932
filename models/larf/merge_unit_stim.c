// SPDX-License-Identifier: Apache-2.0
// Stimuli of merge_unit: pairs of rows as addr_map_table answers them (masks that do not overlap,
// shifts that stay inside) and any others. The write port takes results now and then.
#include "models/larf/merge_unit.h"

#include "models/params.h"
#include "models/stim_bins.h"

#include <stdlib.h>
#include <string.h>

enum { MERGE_UNIT_PARAMS(BLOCK_INDEX) };

enum { KNOB_MERGE, KNOB_TAKE, KNOB_ALONE, KNOB_ANY, KNOBS };
static const StimKnob KNOB_TABLE[KNOBS] = {
    {"merge", 5, 100, "percent of cycles with rows"},
    {"take", 0, 100, "percent of cycles in which results are taken"},
    {"alone", 0, 60, "percent of one row alone"},
    {"any", 10, 90, "percent of any masks and shifts"},
};

enum { LANES = 32, SHIFTS = 64, LEAST_SHIFT = -32 };

typedef struct Bins {
    int shift[MU_ROWS][SHIFTS], took[4], held[MU_MAX_SLOTS + 1];
    int overlap, all, part, none, lanes, out, both_ways;
    int refused, through, waits, idle_ready;
    int reset_empty, reset_held;
} Bins;

typedef struct Env {
    int slots, held;
    Bins at;
    int reset_met;  // 0, or 1 + the number of results there were
} Env;

static int bins_list(int slots, CoverBin *bins, Bins *at) {
    BinList l = {bins, 0};
    for (int r = 0; r < MU_ROWS; r++)
        for (int i = 0; i < SHIFTS; i++)
            at->shift[r][i] =
                bin_add(&l, r ? "shift of row 1" : "shift of row 0", "%d", i + LEAST_SHIFT);
    at->took[1] = bin_add(&l, "rows", "first-alone");
    at->took[2] = bin_add(&l, "rows", "second-alone");
    at->took[3] = bin_add(&l, "rows", "both");
    at->overlap = bin_add(&l, "lanes", "of-both-rows");
    at->all = bin_add(&l, "lanes", "all-of-two-rows");
    at->part = bin_add(&l, "lanes", "some");
    at->none = bin_add(&l, "lanes", "none");
    at->lanes = bin_lanes(&l, "lanes asked for");
    at->out = bin_add(&l, "lanes", "asked-but-shifted-out");
    at->both_ways = bin_add(&l, "lanes", "shifted-up-and-down");
    for (int i = 0; i <= slots; i++) at->held[i] = bin_add(&l, "results held", "%d", i);
    at->refused = bin_add(&l, "flow", "refused");
    at->through = bin_add(&l, "flow", "taken-and-refilled-when-full");
    at->waits = bin_add(&l, "flow", "result-waits");
    at->idle_ready = bin_add(&l, "flow", "taken-without-result");
    at->reset_empty = bin_add(&l, "reset", "empty");
    at->reset_held = bin_add(&l, "reset", "result");
    return l.n;
}

static int mu_bins(const int *params, CoverBin *bins) {
    Bins at;
    return bins_list(params[P_Slots], bins, &at);
}

static void mu_forget(void *self) {
    Env *e = self;
    e->reset_met = 1 + e->held;
    e->held = 0;
}

static void *mu_open(const int *params) {
    Env *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    e->slots = params[P_Slots];
    bins_list(e->slots, NULL, &e->at);
    return e;
}

static void mu_close(void *self) { free(self); }

static uint32_t shifted_in(int shift) {  // lanes that a row shifted so can give
    return shift >= 0 ? UINT32_MAX >> shift : shift == LEAST_SHIFT ? 0 : UINT32_MAX << -shift;
}

static void draw_cover(StimRandom *r, MergeUnitIn *in) {
    const uint32_t x = stim_random(r);
    const int up = (int)(x & 31), down = (int)(x >> 5 & 31);
    const int first = (int)(x >> 31);  // either may be the low one
    const uint32_t low = x >> 30 & 1 ? stim_random(r) : UINT32_MAX >> up;
    in->op_shift[first] = (uint32_t)up;
    in->op_shift[!first] = (uint32_t)-down & 63;
    in->op_mask[first] = low & shifted_in(up);
    in->op_mask[!first] = ~low & shifted_in(-down);
}

static void mu_randomize(void *self, StimRandom *r, const int *knobs, void *inputs) {
    MergeUnitIn *in = inputs;
    (void)self;
    in->res_ready[0] = stim_percent(r, knobs[KNOB_TAKE]);
    in->op_valid[0] = 0;
    if (!stim_percent(r, knobs[KNOB_MERGE])) return;
    in->op_valid[0] = stim_percent(r, knobs[KNOB_ALONE]) ? 1 + stim_below(r, 2) : 3;
    draw_cover(r, in);
    for (int row = 0; row < MU_ROWS; row++) {
        stim_row(r, in->op_row[row]);
        if (!stim_percent(r, knobs[KNOB_ANY])) continue;
        const uint32_t x = stim_random(r);
        in->op_shift[row] = x & 63;
        in->op_mask[row] = stim_lanes(r);
    }
}

// Everything may be driven.
static void mu_constrain(void *self, void *inputs, const void *outputs) {
    (void)self, (void)inputs, (void)outputs;
}

static void see_merge(const Env *e, const MergeUnitIn *in, uint64_t *hits) {
    uint32_t gives[MU_ROWS] = {0}, asked = 0;
    int way[MU_ROWS] = {0};
    for (int r = 0; r < MU_ROWS; r++) {
        if (!(in->op_valid[0] >> r & 1)) continue;
        const int shift = (int)in->op_shift[r] - (in->op_shift[r] & 32 ? SHIFTS : 0);
        gives[r] = in->op_mask[r] & shifted_in(shift);
        asked |= in->op_mask[r] & ~gives[r];
        hits[e->at.lanes + stim_lanes_kind(in->op_mask[r])]++;
        way[r] = gives[r] ? shift : 0;
        hits[e->at.shift[r][shift - LEAST_SHIFT]]++;
    }
    const uint32_t lanes = gives[0] | gives[1];
    hits[e->at.took[in->op_valid[0]]]++;
    hits[lanes == 0                ? e->at.none
             : lanes != UINT32_MAX ? e->at.part
                                   : e->at.all] += lanes != UINT32_MAX || (gives[0] && gives[1]);
    hits[e->at.overlap] += (gives[0] & gives[1]) != 0;
    hits[e->at.out] += asked != 0;
    hits[e->at.both_ways] += (way[0] > 0 && way[1] < 0) || (way[0] < 0 && way[1] > 0);
}

static void mu_observe(void *self, const void *inputs, const void *outputs, uint64_t *hits) {
    Env *e = self;
    const MergeUnitIn *in = inputs;
    const MergeUnitOut *out = outputs;
    if (e->reset_met) hits[e->reset_met > 1 ? e->at.reset_held : e->at.reset_empty]++;
    e->reset_met = 0;
    hits[e->at.held[e->held]]++;
    const bool gives = out->res_valid[0] && in->res_ready[0];
    const bool takes = in->op_valid[0] && out->op_ready[0];
    hits[e->at.refused] += in->op_valid[0] && !out->op_ready[0];
    hits[e->at.through] += takes && gives && e->held == e->slots;
    hits[e->at.waits] += out->res_valid[0] && !in->res_ready[0];
    hits[e->at.idle_ready] += in->res_ready[0] && !out->res_valid[0];
    if (takes) see_merge(e, in, hits);
    e->held += takes - gives;
}

static const StimShape SHAPES[] = {
    {"Slots=3", "a number of slots that is no power of two"},
    {0},
};

const BlockStim merge_unit_stim = {.shapes = SHAPES,
                                   .knobs = KNOB_TABLE,
                                   .nknobs = KNOBS,
                                   .bins = mu_bins,
                                   .open = mu_open,
                                   .close = mu_close,
                                   .reset = mu_forget,
                                   .randomize = mu_randomize,
                                   .constrain = mu_constrain,
                                   .observe = mu_observe};
