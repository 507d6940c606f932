// SPDX-License-Identifier: Apache-2.0
// Stimuli of p_queue: a few warps at a time pass through P-mode and N-mode. Most fetches match the
// head of their queue, or have its PC with another number. Words and predicates of results arrive
// in any order.
#include "models/pmode/p_queue.h"

#include "models/params.h"
#include "models/stim_bins.h"

#include <stdlib.h>
#include <string.h>

enum { P_QUEUE_PARAMS(BLOCK_INDEX) };

enum {
    KNOB_WARPS,
    KNOB_PUSH,
    KNOB_FAR,
    KNOB_NONE,
    KNOB_PAIR,
    KNOB_PRED,
    KNOB_WRITE,
    KNOB_STRAY,
    KNOB_FETCH,
    KNOB_MATCH,
    KNOB_TURN,
    KNOB_BEHIND,
    KNOB_START,
    KNOB_FLUSH,
    KNOBS
};
static const StimKnob KNOB_TABLE[KNOBS] = {
    {"warps", 1, 12, "warps in use"},
    {"push", 0, 100, "percent of push ports that push"},
    {"far", 0, 40, "percent of pushes at or beyond the end of the reach"},
    {"none", 0, 30, "percent of pushes without destination"},
    {"pair", 0, 60, "percent of pushes of two words"},
    {"pred", 0, 60, "percent of pushes that write predicates"},
    {"write", 0, 100, "percent of write ports that write"},
    {"stray", 0, 20, "percent of writes to any entry"},
    {"fetch", 0, 100, "percent of fetch ports that fetch"},
    {"match", 30, 100, "percent of fetches of the head's PC"},
    {"turn", 30, 100, "percent of fetches with the head's number"},
    {"behind", 0, 40, "percent of fetches of an entry behind the head"},
    {"start", 0, 15, "percent of cycles in which a warp starts"},
    {"flush", 0, 10, "percent of cycles in which a warp is flushed"},
};

// Numbers of the bins.
typedef struct Bins {
    int filled[PQ_MAX_DEPTH], start[PQ_MAX_DEPTH + 1], flush[PQ_MAX_DEPTH + 1];
    int written[PQ_MAX_DEPTH];
    int push_pair, push_pred, push_both, second_first, pred_last, pred_only, both_words, stray_pred,
        pred_again;
    int other_seq, clash, not_head, fetch_pair, fetch_pred, half_there, drain_pair[2], drain_stays;
    int full, ahead, behind, last_ahead, last_behind, first_ahead, first_behind, push_draining;
    int push_flushed, push_second, push_none, push_all, wraps;
    int ready, waits, empty, other, fetch_draining, fetch_flushed, fetch_second, fetch_none;
    int becomes_empty, was_full, fetch_all, with_push, meets_write, head_wraps;
    int start_draining, flush_draining, head_waits, both_same, both_other, start_idle_drain;
    int drain_freed, drain_none, drain_two, drain_blocked, drain_last, drain_wraps, drain_overtakes;
    int stray, write_draining, write_two, write_again;
    int reset_empty, reset_filled, reset_draining;
} Bins;

typedef enum Result { FIRST_WORD, SECOND_WORD, PREDICATES, RESULTS } Result;

typedef struct Entry {
    uint32_t pc, seq;
    bool valid, none, pair;
    uint8_t waits;             // outstanding results, bits 1 << Result
    int16_t waiting[RESULTS];  // their indices in Env.waiting
} Entry;

typedef struct Queue {
    uint32_t base, seq;  // of the next instruction
    int count, head;
    bool draining;
    Entry entry[PQ_MAX_DEPTH];
} Queue;

typedef struct Env {
    int warps, depth, reach, regs, phys, pushes, fetches, writes;
    uint32_t first_warp;
    Bins at;
    Queue queue[PQ_MAX_WARPS];
    int nwaiting;  // outstanding: warp << 8 | Result << 6 | index
    uint16_t waiting[PQ_MAX_WARPS * PQ_MAX_DEPTH * RESULTS];
    int draining;  // warps
    int half;      // warp whose pair is half drained, -1: none
    bool reset_met, was_filled, was_draining;
} Env;

