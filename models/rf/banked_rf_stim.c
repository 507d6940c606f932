// SPDX-License-Identifier: Apache-2.0
// Stimuli of banked_rf: readers and writers that crowd a few banks, entries and slices. The age
// order is a permutation. In each cycle some collector becomes the youngest or the oldest.
#include "models/rf/banked_rf.h"
#include "models/params.h"
#include "models/stim_bins.h"

#include <stdlib.h>

enum { BANKED_RF_PARAMS(BLOCK_INDEX) };

enum { KNOB_READ, KNOB_WRITE, KNOB_HOT, KNOB_SPAN, KNOB_WHOLE, KNOB_DUAL, KNOBS };
static const StimKnob KNOB_TABLE[KNOBS] = {
    {"read", 0, 100, "percent of collectors that ask"},
    {"write", 0, 100, "percent of writers that write"},
    {"hot", 0, 60, "percent of requests that go to one bank"},
    {"span", 0, 10, "log2 of the entries in use"},
    {"whole", 0, 100, "percent of writes of all slices, and of all lanes"},
    {"dual", 0, 100, "percent of reads with two addresses"},
};

// The target of a request as one number; NOWHERE: no request.
#define NOWHERE UINT32_MAX
static inline uint32_t place(uint32_t bank, uint32_t entry) { return bank << 16 | entry; }

enum { DEEP = 6 /* multiplicity counted one by one up to here */ };

// Where each group of bins starts.
typedef struct Bins {
    int reads, writes, held, first, sel, pair, slice, lane, entry, age, hazard, foreign, reset;
    int depth;  // most readers of a bank with bins of their own
} Bins;

typedef struct Env {
    int banks, entries, num_coll, num_wr;
    Bins at;
    uint32_t colls, hot, named;  // named: bank numbers that a port can carry
    bool foreign;                // some of them are no banks
    uint32_t older[RF_MAX_COLL];
    int first[RF_MAX_BANKS];      // followed as the contract says
    uint32_t written[RF_MAX_WR];  // places of the last cycle, NOWHERE: none
    bool reading, conflicted;     // a bank reads in the next cycle; some first is not 0
    uint32_t reset_met;           // bit per reset bin
} Env;

enum { SEL_NONE, SEL_ALL, PAIR_SAME, PAIR_OTHER, PAIRS };
enum { READ_LOW, READ_HIGH, READ2_HIGH, WRITE_LOW, WRITE_HIGH, ENTRIES };
enum { AGE_LOW, AGE_HIGH, AGE_MIDDLE, AGES };
enum { HAZARD_AFTER, HAZARD_SAME, HAZARD_TWO_WRITES, HAZARDS };
enum { FOREIGN_READ, FOREIGN_WRITE, FOREIGNS };
enum { RESET_IDLE, RESET_READING, RESET_PRIORITY, RESETS };

// Bins of one kind are adjacent, in the order of the banks.
static void bank_bins(Bins *at, const int *params, BinList *l) {
    const int banks = params[P_Banks], writers = params[P_NumWr];
    char prefix[16];
    at->reads = l->n;
    for (int b = 0; b < banks; b++) {
        snprintf(prefix, sizeof prefix, "bank%d.", b);
        bin_times(l, "read conflict", prefix, at->depth, DEEP);
    }
    at->writes = l->n;
    for (int i = 0; i < banks * writers; i++)
        bin_add(l, "write conflict", "bank%d.x%d", i / writers, i % writers + 1);
    at->held = bin_numbers(l, "write holds reads", "bank", 0, banks);
    at->first = l->n;
    for (int i = 0; writers > 1 && i < banks * writers; i++)
        bin_add(l, "write priority", "bank%d.writer%d", i / writers, i % writers);
}

