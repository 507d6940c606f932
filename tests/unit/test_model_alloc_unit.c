// SPDX-License-Identifier: Apache-2.0
// Golden model of alloc_unit against the examples of the thesis (2.4.3, 2.5.3, 2.6) and against an owner
// of every slice that the test keeps by itself.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "models/rename/alloc_unit.h"

typedef struct Place { uint32_t bank, entry, mask; } Place;

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
}

static void bench_close(Bench *b) { alloc_unit_model.close(b->model); }

static void bench_eval(Bench *b) { alloc_unit_model.eval(b->model, &b->in, &b->out); }

// Ends the cycle and takes all requests back; the policy stays.
static void bench_tick(Bench *b) {
    const uint32_t policy = b->in.policy[0];
    alloc_unit_model.tick(b->model, &b->in);
    memset(&b->in, 0, sizeof b->in);
    b->in.policy[0] = policy;
}

static void settle(Bench *b) { bench_tick(b), bench_tick(b); }

static void ask(Bench *b, int w, uint32_t warp, uint32_t reg, uint32_t size, Place old) {
    b->in.rq_valid[0] |= 1u << w;
    b->in.rq_warp[w] = warp, b->in.rq_reg[w] = reg, b->in.rq_size[w] = size;
    b->in.rq_old_bank[w] = old.bank, b->in.rq_old_entry[w] = old.entry, b->in.rq_old_mask[w] = old.mask;
}

static void buddy(Bench *b, int w, Place p) {
    b->in.rq_pair[0] |= 1u << w;
    b->in.rq_bd_bank[w] = p.bank, b->in.rq_bd_entry[w] = p.entry, b->in.rq_bd_mask[w] = p.mask;
}

static const Place NOWHERE = {0, 0, 0};

// Serves the request of port 0, then lets the candidates follow.
static Place served(Bench *b, uint32_t how) {
    bench_eval(b);
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

static void free_place(Bench *b, int f, Place p) {
    b->in.fr_valid[0] |= 1u << f;
    b->in.fr_bank[f] = p.bank, b->in.fr_entry[f] = p.entry, b->in.fr_mask[f] = p.mask;
}

// Fig. 2.12: r1 don't care, two bytes; r2 and r4 right-aligned; r3 and r5 left-aligned, which go to the
// first left place that is free. One warp: one bank.
static void figure_2_12(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, 4, 16, 1, AU_ALIGN);
    assert_place(aligned(&b, 1, 2, AU_DONT_CARE), 0, 0, 3);
    assert_place(aligned(&b, 2, 2, AU_RIGHT), 0, 1, 3);
    assert_place(aligned(&b, 4, 3, AU_RIGHT), 0, 2, 7);
    assert_place(aligned(&b, 3, 2, AU_LEFT), 0, 0, 12);
    assert_place(aligned(&b, 5, 1, AU_LEFT), 0, 1, 8);
    bench_eval(&b);
    assert_int_equal(b.out.used_slices[0], 10);
    assert_int_equal(b.out.used_regs[0], 3);
    bench_close(&b);
}

static void banks_of_a_warp(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, 4, 16, 1, AU_FIRST_FIT);
    for (uint32_t reg = 0; reg < 8; reg++) {
        ask(&b, 0, 3, reg, 4, NOWHERE);
        assert_place(served(&b, AU_POLICY), (reg + 3) % 4, reg / 4, 15);
    }
    bench_close(&b);
    bench_open(&b, 4, 2, 1, AU_ALIGN);
    for (uint32_t reg = 0; reg < 6; reg++) {  // two entries per bank, then the next bank
        ask(&b, 0, 3, reg, 4, NOWHERE);
        assert_place(served(&b, AU_POLICY), (3 + reg / 2) % 4, reg % 2, 15);
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
    assert_int_equal(b.out.used_slices[0], 3);  // before that clock edge
    bench_eval(&b);
    assert_int_equal(b.out.used_slices[0], 1);
    ask(&b, 0, 0, 1, 2, p);
    b.in.rq_align[0] = AU_LEFT;
    p = served(&b, AU_POLICY);
    assert_int_equal(b.out.al_kind[0], AU_GROW);
    assert_place(p, 0, 1, 12);  // a new place: in entry 0 B3 was in use when it was searched
    bench_eval(&b);
    assert_int_equal(b.out.used_slices[0], 2);
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
    for (int cycle = 0; cycle < 3; cycle++) {
        ask(&b, 0, 0, 9, 2, NOWHERE);
        bench_eval(&b);
        assert_int_equal(b.out.al_done[0], cycle == 2);
        assert_int_equal(b.out.al_none[0], cycle != 2);
        if (cycle < 2) bench_tick(&b);
    }
    assert_int_equal(b.out.al_mask[0], 6);
    bench_close(&b);
}