static int bins_list(const int *params, CoverBin *bins, Bins *at) {
    const int warps = params[P_NumWarps], depth = params[P_Depth];
    const bool two_pushes = params[P_NumPush] > 1, two_fetches = params[P_NumFetch] > 1,
               two_warps = warps > 1, pairs = params[P_NumPhy] > 1;
    BinList l = {bins, 0};
    for (int i = 0; i < depth; i++) at->filled[i] = bin_add(&l, "push", "at-fill%d", i);
    for (int i = 0; i <= depth; i++) at->start[i] = bin_add(&l, "start", "at-fill%d", i);
    for (int i = 0; i <= depth; i++) at->flush[i] = bin_add(&l, "flush", "at-fill%d", i);
    for (int i = 0; i < depth; i++) at->written[i] = bin_add(&l, "write", "entry%d", i);
    at->full = bin_add(&l, "push refused", "full");
    at->ahead = bin_add(&l, "push refused", "far-ahead");
    at->behind = bin_add(&l, "push refused", "far-behind");
    at->first_ahead = bin_add(&l, "push refused", "first-too-far-ahead");
    at->first_behind = bin_add(&l, "push refused", "first-too-far-behind");
    at->push_draining = bin_add_if(depth > 1, &l, "push refused", "draining");
    at->push_flushed = bin_add(&l, "push refused", "flushed-or-started-now");
    at->push_second = bin_add_if(two_pushes, &l, "push refused", "second-of-a-warp");
    at->last_ahead = bin_add(&l, "push", "farthest-ahead");
    at->last_behind = bin_add(&l, "push", "farthest-behind");
    at->push_none = bin_add(&l, "push", "no-destination");
    at->push_all = bin_add_if(two_pushes && warps >= params[P_NumPush], &l, "push", "all-ports");
    at->wraps = bin_add(&l, "push", "wraps");
    at->ready = bin_add(&l, "fetch", "hit-ready");
    at->waits = bin_add(&l, "fetch", "hit-not-ready");
    at->meets_write = bin_add(&l, "fetch", "hit-while-written");
    at->empty = bin_add(&l, "fetch", "empty");
    at->other = bin_add(&l, "fetch", "other-pc");
    at->fetch_draining = bin_add(&l, "fetch", "head-pc-while-draining");
    at->fetch_flushed = bin_add(&l, "fetch", "head-pc-while-flushed");
    at->fetch_second = bin_add_if(two_fetches, &l, "fetch", "head-pc-second-of-a-warp");
    at->fetch_none = bin_add(&l, "fetch", "no-destination");
    at->becomes_empty = bin_add(&l, "fetch", "last-entry");
    at->was_full = bin_add(&l, "fetch", "from-full");
    at->fetch_all =
        bin_add_if(two_fetches && warps >= params[P_NumFetch], &l, "fetch", "all-ports-pop");
    at->with_push = bin_add_if(depth > 1, &l, "fetch", "pop-while-pushed");
    at->head_wraps = bin_add(&l, "fetch", "wraps");
    at->start_draining = bin_add(&l, "start", "draining");
    at->start_idle_drain = bin_add_if(two_warps, &l, "start", "empty-while-others-drain");
    at->flush_draining = bin_add(&l, "flush", "draining");
    at->head_waits = bin_add(&l, "flush", "head-not-ready");
    at->both_same = bin_add(&l, "flush", "and-start-of-one-warp");
    at->both_other = bin_add_if(two_warps, &l, "flush", "and-start-of-two-warps");
    at->drain_freed = bin_add(&l, "drain", "frees");
    at->drain_none = bin_add(&l, "drain", "no-destination");
    at->drain_two = bin_add_if(two_warps, &l, "drain", "several-warps");
    at->drain_blocked = bin_add(&l, "drain", "head-not-ready");
    at->drain_overtakes = bin_add_if(two_warps, &l, "drain", "lower-warp-not-ready");
    at->drain_last = bin_add(&l, "drain", "last-entry");
    at->drain_wraps = bin_add(&l, "drain", "wraps");
    at->stray = bin_add(&l, "write", "entry-not-valid");
    at->write_again = bin_add(&l, "write", "entry-ready");
    at->write_draining = bin_add(&l, "write", "draining");
    at->write_two = bin_add_if(params[P_NumWr] > 1, &l, "write", "two-of-a-warp");
    at->reset_empty = bin_add(&l, "reset", "all-empty");
    at->reset_filled = bin_add(&l, "reset", "filled");
    at->reset_draining = bin_add(&l, "reset", "draining");
    at->push_pair = bin_add_if(pairs, &l, "push", "pair");
    at->push_pred = bin_add(&l, "push", "predicates-alone");
    at->push_both = bin_add(&l, "push", "register-and-predicates");
    at->other_seq = bin_add(&l, "fetch", "head-pc-other-number");
    at->not_head = bin_add_if(depth > 1, &l, "fetch", "entry-behind-the-head");
    at->clash = bin_add(&l, "fetch", "head-number-other-pc");
    at->fetch_pair = bin_add_if(pairs, &l, "fetch", "pair");
    at->fetch_pred = bin_add(&l, "fetch", "predicates");
    at->half_there = bin_add_if(pairs, &l, "fetch", "pair-half-written");
    at->second_first = bin_add_if(pairs, &l, "write", "second-word-first");
    at->both_words = bin_add_if(pairs && params[P_NumWr] > 1, &l, "write", "both-words");
    at->pred_only = bin_add(&l, "write", "predicates-alone");
    at->pred_last = bin_add(&l, "write", "predicates-last");
    at->stray_pred = bin_add(&l, "write", "predicates-of-no-entry");
    at->pred_again = bin_add(&l, "write", "predicates-again");
    at->drain_pair[0] = bin_add_if(pairs, &l, "drain", "pair-first-word");
    at->drain_pair[1] = bin_add_if(pairs, &l, "drain", "pair-second-word");
    at->drain_stays = bin_add_if(pairs && two_warps, &l, "drain", "second-word-before-lower-warp");
    return l.n;
}

