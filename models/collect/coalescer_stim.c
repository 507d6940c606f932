// SPDX-License-Identifier: Apache-2.0
// Stimuli of coalescer: instructions whose operands crowd a few registers, banks, entries and
// slices.
#include "models/collect/coalescer.h"
#include "models/params.h"
#include "models/stim_bins.h"

#include <stdlib.h>

enum { COALESCER_PARAMS(BLOCK_INDEX) };

enum { KNOB_VALID, KNOB_REGS, KNOB_BANKS, KNOB_ENTRIES, KNOB_DISJOINT, KNOB_MODE, KNOBS };
static const StimKnob KNOB_TABLE[KNOBS] = {
    {"valid", 10, 100, "percent of operands that are read"},
    {"regs", 0, 3, "log2 of the registers named"},
    {"banks", 0, 2, "log2 of the banks lived in"},
    {"entries", 0, 2, "log2 of the entries lived in"},
    {"disjoint", 0, 100, "percent of masks that avoid the slices of the operand before"},
    {"mode", 0, 7, "0..3 that mode, 4..7 modes 1 and 2"},
};

// Names of pairs by x * 3 + y.
static const char *const PAIR_NAME[9] = {"", "0-1", "0-2", "", "", "1-2", "", "", ""};

enum {
    SEEN_OTHER_ENTRY,
    SEEN_SAME_ENTRY,
    SEEN_OVERLAP,
    SEEN_OTHER_BANK,
    SEEN_ENTRY_ALONE,
    SEEN_BANK_ALONE,
    SEENS
};

typedef struct Env {
    int alloc, ops, banks, entries;
    int mode, chosen[3][9], able[3], sub[16][16], seen, same[4], unread, both, at_once, missed,
        possible;
} Env;

static void layout_pairs(Env *e, BinList *l) {
    for (int mode = 1; mode <= 2; mode++)
        for (int x = 0; x < e->ops; x++)
            for (int y = x + 1; y < e->ops; y++)
                e->chosen[mode][3 * x + y] =
                    bin_add(l, "pair", "mode%d.%s", mode, PAIR_NAME[3 * x + y]);
    // Pairs that would be possible: bit 0 is 0-1, bit 1 is 0-2, bit 2 is 1-2. Living in one entry
    // is transitive, so mode 1 never has exactly two.
    for (int mode = 1; mode <= 2 && e->ops == 3; mode++) {
        e->able[mode] = l->n;
        for (int set = 0; set < 8; set++)
            if (mode == 2 || __builtin_popcount((unsigned)set) != 2)
                bin_add(l, "possible pairs", "mode%d.%d%d%d", mode, set >> 2, set >> 1 & 1,
                        set & 1);
    }
    for (int a = 1; a < 16; a++)
        for (int b = 1; b < 16; b++)
            if (!(a & b))
                e->sub[a][b] = bin_add(l, "sub-bank pair", "%d%d%d%d+%d%d%d%d", a >> 3, a >> 2 & 1,
                                       a >> 1 & 1, a & 1, b >> 3, b >> 2 & 1, b >> 1 & 1, b & 1);
}

static void layout(Env *e, const int *params, BinList *l) {
    static const char *const seen[] = {"mode2.other-entry",    "mode2.same-entry",
                                       "mode2.overlap",        "mode2.other-bank",
                                       "mode1.entry-not-bank", "mode1.bank-not-entry"};
    e->alloc = params[P_NumAlloc], e->ops = params[P_NumOps];
    e->banks = params[P_Banks], e->entries = params[P_Entries];
    e->mode = bin_numbers(l, "mode", "", 0, 4);
    layout_pairs(e, l);
    e->seen = l->n;
    for (int i = 0; i < SEENS; i++)
        if (e->banks > 1 || (i != SEEN_OTHER_BANK && i != SEEN_ENTRY_ALONE))
            bin_add(l, "looked at", "%s", seen[i]);
    for (int mode = 0; mode < 4; mode++) {
        e->same[mode] = l->n;
        for (int x = 0; x < e->ops; x++)
            for (int y = x + 1; y < e->ops; y++)
                bin_add(l, "same register", "mode%d.%s", mode, PAIR_NAME[3 * x + y]);
        if (e->ops == 3) bin_add(l, "same register", "mode%d.all", mode);
    }
    e->unread = l->n;
    for (int set = 1; set < 1 << e->ops; set++)
        bin_add(l, "never written", "%d%d%d", set >> 2, set >> 1 & 1, set & 1);
    e->both = e->ops == 3 ? bin_add(l, "merged and paired", "one-instruction") : 0;
    e->at_once = bin_numbers(l, "pairs at once", "x", 1, e->alloc);
    e->missed = bin_numbers(l, "would fit, not read together", "mode", 0, 4);
    e->possible = bin_numbers(l, "sizes of two operands", "sum", 2, 7);
}

