// SPDX-License-Identifier: Apache-2.0
// Golden models of LARF's blocks against scenarios written by hand from the thesis (Figures 5.2 and
// 5.5) and from their contracts. They cover the answers of look-ups, the entries that a store to
// any byte kills, and when. They also cover a register that is hit while it is released.
#include "models/larf/addr_map_table.h"
#include "models/larf/load_shape.h"
#include "models/larf/ref_count.h"
#include "models/larf/wait_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ALL = -1, WORD = 1 };  // lanes; code of a stride of 4 bytes

typedef struct Table {
    void *m;
    AddrMapTableIn in;
    AddrMapTableOut out;
} Table;

static Table table(int row_bits, int ways) {
    return (Table){.m = addr_map_table_model.open((const int[]){row_bits, ways, 4, 256, 2})};
}

static void cycle(Table *t) {
    addr_map_table_model.eval(t->m, &t->in, &t->out);
    addr_map_table_model.tick(t->m, &t->in);
    t->in = (AddrMapTableIn){0};
}

static void ask(Table *t, uint32_t base, uint32_t code, uint32_t mask) {
    t->in.lk_valid[0] = 1, t->in.lk_base[0] = base, t->in.lk_code[0] = code,
    t->in.lk_mask[0] = mask;
}

// The answer to a load; a miss is entered with register `phys`.
static uint32_t load(Table *t, uint32_t base, uint32_t code, uint32_t mask, uint32_t phys) {
    ask(t, base, code, mask);
    for (int i = 0; i < AMT_CYCLES; i++) cycle(t);
    t->in.ins_valid[0] = 1, t->in.ins_phys[0] = phys;
    cycle(t);
    assert_int_equal(t->out.ans_valid[0], 1);
    return t->out.ans_kind[0];
}

static void arrive(Table *t, uint32_t phys) {
    t->in.arr_valid[0] = 1, t->in.arr_phys[0] = phys;
    for (int i = 0; i < AMT_DONE; i++) cycle(t);
    assert_int_equal(t->out.arr_done[0], 0);
    cycle(t);
    assert_int_equal(t->out.arr_done[0], 1);
    assert_int_equal(t->out.arr_done_phys[0], phys);
}

static void enter(Table *t, uint32_t base, uint32_t code, uint32_t mask, uint32_t phys) {
    assert_int_equal(load(t, base, code, mask, phys), AMT_MISS);
    assert_int_equal(t->out.ans_enter[0], 1);
    arrive(t, phys);
}

static void store(Table *t, uint32_t low, uint32_t high) {
    t->in.st_valid[0] = 1, t->in.st_low[0] = low, t->in.st_high[0] = high;
    for (int i = 0; i < 24; i++) cycle(t);
}

// The worked examples: a hit, a miss that is entered, a merge with shifts 3 and -29.
static void test_examples(void **unused) {
    (void)unused;
    Table t = table(5, 4);
    enter(&t, 0x10000000, WORD, (uint32_t)ALL, 3);
    assert_int_equal(load(&t, 0x10000000, WORD, (uint32_t)ALL, 9), AMT_HIT);
    assert_int_equal(t.out.ans_phys[0], 3);
    assert_int_equal(t.out.ans_wait[0], 0);
    enter(&t, 0x10004000, WORD, (uint32_t)ALL, 1);
    enter(&t, 0x10000080, WORD, (uint32_t)ALL, 2);
    assert_int_equal(load(&t, 0x1000000c, WORD, (uint32_t)ALL, 9), AMT_MERGE);
    assert_int_equal(t.out.ans_use[0], 3);
    assert_int_equal(t.out.ans_phys[0], 3);
    assert_int_equal(t.out.ans_phys[1], 2);
    assert_int_equal(t.out.ans_shift[0], 3);
    assert_int_equal(t.out.ans_shift[1], -29 & 63);
    assert_int_equal(t.out.ans_mask[0], 0x1fffffff);
    assert_int_equal(t.out.ans_mask[1], 0xe0000000);
    addr_map_table_model.close(t.m);
}