static int pq_bins(const int *params, CoverBin *bins) {
    Bins at;
    return bins_list(params, bins, &at);
}

static void pq_reset(void *self) {
    Env *e = self;
    bool filled = false;
    for (int w = 0; w < e->warps; w++) filled |= e->queue[w].count > 0;
    e->reset_met = true;
    e->was_filled = filled;
    e->was_draining = e->draining > 0;
    e->half = -1;
    memset(e->queue, 0, sizeof e->queue);
    e->nwaiting = e->draining = 0;
}

static void *pq_open(const int *params) {
    Env *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    e->warps = params[P_NumWarps], e->depth = params[P_Depth];
    e->reach = 8 * params[P_Distance], e->regs = params[P_NumRegs];
    e->phys = params[P_NumPhy], e->pushes = params[P_NumPush];
    e->fetches = params[P_NumFetch], e->writes = params[P_NumWr];
    e->half = -1;
    bins_list(params, NULL, &e->at);
    return e;
}

static void pq_close(void *self) { free(self); }

// ---- driving ------------------------------------------------------------------------------------

static uint32_t draw_warp(const Env *e, StimRandom *r, const int *knobs) {
    const uint32_t used = (uint32_t)(knobs[KNOB_WARPS] < e->warps ? knobs[KNOB_WARPS] : e->warps);
    const uint32_t w = e->first_warp + stim_below(r, used);
    return w < (uint32_t)e->warps ? w : w - (uint32_t)e->warps;
}

// A PC near the base; or around the ends of the reach; now and then anywhere.
static uint32_t draw_pc(const Env *e, StimRandom *r, const int *knobs, uint32_t base) {
    const uint32_t random = stim_random(r), reach = (uint32_t)e->reach;
    if ((random & 127) * 100 >= (uint32_t)knobs[KNOB_FAR] * 128)
        return base + ((random >> 7) % (2 * reach) & ~7u) - reach;
    switch (random >> 29) {
    case 0: return base + reach;
    case 1: return base - reach - 1;
    case 2: return base + reach - 1;
    case 3: return base - reach;
    case 4: return stim_random(r);
    default: return base + (random >> 31 ? reach : 0u - reach) + (random >> 7 & 255);
    }
}

