// SPDX-License-Identifier: Apache-2.0
// Golden model of alloc_unit against the examples of the thesis (2.4.3, 2.5.3, 2.6). Under the
// random stimuli of the block, a small checker sees the guarantees of its contract (G1 to G5) from
// the ports alone. A model with a fault breaks each guarantee.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "models/rename/alloc_unit.h"
#include "models/stim.h"

extern const BlockStim alloc_unit_stim;

typedef struct Place {
    uint32_t bank, entry, mask;
} Place;

typedef struct Bench {
    void *model;
    AllocUnitIn in;
    AllocUnitOut out;
} Bench;

static void bench_open(Bench *b, int banks, int entries, int ports, uint32_t policy) {
    const int params[] = {banks, entries, 8, ports, 4, 2, 1};
    memset(b, 0, sizeof *b);
    b->model = alloc_unit_model.open(params);
    assert_non_null(b->model);
    alloc_unit_model.reset(b->model);
    b->in.policy[0] = policy;
    for (int i = 0; i < 40; i++) alloc_unit_model.tick(b->model, &b->in);  // rows are opened
}

static void bench_close(Bench *b) { alloc_unit_model.close(b->model); }

static void bench_eval(Bench *b) { alloc_unit_model.eval(b->model, &b->in, &b->out); }

// Ends the cycle and takes all requests back; the policy stays.
static void bench_tick(Bench *b) {
    const uint32_t policy = b->in.policy[0], move = b->in.cfg_grow[0];
    alloc_unit_model.tick(b->model, &b->in);
    memset(&b->in, 0, sizeof b->in);
    b->in.policy[0] = policy, b->in.cfg_grow[0] = move;
}

// Until the scanners have nothing to do.
static void settle(Bench *b) {
    for (int i = 0; i < 40; i++) bench_tick(b);
}

static void ask(Bench *b, int w, uint32_t warp, uint32_t reg, uint32_t size, Place old) {
    const uint32_t had = (uint32_t)__builtin_popcount(old.mask);
    b->in.rq_valid[0] |= 1u << w;
    b->in.rq_kind[w] = !had ? AU_FIRST : size == had ? AU_KEEP : size < had ? AU_SHRINK : AU_GROW;
    b->in.rq_warp[w] = warp, b->in.rq_reg[w] = reg, b->in.rq_size[w] = size;
    b->in.rq_old_bank[w] = old.bank, b->in.rq_old_entry[w] = old.entry,
    b->in.rq_old_mask[w] = old.mask;
}

static void buddy(Bench *b, int w, Place p) {
    b->in.rq_pair[0] |= 1u << w;
    b->in.rq_bd_bank[w] = p.bank, b->in.rq_bd_entry[w] = p.entry, b->in.rq_bd_mask[w] = p.mask;
}

static const Place NOWHERE = {0, 0, 0};

// Makes the request of port 0 until it is served, then waits until nothing is under way.
static Place served(Bench *b, uint32_t how) {
    const AllocUnitIn request = b->in;
    for (int cycle = 0; cycle < 40; cycle++) {
        b->in = request;
        bench_eval(b);
        if (b->out.al_done[0] & 1) break;
        bench_tick(b);
    }
    assert_int_equal(b->out.al_done[0] & 1, 1);
    assert_int_equal(b->out.al_how[0], how);
    const Place p = {b->out.al_bank[0], b->out.al_entry[0], b->out.al_mask[0]};
    bench_tick(b);
    settle(b);
    return p;
}

static Place aligned(Bench *b, uint32_t reg, uint32_t size, uint32_t align) {
    ask(b, 0, 0, reg, size, NOWHERE);
    b->in.rq_align[0] = align;
    return served(b, AU_POLICY);
}

static void assert_place(Place p, uint32_t bank, uint32_t entry, uint32_t mask) {
    assert_int_equal(p.bank, bank);
    assert_int_equal(p.entry, entry);
    assert_int_equal(p.mask, mask);
}

