// SPDX-License-Identifier: Apache-2.0
// Stimuli of cta_barrier: CTAs start and end with and without a scalar thread. Their warps meet at
// one barrier or spread over several. Producers arrive and consumers wait, sides end early, last
// arrivals share one cycle.
#include "models/params.h"
#include "models/scalar/cta_barrier.h"
#include "models/stim_bins.h"

#include <stdlib.h>
#include <string.h>

enum { CTA_BARRIER_PARAMS(BLOCK_INDEX) };

enum {
    KNOB_START,
    KNOB_ARRIVE,
    KNOB_SPREAD,
    KNOB_SYNC,
    KNOB_COUNT,
    KNOB_WITH,
    KNOB_MIXED,
    KNOB_END,
    KNOB_SCALAR,
    KNOB_SCALAR_END,
    KNOB_FOCUS,
    KNOB_LEAVE,
    KNOBS
};
static const StimKnob KNOB_TABLE[KNOBS] = {
    {"start", 5, 60, "percent of cycles in which a CTA may begin"},
    {"arrive", 20, 100, "percent of ports on which a warp arrives"},
    {"spread", 0, 60, "percent of arrivals at a barrier other than the CTA's own"},
    {"sync", 30, 100, "percent of arrivals that wait"},
    {"count", 0, 40, "percent of barriers that expect a number of warps"},
    {"with", 0, 100, "percent of barriers with k = 1, of CTAs that have a scalar thread"},
    {"mixed", 0, 4, "percent of arrivals with the other k"},
    {"end", 0, 25, "percent of ports on which a warp ends"},
    {"scalar", 5, 100, "percent of cycles in which a scalar thread arrives"},
    {"scalar_end", 0, 10, "percent of cycles in which a scalar thread ends"},
    {"focus", 0, 100, "percent of requests for one CTA"},
    {"leave", 0, 80, "percent of CTAs that end with phases that nobody waits for"},
};

enum {
    SOLO_ALL,
    COUNTED,
    WITH_SCALAR,
    LAST_WARP,
    LAST_SCALAR,
    LAST_BOTH,
    END_RELEASES,
    SCALAR_ENDED,
    NO_WARPS_LEFT,
    TWO_COMPLETE,
    TWO_CTAS,
    NEXT_CYCLE,
    NOBODY_WAITS,
    SCALAR_GOES_ON,
    MIXED_PHASE,
    MIXED_CYCLE,
    COUNT_WITH,
    ARRIVE_ONLY,
    REUSED,
    AGAIN,
    RESET_BUSY,
    START_ENDS,
    ARRIVES_ENDS,
    SCALAR_AGAIN,
    SCALAR_LEAVES,
    EVENTS
};

typedef struct Phase {
    int arrived, expected;
    bool begun, with, scalar;
} Phase;

typedef struct Env {
    int ctas, warps, numbers, req, units;
    int live[CB_MAX_CTAS];  // warps that have not ended
    bool scalar[CB_MAX_CTAS], waits_scalar[CB_MAX_CTAS];
    uint64_t members[CB_MAX_CTAS];  // warps of the SM that are the CTA's and have not ended
    uint64_t waiting;               // warps
    Phase phase[CB_MAX_CTAS][CB_MAX_BARRIERS];
    int last[CB_MAX_CTAS];  // barrier released in this cycle, -1
    // in the previous cycle
    bool warp_came[CB_MAX_CTAS][CB_MAX_BARRIERS], scalar_came[CB_MAX_CTAS][CB_MAX_BARRIERS];
    bool ended[CB_MAX_CTAS];
    uint32_t begun;  // CTAs so far
    bool busy_reset;
    int event, number, chain;
} Env;

static void layout(Env *e, BinList *l, const int *params) {
    static const char *const events[EVENTS] = {"all_warps",
                                               "counted",
                                               "with_scalar",
                                               "last_is_a_warp",
                                               "last_is_scalar",
                                               "both_last",
                                               "end_releases",
                                               "scalar_ended_before",
                                               "warps_ended_before",
                                               "two_complete",
                                               "two_ctas",
                                               "released_later",
                                               "nobody_waits",
                                               "scalar_goes_on",
                                               "mixed_in_phase",
                                               "mixed_in_cycle",
                                               "count_with_k",
                                               "arrive_without_wait",
                                               "reused_at_once",
                                               "arrives_when_released",
                                               "reset_while_busy",
                                               "start_as_phase_ends",
                                               "arrival_and_end",
                                               "scalar_arrives_released",
                                               "scalar_ends_released"};
    e->event = bin_words(l, "event", events, EVENTS);
    e->number = bin_numbers(l, "barrier", "number", 0, params[P_Barriers]);
    e->chain = bin_numbers(l, "arrivals", "x", 1, params[P_NumReq]);
}

