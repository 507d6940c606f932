// SPDX-License-Identifier: Apache-2.0
// Golden models of the scalar unit's blocks against scenarios written by hand from their contracts.
#include "models/scalar/cta_barrier.h"
#include "models/scalar/scalar_alloc.h"
#include "models/scalar/scalar_collect.h"
#include "models/scalar/scalar_rf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// ---- scalar_rf

static void test_rf(void **unused) {
    (void)unused;
    void *m = scalar_rf_model.open((const int[]){16});
    ScalarRfIn in = {.en = {1}, .wr_valid = {3}, .wr_addr = {5, 2}, .wr_data = {111, 222}};
    ScalarRfOut out;
    scalar_rf_model.tick(m, &in);
    // the same word read and written: the old one
    in = (ScalarRfIn){.en = {1},
                      .rd_valid = {1},
                      .rd_addr = {5, 0},
                      .wr_valid = {1},
                      .wr_addr = {5, 0},
                      .wr_data = {333, 0}};
    scalar_rf_model.tick(m, &in);
    // the clock is off for 100 cycles: the answer stays, and nothing is written
    for (int t = 0; t < 100; t++) {
        in = (ScalarRfIn){.rd_valid = {2}, .wr_valid = {1}, .wr_addr = {5, 0}, .wr_data = {444, 0}};
        scalar_rf_model.eval(m, &in, &out);
        assert_int_equal(out.rd_data_valid[0], 1);
        assert_int_equal(out.rd_data[0], 111);
        scalar_rf_model.tick(m, &in);
    }
    in = (ScalarRfIn){.en = {1}, .rd_valid = {3}, .rd_addr = {5, 2}};
    scalar_rf_model.tick(m, &in);
    scalar_rf_model.eval(m, &in, &out);
    assert_int_equal(out.rd_data_valid[0], 3);
    assert_int_equal(out.rd_data[0], 333);
    assert_int_equal(out.rd_data[1], 222);
    scalar_rf_model.close(m);
}

// ---- scalar_alloc

typedef struct Alloc {
    void *m;
    ScalarAllocIn in;
    ScalarAllocOut out;
} Alloc;

static Alloc alloc_open(int words, int units, int threads, uint32_t n, uint32_t parts) {
    Alloc a = {.m = scalar_alloc_model.open((const int[]){words, units, threads})};
    a.in.cfg_valid[0] = 1, a.in.cfg_words[0] = n, a.in.cfg_parts[0] = parts;
    scalar_alloc_model.tick(a.m, &a.in);
    a.in = (ScalarAllocIn){0};
    return a;
}

// A start, together with the end of a context (-1: none).
static bool alloc_start(Alloc *a, uint32_t unit, int ends) {
    a->in.start_valid[0] = 1, a->in.start_unit[0] = unit;
    if (ends >= 0) a->in.end_mask[ends] = 1;
    scalar_alloc_model.eval(a->m, &a->in, &a->out);
    scalar_alloc_model.tick(a->m, &a->in);
    a->in = (ScalarAllocIn){0};
    return a->out.start_grant[0];
}

// Registers for two CTAs, the third waits, and gets a place the cycle after one ended.
static void test_alloc(void **unused) {
    (void)unused;
    Alloc a = alloc_open(20, 1, 4, 8, 2);
    assert_true(alloc_start(&a, 0, -1));
    assert_int_equal(a.out.start_ctx[0], 0);
    assert_int_equal(a.out.start_base[0], 0);
    assert_true(alloc_start(&a, 0, -1));
    assert_int_equal(a.out.start_ctx[0], 1);
    assert_int_equal(a.out.start_base[0], 8);
    assert_false(alloc_start(&a, 0, -1));
    assert_false(alloc_start(&a, 0, 0));  // the end of this cycle is not seen
    assert_int_equal(a.out.ready[0], 0);
    assert_true(alloc_start(&a, 0, -1));
    assert_int_equal(a.out.start_base[0], 0);
    scalar_alloc_model.close(a.m);
}