// A candidate just used is out of date for one cycle; two ports do not get one entry.
static void who_waits(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, 1, 8, 2, AU_FIRST_FIT);
    ask(&b, 0, 0, 1, 2, NOWHERE), ask(&b, 1, 0, 2, 2, NOWHERE);
    bench_eval(&b);
    assert_int_equal(b.out.al_done[0], 1);
    bench_tick(&b);
    ask(&b, 0, 0, 3, 2, NOWHERE), ask(&b, 1, 0, 2, 2, NOWHERE);
    bench_eval(&b);
    assert_int_equal(b.out.al_done[0] | b.out.al_none[0], 0);
    bench_tick(&b);
    ask(&b, 0, 0, 3, 2, NOWHERE), ask(&b, 1, 0, 2, 2, NOWHERE);
    bench_eval(&b);
    assert_int_equal(b.out.al_done[0], 2);  // the one that lost comes first
    assert_int_equal(b.out.al_mask[1], 12);
    bench_close(&b);
}

static void hints_come_back(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, 1, 8, 1, AU_PAIR);
    const uint32_t load[][4] = {{AU_HINT_PAIR, 1, 5, 7}, {AU_HINT_ALIGN, 1, 5, AU_RIGHT}, {AU_HINT_PAIR, 0, 5, 9},
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

// Random writes and frees with exactly as many registers as physical ones: each slice has one owner, the
// counts are right, and who finds nothing waits at most three cycles.
enum { BANKS = 2, ENTRIES = 5, REGS = BANKS * ENTRIES, CYCLES = 60000, PATIENCE = 6 };

typedef struct World {
    Place place[REGS];
    int owner[BANKS][ENTRIES][4];  // register + 1
    int slices;
} World;

static void release(World *w, int r) {
    for (int s = 0; s < 4; s++)
        if (w->place[r].mask >> s & 1) {
            assert_int_equal(w->owner[w->place[r].bank][w->place[r].entry][s], r + 1);
            w->owner[w->place[r].bank][w->place[r].entry][s] = 0;
            w->slices--;
        }
    w->place[r].mask = 0;
}

static void settle_in(World *w, int r, Place p, uint32_t size) {
    assert_int_equal(__builtin_popcount(p.mask), size);
    assert_true(p.bank < BANKS && p.entry < ENTRIES);
    for (int s = 0; s < 4; s++)
        if (p.mask >> s & 1) {
            assert_int_equal(w->owner[p.bank][p.entry][s], 0);
            w->owner[p.bank][p.entry][s] = r + 1;
            w->slices++;
        }
    w->place[r] = p;
}

static void nothing_is_given_twice(void **state) {
    (void)state;
    for (uint32_t policy = 0; policy < 3; policy++) {
        Bench b;
        World w;
        int asks[2] = {-1, -1}, waits[2] = {0, 0};
        uint32_t size[2] = {1, 1};
        memset(&w, 0, sizeof w);
        srand(7 + policy);
        bench_open(&b, BANKS, ENTRIES, 2, policy);
        for (int cycle = 0; cycle < CYCLES; cycle++) {
            for (int p = 0; p < 2; p++) {
                if (asks[p] < 0 && rand() % 4) {
                    asks[p] = rand() % REGS;
                    size[p] = 1 + (uint32_t)rand() % 4;
                    if (asks[p] == asks[!p]) asks[p] = -1;
                }
                if (asks[p] < 0) continue;
                const int r = asks[p];
                ask(&b, p, (uint32_t)r / 4, (uint32_t)r % 4, size[p], w.place[r]);
                b.in.rq_align[p] = (uint32_t)r % 3;
                buddy(&b, p, w.place[r ^ 1]);
            }
            const int gone = rand() % REGS;
            const bool frees = rand() % 8 == 0 && w.place[gone].mask && gone != asks[0] && gone != asks[1];
            if (frees) free_place(&b, rand() % 4, w.place[gone]);
            bench_eval(&b);
            assert_int_equal(b.out.used_slices[0], w.slices);
            if (frees) release(&w, gone);
            for (int p = 0; p < 2; p++)
                if (b.out.al_done[0] >> p & 1) release(&w, asks[p]);
            for (int p = 0; p < 2; p++) {
                if (asks[p] < 0) continue;
                waits[p] = b.out.al_done[0] >> p & 1 ? 0 : waits[p] + 1;
                assert_true(waits[p] < PATIENCE);
                if (waits[p]) continue;
                settle_in(&w, asks[p], (Place){b.out.al_bank[p], b.out.al_entry[p], b.out.al_mask[p]}, size[p]);
                asks[p] = -1;
            }
            bench_tick(&b);
        }
        bench_close(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_2_12), cmocka_unit_test(banks_of_a_warp),
        cmocka_unit_test(pair_is_packed), cmocka_unit_test(pair_that_does_not_fit),
        cmocka_unit_test(sizes_change), cmocka_unit_test(grows_where_it_lives),
        cmocka_unit_test(reservations_yield), cmocka_unit_test(who_waits),
        cmocka_unit_test(hints_come_back), cmocka_unit_test(nothing_is_given_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