static int cb_bins(const int *params, CoverBin *bins) {
    Env e;
    BinList l = {bins, 0};
    layout(&e, &l, params);
    return l.n;
}

static void env_reset(void *self) {
    Env *e = self;
    e->busy_reset |= e->waiting != 0;
    memset(e->live, 0, sizeof e->live);
    memset(e->scalar, 0, sizeof e->scalar);
    memset(e->waits_scalar, 0, sizeof e->waits_scalar);
    memset(e->members, 0, sizeof e->members);
    memset(e->phase, 0, sizeof e->phase);
    memset(e->last, -1, sizeof e->last);
    memset(e->warp_came, 0, sizeof e->warp_came);
    memset(e->scalar_came, 0, sizeof e->scalar_came);
    memset(e->ended, 0, sizeof e->ended);
    e->waiting = 0;
}

static void *env_open(const int *params) {
    Env *e = calloc(1, sizeof *e);
    if (!e) abort();
    BinList l = {NULL, 0};
    layout(e, &l, params);
    e->ctas = params[P_Ctas], e->warps = params[P_Warps], e->numbers = params[P_Barriers];
    e->req = params[P_NumReq], e->units = params[P_Units];
    env_reset(e);
    return e;
}

static uint64_t taken(const Env *e) {
    uint64_t all = 0;
    for (int c = 0; c < e->ctas; c++) all |= e->members[c];
    return all;
}

static uint32_t pick_bit(StimRandom *r, uint64_t set) {
    int skip = (int)stim_below(r, (uint32_t)__builtin_popcountll(set));
    while (skip--) set &= set - 1;
    return (uint32_t)__builtin_ctzll(set);
}

static uint32_t pick_cta(const Env *e, StimRandom *r, const int *knobs) {
    if (stim_percent(r, knobs[KNOB_FOCUS]) && e->members[0]) return 0;
    uint32_t c = stim_below(r, (uint32_t)e->ctas);
    for (int i = 0; i < e->ctas && !e->members[c] && !e->scalar[c]; i++)
        c = (c + 1) % (uint32_t)e->ctas;
    return c;
}

// A barrier of the CTA: mostly one whose phase has begun, else its favorite or any.
static uint32_t pick_number(Env *e, StimRandom *r, const int *knobs, uint32_t c) {
    const uint32_t any = stim_below(r, (uint32_t)e->numbers);
    for (uint32_t i = 0; i < (uint32_t)e->numbers && stim_percent(r, 99); i++) {
        const uint32_t n = (any + i) % (uint32_t)e->numbers;
        if (e->phase[c][n].begun) return n;
    }
    return stim_percent(r, knobs[KNOB_SPREAD]) ? any : c % (uint32_t)e->numbers;
}

// Warps at several barriers would wait for each other forever. Therefore the last ones arrive
// without waiting, again and again.
static bool rescues(Env *e, StimRandom *r, CtaBarrierIn *in, int p, uint64_t able) {
    const Phase *x = &e->phase[in->arr_cta[p]][in->arr_number[p]];
    if (__builtin_popcountll(able) > e->req ||
        (__builtin_popcountll(e->members[in->arr_cta[p]]) == 1 && stim_percent(r, 80)))
        return false;
    if (!x->begun) return true;
    in->arr_with[0] |= (uint32_t)x->with << p;
    if (!x->with)
        in->arr_count[p] =
            (uint32_t)x->arrived + 1 < (uint32_t)e->warps ? (uint32_t)x->arrived + 1 : 0;
    return true;
}

// Phases that are complete with this cycle.
static int complete(const Env *e, int c) {
    int done = 0;
    for (int n = 0; n < e->numbers; n++) {
        const Phase *x = &e->phase[c][n];
        done += x->begun && x->arrived >= (x->expected ? x->expected : e->live[c]) &&
            (!x->with || x->scalar || !e->scalar[c]);
    }
    return done;
}

