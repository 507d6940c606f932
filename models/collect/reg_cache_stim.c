// SPDX-License-Identifier: Apache-2.0
// Stimuli of reg_cache: collectors that request cached and uncached places of their warp, results
// of a few warps and registers. The register file takes writes now and then. Values die and warps
// end. The environment derives its own copy of the cache contents from the outputs of the block.
#include "models/collect/reg_cache.h"
#include "models/params.h"
#include "models/stim_bins.h"

#include <stdlib.h>

enum { REG_CACHE_PARAMS(BLOCK_INDEX) };

enum {
    KNOB_READ,
    KNOB_WRITE,
    KNOB_KNOWN,
    KNOB_HOT,
    KNOB_SPAN,
    KNOB_WHOLE,
    KNOB_TAKE,
    KNOB_KILL,
    KNOB_DROP,
    KNOBS
};
static const StimKnob KNOB_TABLE[KNOBS] = {
    {"read", 0, 100, "percent of collectors that ask"},
    {"write", 0, 100, "percent of ports with a result"},
    {"known", 0, 90, "percent of requests for a register that the warp has in the cache"},
    {"hot", 0, 100, "percent of requests of one warp"},
    {"span", 1, 24, "registers of a warp that are named"},
    {"whole", 20, 100, "percent of results of all lanes in use"},
    {"take", 0, 100, "percent of ports that the register file serves"},
    {"kill", 0, 40, "percent of cycles in which a value is dead"},
    {"drop", 0, 8, "percent of cycles in which a warp ends"},
};

typedef struct Held {
    bool valid;
    uint32_t bank, entry;
} Held;

// The effect of a result. REFUSED: another result has the bank.
enum {
    UPDATE_SOME,
    UPDATE_ALL,
    INTO_EMPTY,
    EVICTS,
    EVICTS_AND_DRAINS,
    THROUGH,
    THROUGH_WAITS,
    BEHIND_BUFFER,
    WAITS_PLACE,
    WAITS_BUFFER,
    REFUSED,
    FATES
};
enum { MISS, HIT, HIT_HELD, HIT_YOUNGER, IN_BUFFER, READS };
enum { KILL_HIT, KILL_MISS, KILL_EVICTED, KILL_UPDATED, KILL_READ, KILLS };
enum { RESET_ROWS, RESET_BUFFER, RESET_READING, RESET_FIRST, RESETS };
enum { TOGETHER = 4 };  // most grants in one cycle with bins of their own

typedef struct Bins {
    int fate[RFC_MAX_WR][FATES], read[READS], bank, grants, taken, first, kill[KILLS], drop,
        drop_buffer, reset[RESETS];
    int lanes, wrap, all;
} Bins;

typedef struct Env {
    int warps, ways, banks, entries, num_coll, num_wr;
    Bins at;
    uint32_t hot, colls, older[RFC_MAX_COLL];
    Held tag[RFC_MAX_WARPS * RFC_MAX_WAYS], buffer[RFC_MAX_WR];
    int next[RFC_MAX_WARPS], first;
    bool reading, filling;
    uint32_t reset_met;
} Env;

// ---- bins ----

static bool reaches(const int *params, int fate) {
    const int places = params[P_Banks] * params[P_Entries], ways = params[P_Ways];
    switch (fate) {
    case EVICTS:
    case WAITS_PLACE: return places > ways;
    case EVICTS_AND_DRAINS:
    case WAITS_BUFFER: return places > ways + 1;
    case BEHIND_BUFFER: return places > ways;
    case REFUSED: return params[P_NumWr] > 1;
    default: return true;
    }
}