// Bins of `looked at` that a single bank does not have are left out of the list.
static int seen_bin(const Env *e, int what) {
    if (e->banks > 1) return e->seen + what;
    return e->seen + (what > SEEN_OTHER_BANK ? what - 2 : what);
}

static int able_bin(const Env *e, int mode, int set) {
    if (mode == 2) return e->able[2] + set;
    static const int place[8] = {0, 1, 2, -1, 3, -1, -1, 4};
    return e->able[1] + place[set];
}

static int co_bins(const int *params, CoverBin *bins) {
    Env e;
    BinList l = {bins, 0};
    layout(&e, params, &l);
    return l.n;
}

static void *co_open(const int *params) {
    Env *e = calloc(1, sizeof *e);
    if (e) layout(e, params, &(BinList){NULL, 0});
    return e;
}

static void co_close(void *self) { free(self); }
static void co_reset(void *self) { (void)self; }

static void co_randomize(void *self, StimRandom *r, const int *knobs, void *inputs) {
    const Env *e = self;
    CoalescerIn *in = inputs;
    const int num = e->alloc * e->ops;
    const uint32_t span = 1u << knobs[KNOB_ENTRIES];
    in->co_mode[0] = knobs[KNOB_MODE] < 4 ? (uint32_t)knobs[KNOB_MODE] : 1 + stim_below(r, 2);
    in->co_valid[0] = stim_bits(r, knobs[KNOB_VALID]) & ((1u << num) - 1);
    const uint32_t disjoint = stim_bits(r, knobs[KNOB_DISJOINT]);
    for (int i = 0; i < num; i++) {
        const uint32_t random = stim_random(r);
        const bool edge = random >> 28 == 0;
        in->co_reg[i] = edge ? stim_below(r, 64) : random & ((1u << knobs[KNOB_REGS]) - 1);
        in->co_bank[i] = random >> 3 & ((1u << knobs[KNOB_BANKS]) - 1);
        if (edge) in->co_bank[i] = stim_below(r, (uint32_t)e->banks);
        in->co_entry[i] = (edge ? (uint32_t)e->entries - span : 0) + (random >> 8 & (span - 1));
        in->co_mask[i] = random >> 16 & 15;
        if (i % e->ops && (disjoint >> i & 1)) in->co_mask[i] &= ~in->co_mask[i - 1];
    }
}

// One register has one place. Two registers have no slice in common. No missing entry is read.
static void co_constrain(void *self, void *inputs, const void *out) {
    (void)out;
    const Env *e = self;
    CoalescerIn *in = inputs;
    for (int i = 0; i < e->alloc * e->ops; i++)
        if (in->co_bank[i] >= (uint32_t)e->banks || in->co_entry[i] >= (uint32_t)e->entries) {
            in->co_valid[0] &= ~(1u << i);
            in->co_bank[i] = in->co_entry[i] = 0;
        }
    for (int a = 0; a < e->alloc; a++)
        for (int y = a * e->ops; y < (a + 1) * e->ops; y++) {
            if (!(in->co_valid[0] >> y & 1)) continue;
            int twin = -1;
            for (int x = a * e->ops; x < y; x++) {
                if (!(in->co_valid[0] >> x & 1)) continue;
                if (in->co_reg[x] == in->co_reg[y]) twin = twin < 0 ? x : twin;
                else if (in->co_bank[x] == in->co_bank[y] && in->co_entry[x] == in->co_entry[y])
                    in->co_mask[y] &= ~in->co_mask[x];
            }
            if (twin < 0) continue;
            in->co_bank[y] = in->co_bank[twin], in->co_entry[y] = in->co_entry[twin];
            in->co_mask[y] = in->co_mask[twin];
        }
}