// The last warps of a CTA, as many as there are ports, arrive at several barriers without waiting
// and end together. So its phases are complete in one cycle and end one by one. The CTA starts
// again before the last phase has ended.
static void draw_leave(const Env *e, StimRandom *r, CtaBarrierIn *in) {
    const uint32_t c = pick_cta(e, r, (int[KNOBS]){0});
    const uint64_t able = e->members[c] & ~e->waiting;
    int begun = 0;
    for (int n = 0; n < e->numbers; n++) {
        begun += e->phase[c][n].begun;
        if (e->phase[c][n].expected) return;
    }
    if (!able || able != e->members[c] || e->live[c] > e->req || e->waits_scalar[c]) return;
    in->sc_valid[0] = in->end_valid[0] = 0;
    for (int p = 0; p < e->req; p++) {
        in->arr_cta[p] = in->end_cta[p] = c;
        in->arr_number[p] = stim_below(r, (uint32_t)e->numbers);
        in->arr_warp[p] = pick_bit(r, able);
        in->arr_count[p] = 0;
        if (begun > 1 && p < e->live[c]) in->end_valid[0] |= 1u << p;
    }
    in->arr_sync[0] = 0;
    in->arr_valid[0] = begun > 1 ? 0 : 1;
    if (begun > 1) in->scalar_end[c] = e->scalar[c];
}

// A CTA of which a phase ends in this cycle and another was complete with it; -1: none.
static int ending(const Env *e) {
    for (int c = 0; c < e->ctas; c++)
        if (!e->live[c] && !e->scalar[c] && complete(e, c) > 1) return c;
    return -1;
}

static void env_randomize(void *self, StimRandom *r, const int *knobs, void *vin) {
    Env *e = self;
    CtaBarrierIn *in = vin;
    memset(in, 0, sizeof *in);
    in->start_valid[0] = stim_percent(r, knobs[KNOB_START]);
    in->start_cta[0] = stim_below(r, (uint32_t)e->ctas);
    for (int i = 0; i < e->ctas && (e->live[in->start_cta[0]] || e->scalar[in->start_cta[0]]); i++)
        in->start_cta[0] = (in->start_cta[0] + 1) % (uint32_t)e->ctas;
    const int room = e->warps - __builtin_popcountll(taken(e));
    in->start_warps[0] =
        room ? 1 + stim_below(r, (uint32_t)(room < 6 || stim_below(r, 8) == 0 ? room : 6)) : 1;
    if (room && stim_percent(r, room == e->warps ? 70 : 10)) in->start_warps[0] = (uint32_t)room;
    in->start_scalar[0] = stim_random(r) & 1;
    for (int p = 0; p < e->req; p++) {
        const uint32_t c = pick_cta(e, r, knobs), n = pick_number(e, r, knobs, c);
        // now and then one that may be released in this cycle
        const uint64_t able = e->members[c] & (stim_percent(r, 10) ? e->members[c] : ~e->waiting);
        in->arr_cta[p] = c, in->arr_number[p] = n;
        in->arr_valid[0] |= (uint32_t)(able && stim_percent(r, knobs[KNOB_ARRIVE])) << p;
        in->arr_warp[p] = able ? pick_bit(r, able) : 0;
        if (able && rescues(e, r, in, p, able)) continue;
        in->arr_sync[0] |= (uint32_t)stim_percent(r, knobs[KNOB_SYNC]) << p;
        // k and the count are a property of the barrier until another CTA begins, now and then
        // broken
        const uint32_t kind = (c * 7 + n * 13 + e->begun * 37) % 100;
        const bool with = e->scalar[c] && kind < (uint32_t)knobs[KNOB_WITH];
        in->arr_with[0] |= (uint32_t)(with != stim_percent(r, knobs[KNOB_MIXED])) << p;
        if ((kind * 3 + 1) % 100 < (uint32_t)knobs[KNOB_COUNT] && (!with || stim_percent(r, 5)))
            in->arr_count[p] = stim_percent(r, 50) ? (uint32_t)e->live[c]
                                                   : 1 +
                    (kind + n) %
                        (uint32_t)(__builtin_popcountll(able) + e->phase[c][n].arrived + !able);
    }
    for (int p = 0; p < e->req; p++) {
        const uint32_t c = in->end_cta[p] = pick_cta(e, r, knobs);
        bool counted = false;  // a barrier with a count would wait forever
        for (int n = 0; n < e->numbers; n++)
            counted |= e->phase[c][n].begun && e->phase[c][n].expected;
        in->end_valid[0] |= (uint32_t)(stim_percent(r, knobs[KNOB_END]) && !counted) << p;
    }
    for (int u = 0; u < e->units; u++) {
        const uint32_t c = in->sc_cta[u] = pick_cta(e, r, knobs);
        in->sc_number[u] = pick_number(e, r, knobs, c);
        // mostly where it is waited for
        for (int n = 0; n < e->numbers && stim_percent(r, 90); n++)
            if (e->phase[c][n].with && !e->phase[c][n].scalar) in->sc_number[u] = (uint32_t)n;
        in->sc_valid[0] |= (uint32_t)stim_percent(r, knobs[KNOB_SCALAR]) << u;
        // alone at a barrier it waits only if enough warps can still arrive
        const bool come = e->phase[c][in->sc_number[u]].begun ||
            __builtin_popcountll(e->members[c] & ~e->waiting) > e->req;
        in->sc_sync[0] |= (uint32_t)(come && stim_percent(r, knobs[KNOB_SYNC])) << u;
    }
    for (int c = 0; c < e->ctas; c++)
        in->scalar_end[c] =
            e->scalar[c] && stim_percent(r, e->live[c] ? knobs[KNOB_SCALAR_END] / 4 : 20);
    if (stim_percent(r, knobs[KNOB_LEAVE])) draw_leave(e, r, in);
    const int last = ending(e);
    if (last >= 0 && stim_percent(r, 75)) in->start_valid[0] = 1, in->start_cta[0] = (uint32_t)last;
}