// Fig. 2.12: r1 don't care, two bytes; r2 and r4 right-aligned. r3 and r5 are left-aligned and get
// the remaining left places beside them. One warp: one bank.
static void figure_2_12(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, 4, 16, 1, AU_ALIGN);
    const Place r1 = aligned(&b, 1, 2, AU_DONT_CARE), r2 = aligned(&b, 2, 2, AU_RIGHT);
    const Place r4 = aligned(&b, 4, 3, AU_RIGHT);
    const Place r3 = aligned(&b, 3, 2, AU_LEFT), r5 = aligned(&b, 5, 1, AU_LEFT);
    assert_place(r1, 0, r1.entry, 3), assert_place(r2, 0, r2.entry, 3),
        assert_place(r4, 0, r4.entry, 7);
    assert_place(r3, 0, r3.entry, 12), assert_place(r5, 0, r5.entry, 8);
    assert_true(r1.entry != r2.entry && r2.entry != r4.entry && r4.entry != r1.entry);
    assert_true(r3.entry == r1.entry || r3.entry == r2.entry);
    bench_eval(&b);
    assert_int_equal(b.out.used_slices[0], 10);
    assert_int_equal(b.out.used_regs[0], 3);
    bench_close(&b);
}

static void banks_of_a_warp(void **state) {
    (void)state;
    Bench b;
    uint32_t rows = 0;
    bench_open(&b, 4, 16, 1, AU_FIRST_FIT);
    for (uint32_t reg = 0; reg < 8; reg++) {
        ask(&b, 0, 3, reg, 4, NOWHERE);
        const Place p = served(&b, AU_POLICY);
        assert_place(p, (reg + 3) % 4, p.entry, 15);
        assert_true(p.entry <= reg / 4 + 1);  // first fit, but for rows that are open
    }
    bench_close(&b);
    bench_open(&b, 4, 2, 1, AU_ALIGN);
    for (uint32_t reg = 0; reg < 6; reg++) {  // two entries per bank, then the next bank
        ask(&b, 0, 3, reg, 4, NOWHERE);
        const Place p = served(&b, AU_POLICY);
        assert_place(p, (3 + reg / 2) % 4, p.entry, 15);
        assert_int_equal(rows >> (2 * p.bank + p.entry) & 1, 0);
        rows |= 1u << (2 * p.bank + p.entry);
    }
    bench_close(&b);
}

// The first of a pair has a register for itself and keeps the rest for its buddy.
static void pair_is_packed(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, 1, 8, 1, AU_PAIR);
    ask(&b, 0, 0, 9, 1, NOWHERE);
    assert_place(served(&b, AU_POLICY), 0, 0, 1);
    ask(&b, 0, 0, 1, 3, NOWHERE);
    buddy(&b, 0, NOWHERE);
    const Place r1 = served(&b, AU_POLICY);  // not beside r9: a free one
    assert_place(r1, 0, 1, 7);
    ask(&b, 0, 0, 10, 1, NOWHERE);
    assert_place(served(&b, AU_POLICY), 0, 0, 2);
    ask(&b, 0, 0, 11, 2, NOWHERE);
    assert_place(served(&b, AU_POLICY), 0, 0, 12);
    ask(&b, 0, 0, 12, 1, NOWHERE);
    assert_place(served(&b, AU_POLICY), 0, 2, 1);  // entry 1 is reserved
    ask(&b, 0, 0, 2, 1, NOWHERE);
    buddy(&b, 0, r1);
    assert_place(served(&b, AU_BUDDY), 0, 1, 8);
    bench_close(&b);
}

// Figure 2.5: r2 and r4 fit together, r1 and r3 do not.
static void pair_that_does_not_fit(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, 1, 8, 1, AU_PAIR);
    ask(&b, 0, 0, 1, 3, NOWHERE);
    buddy(&b, 0, NOWHERE);
    const Place r1 = served(&b, AU_POLICY);
    ask(&b, 0, 0, 3, 2, NOWHERE);
    buddy(&b, 0, r1);
    assert_place(served(&b, AU_FALLBACK), 0, 1, 3);
    ask(&b, 0, 0, 7, 1, NOWHERE);
    assert_place(served(&b, AU_POLICY), 0, 0, 8);  // the reservation has ended
    bench_close(&b);
}