static void draw_pushes(const Env *e, StimRandom *r, const int *knobs, PQueueIn *in) {
    in->push_valid[0] = in->push_pair[0] = in->push_pred[0] = 0;
    for (int p = 0; p < e->pushes; p++) {
        in->push_valid[0] |= (uint32_t)stim_percent(r, knobs[KNOB_PUSH]) << p;
        const uint32_t w = draw_warp(e, r, knobs), random = stim_random(r);
        in->push_warp[p] = w;
        in->push_pc[p] = draw_pc(e, r, knobs, e->queue[w].base);
        in->push_seq[p] = (random >> 24 & 15 ? e->queue[w].seq : stim_random(r)) & 255;
        in->push_dst[p] = stim_percent(r, knobs[KNOB_NONE]) ? (uint32_t)e->regs
                                                            : (random & 255) % (uint32_t)e->regs;
        in->push_src0[p] = (random >> 8 & 255) % (uint32_t)(e->regs + 1);
        in->push_src1[p] = (random >> 16 & 255) % (uint32_t)(e->regs + 1);
        in->push_phy[p] = stim_below(r, (uint32_t)e->phys);
        in->push_phy2[p] = stim_below(r, (uint32_t)e->phys);
        in->push_pair[0] |= (uint32_t)stim_percent(r, knobs[KNOB_PAIR]) << p;
        in->push_pred[0] |= (uint32_t)stim_percent(r, knobs[KNOB_PRED]) << p;
    }
}

static void draw_word(const Env *e, StimRandom *r, const int *knobs, PQueueIn *in, int j) {
    const bool stray = stim_percent(r, knobs[KNOB_STRAY]);
    const uint32_t random = stim_random(r);
    uint32_t word = random & 1;
    in->wb_warp[j] = draw_warp(e, r, knobs);
    in->wb_idx[j] = (random >> 8) % (uint32_t)e->depth;
    bool there = stray;
    if (e->nwaiting && !stray) {
        const uint32_t place = e->waiting[(uint64_t)random * (uint32_t)e->nwaiting >> 32];
        there = (place >> 6 & 3) != PREDICATES;
        in->wb_warp[j] = place >> 8;
        in->wb_idx[j] = place & 63;
        word = (place >> 6 & 3) == SECOND_WORD;
    }
    // the other word of the port below
    if (j && (random & 0x70) == 0) {
        in->wb_warp[j] = in->wb_warp[j - 1], in->wb_idx[j] = in->wb_idx[j - 1];
        word = ~in->wb_word[0] >> (j - 1) & 1;
        there = in->wb_valid[0] >> (j - 1) & 1;
    }
    in->wb_word[0] |= word << j;
    if (there) in->wb_valid[0] |= (uint32_t)stim_percent(r, knobs[KNOB_WRITE]) << j;
}

static void draw_predicates(const Env *e, StimRandom *r, const int *knobs, PQueueIn *in, int j) {
    const bool stray = stim_percent(r, knobs[KNOB_STRAY]);
    const uint32_t random = stim_random(r);
    in->pw_warp[j] = draw_warp(e, r, knobs);
    in->pw_idx[j] = (random >> 8) % (uint32_t)e->depth;
    bool there = stray;
    if (e->nwaiting && !stray) {
        const uint32_t place = e->waiting[(uint64_t)random * (uint32_t)e->nwaiting >> 32];
        there = (place >> 6 & 3) == PREDICATES;
        in->pw_warp[j] = place >> 8;
        in->pw_idx[j] = place & 63;
    }
    in->pw_first[j] = stim_random(r);
    in->pw_second[j] = stim_random(r);
    if (there) in->pw_valid[0] |= (uint32_t)stim_percent(r, knobs[KNOB_WRITE]) << j;
}

static void draw_writes(const Env *e, StimRandom *r, const int *knobs, PQueueIn *in) {
    in->wb_valid[0] = in->wb_word[0] = in->pw_valid[0] = 0;
    for (int j = 0; j < e->writes; j++) {
        draw_word(e, r, knobs, in, j);
        draw_predicates(e, r, knobs, in, j);
    }
}

static void draw_fetches(const Env *e, StimRandom *r, const int *knobs, PQueueIn *in) {
    in->fetch_valid[0] = 0;
    for (int f = 0; f < e->fetches; f++) {
        in->fetch_valid[0] |= (uint32_t)stim_percent(r, knobs[KNOB_FETCH]) << f;
        const uint32_t w = in->fetch_warp[f] = draw_warp(e, r, knobs);
        const Queue *q = &e->queue[w];
        const bool later = q->count > 1 && stim_percent(r, knobs[KNOB_BEHIND]);
        const int behind = later ? 1 + (int)stim_below(r, (uint32_t)q->count - 1) : 0;
        const Entry *entry = &q->entry[(q->head + behind) % e->depth];
        in->fetch_pc[f] = q->count && stim_percent(r, knobs[KNOB_MATCH])
            ? entry->pc
            : draw_pc(e, r, knobs, q->base);
        in->fetch_seq[f] =
            q->count && stim_percent(r, knobs[KNOB_TURN]) ? entry->seq : stim_random(r) & 255;
    }
}

