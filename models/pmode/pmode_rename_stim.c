// SPDX-License-Identifier: Apache-2.0
// Stimuli of pmode_rename: a few warps and registers at a time, so that mappings are found,
// replaced and taken down. Sessions and warps end at any time.
#include "models/pmode/pmode_rename.h"

#include "models/params.h"
#include "models/stim_bins.h"

#include <stdlib.h>
#include <string.h>

enum { PMODE_RENAME_PARAMS(BLOCK_INDEX) };

enum {
    KNOB_WARPS,
    KNOB_REGS,
    KNOB_PAIR,
    KNOB_SET,
    KNOB_KILL,
    KNOB_OWN,
    KNOB_PMODE,
    KNOB_NONE,
    KNOB_END,
    KNOB_ALL,
    KNOBS
};
static const StimKnob KNOB_TABLE[KNOBS] = {
    {"warps", 1, 8, "warps in use"},
    {"regs", 1, 63, "registers in use"},
    {"pair", 0, 100, "percent of destinations of two words"},
    {"set", 0, 100, "percent of ports that set"},
    {"kill", 0, 60, "percent of sets to none"},
    {"own", 0, 100, "percent of sets in P-mode that the P-queue does not take"},
    {"pmode", 0, 100, "percent of instructions in P-mode"},
    {"none", 0, 20, "percent of registers that there are not"},
    {"end", 0, 12, "percent of cycles in which a session ends"},
    {"all", 0, 60, "percent of those in which the warp ends"},
};

enum { N, P, TABLES };

// Numbers of the bins.
typedef struct Bins {
    int n_none, n_found, p_none, p_found, p_from_n, p_hides_n, no_register, hidden[TABLES],
        n_goes_on;
    int fresh[TABLES], replace[TABLES], replace_borrowed, kill_none[TABLES], kill[TABLES],
        kill_borrowed;
    int ignored_reg, ignored_closing[TABLES], ignored_second, all_set, two_free, all_free,
        two_of_a_warp;
    int pair, pair_mixed, pair_odd, pair_frees, pair_kills, pair_last;
    int end_empty, end_borrowed, end_owned, end_mixed, all_empty, all_filled;
    int end_closing, all_while_closing, end_meets_own, end_meets_borrow;
    int down[TABLES], down_empty[TABLES], down_first, down_last, down_two, down_overtaken,
        down_meets_end;
    int reset_idle, reset_renamed, reset_closing;
} Bins;

typedef struct Tables {
    uint64_t renamed[TABLES], own;
    bool closing[TABLES];
} Tables;

typedef struct Env {
    int warps, regs, phys, ports, ops;
    uint32_t first_warp, first_reg;
    Bins at;
    Tables warp[PR_MAX_WARPS];
    uint64_t closing;  // warps
    bool reset_met, was_renamed, was_closing;
} Env;

