// SPDX-License-Identifier: Apache-2.0
// Stimuli of scalar_alloc: kernels of every size of thread, files that fill up, contexts that run
// out before the registers do. Threads end in the cycle of a start that needs their place.
#include "models/params.h"
#include "models/scalar/scalar_alloc.h"
#include "models/stim_bins.h"

#include <stdlib.h>

enum { SCALAR_ALLOC_PARAMS(BLOCK_INDEX) };

enum { KNOB_START, KNOB_END, KNOB_LOAD, KNOB_SIZE, KNOB_UNIT, KNOBS };
static const StimKnob KNOB_TABLE[KNOBS] = {
    {"start", 20, 100, "percent of cycles with a start"},
    {"end", 0, 40,
     "percent of contexts in use that end in a cycle, of those below the first that does not"},
    {"load", 0, 2, "percent of cycles in which a kernel is placed"},
    {"size", 0, 100,
     "percent of a file that a thread needs, of a third of it, now and then of all"},
    {"unit", 0, 100, "percent of starts on unit 0"},
};

enum {
    GRANT,
    REFUSED_PARTS,
    REFUSED_CONTEXTS,
    END_AND_START,
    END_NEEDED,
    REUSED,
    LOAD_IN_USE,
    NO_PARTS,
    DURING_LOAD,
    FULL_FILE,
    RESET_IN_USE,
    EVENTS
};

typedef struct Env {
    int words, units, threads;
    bool in_use[SA_MAX_THREADS], loaded, reset_met;
    int unit[SA_MAX_THREADS];
    int length, parts, ended;  // ended: a context that ended in the last cycle, -1
    int event, context, on;
} Env;

static void layout(Env *e, BinList *l, const int *params) {
    static const char *const events[EVENTS] = {
        "grant",          "no_part",         "no_context",
        "end_with_start", "end_needed",      "reused_next_cycle",
        "load_in_use",    "no_parts_at_all", "start_during_load",
        "file_full",      "reset_in_use"};
    e->event = l->n;
    for (int k = 0; k < EVENTS; k++) bin_add(l, "event", "%s", events[k]);
    e->context = bin_numbers(l, "context", "context", 0, params[P_Threads]);
    e->on = bin_numbers(l, "unit", "unit", 0, params[P_Units]);
}

static int sa_bins(const int *params, CoverBin *bins) {
    Env e;
    BinList l = {bins, 0};
    layout(&e, &l, params);
    return l.n;
}

static void env_reset(void *self) {
    Env *e = self;
    for (int c = 0; c < e->threads; c++) e->reset_met |= e->in_use[c], e->in_use[c] = false;
    e->loaded = false;
    e->length = e->parts = 0;
    e->ended = -1;
}

static void *env_open(const int *params) {
    Env *e = calloc(1, sizeof *e);
    if (!e) abort();
    BinList l = {NULL, 0};
    layout(e, &l, params);
    e->words = params[P_Words], e->units = params[P_Units], e->threads = params[P_Threads];
    env_reset(e);
    return e;
}

static void env_randomize(void *self, StimRandom *r, const int *knobs, void *vin) {
    Env *e = self;
    ScalarAllocIn *in = vin;
    in->cfg_valid[0] = stim_percent(r, e->loaded ? knobs[KNOB_LOAD] : 60);
    const uint32_t most =
        (uint32_t)(e->words / (stim_percent(r, 10) ? 2 : 6) * knobs[KNOB_SIZE] / 100);
    const uint32_t n = 2 + 2 * (most ? stim_below(r, most + 1) : 0);
    in->cfg_words[0] = n > (uint32_t)e->words ? 2 : n;
    uint32_t parts = (uint32_t)e->words / in->cfg_words[0];
    if (parts > (uint32_t)e->threads) parts = (uint32_t)e->threads;
    in->cfg_parts[0] = stim_percent(r, 10) ? stim_below(r, parts + 1) : parts;
    in->start_valid[0] = stim_percent(r, knobs[KNOB_START]);
    in->start_unit[0] = stim_percent(r, knobs[KNOB_UNIT]) ? 0 : stim_below(r, (uint32_t)e->units);
    for (int c = 0; c < e->threads; c++) in->end_mask[c] = 0;
    for (int i = 0; i < 4; i++) {
        const uint32_t c = stim_below(r, (uint32_t)e->threads);
        if (stim_percent(r, knobs[KNOB_END])) in->end_mask[c] = 1;
    }
}