// Two operands of one instruction that both live somewhere; returns whether they could be one read.
static bool see_two(const Env *e, const CoalescerIn *in, int x, int y, uint64_t *hits) {
    const uint32_t mode = in->co_mode[0], mx = in->co_mask[x], my = in->co_mask[y];
    if (in->co_reg[x] == in->co_reg[y]) return false;
    const bool bank = in->co_bank[x] == in->co_bank[y], entry = in->co_entry[x] == in->co_entry[y];
    hits[e->possible + stim_ones(mx) + stim_ones(my) - 2]++;
    if (mode == CO_DISJOINT) {
        if (!bank) hits[seen_bin(e, SEEN_OTHER_BANK)] += !(mx & my);
        else if (mx & my) hits[seen_bin(e, SEEN_OVERLAP)]++;
        else hits[seen_bin(e, entry ? SEEN_SAME_ENTRY : SEEN_OTHER_ENTRY)]++;
        return bank && !(mx & my);
    }
    if (mode != CO_SAME_ENTRY) return false;
    if (entry && !bank) hits[seen_bin(e, SEEN_ENTRY_ALONE)]++;
    if (bank && !entry) hits[seen_bin(e, SEEN_BANK_ALONE)]++;
    return bank && entry;
}

static void see_same(const Env *e, const CoalescerIn *in, int a, uint32_t live, uint64_t *hits) {
    const int mode = (int)in->co_mode[0];
    int bin = e->same[mode], same = 0;
    for (int x = 0; x < e->ops; x++)
        for (int y = x + 1; y < e->ops; y++, bin++) {
            if ((live >> x & live >> y & 1) &&
                in->co_reg[a * e->ops + x] == in->co_reg[a * e->ops + y])
                hits[bin]++, same++;
        }
    if (same == 3) hits[bin]++;
}

static void see_instruction(const Env *e, const CoalescerIn *in, const CoalescerOut *out, int a,
                            uint64_t *hits) {
    const int base = a * e->ops;
    const uint32_t mode = in->co_mode[0], all = (1u << e->ops) - 1;
    const uint32_t unread = out->co_unread[a], live = in->co_valid[0] >> base & all & ~unread;
    if (unread) hits[e->unread + (int)unread - 1]++;
    see_same(e, in, a, live, hits);
    int set = 0, bit = 0;
    for (int x = 0; x < e->ops; x++)
        for (int y = x + 1; y < e->ops; y++, bit++)
            if ((live >> x & live >> y & 1) && see_two(e, in, base + x, base + y, hits))
                set |= 1 << bit;
    const bool coalesced = out->co_coalesced[0] >> a & 1;
    hits[e->missed + (int)mode] += (out->co_possible[0] >> a & 1) && !coalesced;
    if (mode != CO_SAME_ENTRY && mode != CO_DISJOINT) return;
    // Sets have bins for three different registers only: a register named twice repeats pairs.
    if (e->ops == 3 && live == all && !(out->co_merged[0] >> a & 1))
        hits[able_bin(e, (int)mode, set)]++;
    if (!coalesced) return;
    if (e->ops == 3) hits[e->both] += out->co_merged[0] >> a & 1;
    for (int o = 0; o < e->ops; o++) {
        const int i = base + o;
        if (!(out->rd_valid[0] >> i & 1) || !out->rd_ops2[i]) continue;
        hits[e->chosen[mode][3 * o + __builtin_ctz(out->rd_ops2[i])]]++;
        if (mode == CO_DISJOINT) hits[e->sub[out->rd_mask1[i] & 15][out->rd_mask2[i] & 15]]++;
    }
}

static void co_observe(void *self, const void *inputs, const void *outputs, uint64_t *hits) {
    const Env *e = self;
    const CoalescerIn *in = inputs;
    const CoalescerOut *out = outputs;
    const uint32_t all = (1u << e->ops) - 1;
    hits[e->mode + (int)in->co_mode[0]]++;
    for (int a = 0; a < e->alloc; a++)
        if (in->co_valid[0] >> a * e->ops & all) see_instruction(e, in, out, a, hits);
    if (out->co_coalesced[0]) hits[e->at_once + __builtin_popcount(out->co_coalesced[0]) - 1]++;
}

static const StimShape SHAPES[] = {
    {"NumAlloc=3 Banks=5", "three ports, odd banks"},
    {0},
};

const BlockStim coalescer_stim = {.shapes = SHAPES,
                                  .knobs = KNOB_TABLE,
                                  .nknobs = KNOBS,
                                  .needs_out = false,
                                  .bins = co_bins,
                                  .open = co_open,
                                  .close = co_close,
                                  .reset = co_reset,
                                  .randomize = co_randomize,
                                  .constrain = co_constrain,
                                  .observe = co_observe};