static int bins_list(const int *params, CoverBin *bins, Bins *at) {
    static const char *const tables[TABLES] = {"n-table", "p-table"};
    const bool two_ports = params[P_NumIssue] > 1, two_warps = params[P_NumWarps] > 1;
    const bool all_ports = two_ports && params[P_NumWarps] >= params[P_NumIssue];
    BinList l = {bins, 0};
    at->n_none = bin_add(&l, "lookup", "n-not-renamed");
    at->n_found = bin_add(&l, "lookup", "n-renamed");
    at->p_none = bin_add(&l, "lookup", "p-not-renamed");
    at->p_found = bin_add(&l, "lookup", "p-renamed");
    at->p_from_n = bin_add(&l, "lookup", "p-from-n-table");
    at->p_hides_n = bin_add(&l, "lookup", "p-before-n-table");
    at->no_register = bin_add(&l, "lookup", "no-such-register");
    at->n_goes_on = bin_add(&l, "lookup", "n-while-p-table-goes");
    at->replace_borrowed = bin_add(&l, "set p-table", "replaces-borrowed");
    at->kill_borrowed = bin_add(&l, "set p-table", "kills-borrowed");
    for (int t = 0; t < TABLES; t++) {
        char group[24];
        snprintf(group, sizeof group, "set %s", tables[t]);
        at->fresh[t] = bin_add(&l, group, "fresh");
        at->replace[t] = bin_add(&l, group, "replaces-owned");
        at->kill_none[t] = bin_add(&l, group, "kills-nothing");
        at->kill[t] = bin_add(&l, group, "kills-owned");
        at->ignored_closing[t] = bin_add(&l, group, "ignored-going");
        at->hidden[t] = bin_add(&l, "lookup", "hidden-in-going-%s", tables[t]);
        at->down[t] = bin_add(&l, "take down", "%s", tables[t]);
        at->down_empty[t] = bin_add(&l, "take down", "empty-%s", tables[t]);
    }
    at->ignored_reg = bin_add(&l, "set", "ignored-no-such-register");
    at->ignored_second = bin_add_if(two_ports, &l, "set", "ignored-second-of-a-warp");
    at->two_of_a_warp = bin_add_if(two_ports, &l, "lookup", "two-ports-one-register");
    at->all_set = bin_add_if(all_ports, &l, "set", "all-ports");
    at->two_free = bin_add_if(all_ports, &l, "free", "all-set-ports");
    at->all_free = bin_add_if(all_ports, &l, "free", "all-ports");
    at->pair = bin_add(&l, "set", "pair");
    at->pair_mixed = bin_add(&l, "set", "pair-of-which-one-renamed");
    at->pair_odd = bin_add(&l, "set", "pair-of-an-odd-register");
    at->pair_kills = bin_add(&l, "set", "pair-to-none");
    at->pair_frees = bin_add(&l, "free", "both-words");
    at->pair_last = bin_add_if(params[P_NumRegs] % 2, &l, "set", "pair-beyond-last-register");
    at->end_empty = bin_add(&l, "session ends", "empty");
    at->end_borrowed = bin_add(&l, "session ends", "all-borrowed");
    at->end_owned = bin_add(&l, "session ends", "all-owned");
    at->end_mixed = bin_add(&l, "session ends", "mixed");
    at->end_closing = bin_add(&l, "session ends", "while-going");
    at->end_meets_own = bin_add(&l, "session ends", "owned-set-now");
    at->end_meets_borrow = bin_add(&l, "session ends", "borrowed-set-now");
    at->all_empty = bin_add(&l, "warp ends", "n-table-empty");
    at->all_filled = bin_add(&l, "warp ends", "n-table-filled");
    at->all_while_closing = bin_add(&l, "warp ends", "while-p-table-goes");
    at->down_first = bin_add(&l, "take down", "register0");
    at->down_last = bin_add(&l, "take down", "last-register");
    at->down_two = bin_add_if(two_warps, &l, "take down", "several-warps");
    at->down_overtaken = bin_add_if(two_warps, &l, "take down", "lower-warp-begins");
    at->down_meets_end = bin_add(&l, "take down", "done-while-ending-again");
    at->reset_idle = bin_add(&l, "reset", "nothing-renamed");
    at->reset_renamed = bin_add(&l, "reset", "renamed");
    at->reset_closing = bin_add(&l, "reset", "going");
    return l.n;
}

static int pr_bins(const int *params, CoverBin *bins) {
    Bins at;
    return bins_list(params, bins, &at);
}

static void pr_reset(void *self) {
    Env *e = self;
    e->reset_met = true;
    e->was_renamed = false;
    for (int w = 0; w < e->warps; w++)
        e->was_renamed |= (e->warp[w].renamed[N] | e->warp[w].renamed[P]) != 0;
    e->was_closing = e->closing != 0;
    e->closing = 0;
    memset(e->warp, 0, sizeof e->warp);
}

static void *pr_open(const int *params) {
    Env *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    e->warps = params[P_NumWarps], e->regs = params[P_NumRegs], e->phys = params[P_NumPhy];
    e->ports = params[P_NumIssue], e->ops = params[P_NumOps];
    bins_list(params, NULL, &e->at);
    return e;
}

static void pr_close(void *self) { free(self); }

// ---- driving ------------------------------------------------------------------------------------

static uint32_t draw_warp(const Env *e, StimRandom *r, const int *knobs) {
    const uint32_t used = (uint32_t)(knobs[KNOB_WARPS] < e->warps ? knobs[KNOB_WARPS] : e->warps);
    const uint32_t w = e->first_warp + stim_below(r, used);
    return w < (uint32_t)e->warps ? w : w - (uint32_t)e->warps;
}

