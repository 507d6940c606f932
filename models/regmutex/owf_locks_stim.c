// SPDX-License-Identifier: Apache-2.0
// Stimuli of owf_locks: kernels of every CTA size. CTAs start as a whole and end warp by warp. Both
// CTAs of a pair acquire at the same time. Locks pass from the warps of the owner to those of the
// other.
#include "models/params.h"
#include "models/regmutex/owf_locks.h"
#include "models/stim_bins.h"

#include <stdlib.h>

enum { OWF_LOCKS_PARAMS(BLOCK_INDEX) };

enum { KNOB_ACQUIRE, KNOB_START, KNOB_EXIT, KNOB_LOAD, KNOB_HOT, KNOB_SMALL, KNOB_FEW, KNOBS };
static const StimKnob KNOB_TABLE[KNOBS] = {
    {"acquire", 5, 100, "percent of ports that acquire"},
    {"start", 5, 100, "percent of free slots of CTAs that are filled"},
    {"exit", 0, 60, "percent of cycles in which warps drain"},
    {"load", 0, 3, "percent of cycles in which a kernel is placed"},
    {"hot", 0, 95, "percent of acquires by the CTA pair that was served last, or by a partner"},
    {"small", 0, 100, "percent of kernels whose CTAs have few warps"},
    {"few", 0, 60, "percent of kernels of which not all CTAs are paired"},
};

// The event of one port. From BEATEN on: only behind another port.
enum { FREE, NESTED, FIRST, OF_OWNER, PARTNER_GONE, REFUSED, BEATEN, BESIDE, KINDS };
enum {
    DURING_LOAD,
    OWNER_PASSES,
    OWNER_NONE,
    OWNER_KEEPS,
    START_UNOWNED,
    START_OWNED,
    BOTH_SIDES,
    LAST_PAIR,
    EXIT_HELD,
    EXIT_NOT_HELD,
    EXIT_NOT_LIVE,
    LOAD_HELD,
    RESET_HELD,
    SERVED_LATER,
    EVENTS
};

typedef struct Env {
    int warps, pairs_most, req;
    int per_cta, pairs;
    bool loaded, live[OWF_MAX_WARPS], refused[OWF_MAX_WARPS];
    int last;  // warp that was served
    bool holds, reset_met;
} Env;

// Where the bins of a port begin, and behind the last port those of the events.
static int bins_of(int port) { return port * KINDS - (port ? KINDS - BEATEN : 0); }

static int owf_bins(const int *params, CoverBin *bins) {
    static const char *const kinds[KINDS] = {"unshared",
                                             "nested",
                                             "first",
                                             "owner",
                                             "partner_gone",
                                             "refused",
                                             "other_cta_came_first",
                                             "same_cta_came_first"};
    static const char *const events[EVENTS] = {
        "during_load",         "owner_passes",       "owner_none",      "cta_ends_owner_keeps",
        "start_without_owner", "start_beside_owner", "both_sides_hold", "last_pair",
        "exit_held",           "exit_not_held",      "exit_not_live",   "load_while_held",
        "reset_while_held",    "refused_then_served"};
    BinList l = {.bins = bins};
    for (int r = 0; r < params[P_NumReq]; r++)
        for (int k = 0; k < (r ? KINDS : BEATEN); k++)
            bin_add(&l, "acquire", "port%d.%s", r, kinds[k]);
    bin_words(&l, "event", events, EVENTS);
    return l.n;
}

static void forget(Env *e) {
    memset(e->live, 0, sizeof e->live);
    memset(e->refused, 0, sizeof e->refused);
    e->holds = false, e->last = 0;
}

static void env_reset(void *self) {
    Env *e = self;
    e->reset_met |= e->holds;
    e->per_cta = 1, e->pairs = 0, e->loaded = false;
    forget(e);
}

static void *env_open(const int *params) {
    Env *e = calloc(1, sizeof *e);
    if (!e) abort();
    e->warps = params[P_Warps], e->req = params[P_NumReq];
    e->pairs_most = owf_locks_cta_pairs(e->warps, params[P_Ctas]);
    env_reset(e);
    e->reset_met = false;
    return e;
}

static bool slot_lives(const Env *e, int slot) {
    for (int w = slot * e->per_cta; w < (slot + 1) * e->per_cta && w < e->warps; w++)
        if (e->live[w]) return true;
    return false;
}

