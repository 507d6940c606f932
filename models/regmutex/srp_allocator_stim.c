// SPDX-License-Identifier: Apache-2.0
// Stimuli of srp_allocator: pools of every size. Warps acquire again while they hold, release
// without holding, and end while they hold. Look-ups name warps that just changed.
#include "models/regmutex/srp_allocator.h"
#include "models/params.h"
#include "models/stim_bins.h"

#include <stdlib.h>

enum { SRP_ALLOCATOR_PARAMS(BLOCK_INDEX) };

enum {
    KNOB_ACQUIRE,
    KNOB_RELEASE,
    KNOB_EXIT,
    KNOB_LOAD,
    KNOB_POOL,
    KNOB_HOT,
    KNOB_PAIRED,
    KNOB_FILL,
    KNOBS
};
static const StimKnob KNOB_TABLE[KNOBS] = {
    {"acquire", 0, 100, "percent of ports that acquire"},
    {"release", 0, 60, "percent of ports that release"},
    {"exit", 0, 12, "percent of cycles in which warps end"},
    {"load", 0, 4, "percent of cycles in which a kernel is placed"},
    {"pool", 0, 100, "percent of Warps that the pool has sections for, when a kernel is placed"},
    {"hot", 0, 90, "percent of requests by the warps that were served last"},
    {"paired", 0, 100, "percent of kernels that pair their warps"},
    {"fill", 0, 100, "percent of acquires by a warp that holds nothing"},
};

// The event of one port.
enum {
    GRANT_FIRST,
    GRANT_NESTED,
    GRANT_SAME_CYCLE,
    REFUSED,
    PAIR_GRANT,
    PAIR_REFUSED,
    PAIR_NESTED,
    KINDS
};
enum { FREE_HELD, FREE_NOTHING, FREE_EXIT_HELD, FREE_EXIT_NOTHING, FREES };
enum {
    POOL_NONE,
    POOL_ONE,
    POOL_ALL,
    POOL_TAKEN,
    LOAD_HELD,
    RELEASE_TAKEN_NEXT,
    LOOK_HELD,
    LOOK_NOT,
    RESET_HELD,
    EVENTS
};

typedef struct Env {
    int warps, req, look;
    bool paired, loaded;
    int sections;
    int section[SRP_MAX_WARPS];  // of a warp, -1
    int last[2], freed;          // warps that were served; a section freed in the last cycle, -1
    bool reset_met;
    int kind, frees, events, section_bin, chain;  // first bins
} Env;

static void bins_layout(Env *e, const int *params, BinList *l) {
    static const char *const kinds[KINDS] = {"first",        "nested",       "nested_same_cycle",
                                             "refused",      "paired_first", "paired_refused",
                                             "paired_nested"};
    static const char *const frees[FREES] = {"release_held", "release_nothing", "exit_held",
                                             "exit_nothing"};
    static const char *const events[EVENTS] = {
        "pool_empty",   "pool_one",        "pool_full_size",
        "all_taken",    "load_while_held", "section_reused_next_cycle",
        "look_up_held", "look_up_none",    "reset_while_held"};
    e->kind = l->n;
    for (int r = 0; r < params[P_NumReq]; r++)
        for (int k = 0; k < KINDS; k++) {
            // port 0 cannot be nested in its own cycle: its bin is a load that refuses it
            const bool load = r == 0 && k == GRANT_SAME_CYCLE;
            bin_add(l, "acquire", "port%d.%s", r, load ? "during_load" : kinds[k]);
        }
    e->frees = bin_words(l, "give_back", frees, FREES);
    e->events = bin_words(l, "event", events, EVENTS);
    e->section_bin = bin_numbers(l, "section", "section", 0, params[P_Warps]);
    e->chain = bin_times(l, "new_sections", "", params[P_NumReq], 0);
}

static int srp_bins(const int *params, CoverBin *bins) {
    BinList l = {.bins = bins};
    Env e;
    bins_layout(&e, params, &l);
    return l.n;
}