static void bins_layout(Bins *at, const int *params, BinList *l) {
    static const char *const pairs[PAIRS] = {"no-slice2", "all-slices2", "same-entry",
                                             "other-entry"};
    static const char *const entries[ENTRIES] = {"read-0", "read-last", "read2-last", "write-0",
                                                 "write-last"};
    static const char *const ages[AGES] = {"lowest-oldest", "highest-oldest", "middle-oldest"};
    static const char *const hazards[HAZARDS] = {"read-after-write", "read-while-written",
                                                 "writes-one-entry"};
    static const char *const foreigns[FOREIGNS] = {"read", "write"};
    static const char *const resets[RESETS] = {"idle", "while-reading", "priority-moved"};
    const int banks = params[P_Banks], num_coll = params[P_NumColl], num_wr = params[P_NumWr];
    at->depth = num_coll < DEEP ? num_coll : DEEP;
    bank_bins(at, params, l);
    at->sel = bin_masks(l, "address 2 slices", "");
    at->pair = bin_words(l, "address pair", pairs, PAIRS);
    at->slice = bin_masks(l, "written slices", "");
    at->lane = bin_lanes(l, "written lanes");
    at->entry = bin_words(l, "entry", entries, ENTRIES);
    at->age = bin_words(l, "age", ages, num_coll > 2 ? AGES : num_coll > 1 ? AGE_MIDDLE : 0);
    at->hazard = bin_words(l, "hazard", hazards, num_wr > 1 ? HAZARDS : HAZARD_TWO_WRITES);
    at->foreign =
        bin_words(l, "no such bank", foreigns, banks < 1 << block_bits(banks) ? FOREIGNS : 0);
    at->reset = bin_words(l, "reset", resets, num_wr > 1 ? RESETS : RESET_PRIORITY);
}

static int rf_bins(const int *params, CoverBin *bins) {
    BinList l = {.bins = bins};
    Bins at;
    bins_layout(&at, params, &l);
    return l.n;
}

static void rf_forget(void *self) {
    Env *e = self;
    e->reset_met = (uint32_t)e->conflicted << RESET_PRIORITY |
        (uint32_t)e->reading << RESET_READING | (uint32_t)!e->reading << RESET_IDLE;
    memset(e->first, 0, sizeof e->first);
    for (int w = 0; w < RF_MAX_WR; w++) e->written[w] = NOWHERE;
    e->reading = e->conflicted = false;
}

static void *rf_open(const int *params) {
    Env *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    e->banks = params[P_Banks], e->entries = params[P_Entries];
    e->num_coll = params[P_NumColl], e->num_wr = params[P_NumWr];
    bins_layout(&e->at, params, &(BinList){0});
    e->named = 1u << block_bits(e->banks);
    e->foreign = e->named > (uint32_t)e->banks;
    e->colls = UINT32_MAX >> (32 - e->num_coll);
    for (int c = 0; c < e->num_coll; c++) e->older[c] = (1u << c) - 1;
    rf_forget(e);
    e->reset_met = 0;
    return e;
}

static void rf_close(void *self) { free(self); }

// ---- driving ------------------------------------------------------------------------------------

// Random choices are made without branches, because a processor cannot predict them.
static inline uint32_t either(bool first, uint32_t a, uint32_t b) {
    const uint32_t mask = -(uint32_t)first;
    return (a & mask) | (b & ~mask);
}

// Both take 16 random bits.
static inline uint32_t draw_bank(const Env *e, uint32_t random, const int *knobs) {
    const bool foreign = e->foreign && (random >> 7 & 7) == 0;
    const uint32_t any = (random >> 7) * (foreign ? e->named : (uint32_t)e->banks) >> 9;
    return either((random & 127) * 100 < (uint32_t)knobs[KNOB_HOT] * 128, e->hot, any);
}

// Among the lowest 2^span entries; now and then the last one.
static inline uint32_t draw_entry(const Env *e, uint32_t random, const int *knobs) {
    const uint32_t span = 1u << knobs[KNOB_SPAN], most = (uint32_t)e->entries;
    return either((random & 31) == 0, most - 1, (random >> 5) * (span < most ? span : most) >> 11);
}

// Some collector becomes the youngest or the oldest. The loop covers the whole array, so that it is
// a few vector operations. Entries beyond the collectors are unused.
static void move_collector(Env *e, StimRandom *r) {
    const uint32_t random = stim_random(r);
    const int c = (int)((uint64_t)(random >> 1) * (uint32_t)e->num_coll >> 31);
    const uint32_t bit = 1u << c, youngest = -(random & 1), older = bit & ~youngest;
    for (int o = 0; o < RF_MAX_COLL; o++) e->older[o] = (e->older[o] & ~bit) | older;
    e->older[c] = e->colls & ~bit & youngest;
}