// Warps that wait in this cycle and are not released.
static uint64_t asleep(const Env *e, const CtaBarrierOut *out) {
    uint64_t left = e->waiting;
    for (int w = 0; w < e->warps; w++)
        if (out->rel_warps[w]) left &= ~(1ull << w);
    return left;
}

static void constrain_arrivals(const Env *e, CtaBarrierIn *in, uint64_t waiting, int able[]) {
    for (int p = 0; p < e->req; p++) {
        const uint32_t c = in->arr_cta[p];
        if (!(in->arr_valid[0] >> p & 1)) continue;
        bool legal = c < (uint32_t)e->ctas && in->arr_number[p] < (uint32_t)e->numbers &&
            in->arr_warp[p] < (uint32_t)e->warps && in->arr_count[p] <= (uint32_t)e->warps;
        legal = legal && (e->members[c] & ~waiting) >> in->arr_warp[p] & 1 && able[c] > 0 &&
            e->phase[c][in->arr_number[p]].arrived + e->req <= e->warps;
        for (int q = 0; q < p && legal; q++) {
            if (!(in->arr_valid[0] >> q & 1)) continue;
            legal = in->arr_warp[q] != in->arr_warp[p] &&
                !(in->arr_cta[q] == c && in->arr_number[q] == in->arr_number[p] &&
                  in->arr_count[q] && in->arr_count[p] && in->arr_count[q] != in->arr_count[p]);
        }
        if (!legal) in->arr_valid[0] &= ~(1u << p);
        else able[c]--;
    }
}

