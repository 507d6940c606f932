// SPDX-License-Identifier: Apache-2.0
// Golden model of rfv_throttle against scenarios written by hand from its contract, and CTAs that
// grow to their maximum. They end; if any requester takes a free row, they do not.
#include "models/rename/rfv_throttle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct Bench {
    void *m;
    RfvThrottleIn in;
    RfvThrottleOut out;
} Bench;

static Bench bench(int entries, int ctas, uint32_t need) {
    Bench b = {.m = rfv_throttle_model.open((const int[]){1, entries, ctas, 2, 2})};
    b.in.cfg_valid[0] = 1, b.in.cfg_rows[0] = need;
    rfv_throttle_model.tick(b.m, &b.in);
    b.in = (RfvThrottleIn){0};
    return b;
}

static uint32_t cycle(Bench *b) {
    rfv_throttle_model.eval(b->m, &b->in, &b->out);
    rfv_throttle_model.tick(b->m, &b->in);
    b->in = (RfvThrottleIn){0};
    return b->out.take_grant[0];
}

static void start(Bench *b, uint32_t cta) {
    b->in.start_valid[0] = 1, b->in.start_cta[0] = cta;
    cycle(b);
}

static uint32_t take(Bench *b, uint32_t cta, uint32_t rows) {
    b->in.take_valid[0] = 1, b->in.take_cta[0] = cta, b->in.take_rows[0] = rows;
    return cycle(b);
}

static void give(Bench *b, uint32_t cta) {
    b->in.free_valid[0] = 1, b->in.free_cta[0] = cta;
    cycle(b);
}

// 16 rows, 12 for a CTA.
static void test_rule(void **unused) {
    (void)unused;
    Bench b = bench(16, 3, 12);
    start(&b, 2);  // the older one
    start(&b, 0);
    assert_int_equal(take(&b, 0, 4), 1);  // 12 free > 8
    assert_int_equal(take(&b, 2, 4), 0);  // 8 free, the least balance 8 is that of CTA 0
    assert_int_equal(b.out.room[2], 3);
    assert_int_equal(b.out.room[0], 4);
    assert_int_equal(b.out.room[1], 0);  // not resident
    assert_int_equal(b.out.rows_free[0], 12);
    assert_int_equal(b.out.rows_least[0], 8);
    assert_int_equal(take(&b, 2, 3), 1);  // 9 > 8
    assert_int_equal(take(&b, 2, 1), 0);
    assert_int_equal(take(&b, 2, 0), 1);  // needs none
    assert_int_equal(take(&b, 0, 4), 1);
    assert_int_equal(take(&b, 0, 4), 1);
    assert_int_equal(take(&b, 2, 1), 0);
    give(&b, 2);  // 1 free for CTA 0 and none to spare: 2 free, least 0
    assert_int_equal(b.out.rows_free[0], 1);
    assert_int_equal(take(&b, 2, 1), 1);
    assert_int_equal(take(&b, 2, 1), 0);
    for (int i = 0; i < 12; i++) give(&b, 0);
    b.in.end_mask[0] = 1;
    cycle(&b);
    for (int i = 0; i < 9; i++) assert_int_equal(take(&b, 2, 1), 1);
    assert_int_equal(cycle(&b), 0);
    assert_int_equal(b.out.rows_free[0], 4);
    rfv_throttle_model.close(b.m);
}

// At equality the oldest of equal balances takes. Ports see the takes of earlier ports, and freed
// rows a cycle later.
static void test_ties(void **unused) {
    (void)unused;
    Bench b = bench(16, 2, 16);
    start(&b, 1);
    start(&b, 0);
    assert_int_equal(take(&b, 0, 1), 0);
    b.in.take_valid[0] = 3, b.in.take_cta[0] = 0, b.in.take_cta[1] = 1,
    b.in.take_rows[0] = b.in.take_rows[1] = 2;
    assert_int_equal(cycle(&b), 2);
    for (int i = 0; i < 2; i++) give(&b, 1);
    b.in.end_mask[1] = 1;
    cycle(&b);
    start(&b, 1);  // now the younger one
    b.in.take_valid[0] = 3, b.in.take_cta[0] = 0, b.in.take_cta[1] = 1,
    b.in.take_rows[0] = b.in.take_rows[1] = 2;
    assert_int_equal(cycle(&b), 1);
    b.in.take_valid[0] = 1, b.in.take_cta[0] = 1, b.in.take_rows[0] = 1;
    b.in.free_valid[0] = 3, b.in.free_cta[0] = b.in.free_cta[1] = 0;
    assert_int_equal(cycle(&b), 0);
    rfv_throttle_model.close(b.m);
    b = bench(16, 2, 15);  // one row to spare: the second port finds it taken
    start(&b, 0);
    start(&b, 1);
    b.in.take_valid[0] = 3, b.in.take_cta[0] = 1, b.in.take_cta[1] = 0,
    b.in.take_rows[0] = b.in.take_rows[1] = 1;
    assert_int_equal(cycle(&b), 1);
    rfv_throttle_model.close(b.m);
}

// ---- CTAs that rise at once ---------------------------------------------------------------------

enum { CTAS = 4, NEED = 21, ROWS = 40, TOTAL = 12 };

typedef struct Rise {
    uint64_t random;
    int rows[CTAS], ended, started;
    bool live[CTAS], full[CTAS];
} Rise;

static uint32_t draw(Rise *r, uint32_t n) {
    r->random = r->random * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)((r->random >> 33) % n);
}

static bool has_taken(Rise *r, Bench *b, uint32_t cta, uint32_t n, bool naive) {
    int used = 0;
    for (int c = 0; c < CTAS; c++) used += r->rows[c];
    if (naive ? used + (int)n > ROWS : !take(b, cta, n)) return false;
    r->rows[cta] += (int)n;
    return true;
}

// Takes rows until it has all, then frees them and ends. True: something moved.
static bool move(Rise *r, Bench *b, uint32_t c, bool naive) {
    if (!r->live[c]) {
        if (r->started == TOTAL) return false;
        start(b, c);
        r->live[c] = true, r->full[c] = false, r->started++;
    } else if (!r->full[c]) {
        const uint32_t left = (uint32_t)(NEED - r->rows[c]), n = 1 + draw(r, left < 4 ? left : 4);
        if (!has_taken(r, b, c, n, naive)) return false;
        r->full[c] = r->rows[c] == NEED;
    } else if (r->rows[c]) {
        if (!naive) give(b, c);
        r->rows[c]--;
    } else {
        b->in.end_mask[c] = 1;
        cycle(b);
        r->live[c] = false, r->ended++;
    }
    return true;
}

static bool ends(uint64_t seed, bool naive) {
    Rise r = {.random = seed};
    Bench b = bench(ROWS, CTAS, NEED);
    for (int still = 0; r.ended < TOTAL && still < 500; still++) {
        if (move(&r, &b, draw(&r, CTAS), naive)) still = 0;
        if (!naive) assert_true(b.out.rows_free[0] >= b.out.rows_least[0]);
    }
    rfv_throttle_model.close(b.m);
    return r.ended == TOTAL;
}

static void test_one_can_finish(void **unused) {
    (void)unused;
    int stuck = 0;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        assert_true(ends(seed, false));
        stuck += !ends(seed, true);
    }
    assert_true(stuck > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rule), cmocka_unit_test(test_ties),
                                       cmocka_unit_test(test_one_can_finish)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