static void draw_reads(Env *e, StimRandom *r, const int *knobs, BankedRfIn *in) {
    const uint32_t valid = in->rd_valid[0] = stim_bits(r, knobs[KNOB_READ]) & e->colls;
    const uint32_t dual = stim_bits(r, knobs[KNOB_DUAL]);
    for (uint32_t left = valid; left; left &= left - 1) {
        const int c = __builtin_ctz(left);
        const uint64_t random = stim_random64(r);
        const uint32_t entry = draw_entry(e, (uint32_t)(random >> 32) & 0xffff, knobs);
        in->rd_bank[c] = draw_bank(e, (uint32_t)(random >> 48), knobs);
        in->rd_entry[c] = entry;
        in->rd_sel[c] = (uint32_t)random >> 28 & -(dual >> c & 1);
        in->rd_entry2[c] = either((random >> 24 & 7) == 0, entry,
                                  draw_entry(e, (uint32_t)random >> 8 & 0xffff, knobs));
    }
    move_collector(e, r);
    memcpy(in->older, e->older, sizeof e->older);
    // Bits about collectors without a request are ignored.
    const uint32_t random = stim_random(r);
    if (random >> 29 == 0)
        for (int c = 0; c < e->num_coll; c++)
            in->older[c] ^= random & e->colls & (valid >> c & 1 ? ~valid : e->colls);
}

// As stim_row, from one number of the sequence: the words do not wait for each other.
static void draw_row(StimRandom *r, uint32_t row[32]) {
    const uint64_t random = stim_random64(r);
    const uint32_t kind = (uint32_t)(random >> 59);
    if (kind < 2) {
        memset(row, kind ? 0xff : 0, 128);
        return;
    }
    for (int i = 0; i < 16; i++) {
        uint64_t two = random + (uint64_t)i * 0x9e3779b97f4a7c15ull;
        two = (two ^ two >> 32) * 0xd6e8feb86659fd93ull;
        two ^= two >> 32;
        row[2 * i] = (uint32_t)two;
        row[2 * i + 1] = (uint32_t)(two >> 32);
    }
}

static void draw_writes(Env *e, StimRandom *r, const int *knobs, BankedRfIn *in) {
    in->wr_valid[0] = stim_bits(r, knobs[KNOB_WRITE]) & ((1u << e->num_wr) - 1);
    for (uint32_t left = in->wr_valid[0]; left; left &= left - 1) {
        const int w = __builtin_ctz(left);
        const uint32_t whole = stim_bits(r, knobs[KNOB_WHOLE]);
        const uint64_t random = stim_random64(r);
        in->wr_bank[w] = draw_bank(e, (uint32_t)(random >> 48), knobs);
        in->wr_entry[w] = draw_entry(e, (uint32_t)(random >> 32) & 0xffff, knobs);
        in->wr_slice[w] = whole & 1 ? 15 : (uint32_t)random >> 28;
        in->wr_lane[w] = whole & 2 ? UINT32_MAX : stim_lanes(r);
        if (w > 0 && (whole >> 2 & 31) == 0) {  // the same entry as another writer
            in->wr_bank[w] = in->wr_bank[w - 1];
            in->wr_entry[w] = in->wr_entry[w - 1];
        }
        draw_row(r, in->wr_data[w]);
    }
}

static void rf_randomize(void *self, StimRandom *r, const int *knobs, void *inputs) {
    Env *e = self;
    if (stim_random(r) >> 26 == 0) e->hot = stim_below(r, (uint32_t)e->banks);
    draw_reads(e, r, knobs, inputs);
    draw_writes(e, r, knobs, inputs);
}

// ---- legal inputs -------------------------------------------------------------------------------

// Is it the order that this environment keeps? Then it needs no proof.
static bool own_order(const Env *e, const BankedRfIn *in) {
    uint32_t differ = 0;
    for (int c = 0; c < RF_MAX_COLL; c++) differ |= e->older[c] ^ in->older[c];
    return differ == 0;
}