static void pq_randomize(void *self, StimRandom *r, const int *knobs, void *inputs) {
    Env *e = self;
    PQueueIn *in = inputs;
    if (stim_random(r) >> 26 == 0) e->first_warp = stim_below(r, (uint32_t)e->warps);
    in->start_valid[0] = stim_percent(r, knobs[KNOB_START]);
    in->start_warp[0] = draw_warp(e, r, knobs);
    in->start_pc[0] = stim_random(r);
    in->flush_valid[0] = stim_percent(r, knobs[KNOB_FLUSH]);
    in->flush_warp[0] =
        in->start_valid[0] && stim_percent(r, 30) ? in->start_warp[0] : draw_warp(e, r, knobs);
    draw_pushes(e, r, knobs, in);
    draw_writes(e, r, knobs, in);
    draw_fetches(e, r, knobs, in);
}

// ---- legal inputs -------------------------------------------------------------------------------

static void pq_constrain(void *self, void *inputs, const void *out) {
    (void)out;
    const Env *e = self;
    PQueueIn *in = inputs;
    const uint32_t warps = (uint32_t)e->warps;
    for (int p = 0; p < e->pushes; p++)
        if (in->push_warp[p] >= warps) in->push_valid[0] &= ~(1u << p);
    for (int p = 0; p < e->pushes; p++)
        if (in->push_dst[p] >= (uint32_t)e->regs || in->push_phy[p] == in->push_phy2[p])
            in->push_pair[0] &= ~(1u << p);
    for (int f = 0; f < e->fetches; f++)
        if (in->fetch_warp[f] >= warps) in->fetch_valid[0] &= ~(1u << f);
    for (int j = 0; j < e->writes; j++)
        if (in->wb_warp[j] >= warps || in->wb_idx[j] >= (uint32_t)e->depth)
            in->wb_valid[0] &= ~(1u << j);
    for (int j = 0; j < e->writes; j++)  // of one entry: one port
        for (int k = 0; k < j; k++)
            if (in->pw_warp[k] == in->pw_warp[j] && in->pw_idx[k] == in->pw_idx[j] &&
                in->pw_valid[0] >> k & 1)
                in->pw_valid[0] &= ~(1u << j);
    for (int j = 0; j < e->writes; j++)
        if (in->pw_warp[j] >= warps || in->pw_idx[j] >= (uint32_t)e->depth)
            in->pw_valid[0] &= ~(1u << j);
    if (in->start_warp[0] >= warps) in->start_valid[0] = 0;
    if (in->flush_warp[0] >= warps) in->flush_valid[0] = 0;
}

// ---- following the block, coverage --------------------------------------------------------------

static bool flushed_now(const PQueueIn *in, uint32_t w) {
    return (in->start_valid[0] && in->start_warp[0] == w) ||
        (in->flush_valid[0] && in->flush_warp[0] == w);
}

static void see_push(const Env *e, const PQueueIn *in, const PQueueOut *out, int p,
                     uint64_t *hits) {
    const Bins *at = &e->at;
    const uint32_t w = in->push_warp[p];
    const Queue *q = &e->queue[w];
    const int32_t distance = (int32_t)(in->push_pc[p] - q->base);
    const bool near = distance >= -e->reach && distance < e->reach;
    bool second = false;
    for (int l = 0; l < p; l++) second |= in->push_valid[0] >> l & 1 && in->push_warp[l] == w;
    if (out->push_ok[0] >> p & 1 && q->count < e->depth) {
        hits[at->filled[q->count]]++;
        const bool none = in->push_dst[p] >= (uint32_t)e->regs, pred = in->push_pred[0] >> p & 1;
        hits[at->push_none] += none && !pred;
        hits[at->push_pred] += none && pred;
        hits[at->push_both] += !none && pred;
        if (in->push_pair[0] >> p & 1) bin_hit(hits, at->push_pair);
        if (distance == e->reach - 1) hits[at->last_ahead]++;
        if (distance == -e->reach) hits[at->last_behind]++;
        if (out->push_idx[p] == (uint32_t)e->depth - 1) hits[at->wraps]++;
        return;
    }
    // The one reason alone.
    if (flushed_now(in, w)) {
        if (near && !second && !q->draining && q->count < e->depth) hits[at->push_flushed]++;
    } else if (q->draining) {
        if (near && !second && q->count < e->depth) bin_hit(hits, at->push_draining);
    } else if (second) {
        if (near && q->count < e->depth) bin_hit(hits, at->push_second);
    } else if (q->count == e->depth) {
        if (near) hits[at->full]++;
    } else {
        hits[distance < 0 ? at->behind : at->ahead]++;
        if (distance == e->reach) hits[at->first_ahead]++;
        if (distance == -e->reach - 1) hits[at->first_behind]++;
    }
}