static uint32_t draw_reg(const Env *e, StimRandom *r, const int *knobs) {
    const uint32_t named = 1u << block_bits(e->regs + 1), regs = (uint32_t)e->regs;
    if (stim_percent(r, knobs[KNOB_NONE])) return regs + stim_below(r, named - regs);
    const uint32_t used = (uint32_t)knobs[KNOB_REGS] < regs ? (uint32_t)knobs[KNOB_REGS] : regs;
    const uint32_t reg = e->first_reg + stim_below(r, used);
    return reg < regs ? reg : reg - regs;
}

static void pr_randomize(void *self, StimRandom *r, const int *knobs, void *inputs) {
    Env *e = self;
    PmodeRenameIn *in = inputs;
    if (stim_random(r) >> 26 == 0) {
        e->first_warp = stim_below(r, (uint32_t)e->warps);
        e->first_reg = stim_below(r, (uint32_t)e->regs);
    }
    in->set_valid[0] = in->set_kill[0] = in->set_own[0] = in->lk_pmode[0] = in->lk_pair[0] = 0;
    for (int i = 0; i < e->ports; i++) {
        in->set_valid[0] |= (uint32_t)stim_percent(r, knobs[KNOB_SET]) << i;
        in->set_kill[0] |= (uint32_t)stim_percent(r, knobs[KNOB_KILL]) << i;
        in->set_own[0] |= (uint32_t)stim_percent(r, knobs[KNOB_OWN]) << i;
        in->lk_pmode[0] |= (uint32_t)stim_percent(r, knobs[KNOB_PMODE]) << i;
        in->lk_warp[i] = draw_warp(e, r, knobs);
        in->lk_dst[i] = draw_reg(e, r, knobs);
        in->lk_pair[0] |= (uint32_t)stim_percent(r, knobs[KNOB_PAIR]) << i;
        if (in->lk_pair[0] >> i & 1 && stim_random(r) >> 28) in->lk_dst[i] &= ~1u;
        for (int k = 0; k < 2; k++) in->set_phy[2 * i + k] = stim_below(r, (uint32_t)e->phys);
        for (int k = i * e->ops; k < (i + 1) * e->ops; k++) in->lk_src[k] = draw_reg(e, r, knobs);
    }
    in->end_valid[0] = stim_percent(r, knobs[KNOB_END]);
    in->end_all[0] = stim_percent(r, knobs[KNOB_ALL]);
    in->end_warp[0] = draw_warp(e, r, knobs);
}

static void pr_constrain(void *self, void *inputs, const void *out) {
    (void)out;
    const Env *e = self;
    PmodeRenameIn *in = inputs;
    for (int i = 0; i < e->ports; i++)
        if (in->lk_warp[i] >= (uint32_t)e->warps) in->lk_warp[i] = 0;
    if (in->end_warp[0] >= (uint32_t)e->warps) in->end_valid[0] = 0;
}

// ---- following the block, coverage --------------------------------------------------------------

static void see_lookup(const Env *e, uint32_t warp, bool pmode, uint32_t reg, uint64_t *hits) {
    const Bins *at = &e->at;
    const Tables *t = &e->warp[warp];
    if (reg >= (uint32_t)e->regs) {
        hits[at->no_register]++;
        return;
    }
    const bool in_n = t->renamed[N] >> reg & 1, in_p = t->renamed[P] >> reg & 1;
    const bool n = in_n && !t->closing[N], p = pmode && in_p && !t->closing[P];
    if (in_n && t->closing[N] && !p) hits[at->hidden[N]]++;
    if (pmode && in_p && t->closing[P]) hits[at->hidden[P]]++;
    if (p) {
        hits[at->p_found]++;
        hits[at->p_hides_n] += n;
    } else if (n) {
        hits[pmode ? at->p_from_n : at->n_found]++;
        hits[at->n_goes_on] += !pmode && t->closing[P];
    } else {
        hits[pmode ? at->p_none : at->n_none]++;
    }
}

