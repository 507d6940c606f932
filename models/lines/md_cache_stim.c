// SPDX-License-Identifier: Apache-2.0
// Stimuli of md_cache: look-ups of few and of many lines. Missed lines are filled, some late, some
// never. Fields next to each other are written and read again. Lines of one set have numbers that
// differ in one bit, and the first and last numbers.
#include "models/lines/md_cache.h"
#include "models/params.h"
#include "models/stim_bins.h"

#include <stdlib.h>

enum { MD_CACHE_PARAMS(BLOCK_INDEX) };

enum { KNOB_LOOK, KNOB_WRITE, KNOB_FILL, KNOB_SPREAD, KNOB_NEAR, KNOB_OTHER, KNOB_EDGE, KNOBS };
static const StimKnob KNOB_TABLE[KNOBS] = {
    {"look", 10, 100, "percent of cycles with a look-up"},
    {"write", 0, 80, "percent of look-ups that write"},
    {"fill", 5, 90, "percent of cycles with a fill, when a line was missed"},
    {"spread", 1, 100, "lines that share the sets, in percent of twice what fits"},
    {"near", 0, 90, "percent of fields next to the last one"},
    {"other", 0, 40, "percent of look-ups one bit beside a line of the same set"},
    {"edge", 0, 40, "percent of look-ups of the first or last number, or one bit beside"},
};

enum { HIT_READ, HIT_WRITE, MISS_ROOM, MISS_CLEAN, MISS_DIRTY, LOOKS };
enum {
    SET_FIRST,
    SET_LAST,
    FILL_AFTER_MISS,
    LOOK_AFTER_FILL,
    WRITE_THEN_READ,
    FILL_FIRST,
    FILL_LAST,
    EVENTS
};
enum { MISSED = 8, LAST_NUMBER = (1 << MD_LINE_BITS) - 1 };

typedef struct Line {
    uint32_t line;
    bool dirty;
} Line;

typedef struct Set {
    Line line[MD_MAX_WAYS];  // [0]: used last
    int n;
} Set;

typedef struct Env {
    int ways, nsets, low;  // low: bits of a number that say the set
    Set *sets;
    uint32_t missed[MISSED], last_line, last_fill, last_field;
    int nmissed;
    bool wrote, filled;
    int look, event, bit, reset;  // first bin of each group
    int reset_met;
} Env;

static void layout(Env *e, const int *params, BinList *l) {
    static const char *const looks[] = {"hit", "hit-and-write", "miss-with-room",
                                        "miss-evicts-clean", "miss-evicts-dirty"};
    static const char *const events[] = {"first-set",          "last-set",
                                         "fill-next-to-miss",  "look-up-next-to-fill",
                                         "read-next-to-write", "fill-of-first-number",
                                         "fill-of-last-number"};
    static const char *const resets[] = {"empty", "lines"};
    e->ways = params[P_Ways];
    e->nsets = params[P_Bytes] / (32 * e->ways);
    e->low = __builtin_ctz((unsigned)e->nsets);
    e->look = bin_words(l, "look-up", looks, LOOKS);
    e->event = bin_words(l, "event", events, EVENTS);
    e->bit = l->n;
    for (int b = e->low; b < MD_LINE_BITS; b++) bin_add(l, "miss one bit beside", "bit%d", b);
    e->reset = bin_words(l, "reset", resets, 2);
}

static int md_bins(const int *params, CoverBin *bins) {
    Env e;
    BinList l = {bins, 0};
    layout(&e, params, &l);
    return l.n;
}

static void *md_open(const int *params) {
    Env *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    layout(e, params, &(BinList){NULL, 0});
    e->sets = calloc((size_t)e->nsets, sizeof *e->sets);
    if (!e->sets) abort();
    return e;
}

static void md_close(void *self) {
    Env *e = self;
    free(e->sets);
    free(e);
}

static void md_reset(void *self) {
    Env *e = self;
    e->reset_met = 1;
    for (int s = 0; s < e->nsets; s++) {
        if (e->sets[s].n) e->reset_met = 2;
        e->sets[s].n = 0;
    }
    e->nmissed = 0;
    e->wrote = e->filled = false;
}

static Set *set_of(const Env *e, uint32_t line) { return &e->sets[line % (uint32_t)e->nsets]; }

static int place(const Set *s, uint32_t line) {
    int i = 0;
    while (i < s->n && s->line[i].line != line) i++;
    return i;
}

// Of the set of the last look-up, where it has lines.
static uint32_t draw_line(const Env *e, StimRandom *r, const int *knobs, uint32_t most) {
    const Set *s = set_of(e, e->last_line);
    if (s->n && stim_percent(r, knobs[KNOB_OTHER])) {
        const int bit = e->low + (int)stim_below(r, (uint32_t)(MD_LINE_BITS - e->low));
        return s->line[stim_below(r, (uint32_t)s->n)].line ^ 1u << bit;
    }
    if (!stim_percent(r, knobs[KNOB_EDGE])) return stim_below(r, most);
    const uint32_t edge = stim_below(r, 2) ? 0 : LAST_NUMBER;
    return stim_below(r, 2) ? edge : edge ^ 1u << stim_below(r, MD_LINE_BITS);
}