// Whether an entry that is not the head has this PC and number.
static bool is_behind(const Env *e, const Queue *q, uint32_t pc, uint32_t seq) {
    for (int i = 1; i < q->count; i++) {
        const Entry *entry = &q->entry[(q->head + i) % e->depth];
        if (entry->pc == pc && entry->seq == seq) return true;
    }
    return false;
}

static void see_fetch(const Env *e, const PQueueIn *in, const PQueueOut *out, int f,
                      uint64_t *hits) {
    const Bins *at = &e->at;
    const uint32_t w = in->fetch_warp[f];
    const Queue *q = &e->queue[w];
    const Entry *head = &q->entry[q->head];
    if (q->count == 0) {
        hits[at->empty]++;
        return;
    }
    if (head->pc != in->fetch_pc[f] || head->seq != in->fetch_seq[f]) {
        hits[at->other]++;
        if (is_behind(e, q, in->fetch_pc[f], in->fetch_seq[f]) && !q->draining &&
            !flushed_now(in, w))
            bin_hit(hits, at->not_head);
        hits[at->clash] += out->fetch_clash[0] >> f & 1;
        hits[at->other_seq] += head->pc == in->fetch_pc[f] && !q->draining && !flushed_now(in, w);
        return;
    }
    if (!(out->fetch_hit[0] >> f & 1)) {
        if (q->draining) hits[at->fetch_draining]++;
        else if (flushed_now(in, w)) hits[at->fetch_flushed]++;
        else bin_hit(hits, at->fetch_second);
        return;
    }
    if (head->waits) {
        hits[at->waits]++;
        const uint32_t words = 1u << FIRST_WORD | 1u << SECOND_WORD;
        if (head->pair && (head->waits & words) != words && head->waits & words)
            bin_hit(hits, at->half_there);
        for (int j = 0; j < e->writes; j++)
            if (in->wb_valid[0] >> j & 1 && in->wb_warp[j] == w &&
                in->wb_idx[j] == (uint32_t)q->head)
                hits[at->meets_write]++;
        return;
    }
    hits[at->ready]++;
    if (head->none) hits[at->fetch_none]++;
    if (head->pair) bin_hit(hits, at->fetch_pair);
    hits[at->fetch_pred] += out->fetch_pred[0] >> f & 1;
    if (q->count == 1) hits[at->becomes_empty]++;
    if (q->count == e->depth) hits[at->was_full]++;
    if (q->head == e->depth - 1) hits[at->head_wraps]++;
    for (int p = 0; p < e->pushes; p++)
        if (out->push_ok[0] >> p & 1 && in->push_warp[p] == w) bin_hit(hits, at->with_push);
}

static void see_flush(const Env *e, uint32_t w, const int *at_fill, int draining, uint64_t *hits) {
    const Queue *q = &e->queue[w];
    if (q->draining) hits[draining]++;
    else hits[at_fill[q->count]]++;
    if (q->count && !q->draining && q->entry[q->head].waits) hits[e->at.head_waits]++;
}

static void see_flushes(const Env *e, const PQueueIn *in, uint64_t *hits) {
    const Bins *at = &e->at;
    if (in->start_valid[0]) {
        see_flush(e, in->start_warp[0], at->start, at->start_draining, hits);
        if (e->queue[in->start_warp[0]].count == 0 && e->draining)
            bin_hit(hits, at->start_idle_drain);
    }
    if (!in->flush_valid[0]) return;
    see_flush(e, in->flush_warp[0], at->flush, at->flush_draining, hits);
    if (!in->start_valid[0]) return;
    if (in->start_warp[0] == in->flush_warp[0]) hits[at->both_same]++;
    else bin_hit(hits, at->both_other);
}