static void sizes_change(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, 1, 8, 1, AU_ALIGN);
    Place p = aligned(&b, 1, 3, AU_LEFT);
    assert_place(p, 0, 0, 14);
    ask(&b, 0, 0, 1, 3, p);
    b.in.rq_align[0] = AU_LEFT;
    p = served(&b, AU_IN_PLACE);
    assert_int_equal(b.out.al_kind[0], AU_KEEP);
    ask(&b, 0, 0, 1, 1, p);
    b.in.rq_align[0] = AU_LEFT;
    p = served(&b, AU_IN_PLACE);
    assert_int_equal(b.out.al_kind[0], AU_SHRINK);
    assert_place(p, 0, 0, 8);  // still left-aligned
    bench_eval(&b);
    assert_int_equal(b.out.used_slices[0], 1);
    ask(&b, 0, 0, 1, 2, p);
    b.in.rq_align[0] = AU_LEFT;
    p = served(&b, AU_OWN);
    assert_int_equal(b.out.al_kind[0], AU_GROW);
    assert_place(p, 0, 0, 12);
    b.in.cfg_grow[0] = 1;
    ask(&b, 0, 0, 1, 3, p);
    b.in.rq_align[0] = AU_LEFT;
    // elsewhere, as B2 and B3 are in use where it is
    assert_place(served(&b, AU_POLICY), 0, 1, 14);
    bench_eval(&b);
    assert_int_equal(b.out.used_slices[0], 3);
    assert_int_equal(b.out.used_regs[0], 1);
    bench_close(&b);
}

// Every physical register holds somebody: the only room for four bytes is where the register lives.
static void grows_where_it_lives(void **state) {
    (void)state;
    for (uint32_t policy = AU_FIRST_FIT; policy <= AU_ALIGN; policy++) {
        Bench b;
        Place p[4];
        bench_open(&b, 2, 2, 1, policy);
        for (uint32_t i = 0; i < 4; i++) {
            ask(&b, 0, i, 0, 4, NOWHERE);
            p[i] = served(&b, AU_POLICY);
            ask(&b, 0, i, 0, 1, p[i]);
            p[i] = served(&b, AU_IN_PLACE);
        }
        b.in.cfg_grow[0] = policy != AU_PAIR;  // also where it would rather move
        ask(&b, 0, 2, 0, 4, p[2]);
        assert_place(served(&b, AU_OWN), p[2].bank, p[2].entry, 15);
        bench_close(&b);
    }
}

// Over-committed: reserved room is all there is.
static void reservations_yield(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, 1, 2, 1, AU_PAIR);
    for (uint32_t i = 0; i < 2; i++) {
        ask(&b, 0, 0, 2 * i, 1, NOWHERE);
        buddy(&b, 0, NOWHERE);
        served(&b, AU_POLICY);
    }
    ask(&b, 0, 0, 9, 2, NOWHERE);
    bench_eval(&b);
    assert_int_equal(b.out.al_done[0], 0);
    assert_int_equal(served(&b, AU_POLICY).mask, 6);
    bench_close(&b);
}

// Of two ports that select one row one waits.
static void who_waits(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, 1, 2, 2, AU_FIRST_FIT);
    ask(&b, 0, 0, 0, 4, NOWHERE);
    assert_place(served(&b, AU_POLICY), 0, 0, 15);
    ask(&b, 0, 0, 1, 2, NOWHERE), ask(&b, 1, 0, 2, 2, NOWHERE);
    bench_eval(&b);
    const uint32_t first = b.out.al_done[0];
    assert_true(first == 1 || first == 2);
    assert_int_equal(b.out.al_mask[first - 1], 3);
    bench_tick(&b);
    ask(&b, 2 - (int)first, 0, 3 - first, 2, NOWHERE);
    bench_eval(&b);
    assert_int_equal(b.out.al_done[0], 3 - first);
    assert_int_equal(b.out.al_mask[2 - first], 12);
    bench_close(&b);
}