static void env_constrain(void *self, void *vin, const void *out) {
    const Env *e = self;
    ScalarAllocIn *in = vin;
    (void)out;
    if (in->cfg_words[0] % 2 || in->cfg_words[0] < 2 || in->cfg_words[0] > (uint32_t)e->words)
        in->cfg_words[0] = 2;
    if (in->cfg_parts[0] > (uint32_t)e->threads ||
        in->cfg_parts[0] * in->cfg_words[0] > (uint32_t)e->words)
        in->cfg_parts[0] = 0;
    if (in->start_unit[0] >= (uint32_t)e->units) in->start_valid[0] = 0;
    for (int c = 0; c < e->threads; c++)
        if (!e->in_use[c]) in->end_mask[c] = 0;
}

static void see_start(Env *e, const ScalarAllocIn *in, const ScalarAllocOut *out, uint64_t *hits) {
    int used = 0, on_unit = 0;
    bool ends = false, ends_here = false;
    for (int c = 0; c < e->threads; c++) {
        used += e->in_use[c];
        ends |= in->end_mask[c];
        if (!e->in_use[c] || e->unit[c] != (int)in->start_unit[0]) continue;
        on_unit++;
        ends_here |= in->end_mask[c];
    }
    const bool grant = out->start_grant[0];
    hits[e->event + GRANT] += grant;
    hits[e->event + REFUSED_CONTEXTS] += !grant && used == e->threads && on_unit < e->parts;
    hits[e->event + REFUSED_PARTS] += !grant && e->parts > 0 && on_unit == e->parts;
    hits[e->event + END_AND_START] += grant && ends;
    hits[e->event + END_NEEDED] += !grant && ends_here;
    if (!grant) return;
    const int c = (int)out->start_ctx[0];
    hits[e->context + c]++;
    hits[e->on + in->start_unit[0]]++;
    hits[e->event + REUSED] += c == e->ended;
    hits[e->event + FULL_FILE] += on_unit + 1 == e->parts && e->parts > 1;
}

static void env_observe(void *self, const void *vin, const void *vout, uint64_t *hits) {
    Env *e = self;
    const ScalarAllocIn *in = vin;
    const ScalarAllocOut *out = vout;
    hits[e->event + RESET_IN_USE] += e->reset_met;
    e->reset_met = false;
    if (in->cfg_valid[0]) {
        for (int c = 0; c < e->threads; c++) {
            if (!e->in_use[c]) continue;
            hits[e->event + LOAD_IN_USE]++;
            e->in_use[c] = false;
        }
        hits[e->event + DURING_LOAD] += in->start_valid[0];
        hits[e->event + NO_PARTS] += in->cfg_parts[0] == 0;
        e->length = (int)in->cfg_words[0], e->parts = (int)in->cfg_parts[0];
        e->loaded = true, e->ended = -1;
        return;
    }
    if (in->start_valid[0]) see_start(e, in, out, hits);
    e->ended = -1;
    for (int c = 0; c < e->threads; c++)
        if (in->end_mask[c]) e->in_use[c] = false, e->ended = c;
    if (out->start_grant[0]) {
        const int c = (int)out->start_ctx[0];
        e->in_use[c] = true, e->unit[c] = (int)in->start_unit[0];
    }
}

static const StimShape SHAPES[] = {
    {"Words=50 Units=3 Threads=11", "several units, more parts than contexts"},
    {"Words=20 Units=1 Threads=5", "one unit: registers and contexts run out together"},
    {0},
};

// With one unit a kernel has at most as many parts as there are contexts, so that parts run out
// first or together.
static const StimWaiver WAIVERS[] = {
    {"Units=1", "event", "no_context", "a file has at most as many parts as there are contexts"},
    {0},
};

const BlockStim scalar_alloc_stim = {.shapes = SHAPES,
                                     .waivers = WAIVERS,
                                     .knobs = KNOB_TABLE,
                                     .nknobs = KNOBS,
                                     .bins = sa_bins,
                                     .open = env_open,
                                     .close = free,
                                     .reset = env_reset,
                                     .randomize = env_randomize,
                                     .constrain = env_constrain,
                                     .observe = env_observe};