static void see_words(const Env *e, const PQueueIn *in, int j, uint64_t *hits) {
    const Bins *at = &e->at;
    const Queue *q = &e->queue[in->wb_warp[j]];
    const Entry *entry = &q->entry[in->wb_idx[j]];
    const uint32_t word = in->wb_word[0] >> j & 1, bit = 1u << word;
    hits[!entry->valid               ? at->stray
             : !(entry->waits & bit) ? at->write_again
                                     : at->written[in->wb_idx[j]]]++;
    if (q->draining && entry->valid && entry->waits & bit) hits[at->write_draining]++;
    if (entry->valid && word && entry->waits & 1u << FIRST_WORD && entry->waits & bit)
        bin_hit(hits, at->second_first);
    for (int k = 0; k < j; k++) {
        if (!(in->wb_valid[0] >> k & 1) || in->wb_warp[k] != in->wb_warp[j]) continue;
        bin_hit(hits, at->write_two);
        if (in->wb_idx[k] == in->wb_idx[j] && (in->wb_word[0] >> k & 1) != word && entry->valid &&
            entry->pair)
            bin_hit(hits, at->both_words);
    }
}

static void see_predicates(const Env *e, const PQueueIn *in, int j, uint64_t *hits) {
    const Bins *at = &e->at;
    const Entry *entry = &e->queue[in->pw_warp[j]].entry[in->pw_idx[j]];
    if (!entry->valid) hits[at->stray_pred]++;
    else if (!(entry->waits & 1u << PREDICATES)) hits[at->pred_again]++;
    else if (entry->none) hits[at->pred_only]++;
    else hits[at->pred_last] += entry->waits == 1u << PREDICATES;
}

static void see_writes(const Env *e, const PQueueIn *in, uint64_t *hits) {
    for (int j = 0; j < e->writes; j++) {
        if (in->wb_valid[0] >> j & 1) see_words(e, in, j, hits);
        if (in->pw_valid[0] >> j & 1) see_predicates(e, in, j, hits);
    }
}

static void forget_waiting(Env *e, Entry *entry, Result result) {
    const uint16_t moved = e->waiting[--e->nwaiting];
    e->waiting[entry->waiting[result]] = moved;
    e->queue[moved >> 8].entry[moved & 63].waiting[moved >> 6 & 3] = entry->waiting[result];
}

static void follow_written(Env *e, uint32_t warp, uint32_t idx, Result result) {
    Entry *entry = &e->queue[warp].entry[idx];
    if (!entry->valid || !(entry->waits >> result & 1)) return;
    entry->waits &= (uint8_t) ~(1u << result);
    forget_waiting(e, entry, result);
}

// Outputs are used only as far as they are plausible, because a faulty model may produce them.
static void follow_pop(Env *e, Queue *q) {
    if (q->count == 0) return;
    Entry *head = &q->entry[q->head];
    for (int r = 0; r < RESULTS; r++)
        if (head->waits >> r & 1) forget_waiting(e, head, (Result)r);
    head->valid = false;
    head->waits = 0;
    q->head = q->head + 1 == e->depth ? 0 : q->head + 1;
    if (--q->count == 0 && q->draining) {
        q->draining = false;
        e->draining--;
    }
}

static void follow_push(Env *e, const PQueueIn *in, const PQueueOut *out, int p) {
    Queue *q = &e->queue[in->push_warp[p]];
    const uint32_t idx = out->push_idx[p] % (uint32_t)e->depth;
    Entry *entry = &q->entry[idx];
    const bool none = in->push_dst[p] >= (uint32_t)e->regs;
    if (entry->valid || q->count == e->depth) return;
    const bool pair = in->push_pair[0] >> p & 1;
    *entry = (Entry){
        .pc = in->push_pc[p], .seq = in->push_seq[p], .valid = true, .none = none, .pair = pair};
    entry->waits = (uint8_t)(!none << FIRST_WORD | pair << SECOND_WORD |
                             (in->push_pred[0] >> p & 1) << PREDICATES);
    q->count++;
    q->seq = in->push_seq[p] + 1 + (in->push_pc[p] >> 3 & 1);  // some are skipped
    for (int r = 0; r < RESULTS; r++) {
        if (!(entry->waits >> r & 1)) continue;
        entry->waiting[r] = (int16_t)e->nwaiting;
        e->waiting[e->nwaiting++] = (uint16_t)(in->push_warp[p] << 8 | (uint32_t)r << 6 | idx);
    }
}