// First allocations, and growth in a row that was looked up, are served in their first cycle.
static void what_is_served_at_once(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, 2, 16, 1, AU_FIRST_FIT);
    for (uint32_t reg = 0; reg < 24; reg += 2) {  // one bank, a row each
        ask(&b, 0, 0, reg, 3, NOWHERE);
        bench_eval(&b);
        assert_int_equal(b.out.al_done[0], 1);
        const Place p = {b.out.al_bank[0], b.out.al_entry[0], b.out.al_mask[0]};
        assert_place(p, 0, p.entry, 7);
        settle(&b);
        b.in.lk_valid[0] = 1, b.in.lk_bank[0] = p.bank, b.in.lk_entry[0] = p.entry;
        bench_tick(&b);
        ask(&b, 0, 0, reg, 4, p);
        bench_eval(&b);
        assert_int_equal(b.out.al_done[0], 1);
        assert_int_equal(b.out.al_how[0], AU_OWN);
        settle(&b);
    }
    ask(&b, 0, 0, 1, 3, NOWHERE);
    const Place p = served(&b, AU_POLICY);
    ask(&b, 0, 0, 1, 4, p);  // not looked up
    bench_eval(&b);
    assert_int_equal(b.out.al_done[0], 0);
    assert_int_equal(served(&b, AU_OWN).mask, 15);
    bench_close(&b);
}

static void hints_come_back(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, 1, 8, 1, AU_PAIR);
    const uint32_t load[][4] = {{AU_HINT_PAIR, 1, 5, 7},
                                {AU_HINT_ALIGN, 1, 5, AU_RIGHT},
                                {AU_HINT_PAIR, 0, 5, 9},
                                {AU_HINT_CLEAR, 0, 0, 0}};
    for (size_t i = 0; i < sizeof load / sizeof *load; i++) {
        b.in.hl_valid[0] = 1;
        b.in.hl_op[0] = load[i][0], b.in.hl_kernel[0] = load[i][1];
        b.in.hl_reg[0] = load[i][2], b.in.hl_value[0] = load[i][3];
        bench_tick(&b);
    }
    for (uint32_t kernel = 0; kernel < 2; kernel++) {
        b.in.hq_valid[0] = 1;
        b.in.hq_kernel[0] = kernel, b.in.hq_reg[0] = 5;
        bench_tick(&b);
        bench_eval(&b);
        assert_int_equal(b.out.ha_valid[0], 1);
        assert_int_equal(b.out.ha_pair[0], kernel);
        assert_int_equal(b.out.ha_align[0], kernel ? AU_RIGHT : AU_DONT_CARE);
        if (kernel) assert_int_equal(b.out.ha_buddy[0], 7);
    }
    bench_close(&b);
}

// ---- guarantees under random stimuli ------------------------------------------------------------

enum { MAX_BANKS = 4, MAX_ROWS = 16, LONG = 150, SINCE = 200, OPEN = 5, TRANSIT = 3 };
enum {
    BAD_SIZE = 1,
    BAD_OWNED = 2,
    BAD_WAIT = 4,
    BAD_NONE = 8,
    BAD_BANK = 16,
    BAD_FIRST_FIT = 32,
    BAD_SIDE = 64,
    BAD_PAIR = 128,
    BAD_COUNT = 256,
    BAD_FREE = 512
};

// State that the ports have shown so far.
typedef struct Watch {
    int banks, entries, ports, cycle;
    uint32_t owner[MAX_BANKS][MAX_ROWS][4];  // warp and register + 1
    int changed[MAX_BANKS][MAX_ROWS];        // cycle
    int last[MAX_BANKS];                     // cycle of the last change in the bank
    bool kept[MAX_BANKS][MAX_ROWS];          // for a buddy, for sure
    bool maybe[MAX_BANKS][MAX_ROWS];         // .. perhaps
    // places in a row that are not in the lowest free row
    int not_lowest[MAX_BANKS];
    int waits[AU_MAX_WR], nones[AU_MAX_WR], free_waits;
    Place buddy[AU_MAX_WR];  // as it was said in the cycle before
    int slices, shown[3];
    uint32_t bad;
} Watch;

static uint32_t watch_used(const Watch *w, uint32_t bank, uint32_t entry) {
    uint32_t used = 0;
    for (int s = 0; s < 4; s++) used |= (uint32_t)(w->owner[bank][entry][s] != 0) << s;
    return used;
}

static int ones(uint32_t mask) { return __builtin_popcount(mask); }

static void watch_set(Watch *w, uint32_t bank, uint32_t entry, uint32_t mask, uint32_t owner) {
    for (int s = 0; s < 4; s++)
        if (mask >> s & 1) w->owner[bank][entry][s] = owner;
    w->changed[bank][entry] = w->last[bank] = w->cycle;
    w->slices += owner ? ones(mask) : -ones(mask);
    if (!watch_used(w, bank, entry)) w->kept[bank][entry] = w->maybe[bank][entry] = false;
}