static void bins_layout(Bins *at, const int *params, BinList *l) {
    static const char *const fates[FATES] = {"update-some-lanes",
                                             "update-all-lanes",
                                             "into-empty-way",
                                             "evicts",
                                             "evicts-and-drains",
                                             "through",
                                             "through-waits-for-file",
                                             "through-waits-for-buffer",
                                             "waits-for-its-place",
                                             "waits-for-buffer",
                                             "refused"};
    static const char *const reads[READS] = {"miss", "hit", "hit-behind-result", "hit-behind-older",
                                             "in-buffer"};
    static const char *const kills[KILLS] = {"hit", "miss", "evicted", "updated", "read"};
    static const char *const resets[RESETS] = {"rows", "buffer", "reading", "first"};
    const int banks = params[P_Banks], ports = params[P_NumWr], ways = params[P_Ways];
    const bool evicts = reaches(params, EVICTS);
    for (int p = 0; p < ports; p++)
        for (int f = 0; f < FATES; f++) {
            at->fate[p][f] = NO_BIN;
            if (reaches(params, f)) at->fate[p][f] = bin_add(l, "result", "port%d.%s", p, fates[f]);
        }
    for (int k = 0; k < READS; k++)
        at->read[k] = bin_add_if(k != IN_BUFFER || evicts, l, "read", reads[k]);
    at->bank = l->n;
    for (int b = 0; b < banks && b < params[P_Warps] * ways; b++)
        bin_add(l, "delivers", "bank%d", b);
    const int most = banks < params[P_NumColl] ? banks : params[P_NumColl];
    at->grants = l->n;
    for (int i = 1; i <= most && i <= TOGETHER; i++)
        bin_add(l, "grants", "x%d%s", i, i == TOGETHER ? "+" : "");
    at->taken = bin_numbers(l, "taken", "x", 1, ports);
    at->first = l->n;
    for (int p = 0; ports > 1 && p < ports; p++) bin_add(l, "first", "port%d", p);
    for (int k = 0; k < KILLS; k++)
        at->kill[k] = bin_add_if(k != KILL_EVICTED || evicts, l, "kill", kills[k]);
    at->drop = l->n;
    for (int k = 0; k <= ways && k <= banks * params[P_Entries]; k++)
        bin_add(l, "drop", "rows%d", k);
    at->drop_buffer = bin_add_if(evicts, l, "drop", "buffer-full");
    for (int k = 0; k < RESETS; k++)
        at->reset[k] = bin_add_if((k != RESET_BUFFER || evicts) && (k != RESET_FIRST || ports > 1),
                                  l, "reset", resets[k]);
    at->lanes = bin_lanes(l, "taken lanes");
    at->wrap = bin_add(l, "result", "next-wraps");
    at->all = l->n;
}

static int rc_bins(const int *params, CoverBin *bins) {
    BinList l = {.bins = bins};
    Bins at;
    bins_layout(&at, params, &l);
    return l.n;
}

// ---- the environment's book ----

static void rc_forget(void *self) {
    Env *e = self;
    e->reset_met = (uint32_t)e->reading << RESET_READING | (uint32_t)(e->first != 0) << RESET_FIRST;
    for (int r = 0; r < e->warps * e->ways; r++)
        e->reset_met |= (uint32_t)e->tag[r].valid << RESET_ROWS;
    for (int p = 0; p < e->num_wr; p++)
        e->reset_met |= (uint32_t)e->buffer[p].valid << RESET_BUFFER;
    memset(e->tag, 0, sizeof e->tag);
    memset(e->buffer, 0, sizeof e->buffer);
    memset(e->next, 0, sizeof e->next);
    e->first = 0, e->reading = false;
}

static void *rc_open(const int *params) {
    Env *e = calloc(1, sizeof *e);
    if (!e) abort();
    e->warps = params[P_Warps], e->ways = params[P_Ways], e->banks = params[P_Banks],
    e->entries = params[P_Entries];
    e->num_coll = params[P_NumColl], e->num_wr = params[P_NumWr];
    bins_layout(&e->at, params, &(BinList){0});
    e->colls = UINT32_MAX >> (32 - e->num_coll);
    for (int c = 0; c < e->num_coll; c++) e->older[c] = (1u << c) - 1;
    return e;
}

static bool holds(const Held *h, uint32_t bank, uint32_t entry) {
    return h->valid && h->bank == bank && h->entry == entry;
}