// Units have files of their own, and contexts are shared.
static void test_alloc_units(void **unused) {
    (void)unused;
    Alloc a = alloc_open(16, 2, 3, 8, 2);
    assert_true(alloc_start(&a, 1, -1));
    assert_int_equal(a.out.start_base[0], 0);
    assert_true(alloc_start(&a, 0, -1));
    assert_int_equal(a.out.start_base[0], 0);
    assert_int_equal(a.out.start_ctx[0], 1);
    assert_true(alloc_start(&a, 0, -1));
    assert_int_equal(a.out.start_base[0], 8);
    assert_false(alloc_start(&a, 1, -1));  // a part is free, a context is not
    scalar_alloc_model.close(a.m);
}

// ---- scalar_collect

typedef struct Unit {
    void *m, *file;
    ScalarCollectIn in;
    ScalarCollectOut out;
} Unit;

// A collector with its register file, which holds 100 + n in word n; context 1 has 20 registers
// from word 6 on.
static Unit unit_open(void) {
    Unit u = {.m = scalar_collect_model.open((const int[]){64, 4, 2}),
              .file = scalar_rf_model.open((const int[]){64})};
    for (uint32_t row = 0; row < 32; row++) {
        const ScalarRfIn in = {.en = {1},
                               .wr_valid = {3},
                               .wr_addr = {row, row},
                               .wr_data = {100 + 2 * row, 101 + 2 * row}};
        scalar_rf_model.tick(u.file, &in);
    }
    u.in.start_valid[0] = 1, u.in.start_ctx[0] = 1, u.in.start_base[0] = 6,
    u.in.start_count[0] = 20;
    scalar_collect_model.tick(u.m, &u.in);
    return u;
}

static void unit_close(Unit *u) {
    scalar_collect_model.close(u->m);
    scalar_rf_model.close(u->file);
}

static void unit_cycle(Unit *u, bool en, uint32_t need, const uint32_t regs[8], bool ready) {
    ScalarRfIn file = {.en = {en}};
    ScalarRfOut words;
    u->in = (ScalarCollectIn){.en = {en},
                              .alloc_valid = {regs != NULL},
                              .alloc_ctx = {1},
                              .alloc_need = {need},
                              .disp_ready = {ready}};
    if (regs) memcpy(u->in.alloc_reg, regs, sizeof u->in.alloc_reg);
    scalar_rf_model.eval(u->file, &file, &words);
    u->in.rd_data_valid[0] = words.rd_data_valid[0];
    memcpy(u->in.rd_data, words.rd_data, sizeof u->in.rd_data);
    scalar_collect_model.eval(u->m, &u->in, &u->out);
    file.rd_valid[0] = u->out.rd_valid[0];
    memcpy(file.rd_addr, u->out.rd_addr, sizeof file.rd_addr);
    scalar_collect_model.tick(u->m, &u->in);
    scalar_rf_model.tick(u->file, &file);
}

// Cycles from entry until the instruction is offered.
static int latency(uint32_t need, const uint32_t regs[8]) {
    Unit u = unit_open();
    unit_cycle(&u, true, need, regs, false);
    int t = 0;
    do unit_cycle(&u, true, 0, NULL, false), t++;
    while (!u.out.disp_valid[0] && t < 50);
    assert_int_equal(u.out.disp_need[0], need);
    for (int k = 0; k < 8; k++)
        if (need >> k & 1) assert_int_equal(u.out.disp_data[k], 106 + regs[k]);
    unit_close(&u);
    return t;
}

// A pair takes one cycle of the ports, three even registers three, a pair and four registers three.
static void test_collect_ports(void **unused) {
    (void)unused;
    assert_int_equal(latency(0, (const uint32_t[8]){0}), 1);
    assert_int_equal(latency(1, (const uint32_t[8]){7}), 3);
    assert_int_equal(latency(3, (const uint32_t[8]){4, 5}), 3);
    assert_int_equal(latency(7, (const uint32_t[8]){0, 2, 4}), 5);
    assert_int_equal(latency(0x3f, (const uint32_t[8]){2, 3, 8, 9, 10, 11}), 5);
}

