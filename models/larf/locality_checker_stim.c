// SPDX-License-Identifier: Apache-2.0
// Stimuli of locality_checker: bursts of questions, a table that is busy with loads. Warps are
// forgotten while their question waits or is in flight.
#include "models/larf/locality_checker.h"

#include "models/params.h"
#include "models/stim_bins.h"

#include <stdlib.h>

enum { LOCALITY_CHECKER_PARAMS(BLOCK_INDEX) };

enum { KNOB_ASK, KNOB_READY, KNOB_SERVES, KNOB_FORGET, KNOBS };
static const StimKnob KNOB_TABLE[KNOBS] = {
    {"ask", 5, 100, "percent of cycles with a load at the head of a warp"},
    {"ready", 5, 100, "percent of cycles in which the table takes a question"},
    {"serves", 10, 90, "percent of answers that prefer the warp"},
    {"forget", 0, 60, "percent of cycles in which a warp is forgotten"},
};

enum {
    ENTERS,
    DROPPED,
    ASKED,
    REFUSED,
    SERVED,
    NOT_SERVED,
    VOID_WAITS,
    VOID_OUT,
    VOID_ANSWER,
    FORGET_PREFERRED,
    FORGET_SEVERAL,
    FORGET_ASKS,
    SET_AND_FORGOTTEN,
    THREE_OUT,
    RESET_IDLE,
    RESET_USED,
    EVENTS
};
static const char *const EVENT[EVENTS] = {"question",
                                          "question-dropped",
                                          "asked",
                                          "table-busy",
                                          "served",
                                          "not-served",
                                          "void-in-queue",
                                          "void-on-its-way",
                                          "void-answered",
                                          "preferred-forgotten",
                                          "several-forgotten",
                                          "forgotten-and-asks",
                                          "served-and-forgotten",
                                          "three-under-way",
                                          "reset-idle",
                                          "reset-used"};

typedef struct Env {
    int warps, questions;
    uint32_t queue[LC_MAX_QUESTIONS];  // warps
    bool void_question[LC_MAX_QUESTIONS];
    int queued;
    uint32_t left[LC_CYCLES];  // warps, + 1
    bool left_void[LC_CYCLES];
    bool preferred[LC_MAX_WARPS];
    uint32_t reset_met;
} Env;

static int lc_bins(const int *params, CoverBin *bins) {
    BinList l = {bins, 0};
    bin_words(&l, "event", EVENT, EVENTS);
    for (int w = 0; w < params[P_Warps]; w++) bin_add(&l, "preferred", "warp%d", w);
    return l.n;
}

static void lc_forget(void *self) {
    Env *e = self;
    e->reset_met = e->queued ? 2 : 1;
    e->queued = 0;
    memset(e->left, 0, sizeof e->left);
    memset(e->preferred, 0, sizeof e->preferred);
}

static void *lc_open(const int *params) {
    Env *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    e->warps = params[P_Warps], e->questions = params[P_Questions];
    return e;
}

static void lc_close(void *self) { free(self); }

static void lc_randomize(void *self, StimRandom *r, const int *knobs, void *inputs) {
    const Env *e = self;
    LocalityCheckerIn *in = inputs;
    in->as_valid[0] = stim_percent(r, knobs[KNOB_ASK]);
    in->as_warp[0] = stim_below(r, (uint32_t)e->warps);
    in->as_base[0] = stim_random(r);
    in->as_code[0] = stim_random(r) & 255;
    in->as_mask[0] = stim_lanes(r);
    in->qu_ready[0] = stim_percent(r, knobs[KNOB_READY]);
    in->an_serves[0] = stim_percent(r, knobs[KNOB_SERVES]);
    in->an_valid[0] = 1;  // when one is due: see below
    for (int w = 0; w < e->warps; w++) in->forget_mask[w] = 0;
    if (!stim_percent(r, knobs[KNOB_FORGET])) return;
    const uint32_t x = stim_random(r), out = e->left[x >> 8 & 1];
    const uint32_t due = e->left[LC_CYCLES - 1];
    uint32_t warp = stim_below(r, (uint32_t)e->warps);
    if (x >> 30 == 0 && e->queued) warp = e->queue[stim_below(r, (uint32_t)e->queued)];
    if (x >> 30 == 1 && out) warp = out - 1;
    if (x >> 30 == 2) warp = x & 1 && due ? due - 1 : in->as_warp[0];
    in->forget_mask[warp] = 1;
    if (x >> 29 & 1)
        for (int w = 0; w < e->warps; w++) in->forget_mask[w] |= stim_random(r) & 1;
}

