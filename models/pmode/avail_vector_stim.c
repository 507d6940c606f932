// SPDX-License-Identifier: Apache-2.0
// Stimuli of avail_vector: ids are taken, written and freed in any order, at rates that fill and
// empty the vector. Writes and frees of ids that allow none occur now and then.
#include "models/pmode/avail_vector.h"

#include "models/params.h"
#include "models/stim_bins.h"

#include <stdlib.h>
#include <string.h>

enum { AVAIL_VECTOR_PARAMS(BLOCK_INDEX) };

enum {
    KNOB_TAKE,
    KNOB_PAIR,
    KNOB_BANK,
    KNOB_WRITE,
    KNOB_FREE,
    KNOB_EARLY,
    KNOB_STRAY,
    KNOB_LOAD,
    KNOBS
};
static const StimKnob KNOB_TABLE[KNOBS] = {
    {"take", 0, 100, "percent of ports that take an id"},
    {"pair", 0, 100, "percent of requests for two ids"},
    {"bank", 0, 100, "percent of requests for one bank"},
    {"write", 0, 100, "percent of write ports that write"},
    {"free", 0, 60, "percent of free ports that free"},
    {"early", 0, 50, "percent of frees of an id whose write is to come"},
    {"stray", 0, 15, "percent of writes and frees of any id"},
    {"load", 0, 2, "percent of cycles in which a launch begins"},
};

enum { MAX_IDS = 256, MAX_BANKS = 32 };
typedef enum IdState { AVAILABLE, TAKEN, PENDING, WRITTEN, DYING, STATES } IdState;

// Numbers of the bins.
typedef struct Bins {
    int same_bank[MAX_BANKS], other_bank[MAX_BANKS], no_bank, none, during_load, first_id, last_id;
    int ready[2 * AV_MAX_ISSUE + 1], pair, pair_same_bank, pair_falls_back, pair_short,
        pair_leaves_one;
    int port_moves, port_falls_back, all_ports, last_one;
    int wrote[STATES], freed[STATES], free_meets_write, free_twice, free_all, write_twice;
    int dying_written_and_freed;
    int load_none, load_some, load_all, load_more, load_in_use, load_dying, all_taken, fragmented;
    int reset_idle, reset_in_use, reset_dying;
} Bins;

// Ids in one state, in any order.
typedef struct IdList {
    int n;
    uint16_t id[MAX_IDS];
} IdList;

typedef struct Env {
    int ids, banks, first_bank, ports, writes, frees;
    uint32_t hot;
    Bins at;
    uint8_t state[MAX_IDS];
    uint16_t place[MAX_IDS];  // in the list of its state
    IdList list[STATES];
    int in_bank[MAX_BANKS];  // available ones
    bool reset_met, was_used, was_dying;
} Env;

static int bank_of(const Env *e, int id) { return (e->first_bank + id) % e->banks; }

static void move(Env *e, int id, IdState to) {
    IdList *from = &e->list[e->state[id]], *into = &e->list[to];
    const uint16_t last = from->id[--from->n];
    from->id[e->place[id]] = last;
    e->place[last] = e->place[id];
    if (e->state[id] == AVAILABLE) e->in_bank[bank_of(e, id)]--;
    if (to == AVAILABLE) e->in_bank[bank_of(e, id)]++;
    e->state[id] = (uint8_t)to;
    e->place[id] = (uint16_t)into->n;
    into->id[into->n++] = (uint16_t)id;
}

