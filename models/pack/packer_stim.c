// SPDX-License-Identifier: Apache-2.0
// Stimuli of packer: every mask on every port, values narrower than, as large as and wider than the
// mask.
#include "models/pack/packer.h"
#include "models/params.h"
#include "models/stim_bins.h"

#include <stdlib.h>

enum { PACKER_PARAMS(BLOCK_INDEX) };

enum { KNOB_VALID, KNOB_FIT, KNOBS };
static const StimKnob KNOB_TABLE[KNOBS] = {
    {"valid", 20, 100, "percent of ports with a result"},
    {"fit", 0, 100, "percent of values that are as large as their mask"},
};

enum { PORTS_SAME, PORTS_DIFFER, PORTS };

typedef struct Env {
    int ports;
    int mask, size, idle, both;
} Env;

static void layout(Env *e, const int *params, BinList *l) {
    static const char *const both[] = {"same-mask", "different-masks"};
    e->ports = params[P_NumPorts];
    e->mask = l->n;
    for (int p = 0; p < e->ports; p++) {
        char prefix[16];
        snprintf(prefix, sizeof prefix, "port%d.", p);
        bin_masks(l, "mask", prefix);
    }
    e->size = l->n;
    for (int n = 1; n <= 4; n++)
        for (int ones = 1; ones <= 4; ones++)
            bin_add(l, "value in mask", "%d-bytes-in-%d", n, ones);
    e->idle = bin_add(l, "not valid", "with-a-mask");
    e->both = l->n;
    if (e->ports > 1) bin_words(l, "two ports", both, PORTS);
}

static int pk_bins(const int *params, CoverBin *bins) {
    Env e;
    BinList l = {bins, 0};
    layout(&e, params, &l);
    return l.n;
}

static void *pk_open(const int *params) {
    Env *e = calloc(1, sizeof *e);
    if (e) layout(e, params, &(BinList){NULL, 0});
    return e;
}

static void pk_close(void *self) { free(self); }
static void pk_reset(void *self) { (void)self; }

static void pk_randomize(void *self, StimRandom *r, const int *knobs, void *inputs) {
    const Env *e = self;
    PackerIn *in = inputs;
    in->pk_valid[0] = stim_bits(r, knobs[KNOB_VALID]) & ((1u << e->ports) - 1);
    for (int p = 0; p < e->ports; p++) {
        in->pk_mask[p] = stim_random(r) >> 28;
        stim_row(r, in->pk_data[p]);
        const bool fit = in->pk_mask[p] && stim_percent(r, knobs[KNOB_FIT]);
        stim_narrow(in->pk_data[p], fit ? stim_ones(in->pk_mask[p]) : 1 + (int)stim_below(r, 4));
    }
}

static void pk_constrain(void *self, void *in, const void *out) { (void)self, (void)in, (void)out; }

static int row_size(const uint32_t row[32]) {
    uint32_t words[32], all = 0;
    rf_lanes_from_slices(words, row);
    for (int l = 0; l < 32; l++) all |= words[l] >> 31 ? ~words[l] : words[l];
    return stim_size(all);
}

static void pk_observe(void *self, const void *inputs, const void *out, uint64_t *hits) {
    (void)out;
    const Env *e = self;
    const PackerIn *in = inputs;
    for (int p = 0; p < e->ports; p++) {
        const uint32_t mask = in->pk_mask[p];
        if (!(in->pk_valid[0] >> p & 1)) {
            hits[e->idle] += mask != 0;
            continue;
        }
        hits[e->mask + 16 * p + (int)mask]++;
        if (mask) hits[e->size + 4 * (row_size(in->pk_data[p]) - 1) + stim_ones(mask) - 1]++;
        if (p > 0 && (in->pk_valid[0] >> (p - 1) & 1))
            hits[e->both + (in->pk_mask[p - 1] != mask)]++;
    }
}

static const StimShape SHAPES[] = {
    {"NumPorts=3", "three ports"},
    {0},
};

const BlockStim packer_stim = {.shapes = SHAPES,
                               .knobs = KNOB_TABLE,
                               .nknobs = KNOBS,
                               .needs_out = false,
                               .bins = pk_bins,
                               .open = pk_open,
                               .close = pk_close,
                               .reset = pk_reset,
                               .randomize = pk_randomize,
                               .constrain = pk_constrain,
                               .observe = pk_observe};