static void md_randomize(void *self, StimRandom *r, const int *knobs, void *inputs) {
    const Env *e = self;
    MdCacheIn *in = inputs;
    const uint32_t most = 1 + (uint32_t)(2 * e->nsets * e->ways * knobs[KNOB_SPREAD]) / 100;
    in->req_valid[0] = stim_percent(r, knobs[KNOB_LOOK]);
    in->req_line[0] = draw_line(e, r, knobs, most);
    if (stim_below(r, 8) == 0) in->req_line[0] = e->last_line;
    in->req_field[0] = stim_below(r, 128);
    if (stim_percent(r, knobs[KNOB_NEAR]))
        in->req_field[0] = (e->last_field + stim_below(r, 3) - 1) & 127;
    in->req_write[0] = stim_percent(r, knobs[KNOB_WRITE]);
    in->req_value[0] = stim_below(r, 4);
    in->fill_valid[0] = e->nmissed && stim_percent(r, knobs[KNOB_FILL]);
    const int late = e->nmissed ? (int)stim_below(r, (uint32_t)e->nmissed) : 0;
    in->fill_line[0] =
        e->nmissed ? e->missed[stim_below(r, 2) ? e->nmissed - 1 : late] : stim_below(r, most);
    for (int i = 0; i < MD_WORDS; i++) in->fill_data[i] = stim_random(r);
}

static void md_constrain(void *self, void *inputs, const void *outputs) {
    const Env *e = self;
    MdCacheIn *in = inputs;
    const Set *s = set_of(e, in->fill_line[0]);
    (void)outputs;
    if (s->n == e->ways || place(s, in->fill_line[0]) < s->n) in->fill_valid[0] = 0;
    if (in->fill_valid[0]) in->req_valid[0] = 0;
}

static void see_look_up(Env *e, const MdCacheIn *in, uint64_t *hits) {
    const uint32_t line = in->req_line[0];
    Set *s = set_of(e, line);
    const int i = place(s, line), set = (int)(line % (uint32_t)e->nsets);
    if (i < s->n) {
        Line l = s->line[i];
        memmove(s->line + 1, s->line, (size_t)i * sizeof l);
        l.dirty |= in->req_write[0];
        s->line[0] = l;
        hits[e->look + (in->req_write[0] ? HIT_WRITE : HIT_READ)]++;
        hits[e->event + SET_FIRST] += set == 0;
        hits[e->event + SET_LAST] += set == e->nsets - 1;
        hits[e->event + WRITE_THEN_READ] +=
            e->wrote && line == e->last_line && in->req_field[0] == e->last_field;
        hits[e->event + LOOK_AFTER_FILL] += e->filled && line == e->last_fill;
    } else {
        for (int k = 0; k < s->n; k++) {
            const uint32_t differ = s->line[k].line ^ line;
            if (!(differ & (differ - 1))) hits[e->bit + __builtin_ctz(differ) - e->low]++;
        }
        hits[e->look +
             (s->n < e->ways                ? MISS_ROOM
                  : s->line[s->n - 1].dirty ? MISS_DIRTY
                                            : MISS_CLEAN)]++;
        s->n -= s->n == e->ways;
        if (e->nmissed == MISSED)
            memmove(e->missed, e->missed + 1, (size_t)--e->nmissed * sizeof e->missed[0]);
        e->missed[e->nmissed++] = line;
    }
    e->wrote = i < s->n && in->req_write[0];
    e->last_line = line;
    e->last_field = in->req_field[0];
}

static void md_observe(void *self, const void *inputs, const void *outputs, uint64_t *hits) {
    Env *e = self;
    const MdCacheIn *in = inputs;
    const MdCacheOut *out = outputs;
    if (e->reset_met) hits[e->reset + e->reset_met - 1]++;
    e->reset_met = 0;
    if (in->req_valid[0]) see_look_up(e, in, hits);
    else e->wrote = false;
    e->filled = in->fill_valid[0];
    if (!in->fill_valid[0]) return;
    const uint32_t line = in->fill_line[0];
    Set *s = set_of(e, line);
    hits[e->event + FILL_AFTER_MISS] +=
        out->ans_valid[0] && !out->ans_hit[0] && e->last_line == line;
    hits[e->event + FILL_FIRST] += line == 0;
    hits[e->event + FILL_LAST] += line == LAST_NUMBER;
    memmove(s->line + 1, s->line, (size_t)s->n++ * sizeof s->line[0]);
    s->line[0] = (Line){.line = line};
    e->last_fill = line;
    int left = 0;
    for (int i = 0; i < e->nmissed; i++)
        if (e->missed[i] != line) e->missed[left++] = e->missed[i];
    e->nmissed = left;
}

static const StimShape SHAPES[] = {
    {"Bytes=384 Ways=3", "ways that are no power of two"},
    {0},
};

const BlockStim md_cache_stim = {.shapes = SHAPES,
                                 .knobs = KNOB_TABLE,
                                 .nknobs = KNOBS,
                                 .bins = md_bins,
                                 .open = md_open,
                                 .close = md_close,
                                 .reset = md_reset,
                                 .randomize = md_randomize,
                                 .constrain = md_constrain,
                                 .observe = md_observe};