// Figure 5.2: rows of five words, 1..5 and 6..10, give 2..6 and 3..7.
static void test_figure_5_2(void **unused) {
    (void)unused;
    Table t = table(5, 4);
    enter(&t, 0x1004, WORD, 0x1f, 1);
    enter(&t, 0x1018, WORD, 0x1f, 2);
    for (uint32_t n = 1; n <= 2; n++) {
        assert_int_equal(load(&t, 0x1004 + 4 * n, WORD, 0x1f, 9), AMT_MERGE);
        assert_int_equal(t.out.ans_shift[0], n);
        assert_int_equal(t.out.ans_shift[1], ((int)n - 5) & 63);
        assert_int_equal(t.out.ans_mask[0], 0x1fu >> n);
    }
    addr_map_table_model.close(t.m);
}

// A look-up in each of 1000 cycles, each of which hits the entry of the previous one.
static void test_back_to_back(void **unused) {
    (void)unused;
    Table t = table(5, 4);
    int entered = 0, waits = 0;
    for (uint32_t n = 0; n < 1000 + AMT_CYCLES; n++) {
        if (n < 1000) ask(&t, 0x1000 + n / 2 * 128, WORD, (uint32_t)ALL);
        t.in.ins_valid[0] = 1, t.in.ins_phys[0] = n / 2 & 1023;
        cycle(&t);
        if (n < AMT_CYCLES) continue;
        assert_int_equal(t.out.ans_valid[0], 1);
        entered += t.out.ans_enter[0];
        waits += t.out.ans_wait[0];
    }
    assert_int_equal(entered, 500);
    assert_int_equal(waits, 500);
    addr_map_table_model.close(t.m);
}

// Stores to the last byte of a span, to the word of a lane that is off, to the byte before and
// behind.
static void test_stores(void **unused) {
    (void)unused;
    static const struct {
        uint32_t low;
        bool dies;
    } at[] = {{0x107f, true}, {0x1000, true}, {0x1010, true}, {0xfff, false}, {0x1080, false}};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        Table t = table(5, 4);
        enter(&t, 0x1000, WORD, 0xffffffef, 3);
        store(&t, at[i].low, at[i].low);
        assert_int_equal(load(&t, 0x1000, WORD, 0xffffffef, 9), at[i].dies ? AMT_MISS : AMT_HIT);
        addr_map_table_model.close(t.m);
    }
}

// A load right behind a store to its line misses and is not entered; another line's is not held up.
static void test_store_waits(void **unused) {
    (void)unused;
    Table t = table(5, 4);
    enter(&t, 0x1000, WORD, (uint32_t)ALL, 3);
    enter(&t, 0x2000, WORD, (uint32_t)ALL, 4);
    t.in.st_valid[0] = 1, t.in.st_low[0] = t.in.st_high[0] = 0x1000;
    ask(&t, 0x1000, WORD, (uint32_t)ALL);
    cycle(&t);
    ask(&t, 0x2000, WORD, (uint32_t)ALL);
    cycle(&t);
    cycle(&t);
    cycle(&t);
    assert_int_equal(t.out.ans_kind[0], AMT_MISS);
    assert_int_equal(t.out.ans_enter[0], 0);
    cycle(&t);
    assert_int_equal(t.out.ans_kind[0], AMT_HIT);
    addr_map_table_model.close(t.m);
}

// The data of a load that a store killed arrives late: it does not mark the entry that replaced it.
static void test_late_arrival(void **unused) {
    (void)unused;
    Table t = table(0, 1);
    assert_int_equal(load(&t, 0x1000, WORD, (uint32_t)ALL, 3), AMT_MISS);
    store(&t, 0x1000, 0x1003);
    assert_int_equal(load(&t, 0x1000, WORD, (uint32_t)ALL, 5), AMT_MISS);
    arrive(&t, 3);
    assert_int_equal(load(&t, 0x1000, WORD, (uint32_t)ALL, 9), AMT_HIT);
    assert_int_equal(t.out.ans_wait[0], 1);
    addr_map_table_model.close(t.m);
}