static int row_of(const Env *e, uint32_t warp, uint32_t bank, uint32_t entry) {
    for (int k = 0; k < e->ways; k++)
        if (holds(&e->tag[(int)warp * e->ways + k], bank, entry)) return (int)warp * e->ways + k;
    return -1;
}

static int bank_of(const Env *e, int row) {
    int period = e->ways;  // rows after which banks and warps begin together
    while (period % e->banks) period += e->ways;
    return (row + row / period) % e->banks;
}

static bool buffered(const Env *e, uint32_t bank, uint32_t entry) {
    bool found = false;
    for (int p = 0; p < e->num_wr; p++) found |= holds(&e->buffer[p], bank, entry);
    return found;
}

// ---- driving ----

static uint32_t draw_warp(const Env *e, StimRandom *r, const int *knobs) {
    return stim_percent(r, knobs[KNOB_HOT]) ? e->hot : stim_below(r, (uint32_t)e->warps);
}

// A place that the warp has cached, one that is being written back, or one of its registers.
static void draw_place(const Env *e, StimRandom *r, const int *knobs, uint32_t warp, uint32_t *bank,
                       uint32_t *entry) {
    const Held *known = &e->tag[(int)warp * e->ways + (int)stim_below(r, (uint32_t)e->ways)];
    if (!known->valid || stim_percent(r, 6)) known = &e->buffer[stim_below(r, (uint32_t)e->num_wr)];
    const uint32_t reg = stim_below(r, (uint32_t)knobs[KNOB_SPAN]), banks = (uint32_t)e->banks;
    const bool use = known->valid && stim_percent(r, knobs[KNOB_KNOWN]);
    *bank = use ? known->bank : (reg + warp) % banks;
    *entry = use ? known->entry : (warp * 5 + reg / banks) % (uint32_t)e->entries;
    if (!use && stim_percent(r, 3)) *entry = (uint32_t)e->entries - 1, *bank = stim_below(r, banks);
}

static void draw_reads(Env *e, StimRandom *r, const int *knobs, RegCacheIn *in) {
    in->rd_valid[0] = stim_bits(r, knobs[KNOB_READ]) & e->colls;
    for (int c = 0; c < e->num_coll; c++) {
        in->rd_warp[c] = draw_warp(e, r, knobs);
        draw_place(e, r, knobs, in->rd_warp[c], &in->rd_bank[c], &in->rd_entry[c]);
    }
    const uint32_t c = stim_below(r, (uint32_t)e->num_coll), bit = 1u << c;
    const bool youngest = stim_percent(r, 50);  // .. or the oldest
    for (int o = 0; o < e->num_coll; o++) e->older[o] = (e->older[o] & ~bit) | (youngest ? 0 : bit);
    e->older[c] = youngest ? e->colls & ~bit : 0;
    memcpy(in->older, e->older, sizeof in->older);
    const uint32_t stray = stim_percent(r, 20) ? stim_random(r) & e->colls & ~in->rd_valid[0] : 0;
    for (int o = 0; o < e->num_coll; o++) in->older[o] ^= stray;
}

// A while in which results fill the rows of one warp, so that it evicts soon after a reset.
static void draw_filling(Env *e, StimRandom *r, RegCacheIn *in) {
    if (stim_percent(r, 4)) e->filling = stim_percent(r, 20);
    if (!e->filling) return;
    in->wr_valid[0] = in->wr_whole[0] = (1u << e->num_wr) - 1;
    for (int p = 0; p < e->num_wr; p++) {
        const uint32_t reg = stim_below(r, 2 * RFC_MAX_WAYS), banks = (uint32_t)e->banks;
        in->wr_warp[p] = e->hot;
        in->wr_bank[p] = (reg + e->hot) % banks;
        in->wr_entry[p] = (e->hot * 5 + reg / banks) % (uint32_t)e->entries;
    }
}