// A live warp from a random one on; a random one when none is live.
static uint32_t pick(const Env *e, StimRandom *r, const int *knobs) {
    uint32_t from = stim_below(r, (uint32_t)e->warps);
    if (stim_percent(r, knobs[KNOB_HOT])) {
        const int slot = e->last / e->per_cta, other = slot ^ (int)stim_below(r, 2);
        from = (uint32_t)(other * e->per_cta +
                          (stim_percent(r, 50) ? e->last % e->per_cta
                                               : (int)stim_below(r, (uint32_t)e->per_cta)));
    }
    for (int i = 0; i < e->warps; i++)
        if (e->live[((int)from + i) % e->warps]) return (uint32_t)(((int)from + i) % e->warps);
    return from % (uint32_t)e->warps;
}

static void env_randomize(void *self, StimRandom *r, const int *knobs, void *vin) {
    Env *e = self;
    OwfLocksIn *in = vin;
    const uint32_t half = (uint32_t)e->warps / 2, few = half < 4 ? half : 4;
    in->cfg_valid[0] = stim_percent(r, e->loaded ? knobs[KNOB_LOAD] : 50);
    in->cfg_warps[0] = 1 + stim_below(r, stim_percent(r, knobs[KNOB_SMALL]) ? few : half);
    if (stim_percent(r, 5)) in->cfg_warps[0] = stim_below(r, (uint32_t)e->warps + 1);
    in->cfg_pairs[0] = stim_percent(r, knobs[KNOB_FEW]) ? stim_below(r, (uint32_t)e->pairs_most + 1)
                                                        : (uint32_t)e->pairs_most;
    const uint32_t leave = stim_percent(r, knobs[KNOB_EXIT]) ? stim_random(r) & stim_random(r) : 0;
    const bool whole = stim_percent(r, 30);
    const int ends = (int)stim_below(r, (uint32_t)e->warps) / e->per_cta;
    bool fill = false;
    for (int w = 0; w < e->warps; w++) {
        in->exit_mask[w] = whole && leave ? w / e->per_cta == ends : leave >> w % 32 & 1;
        if (w % e->per_cta == 0)
            fill = !slot_lives(e, w / e->per_cta) && stim_percent(r, knobs[KNOB_START] / 4);
        in->start_mask[w] = fill;
    }
    in->acq_valid[0] = 0;
    for (int p = 0; p < e->req; p++) {
        in->acq_valid[0] |= (uint32_t)stim_percent(r, knobs[KNOB_ACQUIRE]) << p;
        in->acq_warp[p] = pick(e, r, knobs);
        // a warp of the same CTA pair as the port before
        const int slot = p ? (int)in->acq_warp[p - 1] / e->per_cta ^ (int)stim_below(r, 2) : 0;
        if (p && stim_percent(r, 40))
            in->acq_warp[p] =
                (uint32_t)(slot * e->per_cta + (int)stim_below(r, (uint32_t)e->per_cta));
        in->acq_warp[p] %= 1u << block_bits(e->warps);
    }
}

static void env_constrain(void *self, void *vin, const void *out) {
    const Env *e = self;
    OwfLocksIn *in = vin;
    const uint32_t warps = (uint32_t)e->warps;
    (void)out;
    if (in->cfg_warps[0] == 0) in->cfg_warps[0] = 1;
    if (in->cfg_warps[0] > warps) in->cfg_warps[0] = warps;
    if (in->cfg_pairs[0] > (uint32_t)e->pairs_most) in->cfg_pairs[0] = (uint32_t)e->pairs_most;
    const uint32_t fit = warps / (2 * in->cfg_warps[0]);
    if (in->cfg_pairs[0] > fit) in->cfg_pairs[0] = fit;
    for (int w = 0; w < e->warps; w++)
        if (slot_lives(e, w / e->per_cta)) in->start_mask[w] = 0;
    for (int p = 0; p < e->req; p++) {
        const uint32_t w = in->acq_warp[p];
        if (w >= warps || !e->live[w] || in->exit_mask[w]) in->acq_valid[0] &= ~(1u << p);
    }
}

// First live warp's owner bit of a slot.
static bool owns(const Env *e, const OwfLocksOut *out, int slot) {
    for (int i = 0; i < e->per_cta; i++)
        if (out->owner[slot * e->per_cta + i]) return true;
    return false;
}