// Is it a strict total order among the collectors with a request? Else their numbers serve as one.
static void order_collectors(const Env *e, BankedRfIn *in) {
    const uint32_t valid = in->rd_valid[0];
    int by_rank[RF_MAX_COLL];
    uint32_t seen = 0;
    for (uint32_t left = valid; left; left &= left - 1) {
        const int c = __builtin_ctz(left), rank = __builtin_popcount(in->older[c] & valid);
        by_rank[rank] = c;  // at most the number of collectors: 31 others
        seen |= 1u << rank;
    }
    uint32_t before = 0;
    bool good = (seen & (seen + 1)) == 0 && __builtin_popcount(seen) == __builtin_popcount(valid);
    for (int k = 0; good && k < __builtin_popcount(valid); k++) {
        good = (in->older[by_rank[k]] & valid) == before;
        before |= 1u << by_rank[k];
    }
    for (int c = 0; !good && c < e->num_coll; c++)
        if (valid >> c & 1) in->older[c] = (in->older[c] & ~valid) | (valid & ((1u << c) - 1));
}

static void rf_constrain(void *self, void *inputs, const void *out) {
    (void)out;
    const Env *e = self;
    BankedRfIn *in = inputs;
    const uint32_t entries = (uint32_t)e->entries;
    uint32_t bad = 0;
    for (uint32_t left = in->rd_valid[0]; left; left &= left - 1) {
        const int c = __builtin_ctz(left);
        const bool beyond = in->rd_entry[c] >= entries, beyond2 = in->rd_entry2[c] >= entries;
        bad |= (uint32_t)(beyond | (beyond2 & (in->rd_sel[c] != 0))) << c;
    }
    in->rd_valid[0] &= ~bad;
    for (int w = 0; w < e->num_wr; w++)
        if (in->wr_entry[w] >= entries) in->wr_valid[0] &= ~(1u << w);
    if (!own_order(e, in)) order_collectors(e, in);
}

// ---- coverage -----------------------------------------------------------------------------------

static int hits_of(const uint32_t written[RF_MAX_WR], uint32_t at) {
    int n = 0;
    for (int w = 0; w < RF_MAX_WR; w++) n += written[w] == at;
    return n;
}

static void see_granted(const Env *e, const BankedRfIn *in, uint32_t granted, uint64_t *hits) {
    const uint32_t last = (uint32_t)e->entries - 1;
    for (; granted; granted &= granted - 1) {
        const int c = __builtin_ctz(granted);
        const uint32_t sel = in->rd_sel[c], entry = in->rd_entry[c], entry2 = in->rd_entry2[c];
        hits[e->at.sel + (int)sel]++;
        hits[e->at.pair + SEL_NONE] += sel == 0;
        hits[e->at.pair + SEL_ALL] += sel == 15;
        hits[e->at.pair + PAIR_SAME] += sel != 0 && entry2 == entry;
        hits[e->at.pair + PAIR_OTHER] += sel != 0 && entry2 != entry;
        hits[e->at.entry + READ_LOW] += entry == 0;
        hits[e->at.entry + READ_HIGH] += entry == last;
        hits[e->at.entry + READ2_HIGH] += sel != 0 && entry2 == last;
        hits[e->at.hazard + HAZARD_AFTER] +=
            (uint64_t)hits_of(e->written, place(in->rd_bank[c], entry));
    }
}

// Which of several readers of a bank is the oldest.
static void see_age(const Env *e, uint32_t readers, uint32_t granted, uint64_t *hits) {
    const uint32_t winner = granted & readers;
    const bool seen = winner && (readers & (readers - 1));
    const uint32_t lowest = readers & -readers, highest = 1u << (31 - __builtin_clz(readers | 1));
    int age = AGE_MIDDLE;
    age = winner == highest ? AGE_HIGH : age;
    age = winner == lowest || !seen ? AGE_LOW : age;
    hits[e->at.age + age] += seen;
}

static void see_writes(Env *e, const BankedRfIn *in, const BankedRfOut *out, int *writers,
                       uint64_t *hits) {
    const uint32_t ready = out->wr_ready[0];
    for (int w = 0; w < RF_MAX_WR; w++) e->written[w] = NOWHERE;
    for (uint32_t left = in->wr_valid[0]; left; left &= left - 1) {
        const int w = __builtin_ctz(left);
        const int b = (int)in->wr_bank[w];
        if (b >= e->banks) {
            hits[e->at.foreign + FOREIGN_WRITE]++;
            continue;
        }
        writers[b]++;
        if (!(ready >> w & 1)) {
            for (int o = 0; o < w; o++)
                hits[e->at.hazard + HAZARD_TWO_WRITES] += (in->wr_valid[0] >> o & 1) &&
                    in->wr_bank[o] == in->wr_bank[w] && in->wr_entry[o] == in->wr_entry[w];
            continue;
        }
        e->written[w] = place(in->wr_bank[w], in->wr_entry[w]);
        hits[e->at.slice + (int)in->wr_slice[w]]++;
        hits[e->at.lane + stim_lanes_kind(in->wr_lane[w])]++;
        hits[e->at.entry + WRITE_LOW] += in->wr_entry[w] == 0;
        hits[e->at.entry + WRITE_HIGH] += in->wr_entry[w] == (uint32_t)e->entries - 1;
    }
}