static void draw_results(Env *e, StimRandom *r, const int *knobs, RegCacheIn *in) {
    in->wr_valid[0] = stim_bits(r, knobs[KNOB_WRITE]) & ((1u << e->num_wr) - 1);
    in->wr_whole[0] = stim_bits(r, knobs[KNOB_WHOLE]) & ((1u << e->num_wr) - 1);
    in->rf_wr_ready[0] = stim_bits(r, knobs[KNOB_TAKE]) & ((1u << e->num_wr) - 1);
    for (int p = 0; p < e->num_wr; p++) {
        in->wr_warp[p] = draw_warp(e, r, knobs);
        draw_place(e, r, knobs, in->wr_warp[p], &in->wr_bank[p], &in->wr_entry[p]);
        in->wr_lane[p] = stim_percent(r, 50) ? UINT32_MAX : stim_lanes(r);
        stim_row(r, in->wr_data[p]);
    }
    draw_filling(e, r, in);
}

static void rc_randomize(void *self, StimRandom *r, const int *knobs, void *vin) {
    Env *e = self;
    RegCacheIn *in = vin;
    if (stim_percent(r, 2)) e->hot = stim_below(r, (uint32_t)e->warps);
    draw_reads(e, r, knobs, in);
    draw_results(e, r, knobs, in);
    in->kill_valid[0] = stim_percent(r, knobs[KNOB_KILL]);
    in->kill_warp[0] = draw_warp(e, r, knobs);
    draw_place(e, r, knobs, in->kill_warp[0], &in->kill_bank[0], &in->kill_entry[0]);
    if (stim_percent(r, 20)) {  // the row that is replaced next
        const Held *h = &e->tag[(int)in->kill_warp[0] * e->ways + e->next[in->kill_warp[0]]];
        if (h->valid) in->kill_bank[0] = h->bank, in->kill_entry[0] = h->entry;
    }
    in->drop_valid[0] = stim_percent(r, knobs[KNOB_DROP]);
    in->drop_warp[0] = draw_warp(e, r, knobs);
}

// ---- legal inputs ----

// Is it a strict total order among the collectors with a request? Else their numbers serve as one.
static void constrain_order(const Env *e, RegCacheIn *in) {
    const uint32_t valid = in->rd_valid[0];
    int by_rank[RFC_MAX_COLL];
    uint32_t ranks = 0, before = 0;
    for (uint32_t left = valid; left; left &= left - 1) {
        const int c = __builtin_ctz(left), rank = __builtin_popcount(in->older[c] & valid);
        by_rank[rank] = c, ranks |= 1u << rank;
    }
    bool good = !(ranks & (ranks + 1)) && __builtin_popcount(ranks) == __builtin_popcount(valid);
    for (int k = 0; good && k < __builtin_popcount(valid); k++) {
        good = (in->older[by_rank[k]] & valid) == before;
        before |= 1u << by_rank[k];
    }
    for (int c = 0; !good && c < e->num_coll; c++)
        if (valid >> c & 1) in->older[c] = (in->older[c] & ~valid) | (valid & ((1u << c) - 1));
}

static bool exists(const Env *e, uint32_t warp, uint32_t bank, uint32_t entry) {
    return warp < (uint32_t)e->warps && bank < (uint32_t)e->banks && entry < (uint32_t)e->entries;
}

static void rc_constrain(void *self, void *vin, const void *out) {
    const Env *e = self;
    RegCacheIn *in = vin;
    (void)out;
    for (int c = 0; c < e->num_coll; c++)
        if (!exists(e, in->rd_warp[c], in->rd_bank[c], in->rd_entry[c]))
            in->rd_valid[0] &= ~(1u << c);
    for (int p = 0; p < e->num_wr; p++)
        if (!exists(e, in->wr_warp[p], in->wr_bank[p], in->wr_entry[p]))
            in->wr_valid[0] &= ~(1u << p);
    if (!exists(e, in->kill_warp[0], in->kill_bank[0], in->kill_entry[0])) in->kill_valid[0] = 0;
    if (in->drop_warp[0] >= (uint32_t)e->warps) in->drop_valid[0] = 0;
    for (int p = 0; p < e->num_wr; p++)
        if (in->wr_valid[0] >> p & 1 && in->wr_warp[p] == in->drop_warp[0]) in->drop_valid[0] = 0;
    if (in->kill_valid[0] && in->kill_warp[0] == in->drop_warp[0]) in->drop_valid[0] = 0;
    constrain_order(e, in);
}