// Registers of the words of the destination of port i that there are.
static uint64_t words_of(const Env *e, const PmodeRenameIn *in, int i) {
    const uint32_t dst = in->lk_dst[i], regs = (uint32_t)e->regs;
    if (dst >= regs) return 0;
    const bool two = in->lk_pair[0] >> i & 1 && dst % 2 == 0 && dst + 1 < regs;
    return (two ? 3ull : 1ull) << dst;
}

// Whether the set of port i takes place.
static bool sets(const Env *e, const PmodeRenameIn *in, int i) {
    if (!(in->set_valid[0] >> i & 1) || in->lk_dst[i] >= (uint32_t)e->regs) return false;
    for (int l = 0; l < i; l++)
        if (in->set_valid[0] >> l & 1 && in->lk_warp[l] == in->lk_warp[i]) return false;
    return !e->warp[in->lk_warp[i]].closing[in->lk_pmode[0] >> i & 1];
}

static void see_pair(const Env *e, const PmodeRenameIn *in, int i, uint64_t *hits) {
    const Bins *at = &e->at;
    const int table = in->lk_pmode[0] >> i & 1;
    const uint64_t words = words_of(e, in, i),
                   there = e->warp[in->lk_warp[i]].renamed[table] & words;
    if (words & (words - 1)) {
        hits[at->pair]++;
        hits[at->pair_mixed] += there && there != words;
        hits[at->pair_kills] += in->set_kill[0] >> i & 1 && there == words;
    } else {
        if (in->lk_dst[i] % 2) hits[at->pair_odd]++;
        else bin_hit(hits, at->pair_last);
    }
}

static void see_set(const Env *e, const PmodeRenameIn *in, int i, uint64_t *hits) {
    const Bins *at = &e->at;
    const int table = in->lk_pmode[0] >> i & 1;
    const Tables *t = &e->warp[in->lk_warp[i]];
    const uint32_t reg = in->lk_dst[i];
    if (reg >= (uint32_t)e->regs) {
        hits[at->ignored_reg]++;
        return;
    }
    if (!sets(e, in, i)) {
        if (t->closing[table]) hits[at->ignored_closing[table]]++;
        else bin_hit(hits, at->ignored_second);
        return;
    }
    if (in->lk_pair[0] >> i & 1) see_pair(e, in, i, hits);
    const bool there = t->renamed[table] >> reg & 1, owned = table == N || t->own >> reg & 1;
    if (in->set_kill[0] >> i & 1)
        hits[!there ? at->kill_none[table] : owned ? at->kill[table] : at->kill_borrowed]++;
    else hits[!there ? at->fresh[table] : owned ? at->replace[table] : at->replace_borrowed]++;
    if (in->end_valid[0] && in->end_warp[0] == in->lk_warp[i] && table == P &&
        !(in->set_kill[0] >> i & 1))
        hits[in->set_own[0] >> i & 1 ? at->end_meets_own : at->end_meets_borrow]++;
}

static void see_end(const Env *e, const PmodeRenameIn *in, uint64_t *hits) {
    const Bins *at = &e->at;
    const Tables *t = &e->warp[in->end_warp[0]];
    if (!in->end_valid[0]) return;
    if (t->closing[P]) {
        hits[in->end_all[0] && !t->closing[N] ? at->all_while_closing : at->end_closing]++;
    } else {
        const bool owned = (t->renamed[P] & t->own) != 0, borrowed = (t->renamed[P] & ~t->own) != 0;
        hits[owned          ? (borrowed ? at->end_mixed : at->end_owned)
                 : borrowed ? at->end_borrowed
                            : at->end_empty]++;
    }
    if (in->end_all[0] && !t->closing[N]) hits[t->renamed[N] ? at->all_filled : at->all_empty]++;
    const uint64_t below = (1ull << in->end_warp[0]) - 1;
    if (e->closing && !(e->closing & (below | 1ull << in->end_warp[0])))
        bin_hit(hits, at->down_overtaken);
}