// Free rows of the bank below `end` that have been free for long; n: free slices they have at
// least.
static int rows_long_free(const Watch *w, int bank, int end, int n) {
    int rows = 0;
    for (int e = 0; e < end; e++)
        rows += ones(~watch_used(w, (uint32_t)bank, (uint32_t)e) & 15) >= n && !w->maybe[bank][e] &&
            w->cycle - w->changed[bank][e] > SINCE;
    return rows;
}

static void watch_bank(Watch *w, const AllocUnitIn *in, int p, const Place *at) {
    const bool align = in->policy[0] == AU_ALIGN;
    const uint32_t sum = in->rq_warp[p] + (align ? 0 : in->rq_reg[p]);
    const int home = in->cfg_order[0] && !align ? 0 : (int)(sum % (uint32_t)w->banks);
    if (at->bank == (uint32_t)home || w->cycle - w->last[home] < SINCE) return;
    if (rows_long_free(w, home, w->entries, 4) >= 4 + w->ports) w->bad |= BAD_BANK;
}

// A place among the open rows.
static void watch_row(Watch *w, const AllocUnitIn *in, const AllocUnitOut *out, int p,
                      const Place *at) {
    const uint32_t n = in->rq_size[p], side = in->rq_align[p], how = out->al_how[p];
    const bool whole = !watch_used(w, at->bank, at->entry);
    const bool paired = in->policy[0] == AU_PAIR && in->rq_pair[0] >> p & 1;
    const bool rested = w->cycle - w->changed[at->bank][at->entry] > SINCE;
    watch_bank(w, in, p, at);
    // rows that were emptied while they were open precede lower ones, a few at a time
    if (whole) {
        const bool lowest = !rested || !rows_long_free(w, (int)at->bank, (int)at->entry, 4);
        w->not_lowest[at->bank] = lowest ? 0 : w->not_lowest[at->bank] + 1;
        if (w->not_lowest[at->bank] > 3 * OPEN) w->bad |= BAD_FIRST_FIT;
    }
    if (in->policy[0] == AU_ALIGN && n < 4 && (side == AU_LEFT || side == AU_RIGHT)) {
        const uint32_t wanted = side == AU_LEFT ? 15u << (4 - n) & 15 : 15u >> (4 - n);
        if ((how == AU_POLICY) != (at->mask == wanted) || (how == AU_FALLBACK && whole && rested))
            w->bad |= BAD_SIDE;
    }
    if (w->kept[at->bank][at->entry]) w->bad |= BAD_PAIR;
    if (!paired || n == 4 || w->buddy[p].mask || how != AU_POLICY) return;
    if (!whole) w->bad |= BAD_PAIR;
    w->kept[at->bank][at->entry] = w->maybe[at->bank][at->entry] = true;
}

static void watch_done(Watch *w, const AllocUnitIn *in, const AllocUnitOut *out, int p) {
    const Place at = {out->al_bank[p], out->al_entry[p], out->al_mask[p]};
    const Place old = {in->rq_old_bank[p], in->rq_old_entry[p], in->rq_old_mask[p]};
    const uint32_t kind = in->rq_kind[p], how = out->al_how[p],
                   who = in->rq_warp[p] * AU_REGS + in->rq_reg[p] + 1;
    if (at.bank >= (uint32_t)w->banks || at.entry >= (uint32_t)w->entries || at.mask > 15 ||
        out->al_kind[p] != kind ||
        ones(at.mask) != (kind == AU_KEEP ? ones(old.mask) : (int)in->rq_size[p])) {
        w->bad |= BAD_SIZE;
        return;
    }
    if (kind >= AU_FIRST && (how == AU_POLICY || how == AU_FALLBACK)) watch_row(w, in, out, p, &at);
    if (how == AU_BUDDY && (at.bank != w->buddy[p].bank || at.entry != w->buddy[p].entry))
        w->bad |= BAD_PAIR;
    if (kind == AU_KEEP) return;
    const bool kept = old.mask && w->kept[old.bank][old.entry],
               maybe = old.mask && w->maybe[old.bank][old.entry];
    if (old.mask) watch_set(w, old.bank, old.entry, old.mask, 0);
    for (int s = 0; s < 4; s++)
        if (at.mask >> s & 1 && w->owner[at.bank][at.entry][s]) w->bad |= BAD_OWNED;
    if (kind == AU_SHRINK && at.mask & ~old.mask) w->bad |= BAD_SIZE;
    watch_set(w, at.bank, at.entry, at.mask, who);
    if (!old.mask || !watch_used(w, old.bank, old.entry)) return;
    w->kept[old.bank][old.entry] = kept, w->maybe[old.bank][old.entry] = maybe;
}