// ---- coverage ----

static int fate_of(const Env *e, const RegCacheIn *in, const RegCacheOut *out, int p) {
    const bool taken = out->wr_ready[0] >> p & 1, full = e->buffer[p].valid,
               file = in->rf_wr_ready[0] >> p & 1;
    const int next = (int)in->wr_warp[p] * e->ways + e->next[in->wr_warp[p]];
    if (buffered(e, in->wr_bank[p], in->wr_entry[p])) return WAITS_PLACE;
    if (row_of(e, in->wr_warp[p], in->wr_bank[p], in->wr_entry[p]) >= 0)
        return !taken ? REFUSED : in->wr_lane[p] == UINT32_MAX ? UPDATE_ALL : UPDATE_SOME;
    if (!(in->wr_whole[0] >> p & 1)) return taken ? THROUGH : full ? BEHIND_BUFFER : THROUGH_WAITS;
    if (!taken) return e->tag[next].valid && full && !file ? WAITS_BUFFER : REFUSED;
    return !e->tag[next].valid ? INTO_EMPTY : full ? EVICTS_AND_DRAINS : EVICTS;
}

// Is a row read that is killed?
static bool see_reads(Env *e, const RegCacheIn *in, const RegCacheOut *out, uint64_t *hits) {
    const int kill =
        in->kill_valid[0] ? row_of(e, in->kill_warp[0], in->kill_bank[0], in->kill_entry[0]) : -1;
    uint32_t wanted = 0, held = 0;  // banks; held: a result requests them
    bool killed = false;
    for (int p = 0; p < e->num_wr; p++) {
        const uint32_t warp = in->wr_warp[p];
        if (!(in->wr_valid[0] >> p & 1) || buffered(e, in->wr_bank[p], in->wr_entry[p])) continue;
        int row = row_of(e, warp, in->wr_bank[p], in->wr_entry[p]);
        if (row < 0 && !(in->wr_whole[0] >> p & 1)) continue;
        if (row < 0) row = (int)warp * e->ways + e->next[warp];
        held |= 1u << bank_of(e, row);
    }
    for (uint32_t left = in->rd_valid[0]; left; left &= left - 1) {
        const int c = __builtin_ctz(left),
                  row = row_of(e, in->rd_warp[c], in->rd_bank[c], in->rd_entry[c]);
        const bool waits = buffered(e, in->rd_bank[c], in->rd_entry[c]);
        const bool granted = out->rd_grant[0] >> c & 1;
        bin_hit(hits,
                e->at.read[waits                             ? IN_BUFFER
                               : row < 0                     ? MISS
                               : granted                     ? HIT
                               : held >> bank_of(e, row) & 1 ? HIT_HELD
                                                             : HIT_YOUNGER]);
        if (!granted || row < 0) continue;
        wanted |= 1u << bank_of(e, row);
        killed |= row == kill;
    }
    for (uint32_t left = wanted; left; left &= left - 1) hits[e->at.bank + __builtin_ctz(left)]++;
    const int n = __builtin_popcount(out->rd_grant[0]);
    if (n) hits[e->at.grants + (n < TOGETHER ? n : TOGETHER) - 1]++;
    e->reading = n > 0;
    return killed;
}

static void see_kill(Env *e, const RegCacheIn *in, const RegCacheOut *out, bool read,
                     uint64_t *hits) {
    if (!in->kill_valid[0]) return;
    const int row = row_of(e, in->kill_warp[0], in->kill_bank[0], in->kill_entry[0]);
    bin_hit(hits, e->at.kill[row < 0 ? KILL_MISS : out->killed[0] ? KILL_HIT : KILL_EVICTED]);
    if (row < 0) return;
    if (read) bin_hit(hits, e->at.kill[KILL_READ]);
    for (int p = 0; p < e->num_wr; p++)
        if (out->wr_ready[0] >> p & 1 &&
            row_of(e, in->wr_warp[p], in->wr_bank[p], in->wr_entry[p]) == row)
            bin_hit(hits, e->at.kill[KILL_UPDATED]);
}