static void follow_flush(Env *e, uint32_t w) {
    Queue *q = &e->queue[w];
    if (q->count == 0 || q->draining) return;
    q->draining = true;
    e->draining++;
}

// The entry that leaves by draining, with its coverage.
static void follow_drain(Env *e, const PQueueOut *out, uint64_t *hits) {
    const Bins *at = &e->at;
    if (e->draining > 1) bin_hit(hits, at->drain_two);
    bool blocked = false;
    for (int w = 0; w < e->warps && e->draining; w++) {
        Queue *q = &e->queue[w];
        if (!q->draining) continue;
        if (e->half >= 0 && e->half != w) {
            if (w < e->half && !q->entry[q->head].waits) bin_hit(hits, at->drain_stays);
            continue;
        }
        if (q->entry[q->head].waits) {
            blocked = true;
            continue;
        }
        if (q->entry[q->head].pair) bin_hit(hits, at->drain_pair[e->half == w]);
        if (q->entry[q->head].pair && e->half != w) {
            e->half = w;
            return;
        }
        e->half = -1;
        hits[out->free_valid[0] ? at->drain_freed : at->drain_none]++;
        if (blocked) bin_hit(hits, at->drain_overtakes);
        if (q->count == 1) hits[at->drain_last]++;
        if (q->head == e->depth - 1) hits[at->drain_wraps]++;
        follow_pop(e, q);
        return;
    }
    if (blocked) hits[at->drain_blocked]++;
}

static void see_reset(Env *e, uint64_t *hits) {
    if (!e->reset_met) return;
    e->reset_met = false;
    hits[e->was_draining     ? e->at.reset_draining
             : e->was_filled ? e->at.reset_filled
                             : e->at.reset_empty]++;
}

static void pq_observe(void *self, const void *inputs, const void *outputs, uint64_t *hits) {
    Env *e = self;
    const PQueueIn *in = inputs;
    const PQueueOut *out = outputs;
    const uint32_t pushed = out->push_ok[0], popped = out->fetch_rdy[0];
    see_reset(e, hits);
    for (int p = 0; p < e->pushes; p++)
        if (in->push_valid[0] >> p & 1) see_push(e, in, out, p, hits);
    if (pushed == (1u << e->pushes) - 1) bin_hit(hits, e->at.push_all);
    for (int f = 0; f < e->fetches; f++)
        if (in->fetch_valid[0] >> f & 1) see_fetch(e, in, out, f, hits);
    if (popped == (1u << e->fetches) - 1) bin_hit(hits, e->at.fetch_all);
    see_flushes(e, in, hits);
    see_writes(e, in, hits);

    follow_drain(e, out, hits);
    for (int f = 0; f < e->fetches; f++)
        if (popped >> f & 1) follow_pop(e, &e->queue[in->fetch_warp[f]]);
    for (int j = 0; j < e->writes; j++) {
        if (in->wb_valid[0] >> j & 1)
            follow_written(e, in->wb_warp[j], in->wb_idx[j],
                           in->wb_word[0] >> j & 1 ? SECOND_WORD : FIRST_WORD);
        if (in->pw_valid[0] >> j & 1) follow_written(e, in->pw_warp[j], in->pw_idx[j], PREDICATES);
    }
    for (int p = 0; p < e->pushes; p++)
        if (pushed >> p & 1) follow_push(e, in, out, p);
    if (in->start_valid[0]) {
        e->queue[in->start_warp[0]].base = in->start_pc[0];
        e->queue[in->start_warp[0]].seq = 0;
        follow_flush(e, in->start_warp[0]);
    }
    if (in->flush_valid[0]) follow_flush(e, in->flush_warp[0]);
}

static const StimShape SHAPES[] = {
    {"Depth=1 NumPhy=1", "a queue of one entry, one physical register"},
    {"Depth=5", "a ring depth that is no power of two"},
    {"NumWarps=3 Depth=3 NumPush=3 NumFetch=3 NumWr=3", "three ports of each kind, odd warps"},
    {0},
};

const BlockStim p_queue_stim = {.shapes = SHAPES,
                                .knobs = KNOB_TABLE,
                                .nknobs = KNOBS,
                                .needs_out = false,
                                .bins = pq_bins,
                                .open = pq_open,
                                .close = pq_close,
                                .reset = pq_reset,
                                .randomize = pq_randomize,
                                .constrain = pq_constrain,
                                .observe = pq_observe};