static void env_reset(void *self) {
    Env *e = self;
    for (int w = 0; w < SRP_MAX_WARPS; w++) e->reset_met |= e->section[w] >= 0, e->section[w] = -1;
    e->paired = e->loaded = false;
    e->sections = 0;
    e->freed = -1;
}

static void *env_open(const int *params) {
    Env *e = calloc(1, sizeof *e);
    if (!e) abort();
    bins_layout(e, params, &(BinList){0});
    e->warps = params[P_Warps], e->req = params[P_NumReq], e->look = params[P_NumLook];
    memset(e->section, -1, sizeof e->section);
    env_reset(e);
    return e;
}

static uint32_t pick(Env *e, StimRandom *r, const int *knobs) {
    if (stim_percent(r, knobs[KNOB_HOT]))
        return (uint32_t)(e->last[stim_below(r, 2)] ^ (int)stim_below(r, 2)) % (uint32_t)e->warps;
    return stim_below(r, (uint32_t)e->warps);
}

// A warp without a section, from a random one on; any warp if all hold one.
static uint32_t pick_empty(Env *e, StimRandom *r) {
    uint32_t from = stim_below(r, (uint32_t)e->warps);
    for (int i = 0; i < e->warps; i++) {
        uint32_t warp = (from + (uint32_t)i) % (uint32_t)e->warps;
        if (e->section[warp] < 0) return warp;
    }
    return from;
}

static void env_randomize(void *self, StimRandom *r, const int *knobs, void *vin) {
    Env *e = self;
    SrpAllocatorIn *in = vin;
    in->cfg_valid[0] = stim_percent(r, e->loaded ? knobs[KNOB_LOAD] : 50);
    in->cfg_paired[0] = stim_percent(r, knobs[KNOB_PAIRED]);
    int pool = knobs[KNOB_POOL] * e->warps / 100;
    in->cfg_sections[0] = stim_percent(r, 15) ? stim_below(r, 2)
        : stim_percent(r, 15)                 ? (uint32_t)e->warps
                                              : (uint32_t)pool;
    in->acq_valid[0] = in->rel_valid[0] = 0;
    for (int p = 0; p < e->req; p++) {
        in->acq_valid[0] |= (uint32_t)stim_percent(r, knobs[KNOB_ACQUIRE]) << p;
        in->rel_valid[0] |= (uint32_t)stim_percent(r, knobs[KNOB_RELEASE]) << p;
        in->acq_warp[p] = p && stim_percent(r, 15) ? in->acq_warp[p - 1]
            : stim_percent(r, knobs[KNOB_FILL])    ? pick_empty(e, r)
                                                   : pick(e, r, knobs);
        in->rel_warp[p] = pick(e, r, knobs);
    }
    bool ends = stim_percent(r, knobs[KNOB_EXIT]);
    uint32_t bits = ends ? stim_random(r) & stim_random(r) & stim_random(r) : 0;
    for (int w = 0; w < e->warps; w++) in->exit_mask[w] = bits >> w % 32 & 1;
    for (int l = 0; l < e->look; l++) in->lk_warp[l] = pick(e, r, knobs);
}

static void env_constrain(void *self, void *vin, const void *out) {
    const Env *e = self;
    SrpAllocatorIn *in = vin;
    (void)out;
    if (in->cfg_sections[0] > (uint32_t)e->warps) in->cfg_sections[0] = (uint32_t)e->warps;
    for (int l = 0; l < e->look; l++)
        if (in->lk_warp[l] >= (uint32_t)e->warps) in->lk_warp[l] = 0;
    for (int p = 0; p < e->req; p++) {
        if (in->rel_warp[p] >= (uint32_t)e->warps) in->rel_valid[0] &= ~(1u << p);
        if (in->acq_warp[p] >= (uint32_t)e->warps) in->acq_valid[0] &= ~(1u << p);
    }
    for (int p = 0; p < e->req; p++) {
        if (!(in->acq_valid[0] >> p & 1)) continue;
        bool gives = in->exit_mask[in->acq_warp[p]];
        for (int q = 0; q < e->req; q++)
            gives |= (in->rel_valid[0] >> q & 1) && in->rel_warp[q] == in->acq_warp[p];
        if (gives) in->acq_valid[0] &= ~(1u << p);
    }
}