// Five bases in a row of four ways: first in, first out, and a hit saves nobody.
static void test_eviction(void **unused) {
    (void)unused;
    Table t = table(0, 4);
    for (uint32_t n = 0; n < 4; n++) enter(&t, 0x3000 + 4 * n, 0, 1, n);  // one window
    assert_int_equal(load(&t, 0x3000, 0, 1, 9), AMT_HIT);
    assert_int_equal(load(&t, 0x3010, 0, 1, 4), AMT_MISS);
    assert_int_equal(t.out.ans_evicts[0], 1);
    assert_int_equal(load(&t, 0x3004, 0, 1, 9), AMT_HIT);
    assert_int_equal(load(&t, 0x3000, 0, 1, 9), AMT_MISS);
    addr_map_table_model.close(t.m);
}

// Another warp's look-up is under way when a fence flushes: it misses and is not entered.
static void test_flush(void **unused) {
    (void)unused;
    for (int behind = 0; behind <= 2; behind++) {
        Table t = table(5, 4);
        enter(&t, 0x1000, WORD, (uint32_t)ALL, 3);
        ask(&t, 0x1000, WORD, (uint32_t)ALL);
        for (int i = 0; i <= AMT_CYCLES; i++) {
            if (i == behind) t.in.fl_valid[0] = 1;
            cycle(&t);
        }
        assert_int_equal(t.out.ans_valid[0], 1);
        assert_int_equal(t.out.ans_kind[0], AMT_MISS);
        assert_int_equal(t.out.ans_enter[0], 0);
        addr_map_table_model.close(t.m);
    }
}

// A register that is hit by a look-up accepted before its release: it is in use again before the
// table's answer.
static void test_release_and_hit(void **unused) {
    (void)unused;
    Table t = table(5, 4);
    enter(&t, 0x1000, WORD, (uint32_t)ALL, 3);
    ask(&t, 0x1000, WORD, (uint32_t)ALL);
    cycle(&t);
    t.in.rel_valid[0] = 1, t.in.rel_phys[0] = 3;
    cycle(&t);
    cycle(&t);
    cycle(&t);
    assert_int_equal(t.out.ans_kind[0], AMT_HIT);
    assert_int_equal(t.out.rel_done[0], 0);
    cycle(&t);
    assert_int_equal(t.out.rel_done[0], 1);
    assert_int_equal(load(&t, 0x1000, WORD, (uint32_t)ALL, 9), AMT_MISS);
    addr_map_table_model.close(t.m);
}

// A count of two bits has room for three: the fourth sharer is refused. The register is free only
// after the answer.
static void test_count(void **unused) {
    (void)unused;
    void *m = ref_count_model.open((const int[]){2, 16, 2, 2, 4});
    RefCountIn in = {.al_valid = {1}};
    RefCountOut out;
    ref_count_model.eval(m, &in, &out);
    assert_int_equal(out.al_grant[0], 1);
    const uint32_t phys = out.al_phys[0];
    ref_count_model.tick(m, &in);
    in = (RefCountIn){
        .inc_valid = {7}, .inc_phys = {phys, phys, phys}, .mk_valid = {1}, .mk_phys = {phys}};
    ref_count_model.eval(m, &in, &out);
    assert_int_equal(out.inc_grant[0], 3);
    assert_int_equal(out.free_count[0], 31);
    ref_count_model.tick(m, &in);
    in = (RefCountIn){.dec_valid = {7}, .dec_phys = {phys, phys, phys}};
    ref_count_model.tick(m, &in);
    in = (RefCountIn){.rel_ready = {1}};
    ref_count_model.eval(m, &in, &out);
    assert_int_equal(out.rel_valid[0], 1);
    assert_int_equal(out.rel_phys[0], phys);
    ref_count_model.tick(m, &in);
    // a look-up has hit it
    in = (RefCountIn){.inc_valid = {1}, .inc_phys = {phys}, .done_valid = {1}, .done_phys = {phys}};
    ref_count_model.tick(m, &in);
    in = (RefCountIn){0};
    ref_count_model.eval(m, &in, &out);
    assert_int_equal(out.free_count[0], 31);
    assert_int_equal(out.rel_valid[0], 0);
    ref_count_model.close(m);
}