static void take(Env *e, const RegCacheIn *in, const RegCacheOut *out, int p, uint64_t *hits) {
    const uint32_t warp = in->wr_warp[p];
    if (out->wr_hit[0] >> p & 1 || !(in->wr_whole[0] >> p & 1)) return;
    Held *h = &e->tag[(int)warp * e->ways + e->next[warp]];
    if (h->valid) e->buffer[p] = *h;
    *h = (Held){true, in->wr_bank[p], in->wr_entry[p]};
    e->next[warp] = (e->next[warp] + 1) % e->ways;
    hits[e->at.wrap] += e->next[warp] == 0;
}

static void see_drop(Env *e, const RegCacheIn *in, uint64_t *hits) {
    int rows = 0, full = 0;
    for (int k = 0; k < e->ways; k++) {
        Held *h = &e->tag[(int)in->drop_warp[0] * e->ways + k];
        rows += h->valid;
        h->valid = false;
    }
    for (int p = 0; p < e->num_wr; p++) full |= e->buffer[p].valid;
    e->next[in->drop_warp[0]] = 0;
    hits[e->at.drop + rows]++;
    if (full) bin_hit(hits, e->at.drop_buffer);
}

static void rc_observe(void *self, const void *vin, const void *vout, uint64_t *hits) {
    Env *e = self;
    const RegCacheIn *in = vin;
    const RegCacheOut *out = vout;
    for (; e->reset_met; e->reset_met &= e->reset_met - 1)
        bin_hit(hits, e->at.reset[__builtin_ctz(e->reset_met)]);
    int refused = -1;
    for (int i = 0; i < e->num_wr; i++) {
        const int p = (e->first + i) % e->num_wr;
        if (!(in->wr_valid[0] >> p & 1)) continue;
        const int fate = fate_of(e, in, out, p);
        bin_hit(hits, e->at.fate[p][fate]);
        if (out->wr_ready[0] >> p & 1) hits[e->at.lanes + stim_lanes_kind(in->wr_lane[p])]++;
        if (fate == REFUSED && refused < 0) refused = p;
    }
    const int taken = __builtin_popcount(out->wr_ready[0]);
    if (taken) hits[e->at.taken + taken - 1]++;
    if (e->num_wr > 1) hits[e->at.first + e->first]++;
    see_kill(e, in, out, see_reads(e, in, out, hits), hits);
    const int dead =
        out->killed[0] ? row_of(e, in->kill_warp[0], in->kill_bank[0], in->kill_entry[0]) : -1;
    for (int p = 0; p < e->num_wr; p++)
        if (in->rf_wr_ready[0] >> p & 1) e->buffer[p].valid = false;
    for (int p = 0; p < e->num_wr; p++)
        if (out->wr_ready[0] >> p & 1) take(e, in, out, p, hits);
    if (dead >= 0) e->tag[dead].valid = false;
    if (in->drop_valid[0]) see_drop(e, in, hits);
    if (refused >= 0) e->first = refused;
}

static const StimShape SHAPES[] = {
    {"Warps=1 Ways=1 Banks=1 Entries=2 NumColl=2 NumWr=1",
     "one of each: no conflicts, each result evicts"},
    {"Warps=5 Ways=3 Banks=3 Entries=5 NumColl=3 NumWr=3", "no power of two, three ports"},
    {"Warps=4 Ways=6 Banks=8 Entries=8 NumColl=4 NumWr=4",
     "four ports, more banks than rows of a warp"},
    {0},
};

const BlockStim reg_cache_stim = {.shapes = SHAPES,
                                  .knobs = KNOB_TABLE,
                                  .nknobs = KNOBS,
                                  .bins = rc_bins,
                                  .open = rc_open,
                                  .close = free,
                                  .reset = rc_forget,
                                  .randomize = rc_randomize,
                                  .constrain = rc_constrain,
                                  .observe = rc_observe};