static void give_back(Env *e, int warp, int held_bin, uint64_t *hits) {
    hits[e->frees + held_bin + (e->section[warp] < 0)]++;
    if (e->section[warp] >= 0) e->freed = e->section[warp];
    e->section[warp] = -1;
}

static void see_acquire(Env *e, const SrpAllocatorIn *in, const SrpAllocatorOut *out, int p,
                        const bool *held, int *news, uint64_t *hits) {
    int warp = (int)in->acq_warp[p], kind;
    bool grant = out->acq_grant[0] >> p & 1, now = e->section[warp] >= 0;
    if (in->cfg_valid[0]) {
        if (p == 0) hits[e->kind + GRANT_SAME_CYCLE]++;
        return;
    }
    if (now) kind = !held[warp] ? GRANT_SAME_CYCLE : e->paired ? PAIR_NESTED : GRANT_NESTED;
    else if (!grant) kind = e->paired ? PAIR_REFUSED : REFUSED;
    else kind = e->paired ? PAIR_GRANT : GRANT_FIRST;
    hits[e->kind + p * KINDS + kind]++;
    if (!grant) return;
    int section = (int)out->acq_section[p];
    hits[e->section_bin + section]++;
    if (!now) {
        hits[e->chain + (*news)++]++;
        hits[e->events + RELEASE_TAKEN_NEXT] += section == e->freed;
    }
    e->section[warp] = section;
    e->last[p % 2] = warp;
}

static void env_observe(void *self, const void *vin, const void *vout, uint64_t *hits) {
    Env *e = self;
    const SrpAllocatorIn *in = vin;
    const SrpAllocatorOut *out = vout;
    bool held[SRP_MAX_WARPS];
    int taken = 0, news = 0;
    for (int w = 0; w < e->warps; w++) held[w] = e->section[w] >= 0, taken += held[w];
    hits[e->events + RESET_HELD] += e->reset_met;
    e->reset_met = false;
    hits[e->events + POOL_TAKEN] += taken && taken == e->sections;
    for (int l = 0; l < e->look; l++)
        hits[e->events + (out->lk_held[0] >> l & 1 ? LOOK_HELD : LOOK_NOT)]++;
    for (int p = 0; p < e->req; p++)
        if (in->acq_valid[0] >> p & 1) see_acquire(e, in, out, p, held, &news, hits);
    e->freed = -1;
    if (in->cfg_valid[0]) {
        int most = in->cfg_paired[0] ? (e->warps + 1) / 2 : e->warps, n = (int)in->cfg_sections[0];
        e->sections = n < most ? n : most;
        e->paired = in->cfg_paired[0];
        e->loaded = true;
        hits[e->events + LOAD_HELD] += taken > 0;
        hits[e->events + POOL_NONE] += n == 0;
        hits[e->events + POOL_ONE] += n == 1;
        hits[e->events + POOL_ALL] += n == e->warps;
        memset(e->section, -1, sizeof e->section);
        return;
    }
    for (int p = 0; p < e->req; p++)
        if (in->rel_valid[0] >> p & 1) give_back(e, (int)in->rel_warp[p], FREE_HELD, hits);
    for (int w = 0; w < e->warps; w++)
        if (in->exit_mask[w]) give_back(e, w, FREE_EXIT_HELD, hits);
}

static const StimShape SHAPES[] = {
    {"Warps=5 NumReq=3 NumLook=3", "odd warps, three ports"},
    {"Warps=64 NumReq=4 NumLook=8", "the largest: all ports"},
    {0},
};

const BlockStim srp_allocator_stim = {.shapes = SHAPES,
                                      .knobs = KNOB_TABLE,
                                      .nknobs = KNOBS,
                                      .bins = srp_bins,
                                      .open = env_open,
                                      .close = free,
                                      .reset = env_reset,
                                      .randomize = env_randomize,
                                      .constrain = env_constrain,
                                      .observe = env_observe};