static void env_constrain(void *self, void *vin, const void *vout) {
    const Env *e = self;
    CtaBarrierIn *in = vin;
    const CtaBarrierOut *out = vout;
    const uint64_t waiting = asleep(e, out);
    int able[CB_MAX_CTAS];
    for (int c = 0; c < e->ctas; c++) able[c] = __builtin_popcountll(e->members[c] & ~waiting);
    constrain_arrivals(e, in, waiting, able);
    for (int p = 0; p < e->req; p++) {
        if (!(in->end_valid[0] >> p & 1)) continue;
        if (in->end_cta[p] >= (uint32_t)e->ctas || able[in->end_cta[p]] <= 0)
            in->end_valid[0] &= ~(1u << p);
        else able[in->end_cta[p]]--;
    }
    for (int c = 0; c < e->ctas; c++)
        if (!e->scalar[c] || (e->waits_scalar[c] && !(out->rel_scalar[0] >> c & 1)))
            in->scalar_end[c] = 0;
    for (int u = 0; u < e->units; u++) {
        const uint32_t c = in->sc_cta[u];
        bool legal = c < (uint32_t)e->ctas && in->sc_number[u] < (uint32_t)e->numbers &&
            e->scalar[c] && !in->scalar_end[c] &&
            (!e->waits_scalar[c] || out->rel_scalar[0] >> c & 1);
        for (int q = 0; q < u && legal; q++)
            legal = !((in->sc_valid[0] >> q & 1) && in->sc_cta[q] == c);
        if (!legal) in->sc_valid[0] &= ~(1u << u);
    }
    const uint32_t c = in->start_cta[0];
    if (c >= (uint32_t)e->ctas || e->live[c] || e->scalar[c] || in->start_warps[0] == 0 ||
        (int)in->start_warps[0] > e->warps - __builtin_popcountll(taken(e)))
        in->start_valid[0] = 0;
}

// One cycle's arrivals and ends in the environment's own books.
static void follow(Env *e, const CtaBarrierIn *in, const CtaBarrierOut *out, uint64_t *hits) {
    int arrivals = 0;
    memset(e->warp_came, 0, sizeof e->warp_came);
    memset(e->scalar_came, 0, sizeof e->scalar_came);
    for (int p = 0; p < e->req; p++) {
        if (!(in->arr_valid[0] >> p & 1)) continue;
        const uint32_t c = in->arr_cta[p], n = in->arr_number[p];
        Phase *x = &e->phase[c][n];
        const bool with = in->arr_with[0] >> p & 1;
        hits[e->chain + arrivals++]++;
        if (x->begun && x->with != with)
            hits[e->event +
                 (e->warp_came[c][n] || e->scalar_came[c][n] ? MIXED_CYCLE : MIXED_PHASE)]++;
        hits[e->event + COUNT_WITH] += in->arr_count[p] && with;
        hits[e->event + REUSED] += e->last[c] == (int)n;
        hits[e->event + AGAIN] += in->arr_sync[0] >> p & 1 && out->rel_warps[in->arr_warp[p]];
        e->warp_came[c][n] = true;
        x->begun = true, x->arrived++, x->with |= with;
        if (in->arr_count[p]) x->expected = (int)in->arr_count[p];
        if (in->arr_sync[0] >> p & 1) e->waiting |= 1ull << in->arr_warp[p];
        else hits[e->event + ARRIVE_ONLY]++;
    }
    for (int u = 0; u < e->units; u++) {
        if (!(in->sc_valid[0] >> u & 1)) continue;
        const uint32_t c = in->sc_cta[u], n = in->sc_number[u];
        Phase *x = &e->phase[c][n];
        if (x->begun && !x->with)
            hits[e->event + (e->warp_came[c][n] ? MIXED_CYCLE : MIXED_PHASE)]++;
        e->scalar_came[c][n] = true;
        x->begun = x->with = x->scalar = true;
        e->waits_scalar[c] |= in->sc_sync[0] >> u & 1;
    }
}

// Releases by the arrivals and ends of the previous cycle.
static void see_release(Env *e, const CtaBarrierOut *out, int c, uint64_t *hits) {
    const int n = (int)out->rel_number[c];
    const bool warp_came = e->warp_came[c][n], scalar_came = e->scalar_came[c][n],
               ended = e->ended[c];
    const Phase *x = &e->phase[c][n];
    uint64_t goes = 0;
    for (int w = 0; w < e->warps; w++) goes |= (uint64_t)out->rel_warps[w] << w;
    goes &= e->members[c];
    hits[e->number + n]++;
    hits[e->event + (x->expected ? COUNTED : x->with ? WITH_SCALAR : SOLO_ALL)]++;
    if (x->with && x->scalar) {
        hits[e->event + LAST_WARP] += warp_came && !scalar_came;
        hits[e->event + LAST_SCALAR] += !warp_came && scalar_came;
        hits[e->event + LAST_BOTH] += warp_came && scalar_came;
    }
    hits[e->event + SCALAR_ENDED] += x->with && !x->scalar;
    hits[e->event + NO_WARPS_LEFT] += x->with && x->scalar && e->live[c] == 0;
    hits[e->event + END_RELEASES] += !warp_came && !scalar_came && ended;
    hits[e->event + NEXT_CYCLE] += !warp_came && !scalar_came && !ended;
    hits[e->event + NOBODY_WAITS] += !goes && !(out->rel_scalar[0] >> c & 1);
    hits[e->event + SCALAR_GOES_ON] += out->rel_scalar[0] >> c & 1;
    e->waiting &= ~goes;
    if (out->rel_scalar[0] >> c & 1) e->waits_scalar[c] = false;
    e->phase[c][n] = (Phase){0};
}