// The younger one's word is read first and waits: order is kept. A divided clock stretches all.
static void test_collect_order(void **unused) {
    (void)unused;
    Unit u = unit_open();
    const uint32_t evens[8] = {0, 2, 4, 6, 8}, odd[8] = {1};
    unit_cycle(&u, true, 0x1f, evens, true);
    unit_cycle(&u, true, 1, odd, true);
    unit_cycle(&u, true, 1, odd, true);
    assert_int_equal(u.out.alloc_ready[0], 0);
    int first = 0, second = 0;
    for (int t = 3; t < 40 && !second; t++) {
        unit_cycle(&u, t % 2, 0, NULL, true);
        if (!u.out.disp_valid[0]) continue;
        if (u.out.disp_need[0] == 0x1f) first = t;
        else second = t;
    }
    assert_true(first && second > first);
    assert_int_equal(u.out.disp_data[0], 107);
    unit_close(&u);
}

static void test_collect_bounds(void **unused) {
    (void)unused;
    Unit u = unit_open();
    unit_cycle(&u, true, 1, (const uint32_t[8]){19}, false);
    assert_int_equal(u.out.error[0], 0);
    unit_cycle(&u, true, 2, (const uint32_t[8]){0, 20}, false);
    assert_int_equal(u.out.error[0], 1);
    unit_cycle(&u, true, 0, NULL, false);
    assert_int_equal(u.out.alloc_ready[0], 1);  // it did not enter
    unit_close(&u);
}

// ---- cta_barrier

typedef struct Bar {
    void *m;
    CtaBarrierIn in;
    CtaBarrierOut out;
} Bar;

// CTA 1 with `warps` warps, numbered from 4 on, and a scalar thread or none.
static Bar bar_open(uint32_t warps, bool scalar) {
    Bar b = {.m = cta_barrier_model.open((const int[]){2, 16, 4, 2, 1})};
    b.in.start_valid[0] = 1, b.in.start_cta[0] = 1, b.in.start_warps[0] = warps,
    b.in.start_scalar[0] = scalar;
    cta_barrier_model.tick(b.m, &b.in);
    b.in = (CtaBarrierIn){0};
    return b;
}

static void arrive(Bar *b, int port, uint32_t warp, uint32_t number, bool sync, uint32_t count,
                   bool with) {
    b->in.arr_valid[0] |= 1u << port;
    b->in.arr_cta[port] = 1, b->in.arr_warp[port] = warp, b->in.arr_number[port] = number,
    b->in.arr_count[port] = count;
    b->in.arr_sync[0] |= (uint32_t)sync << port;
    b->in.arr_with[0] |= (uint32_t)with << port;
}

static void scalar_arrives(Bar *b, uint32_t number) {
    b->in.sc_valid[0] = 1, b->in.sc_cta[0] = 1, b->in.sc_number[0] = number, b->in.sc_sync[0] = 1;
}

static void warp_ends(Bar *b, int port) {
    b->in.end_valid[0] |= 1u << port;
    b->in.end_cta[port] = 1;
}

// The barrier that this cycle's arrivals and ends release in the next one, -1: none.
static int cycle(Bar *b) {
    CtaBarrierOut now;
    cta_barrier_model.eval(b->m, &b->in, &now);
    cta_barrier_model.tick(b->m, &b->in);
    b->in = (CtaBarrierIn){0};
    cta_barrier_model.eval(b->m, &b->in, &b->out);
    b->out.error[0] = now.error[0];
    return b->out.rel_valid[0] & 2 ? (int)b->out.rel_number[1] : -1;
}

// k = 0 passes without the scalar thread, which waits at a barrier with k = 1. There warps alone do
// not pass, and neither do all warps but one with the thread.
static void test_barrier_k(void **unused) {
    (void)unused;
    Bar b = bar_open(3, true);
    scalar_arrives(&b, 1);
    assert_int_equal(cycle(&b), -1);
    arrive(&b, 0, 4, 0, true, 0, false), arrive(&b, 1, 5, 0, true, 0, false);
    assert_int_equal(cycle(&b), -1);
    arrive(&b, 0, 6, 0, true, 0, false);
    assert_int_equal(cycle(&b), 0);
    assert_int_equal(b.out.rel_warps[4] && b.out.rel_warps[5] && b.out.rel_warps[6], 1);
    assert_int_equal(b.out.rel_scalar[0], 0);
    arrive(&b, 0, 4, 1, true, 0, true), arrive(&b, 1, 5, 1, true, 0, true);
    assert_int_equal(cycle(&b), -1);  // three arrivals, one of them the thread
    arrive(&b, 0, 6, 1, true, 0, true);
    assert_int_equal(cycle(&b), 1);
    assert_int_equal(b.out.rel_scalar[0], 2);
    assert_int_equal(b.out.error[0], 0);
    cta_barrier_model.close(b.m);
}