// The writer that was served in a conflict is last in the next one on that bank.
static void follow_priority(Env *e, const BankedRfIn *in, const BankedRfOut *out,
                            const int *writers, uint64_t *hits) {
    for (int w = 0; w < e->num_wr; w++) {
        if (!(out->wr_ready[0] >> w & 1)) continue;
        const int b = (int)in->wr_bank[w];
        if (writers[b] < 2) continue;
        hits[e->at.first + b * e->num_wr + e->first[b]]++;
        e->first[b] = w + 1 < e->num_wr ? w + 1 : 0;
        e->conflicted |= e->first[b] != 0;
    }
}

static void rf_observe(void *self, const void *inputs, const void *outputs, uint64_t *hits) {
    Env *e = self;
    const BankedRfIn *in = inputs;
    const BankedRfOut *out = outputs;
    int writers[RF_MAX_BANKS] = {0};
    uint32_t readers[1 << 5] = {0};
    for (; e->reset_met; e->reset_met &= e->reset_met - 1)
        hits[e->at.reset + __builtin_ctz(e->reset_met)]++;
    see_granted(e, in, out->rd_grant[0], hits);  // reads the writes of the previous cycle
    see_writes(e, in, out, writers, hits);
    if (e->num_wr > 1) follow_priority(e, in, out, writers, hits);
    int same = 0;
    for (uint32_t left = in->rd_valid[0]; left; left &= left - 1) {
        const int c = __builtin_ctz(left);
        readers[in->rd_bank[c]] |= 1u << c;
        same += hits_of(e->written, place(in->rd_bank[c], in->rd_entry[c]));
    }
    hits[e->at.hazard + HAZARD_SAME] += (uint64_t)same;
    for (uint32_t b = (uint32_t)e->banks; b < e->named; b++)
        if (readers[b])
            hits[e->at.foreign + FOREIGN_READ] += (uint64_t)__builtin_popcount(readers[b]);
    for (int b = 0; b < e->banks; b++) {
        const int n = __builtin_popcount(readers[b]), conflict = n < e->at.depth ? n : e->at.depth;
        hits[e->at.writes + b * e->num_wr + writers[b] - (writers[b] > 0)] += writers[b] > 0;
        hits[e->at.reads + b * e->at.depth + conflict - (n > 0)] += n > 0;
        hits[e->at.held + b] += writers[b] > 0 && n > 0;
        if (e->num_coll > 1) see_age(e, readers[b], out->rd_grant[0], hits);
    }
    e->reading = out->rd_grant[0] != 0;
}

// One entry per cycle, by writer 0.
static bool rf_fill(void *self, uint32_t i, void *inputs) {
    const Env *e = self;
    BankedRfIn *in = inputs;
    if (i >= (uint32_t)(e->banks * e->entries)) return false;
    in->wr_valid[0] = 1;
    in->wr_bank[0] = i / (uint32_t)e->entries;
    in->wr_entry[0] = i % (uint32_t)e->entries;
    in->wr_slice[0] = 15;
    in->wr_lane[0] = UINT32_MAX;
    return true;
}

static const StimShape SHAPES[] = {
    {"Banks=3 NumColl=5 NumWr=3", "odd banks and collectors, three writers"},
    {0},
};

const BlockStim banked_rf_stim = {.shapes = SHAPES,
                                  .knobs = KNOB_TABLE,
                                  .nknobs = KNOBS,
                                  .needs_out = false,
                                  .bins = rf_bins,
                                  .open = rf_open,
                                  .close = rf_close,
                                  .reset = rf_forget,
                                  .randomize = rf_randomize,
                                  .constrain = rf_constrain,
                                  .observe = rf_observe,
                                  .fill = rf_fill};