static void env_observe(void *self, const void *vin, const void *vout, uint64_t *hits) {
    Env *e = self;
    const CtaBarrierIn *in = vin;
    const CtaBarrierOut *out = vout;
    hits[e->event + RESET_BUSY] += e->busy_reset;
    e->busy_reset = false;
    hits[e->event + TWO_CTAS] += __builtin_popcount(out->rel_valid[0]) > 1;
    for (int c = 0; c < e->ctas; c++) {
        e->last[c] = out->rel_valid[0] >> c & 1 ? (int)out->rel_number[c] : -1;
        if (e->last[c] >= 0) see_release(e, out, c, hits);
    }
    memset(e->ended, 0, sizeof e->ended);
    follow(e, in, out, hits);
    bool arrived[CB_MAX_CTAS] = {false}, scalar_arrived[CB_MAX_CTAS] = {false};
    for (int p = 0; p < e->req; p++) arrived[in->arr_cta[p]] |= in->arr_valid[0] >> p & 1;
    for (int u = 0; u < e->units; u++) scalar_arrived[in->sc_cta[u]] |= in->sc_valid[0] >> u & 1;
    for (int p = 0; p < e->req; p++) {
        if (!(in->end_valid[0] >> p & 1)) continue;
        const uint32_t c = in->end_cta[p];
        e->live[c]--, e->ended[c] = true;
        // which warp ended is the environment's choice: one that does not wait
        const uint64_t able = e->members[c] & ~e->waiting;
        if (able) e->members[c] &= ~(able & -able);
    }
    for (int c = 0; c < e->ctas; c++) {
        if (in->scalar_end[c]) e->scalar[c] = false, e->ended[c] = true;
        hits[e->event + TWO_COMPLETE] += complete(e, c) > 1;
        hits[e->event + ARRIVES_ENDS] += arrived[c] && e->ended[c];
        const bool released = out->rel_scalar[0] >> c & 1;
        hits[e->event + SCALAR_AGAIN] += released && scalar_arrived[c];
        hits[e->event + SCALAR_LEAVES] += released && in->scalar_end[c];
    }
    if (in->start_valid[0]) {
        e->begun++;
        const uint32_t c = in->start_cta[0];
        hits[e->event + START_ENDS] += complete(e, (int)c) > 0;
        const uint64_t all = e->warps == 64 ? ~0ull : (1ull << e->warps) - 1;
        uint64_t left = all & ~taken(e);
        memset(e->phase[c], 0, sizeof e->phase[c]);
        e->live[c] = (int)in->start_warps[0];
        e->scalar[c] = in->start_scalar[0];
        for (int i = 0; i < e->live[c]; i++, left &= left - 1) e->members[c] |= left & -left;
    }
}

static const StimShape SHAPES[] = {
    {"Ctas=3 Warps=11 Barriers=5 NumReq=3 Units=2", "nothing a power of two, two scalar units"},
    {"Ctas=1 Warps=7 Barriers=5 NumReq=2 Units=1", "one CTA"},
    {0},
};

static const StimWaiver WAIVERS[] = {
    {"Ctas=1", "event", "two_ctas", "there is one"},
    {0},
};

const BlockStim cta_barrier_stim = {.shapes = SHAPES,
                                    .waivers = WAIVERS,
                                    .knobs = KNOB_TABLE,
                                    .nknobs = KNOBS,
                                    .needs_out = true,
                                    .bins = cb_bins,
                                    .open = env_open,
                                    .close = free,
                                    .reset = env_reset,
                                    .randomize = env_randomize,
                                    .constrain = env_constrain,
                                    .observe = env_observe};