// Guarded loads: lane 0 off, a middle lane off, a stride that one lane does not keep.
static void test_shape(void **unused) {
    (void)unused;
    static const struct {
        uint32_t mask, spoil;
        int ok;
        uint32_t base, code;
    } at[] = {{0xffffffff, 0, 1, 0x2000, 2},
              {0xfffffffe, 0, 1, 0x2000, 2},
              {0xffff7fff, 0, 1, 0x2000, 2},
              {0xffffffff, 4, 0, 0, 0},
              {0x80000000, 0, 1, 0x20f8, 0},
              {0x00000009, 0, 0, 0, 0},
              {0, 0, 0, 0, 0}};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        void *m = load_shape_model.open((const int[]){64});
        LoadShapeIn in = {.in_valid = {1}, .in_mask = {at[i].mask}};
        LoadShapeOut out;
        uint32_t addr[32];
        for (uint32_t l = 0; l < 32; l++) addr[l] = 0x2000 + 8 * l + (l == 17 ? at[i].spoil : 0);
        rf_slices_from_lanes(in.in_addr[0], addr);
        for (int n = 0; n < LS_CYCLES; n++) load_shape_model.tick(m, &in), in.in_valid[0] = 0;
        load_shape_model.eval(m, &in, &out);
        assert_int_equal(out.out_valid[0], 1);
        assert_int_equal(out.out_ok[0], at[i].ok);
        if (at[i].ok) assert_int_equal(out.out_base[0], at[i].base);
        if (at[i].ok) assert_int_equal(out.out_code[0], at[i].code);
        load_shape_model.close(m);
    }
}

// Three wait for one value, two ports wake them in two cycles; a fourth finds no place.
static void test_waiters(void **unused) {
    (void)unused;
    void *m = wait_table_model.open((const int[]){3, 48, 63, 4, 256, 2});
    WaitTableIn in = {.en_valid = {1}, .en_phys = {7}};
    WaitTableOut out;
    for (uint32_t w = 0; w < 3; w++) {
        in.en_warp[0] = w, in.en_reg[0] = 10 + w;
        wait_table_model.tick(m, &in);
    }
    wait_table_model.eval(m, &in, &out);
    assert_int_equal(out.en_ready[0], 0);
    in = (WaitTableIn){.arr_valid = {2}, .arr_phys = {0, 7}};
    wait_table_model.tick(m, &in);
    in = (WaitTableIn){0};
    wait_table_model.eval(m, &in, &out);
    assert_int_equal(out.wk_valid[0], 3);
    assert_int_equal(out.wk_reg[1], 11);
    wait_table_model.tick(m, &in);
    wait_table_model.eval(m, &in, &out);
    assert_int_equal(out.wk_valid[0], 1);
    assert_int_equal(out.wk_warp[0], 2);
    wait_table_model.close(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples),        cmocka_unit_test(test_figure_5_2),
        cmocka_unit_test(test_back_to_back),    cmocka_unit_test(test_stores),
        cmocka_unit_test(test_store_waits),     cmocka_unit_test(test_late_arrival),
        cmocka_unit_test(test_eviction),        cmocka_unit_test(test_flush),
        cmocka_unit_test(test_release_and_hit), cmocka_unit_test(test_count),
        cmocka_unit_test(test_shape),           cmocka_unit_test(test_waiters)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