static int bins_list(const int *params, CoverBin *bins, Bins *at) {
    static const char *const states[STATES] = {"available", "taken", "pending", "written", "dying"};
    const int ids = params[P_NumPhy], banks = params[P_Banks], ports = params[P_NumIssue];
    const bool two_ports = ports > 1, pairs = ids > 1;
    BinList l = {bins, 0};
    for (int b = 0; b < banks; b++) {
        at->same_bank[b] = at->other_bank[b] = NO_BIN;
        // Ids lie in as many banks as there are ids.
        int in_bank = 0;
        for (int k = 0; k < ids; k++)
            in_bank += avail_vector_bank(banks, params[P_Entries], ids, k) == b;
        if (in_bank) at->same_bank[b] = bin_add(&l, "take", "bank%d", b);
        if (in_bank < ids) at->other_bank[b] = bin_add(&l, "take", "bank%d-empty", b);
    }
    at->no_bank = bin_add_if(banks < 1 << block_bits(banks), &l, "take", "no-such-bank");
    at->none = bin_add(&l, "take", "none-left");
    at->during_load = bin_add(&l, "take", "during-load");
    at->first_id = bin_add(&l, "take", "first-id");
    at->last_id = bin_add(&l, "take", "last-id");
    at->last_one = bin_add(&l, "take", "last-available");
    at->port_moves = bin_add_if(two_ports && ids > banks, &l, "take", "two-ports-one-bank");
    at->port_falls_back =
        bin_add_if(two_ports && pairs && banks > 1, &l, "take", "lower-port-empties-bank");
    at->all_ports = bin_add_if(two_ports && ids >= ports, &l, "take", "all-ports");
    for (int i = 0; i <= 2 * ports; i++)
        at->ready[i] =
            i <= ids ? bin_add(&l, "ready", "%d%s", i, i == 2 * ports ? "-or-more" : "") : NO_BIN;
    at->pair = bin_add_if(pairs, &l, "take", "pair");
    at->pair_same_bank = bin_add_if(ids > banks, &l, "take", "pair-of-one-bank");
    at->pair_falls_back = bin_add_if(pairs && banks > 1, &l, "take", "pair-empties-bank");
    at->pair_short = bin_add(&l, "take", "pair-but-one-left");
    at->pair_leaves_one = bin_add_if(two_ports, &l, "take", "one-after-a-refused-pair");
    for (int s = 0; s < STATES; s++) {
        at->wrote[s] = bin_add(&l, "write", "%s", states[s]);
        at->freed[s] = bin_add(&l, "free", "%s", states[s]);
    }
    at->write_twice = bin_add_if(params[P_NumWr] > 1, &l, "write", "two-ports-one-id");
    at->free_twice = bin_add(&l, "free", "two-ports-one-id");
    at->free_all = bin_add(&l, "free", "all-ports");
    at->free_meets_write = bin_add(&l, "free", "pending-while-written");
    at->dying_written_and_freed = bin_add(&l, "free", "dying-while-written");
    at->load_none = bin_add(&l, "load", "none");
    at->load_some = bin_add_if(ids > 2, &l, "load", "some");
    at->load_all = bin_add(&l, "load", "all");
    at->load_more = bin_add_if(ids + 1 < 1 << block_bits(ids + 1), &l, "load", "more-than-all");
    at->load_in_use = bin_add(&l, "load", "ids-in-use");
    at->load_dying = bin_add(&l, "load", "ids-dying");
    at->all_taken = bin_add(&l, "vector", "empty");
    at->fragmented = bin_add_if(ids > 2, &l, "vector", "fragmented");
    at->reset_idle = bin_add(&l, "reset", "all-available");
    at->reset_in_use = bin_add(&l, "reset", "ids-in-use");
    at->reset_dying = bin_add(&l, "reset", "ids-dying");
    return l.n;
}

static int av_bins(const int *params, CoverBin *bins) {
    Bins at;
    return bins_list(params, bins, &at);
}

static void load(Env *e, int count) {
    for (int k = 0; k < e->ids; k++) move(e, k, k < count ? TAKEN : AVAILABLE);
}

static void av_reset(void *self) {
    Env *e = self;
    e->reset_met = true;
    e->was_used = e->list[AVAILABLE].n < e->ids;
    e->was_dying = e->list[DYING].n > 0;
    load(e, 0);
}