// Warps that ended are not expected, and neither is a thread that did.
static void test_barrier_ends(void **unused) {
    (void)unused;
    Bar b = bar_open(2, true);
    arrive(&b, 0, 4, 1, true, 0, true);
    assert_int_equal(cycle(&b), -1);
    warp_ends(&b, 1);
    assert_int_equal(cycle(&b), -1);
    b.in.scalar_end[1] = 1;
    assert_int_equal(cycle(&b), 1);
    assert_int_equal(b.out.rel_warps[4], 1);
    warp_ends(&b, 0);
    assert_int_equal(cycle(&b), -1);
    b.in.start_valid[0] = 1, b.in.start_cta[0] = 1, b.in.start_warps[0] = 1,
    b.in.start_scalar[0] = 1;
    cycle(&b);
    warp_ends(&b, 0);
    cycle(&b);
    scalar_arrives(&b, 2);
    assert_int_equal(cycle(&b), 2);
    assert_int_equal(b.out.rel_scalar[0], 2);
    cta_barrier_model.close(b.m);
}

// The last warp and the thread arrive in one cycle, and the barrier is used again at once: one
// release per phase.
static void test_barrier_reuse(void **unused) {
    (void)unused;
    Bar b = bar_open(1, true);
    for (int t = 0; t < 20; t++) {
        arrive(&b, 0, 4, 1, true, 0, true);
        scalar_arrives(&b, 1);
        assert_int_equal(cycle(&b), 1);
        assert_int_equal(b.out.rel_warps[4], 1);
        assert_int_equal(b.out.rel_scalar[0], 2);
    }
    assert_int_equal(cycle(&b), -1);
    cta_barrier_model.close(b.m);
}

// Thread counts: two producers arrive, two consumers wait; two complete phases leave in two cycles,
// the lower first.
static void test_barrier_counts(void **unused) {
    (void)unused;
    Bar b = bar_open(8, false);
    arrive(&b, 0, 4, 3, false, 4, false), arrive(&b, 1, 5, 3, false, 4, false);
    assert_int_equal(cycle(&b), -1);
    arrive(&b, 0, 6, 3, true, 4, false), arrive(&b, 1, 7, 2, true, 2, false);
    assert_int_equal(cycle(&b), -1);
    arrive(&b, 0, 8, 3, true, 4, false), arrive(&b, 1, 9, 2, true, 2, false);
    assert_int_equal(cycle(&b), 2);
    assert_int_equal(b.out.rel_warps[7] && b.out.rel_warps[9] && !b.out.rel_warps[6], 1);
    assert_int_equal(cycle(&b), 3);
    assert_int_equal(b.out.rel_warps[6] && b.out.rel_warps[8] && !b.out.rel_warps[4], 1);
    arrive(&b, 0, 4, 0, true, 0, false);
    cycle(&b);
    arrive(&b, 0, 5, 0, true, 0, true);
    cycle(&b);
    assert_int_equal(b.out.error[0], 2);  // k differs
    cta_barrier_model.close(b.m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rf),
        cmocka_unit_test(test_alloc),
        cmocka_unit_test(test_alloc_units),
        cmocka_unit_test(test_collect_ports),
        cmocka_unit_test(test_collect_order),
        cmocka_unit_test(test_collect_bounds),
        cmocka_unit_test(test_barrier_k),
        cmocka_unit_test(test_barrier_ends),
        cmocka_unit_test(test_barrier_reuse),
        cmocka_unit_test(test_barrier_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