// Takes one mapping down, as the block does, with its coverage.
static void follow_down(Env *e, const PmodeRenameIn *in, uint64_t *hits) {
    const Bins *at = &e->at;
    if (!e->closing) return;
    const int w = __builtin_ctzll(e->closing);
    Tables *t = &e->warp[w];
    const int table = t->closing[P] ? P : N;
    if (e->closing & (e->closing - 1)) bin_hit(hits, at->down_two);
    if (t->renamed[table]) {
        const int reg = __builtin_ctzll(t->renamed[table]);
        hits[at->down[table]]++;
        hits[at->down_first] += reg == 0;
        hits[at->down_last] += reg == e->regs - 1;
        t->renamed[table] &= t->renamed[table] - 1;
    } else {
        hits[at->down_empty[table]]++;
    }
    if (t->renamed[table]) return;
    t->closing[table] = false;
    if (in->end_valid[0] && in->end_warp[0] == (uint32_t)w && table == P)
        hits[at->down_meets_end]++;
    if (!t->closing[N] && !t->closing[P]) e->closing &= e->closing - 1;
}

static void follow_set(Env *e, const PmodeRenameIn *in, int i) {
    const int table = in->lk_pmode[0] >> i & 1;
    Tables *t = &e->warp[in->lk_warp[i]];
    const uint64_t bit = words_of(e, in, i);
    if (in->set_kill[0] >> i & 1) t->renamed[table] &= ~bit;
    else t->renamed[table] |= bit;
    if (table == P) t->own = in->set_own[0] >> i & 1 ? t->own | bit : t->own & ~bit;
}

static void see_reset(Env *e, uint64_t *hits) {
    if (!e->reset_met) return;
    e->reset_met = false;
    hits[e->was_closing       ? e->at.reset_closing
             : e->was_renamed ? e->at.reset_renamed
                              : e->at.reset_idle]++;
}

static void pr_observe(void *self, const void *inputs, const void *outputs, uint64_t *hits) {
    Env *e = self;
    const PmodeRenameIn *in = inputs;
    const PmodeRenameOut *out = outputs;
    const uint32_t every = (1u << e->ports) - 1, frees = (1u << (2 * e->ports + 1)) - 1;
    uint32_t take_place = 0;
    see_reset(e, hits);
    for (int i = 0; i < e->ports; i++) {
        const bool pmode = in->lk_pmode[0] >> i & 1;
        for (int k = i * e->ops; k < (i + 1) * e->ops; k++)
            see_lookup(e, in->lk_warp[i], pmode, in->lk_src[k], hits);
        see_lookup(e, in->lk_warp[i], pmode, in->lk_dst[i], hits);
        if (i && in->lk_warp[i] == in->lk_warp[0] && in->lk_src[i * e->ops] == in->lk_src[0])
            bin_hit(hits, e->at.two_of_a_warp);
        if (in->set_valid[0] >> i & 1) see_set(e, in, i, hits);
        take_place |= (uint32_t)sets(e, in, i) << i;
    }
    if (take_place == every) bin_hit(hits, e->at.all_set);
    uint32_t first = 0;  // of the words that are freed, by port
    for (int i = 0; i < e->ports; i++) {
        first |= (out->free_valid[0] >> 2 * i & 1) << i;
        hits[e->at.pair_frees] += (out->free_valid[0] >> 2 * i & 3) == 3;
    }
    if (first == every) bin_hit(hits, e->at.two_free);
    if (out->free_valid[0] == frees) bin_hit(hits, e->at.all_free);
    see_end(e, in, hits);

    follow_down(e, in, hits);
    for (int i = 0; i < e->ports; i++)
        if (take_place >> i & 1) follow_set(e, in, i);
    if (!in->end_valid[0]) return;
    Tables *t = &e->warp[in->end_warp[0]];
    t->renamed[P] &= t->own;
    t->closing[P] = true;
    t->closing[N] |= in->end_all[0];
    e->closing |= 1ull << in->end_warp[0];
}

static const StimShape SHAPES[] = {
    {"NumWarps=3 NumRegs=13 NumPhy=13 NumIssue=3", "odd warps and registers, three ports"},
    {0},
};

const BlockStim pmode_rename_stim = {.shapes = SHAPES,
                                     .knobs = KNOB_TABLE,
                                     .nknobs = KNOBS,
                                     .needs_out = false,
                                     .bins = pr_bins,
                                     .open = pr_open,
                                     .close = pr_close,
                                     .reset = pr_reset,
                                     .randomize = pr_randomize,
                                     .constrain = pr_constrain,
                                     .observe = pr_observe};