static void *av_open(const int *params) {
    Env *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    e->ids = params[P_NumPhy], e->banks = params[P_Banks];
    e->ports = params[P_NumIssue], e->writes = params[P_NumWr];
    e->frees = 2 * e->ports + 3;
    e->first_bank = avail_vector_bank(params[P_Banks], params[P_Entries], params[P_NumPhy], 0);
    bins_list(params, NULL, &e->at);
    for (int k = 0; k < e->ids; k++) {
        e->state[k] = TAKEN;
        e->place[k] = e->list[TAKEN].id[k] = (uint16_t)k;
    }
    e->list[TAKEN].n = e->ids;
    load(e, 0);
    return e;
}

static void av_close(void *self) { free(self); }

// ---- driving ------------------------------------------------------------------------------------

static uint32_t draw_of(const Env *e, StimRandom *r, IdState state) {
    const IdList *l = &e->list[state];
    return l->n ? l->id[stim_below(r, (uint32_t)l->n)] : stim_below(r, (uint32_t)e->ids);
}

static void draw_writes(const Env *e, StimRandom *r, const int *knobs, AvailVectorIn *in) {
    in->wb_valid[0] = 0;
    for (int j = 0; j < e->writes; j++) {
        const bool stray = stim_percent(r, knobs[KNOB_STRAY]);
        const uint32_t random = stim_random(r);
        in->wb_phy[j] = stray ? stim_below(r, (uint32_t)e->ids)
            : random & 1      ? draw_of(e, r, e->list[DYING].n ? DYING : PENDING)
                              : draw_of(e, r, PENDING);
        if (stray || e->list[PENDING].n + e->list[DYING].n)
            in->wb_valid[0] |= (uint32_t)stim_percent(r, knobs[KNOB_WRITE]) << j;
    }
}

static void draw_frees(const Env *e, StimRandom *r, const int *knobs, AvailVectorIn *in) {
    in->free_valid[0] = 0;
    for (int f = 0; f < e->frees; f++) {
        const bool stray = stim_percent(r, knobs[KNOB_STRAY]);
        const bool early = stim_percent(r, knobs[KNOB_EARLY]);
        in->free_phy[f] = stray ? stim_below(r, (uint32_t)e->ids)
            : early
            ? in->wb_valid[0] & 1 && stim_percent(r, 20) ? in->wb_phy[0] : draw_of(e, r, PENDING)
            : draw_of(e, r, WRITTEN);
        if (stray || e->list[early ? PENDING : WRITTEN].n)
            in->free_valid[0] |= (uint32_t)stim_percent(r, knobs[KNOB_FREE]) << f;
    }
}

static void av_randomize(void *self, StimRandom *r, const int *knobs, void *inputs) {
    Env *e = self;
    AvailVectorIn *in = inputs;
    const uint32_t named = 1u << block_bits(e->banks), counts = 1u << block_bits(e->ids + 1);
    if (stim_random(r) >> 26 == 0) e->hot = stim_below(r, named);
    in->alloc_valid[0] = in->alloc_pair[0] = 0;
    for (int i = 0; i < e->ports; i++) {
        in->alloc_valid[0] |= (uint32_t)stim_percent(r, knobs[KNOB_TAKE]) << i;
        in->alloc_pair[0] |= (uint32_t)stim_percent(r, knobs[KNOB_PAIR]) << i;
        for (int k = 0; k < 2; k++)
            in->alloc_bank[2 * i + k] =
                stim_percent(r, knobs[KNOB_BANK]) ? e->hot : stim_below(r, named);
    }
    draw_writes(e, r, knobs, in);
    draw_frees(e, r, knobs, in);
    in->load_valid[0] = stim_below(r, 400) < (uint32_t)knobs[KNOB_LOAD] * 4;
    switch (stim_below(r, 4)) {
    case 0: in->load_count[0] = 0; break;
    case 1: in->load_count[0] = (uint32_t)e->ids - stim_below(r, 2); break;
    default: in->load_count[0] = stim_below(r, counts); break;
    }
}