// A request that is not done: nothing is said to be free only when nothing is, and it does not wait
// for ever.
static void watch_waiting(Watch *w, const AllocUnitIn *in, const AllocUnitOut *out, int p) {
    int used = 0;
    for (uint32_t b = 0; b < (uint32_t)w->banks; b++)
        for (uint32_t e = 0; e < (uint32_t)w->entries; e++) used += watch_used(w, b, e) != 0;
    w->waits[p] = used < w->banks * w->entries ? w->waits[p] + 1 : 0;
    if (w->waits[p] > LONG) w->bad |= BAD_WAIT;
    w->nones[p] = out->al_none[0] >> p & 1 ? w->nones[p] + 1 : 0;
    if (!w->nones[p]) return;
    for (int b = 0; b < w->banks && w->nones[p] > TRANSIT; b++)
        if (rows_long_free(w, b, w->entries, (int)in->rq_size[p])) w->bad |= BAD_NONE;
    memset(w->kept, 0, sizeof w->kept);  // reservations yield
}

static void watch_frees(Watch *w, const AllocUnitIn *in, const AllocUnitOut *out) {
    const uint32_t freed = in->fr_valid[0] & out->fr_ready[0];
    for (uint32_t left = freed; left; left &= left - 1) {
        const int f = __builtin_ctz(left);
        watch_set(w, in->fr_bank[f], in->fr_entry[f], in->fr_mask[f], 0);
    }
    w->free_waits = in->fr_valid[0] && !freed ? w->free_waits + 1 : 0;
    if (w->free_waits > LONG / 3) w->bad |= BAD_FREE;
}

static void watch(Watch *w, const AllocUnitIn *in, const AllocUnitOut *out) {
    w->cycle++;
    if (out->used_slices[0] != (uint32_t)w->shown[2]) w->bad |= BAD_COUNT;
    for (int p = 0; p < w->ports; p++) {
        const Place bd = {in->rq_bd_bank[p], in->rq_bd_entry[p], in->rq_bd_mask[p]};
        const bool asks = in->rq_valid[0] >> p & 1, done = asks && out->al_done[0] >> p & 1;
        if (!asks || done) w->waits[p] = w->nones[p] = 0;
        if (done) watch_done(w, in, out, p);
        else if (asks) watch_waiting(w, in, out, p);
        const bool named = in->rq_valid[0] & in->rq_pair[0] & 1u << p && bd.mask;
        if (named) w->kept[bd.bank][bd.entry] = false;  // its reservation may have ended
        w->buddy[p] = bd;
    }
    watch_frees(w, in, out);
    w->shown[2] = w->shown[1], w->shown[1] = w->shown[0], w->shown[0] = w->slices;
}

// A model with a fault: its requests are changed on the way in, or its answers on the way out.
static void fault_asked(uint32_t what, AllocUnitIn *in) {
    if (what == BAD_WAIT) in->rq_valid[0] &= ~1u;
    if (what == BAD_FREE) in->fr_valid[0] = 0;
}