static void see_acquire(Env *e, const OwfLocksIn *in, const OwfLocksOut *out, int p,
                        const int *first, uint64_t *hits) {
    const int warp = (int)in->acq_warp[p], slot = warp / e->per_cta, pair = slot / 2;
    const bool grant = out->acq_grant[0] >> p & 1;
    int kind;
    if (pair >= e->pairs) kind = FREE;
    else if (out->held[warp]) kind = NESTED;
    else if (!owns(e, out, slot) && !owns(e, out, slot ^ 1))
        kind = first[pair] < 0    ? FIRST
            : first[pair] == slot ? BESIDE
            : grant               ? PARTNER_GONE
                                  : BEATEN;
    else if (owns(e, out, slot)) kind = OF_OWNER;
    else kind = grant ? PARTNER_GONE : REFUSED;
    hits[bins_of(p) + kind]++;
    if (grant) e->last = warp;
    hits[bins_of(e->req) + SERVED_LATER] += grant && e->refused[warp];
    e->refused[warp] = !grant;
}

// CTAs that end and start, after this cycle's acquires.
static void see_owners(const Env *e, const OwfLocksIn *in, const OwfLocksOut *out,
                       uint64_t *events) {
    for (int k = 0; k < e->pairs; k++) {
        bool left[2] = {false, false}, starts[2] = {false, false}, was[2], own[2];
        for (int s = 0; s < 2; s++) {
            const int slot = 2 * k + s;
            for (int w = slot * e->per_cta; w < (slot + 1) * e->per_cta; w++)
                left[s] |= (e->live[w] && !in->exit_mask[w]) || in->start_mask[w],
                    starts[s] |= in->start_mask[w];
            was[s] = slot_lives(e, slot), own[s] = owns(e, out, slot);
        }
        for (int s = 0; s < 2; s++) {
            events[OWNER_PASSES] += own[s] && !left[s] && left[!s];
            events[OWNER_NONE] += own[s] && !left[s] && !left[!s];
            events[OWNER_KEEPS] += own[s] && left[s] && was[!s] && !left[!s];
            events[START_UNOWNED] += starts[s] && !own[!s];
            events[START_OWNED] += starts[s] && own[!s] && left[!s];
            events[LAST_PAIR] += own[s] && k == e->pairs - 1;
        }
    }
}

static void see_warps(Env *e, const OwfLocksIn *in, const OwfLocksOut *out, uint64_t *events) {
    int sides[OWF_MAX_PAIRS] = {0};
    e->holds = false;
    for (int w = 0; w < e->warps; w++) {
        events[EXIT_HELD] += in->exit_mask[w] && out->held[w];
        events[EXIT_NOT_HELD] += in->exit_mask[w] && e->live[w] && !out->held[w];
        events[EXIT_NOT_LIVE] += in->exit_mask[w] && !e->live[w];
        if (!out->held[w]) continue;
        e->holds = true;
        sides[w / e->per_cta / 2] |= 1 << (w / e->per_cta & 1);
    }
    for (int k = 0; k < e->pairs; k++) events[BOTH_SIDES] += sides[k] == 3;
}

static void env_observe(void *self, const void *vin, const void *vout, uint64_t *hits) {
    Env *e = self;
    const OwfLocksIn *in = vin;
    const OwfLocksOut *out = vout;
    uint64_t *events = hits + bins_of(e->req);
    int first[OWF_MAX_PAIRS];  // slot of the first warp that acquired in this cycle
    memset(first, -1, sizeof first);
    events[RESET_HELD] += e->reset_met;
    e->reset_met = false;
    see_warps(e, in, out, events);
    if (in->cfg_valid[0]) {
        events[DURING_LOAD] += in->acq_valid[0] != 0;
        events[LOAD_HELD] += e->holds;
        e->per_cta = (int)in->cfg_warps[0], e->pairs = (int)in->cfg_pairs[0], e->loaded = true;
        forget(e);
        return;
    }
    for (int p = 0; p < e->req; p++) {
        if (!(in->acq_valid[0] >> p & 1)) continue;
        see_acquire(e, in, out, p, first, hits);
        const int slot = (int)in->acq_warp[p] / e->per_cta;
        if (slot / 2 < e->pairs && first[slot / 2] < 0) first[slot / 2] = slot;
    }
    see_owners(e, in, out, events);
    for (int w = 0; w < e->warps; w++) {
        if (in->exit_mask[w]) e->live[w] = e->refused[w] = false;
        if (in->start_mask[w]) e->live[w] = true;
    }
}

static const StimShape SHAPES[] = {
    {"Warps=5 Ctas=5 NumReq=3", "an odd warp, three ports"},
    {0},
};

const BlockStim owf_locks_stim = {.shapes = SHAPES,
                                  .knobs = KNOB_TABLE,
                                  .nknobs = KNOBS,
                                  .bins = owf_bins,
                                  .open = env_open,
                                  .close = free,
                                  .reset = env_reset,
                                  .randomize = env_randomize,
                                  .constrain = env_constrain,
                                  .observe = env_observe};