static void av_constrain(void *self, void *inputs, const void *out) {
    (void)out;
    const Env *e = self;
    AvailVectorIn *in = inputs;
    for (int j = 0; j < e->writes; j++)
        if (in->wb_phy[j] >= (uint32_t)e->ids) in->wb_valid[0] &= ~(1u << j);
    for (int f = 0; f < e->frees; f++)
        if (in->free_phy[f] >= (uint32_t)e->ids) in->free_valid[0] &= ~(1u << f);
}

// ---- following the block, coverage --------------------------------------------------------------

// The id of port i, relative to the requested bank.
static void see_id(const Env *e, const AvailVectorIn *in, const AvailVectorOut *out, int c,
                   uint64_t *hits) {
    const Bins *at = &e->at;
    const int wanted = (int)in->alloc_bank[c], id = (int)out->alloc_phy[c] % e->ids,
              bank = bank_of(e, id);
    if (wanted >= e->banks) bin_hit(hits, at->no_bank);
    else bin_hit(hits, bank == wanted ? at->same_bank[wanted] : at->other_bank[wanted]);
    hits[at->first_id] += id == 0;
    hits[at->last_id] += id == e->ids - 1;
    const bool falls_back = wanted < e->banks && bank != wanted && e->in_bank[wanted] > 0;
    if (c % 2) {
        if (in->alloc_bank[c - 1] == in->alloc_bank[c] && bank == wanted)
            bin_hit(hits, at->pair_same_bank);
        if (falls_back) bin_hit(hits, at->pair_falls_back);
        return;
    }
    for (int l = 0; l < c; l += 2)
        if (out->alloc_ok[0] >> l / 2 & 1 && (int)in->alloc_bank[l] == wanted && bank == wanted)
            bin_hit(hits, at->port_moves);
    if (c && falls_back) bin_hit(hits, at->port_falls_back);
}

static void see_takes(const Env *e, const AvailVectorIn *in, const AvailVectorOut *out,
                      uint64_t *hits) {
    const Bins *at = &e->at;
    const uint32_t ok = out->alloc_ok[0];
    int taken = 0;
    bool refused = false;
    for (int i = 0; i < e->ports; i++) {
        if (!(in->alloc_valid[0] >> i & 1)) continue;
        const bool pair = in->alloc_pair[0] >> i & 1;
        const int left = e->list[AVAILABLE].n - taken;
        if (!(ok >> i & 1)) {
            refused |= pair && left == 1 && !in->load_valid[0];
            if (in->load_valid[0]) hits[at->during_load]++;
            else if (left > 0) hits[at->pair_short]++;
            else hits[at->none]++;
            continue;
        }
        see_id(e, in, out, 2 * i, hits);
        if (pair) see_id(e, in, out, 2 * i + 1, hits);
        if (pair) bin_hit(hits, at->pair);
        if (!pair && refused) bin_hit(hits, at->pair_leaves_one);
        taken += 1 + pair;
    }
    if (ok == (1u << e->ports) - 1) bin_hit(hits, at->all_ports);
    if (ok && taken == e->list[AVAILABLE].n) hits[at->last_one]++;
}

static void see_vector(const Env *e, uint64_t *hits) {
    const Bins *at = &e->at;
    const int available = e->list[AVAILABLE].n;
    bin_hit(hits, at->ready[available < 2 * e->ports ? available : 2 * e->ports]);
    hits[at->all_taken] += available == 0;
    // an id in use between available ones
    if (available > 1 && e->state[0] == AVAILABLE && e->state[e->ids - 1] == AVAILABLE &&
        available < e->ids)
        bin_hit(hits, at->fragmented);
}

static void see_load(const Env *e, const AvailVectorIn *in, uint64_t *hits) {
    const Bins *at = &e->at;
    const int count = (int)in->load_count[0];
    if (!in->load_valid[0]) return;
    if (count == 0) hits[at->load_none]++;
    else if (count < e->ids) bin_hit(hits, at->load_some);
    else if (count == e->ids) hits[at->load_all]++;
    else bin_hit(hits, at->load_more);
    hits[at->load_in_use] += e->list[PENDING].n + e->list[WRITTEN].n > 0;
    hits[at->load_dying] += e->list[DYING].n > 0;
}