static void fault(Watch *w, uint32_t what, const AllocUnitIn *in, AllocUnitOut *out) {
    const bool done = out->al_done[0] & 1,
               open = out->al_how[0] == AU_POLICY || out->al_how[0] == AU_FALLBACK;
    switch (what) {
    case BAD_SIZE:
        if (done && w->cycle > 900) out->al_mask[0] = 15 & ~out->al_mask[0];
        break;
    case BAD_OWNED:
        if (done && open && w->cycle % 64 == 0) out->al_entry[0] ^= 1;
        break;
    case BAD_NONE: out->al_none[0] = in->rq_valid[0] & ~out->al_done[0]; break;
    case BAD_BANK:
        if (done && open) out->al_bank[0] = (out->al_bank[0] + 1) % (uint32_t)w->banks;
        break;
    case BAD_FIRST_FIT:
        for (uint32_t e = 0; done && open && e < (uint32_t)w->entries; e++)
            if (!watch_used(w, out->al_bank[0], e) &&
                w->cycle - w->changed[out->al_bank[0]][e] > SINCE)
                out->al_entry[0] = e;
        break;
    case BAD_SIDE:
        if (done && open) out->al_mask[0] = (out->al_mask[0] * 0x11u >> 1) & 15;
        break;
    case BAD_PAIR:
        for (uint32_t e = 0; done && open && e < (uint32_t)w->entries; e++)
            if (w->kept[out->al_bank[0]][e]) out->al_entry[0] = e;
        break;
    case BAD_COUNT: out->used_slices[0] += w->cycle > 900; break;
    case BAD_FREE: out->fr_ready[0] = 0; break;
    default: break;
    }
}

// Runs model and stimuli; returns the findings, at the latest when `what` is found.
static uint32_t run_watched(const int *params, uint64_t seed, int cycles, uint32_t what) {
    enum { EPISODE = 300 };
    Watch *w = calloc(1, sizeof *w);
    uint64_t *hits = calloc(COVER_MAX_BINS, sizeof *hits);
    void *env = alloc_unit_stim.open(params), *model = alloc_unit_model.open(params);
    assert_true(w && hits && env && model);
    StimRandom r = {seed * 0x9e3779b97f4a7c15ull};
    int knobs[STIM_MAX_KNOBS];
    AllocUnitIn in = {0};
    AllocUnitOut out = {0};
    w->banks = params[0], w->entries = params[1], w->ports = params[3];
    alloc_unit_model.reset(model);
    for (int cycle = 0; cycle < cycles && !(w->bad & (what ? what : UINT32_MAX)); cycle++) {
        for (int k = 0; cycle % EPISODE == 0 && k < alloc_unit_stim.nknobs; k++) {
            const StimKnob *knob = &alloc_unit_stim.knobs[k];
            knobs[k] = knob->least + (int)stim_below(&r, (uint32_t)(knob->most - knob->least + 1));
        }
        alloc_unit_stim.randomize(env, &r, knobs, &in);
        alloc_unit_stim.constrain(env, &in, &out);
        AllocUnitIn seen = in;
        fault_asked(what, &seen);
        alloc_unit_model.eval(model, &seen, &out);
        fault(w, what, &in, &out);
        watch(w, &in, &out);
        alloc_unit_stim.observe(env, &in, &out, hits);
        alloc_unit_model.tick(model, &seen);
    }
    const uint32_t bad = w->bad;
    alloc_unit_stim.close(env), alloc_unit_model.close(model);
    free(w), free(hits);
    return bad;
}

static const int SHAPES[][7] = {
    {2, 5, 8, 2, 4, 2, 1}, {1, 16, 8, 1, 1, 1, 1}, {3, 12, 4, 3, 2, 2, 2}, {4, 9, 8, 4, 3, 1, 1}};

static void guarantees_hold(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 2; seed++)
        for (size_t i = 0; i < sizeof SHAPES / sizeof *SHAPES; i++)
            assert_int_equal(run_watched(SHAPES[i], seed, 60000, 0), 0);
}

static void faults_are_found(void **state) {
    (void)state;
    static const int SHAPE[] = {2, 12, 8, 2, 2, 2, 1};
    for (uint32_t what = BAD_SIZE; what <= BAD_FREE; what <<= 1)
        assert_int_equal(run_watched(SHAPE, 3, 60000, what) & what, what);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(figure_2_12),
                                       cmocka_unit_test(banks_of_a_warp),
                                       cmocka_unit_test(pair_is_packed),
                                       cmocka_unit_test(pair_that_does_not_fit),
                                       cmocka_unit_test(sizes_change),
                                       cmocka_unit_test(grows_where_it_lives),
                                       cmocka_unit_test(reservations_yield),
                                       cmocka_unit_test(who_waits),
                                       cmocka_unit_test(what_is_served_at_once),
                                       cmocka_unit_test(hints_come_back),
                                       cmocka_unit_test(guarantees_hold),
                                       cmocka_unit_test(faults_are_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