static void lc_constrain(void *self, void *inputs, const void *outputs) {
    const Env *e = self;
    LocalityCheckerIn *in = inputs;
    (void)outputs;
    if ((int)in->as_warp[0] >= e->warps) in->as_warp[0] = 0;
    in->an_valid[0] = e->left[LC_CYCLES - 1] != 0;
}

static void see_answer(Env *e, const LocalityCheckerIn *in, uint64_t *hits) {
    if (!e->left[LC_CYCLES - 1]) return;
    const uint32_t warp = e->left[LC_CYCLES - 1] - 1;
    if (e->left_void[LC_CYCLES - 1]) {
        hits[VOID_ANSWER] += in->an_serves[0];
        return;
    }
    hits[in->an_serves[0] ? SERVED : NOT_SERVED]++;
    if (!in->an_serves[0]) return;
    hits[SET_AND_FORGOTTEN] += in->forget_mask[warp];
    hits[EVENTS + (int)warp]++;
    e->preferred[warp] = true;
}

static void see_forget(Env *e, const LocalityCheckerIn *in, uint64_t *hits) {
    int forgotten = 0;
    for (int w = 0; w < e->warps; w++) {
        forgotten += in->forget_mask[w] != 0;
        hits[FORGET_PREFERRED] += in->forget_mask[w] && e->preferred[w];
        if (in->forget_mask[w]) e->preferred[w] = false;
    }
    hits[FORGET_SEVERAL] += forgotten > 1;
    for (int q = 0; q < e->queued; q++)
        if (in->forget_mask[e->queue[q]]) hits[VOID_WAITS]++, e->void_question[q] = true;
    for (int a = 0; a < LC_CYCLES; a++)
        if (e->left[a] && in->forget_mask[e->left[a] - 1])
            hits[VOID_OUT] += a > 0, e->left_void[a] = true;
    hits[FORGET_ASKS] += in->as_valid[0] && in->forget_mask[in->as_warp[0]];
}

static void lc_observe(void *self, const void *inputs, const void *outputs, uint64_t *hits) {
    Env *e = self;
    const LocalityCheckerIn *in = inputs;
    const LocalityCheckerOut *out = outputs;
    const bool room = e->queued < e->questions, was_void = e->queued && e->void_question[0];
    const bool asks = e->queued && !was_void && in->qu_ready[0];
    if (e->reset_met) hits[e->reset_met > 1 ? RESET_USED : RESET_IDLE]++;
    e->reset_met = 0;
    hits[THREE_OUT] += e->left[0] && e->left[1] && e->left[2];
    hits[ASKED] += asks;
    hits[REFUSED] += out->qu_valid[0] && !in->qu_ready[0];
    see_answer(e, in, hits);
    memmove(e->left + 1, e->left, (LC_CYCLES - 1) * sizeof e->left[0]);
    memmove(e->left_void + 1, e->left_void, (LC_CYCLES - 1) * sizeof e->left_void[0]);
    e->left[0] = asks ? e->queue[0] + 1 : 0;
    e->left_void[0] = false;
    if (asks || was_void) {
        e->queued--;
        memmove(e->queue, e->queue + 1, (size_t)e->queued * sizeof e->queue[0]);
        memmove(e->void_question, e->void_question + 1,
                (size_t)e->queued * sizeof e->void_question[0]);
    }
    see_forget(e, in, hits);
    if (!in->as_valid[0]) return;
    hits[room ? ENTERS : DROPPED]++;
    if (!room) return;
    e->queue[e->queued] = in->as_warp[0];
    e->void_question[e->queued++] = false;
}

static const StimShape SHAPES[] = {
    {"Warps=5 Questions=1", "a queue of one question"},
    {"Warps=5 Questions=3", "numbers of warps and questions that are no powers of two"},
    {0},
};

static const StimWaiver WAIVERS[] = {
    {"Questions=1", "event", "three-under-way",
     "a queue of one takes a question every other cycle"},
    {0},
};

const BlockStim locality_checker_stim = {.shapes = SHAPES,
                                         .waivers = WAIVERS,
                                         .knobs = KNOB_TABLE,
                                         .nknobs = KNOBS,
                                         .bins = lc_bins,
                                         .open = lc_open,
                                         .close = lc_close,
                                         .reset = lc_forget,
                                         .randomize = lc_randomize,
                                         .constrain = lc_constrain,
                                         .observe = lc_observe};