static void see_writes(const Env *e, const AvailVectorIn *in, uint64_t *hits) {
    const Bins *at = &e->at;
    for (int j = 0; j < e->writes; j++) {
        if (!(in->wb_valid[0] >> j & 1)) continue;
        const int id = (int)in->wb_phy[j];
        for (int l = 0; l < j; l++)
            if (in->wb_valid[0] >> l & 1 && in->wb_phy[l] == in->wb_phy[j])
                bin_hit(hits, at->write_twice);
        hits[at->wrote[e->state[id]]]++;
        for (int f = 0; f < e->frees; f++)
            if (in->free_valid[0] >> f & 1 && (int)in->free_phy[f] == id) {
                hits[at->free_meets_write] += e->state[id] == PENDING;
                hits[at->dying_written_and_freed] += e->state[id] == DYING;
            }
    }
}

static void see_frees(const Env *e, const AvailVectorIn *in, uint64_t *hits) {
    const Bins *at = &e->at;
    for (int f = 0; f < e->frees; f++) {
        if (!(in->free_valid[0] >> f & 1)) continue;
        hits[at->freed[e->state[in->free_phy[f]]]]++;
        for (int l = 0; l < f; l++)
            hits[at->free_twice] +=
                in->free_valid[0] >> l & 1 && in->free_phy[l] == in->free_phy[f];
    }
    hits[at->free_all] += in->free_valid[0] == (1u << e->frees) - 1;
}

static void follow(Env *e, const AvailVectorIn *in, const AvailVectorOut *out) {
    if (in->load_valid[0]) {
        load(e, (int)in->load_count[0] < e->ids ? (int)in->load_count[0] : e->ids);
        return;
    }
    for (int j = 0; j < e->writes; j++) {
        const int id = (int)in->wb_phy[j];
        if (!(in->wb_valid[0] >> j & 1)) continue;
        if (e->state[id] == PENDING) move(e, id, WRITTEN);
        else if (e->state[id] == DYING) move(e, id, AVAILABLE);
    }
    for (int f = 0; f < e->frees; f++) {
        const int id = (int)in->free_phy[f];
        if (!(in->free_valid[0] >> f & 1)) continue;
        if (e->state[id] == WRITTEN) move(e, id, AVAILABLE);
        else if (e->state[id] == PENDING) move(e, id, DYING);
    }
    for (int c = 0; c < 2 * e->ports; c++)
        if (out->alloc_word[0] >> c & 1) move(e, (int)out->alloc_phy[c] % e->ids, PENDING);
}

static void av_observe(void *self, const void *inputs, const void *outputs, uint64_t *hits) {
    Env *e = self;
    const AvailVectorIn *in = inputs;
    if (e->reset_met) {
        e->reset_met = false;
        hits[e->was_dying      ? e->at.reset_dying
                 : e->was_used ? e->at.reset_in_use
                               : e->at.reset_idle]++;
    }
    see_takes(e, in, outputs, hits);
    see_vector(e, hits);
    see_load(e, in, hits);
    see_frees(e, in, hits);
    see_writes(e, in, hits);
    follow(e, in, outputs);
}

static const StimShape SHAPES[] = {
    {"NumPhy=1", "one free register: no pair"},
    {"NumPhy=13 Banks=3 NumIssue=3 NumWr=3",
     "a number of registers that is no power of two, odd banks, three ports"},
    {0},
};

const BlockStim avail_vector_stim = {.shapes = SHAPES,
                                     .knobs = KNOB_TABLE,
                                     .nknobs = KNOBS,
                                     .needs_out = false,
                                     .bins = av_bins,
                                     .open = av_open,
                                     .close = av_close,
                                     .reset = av_reset,
                                     .randomize = av_randomize,
                                     .constrain = av_constrain,
                                     .observe = av_observe};
