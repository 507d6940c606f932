// SPDX-License-Identifier: Apache-2.0
// Golden model of coalescer against the examples of the thesis (2.4.3, 2.5.3) and the rules of its
// header.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "models/collect/coalescer.h"

typedef struct Bench {
    void *model;
    CoalescerIn in;
    CoalescerOut out;
} Bench;

static void bench_open(Bench *b, uint32_t mode) {
    const int params[] = {2, 3, 4, 256};
    memset(b, 0, sizeof *b);
    b->model = coalescer_model.open(params);
    b->in.co_mode[0] = mode;
}

static void operand(Bench *b, int i, uint32_t reg, uint32_t bank, uint32_t entry, uint32_t mask) {
    b->in.co_valid[0] |= 1u << i;
    b->in.co_reg[i] = reg, b->in.co_bank[i] = bank, b->in.co_entry[i] = entry,
    b->in.co_mask[i] = mask;
}

static void bench_eval(Bench *b) {
    memset(&b->out, 0xee, sizeof b->out);
    coalescer_model.eval(b->model, &b->in, &b->out);
}

static void bench_close(Bench *b) { coalescer_model.close(b->model); }

// Fig. 2.10: r1 (1000) and r3 (0111) in P0, r2 (0111) and r4 (1000) in P1, all of one bank.
static void figure(Bench *b, int i, int reg) {
    static const uint32_t entry[] = {0, 0, 1, 0, 1}, mask[] = {0, 8, 7, 7, 8};
    operand(b, i, (uint32_t)reg, 2, entry[reg], mask[reg]);
}

static void corf_reads_one_entry(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, CO_SAME_ENTRY);
    figure(&b, 0, 1), figure(&b, 1, 3);
    figure(&b, 3, 1), figure(&b, 4, 2);  // the second instruction: two entries, two reads
    bench_eval(&b);
    assert_int_equal(b.out.rd_valid[0], 1 | 1 << 3 | 1 << 4);
    assert_int_equal(b.out.rd_entry[0], 0);
    assert_int_equal(b.out.rd_sel[0], 0);
    assert_int_equal(b.out.rd_mask1[0], 8);
    assert_int_equal(b.out.rd_mask2[0], 7);
    assert_int_equal(b.out.rd_ops1[0], 1);
    assert_int_equal(b.out.rd_ops2[0], 2);
    assert_int_equal(b.out.co_coalesced[0], 1);
    assert_int_equal(b.out.co_possible[0], 3);
    assert_int_equal(b.out.co_multi[0], 3);
    assert_int_equal(b.out.rd_mask2[3], 0);
    bench_close(&b);
}

// r1 and r2: 1000 in P0 and 0111 in P1; Address2 is chosen in the slices of its allocation mask.
static void corf_pp_reads_two_entries(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, CO_DISJOINT);
    figure(&b, 0, 2), figure(&b, 2, 1);
    figure(&b, 3, 1), figure(&b, 4, 4);  // both in B3: they overlap
    bench_eval(&b);
    assert_int_equal(b.out.rd_valid[0], 1 | 1 << 3 | 1 << 4);
    assert_int_equal(b.out.rd_bank[0], 2);
    assert_int_equal(b.out.rd_entry[0], 1);
    assert_int_equal(b.out.rd_entry2[0], 0);
    assert_int_equal(b.out.rd_sel[0], 8);
    assert_int_equal(b.out.rd_ops2[0], 4);
    assert_int_equal(b.out.co_coalesced[0], 1);
    bench_close(&b);
}

static void banks_must_be_equal(void **state) {
    (void)state;
    for (uint32_t mode = CO_SAME_ENTRY; mode <= CO_DISJOINT; mode++) {
        Bench b;
        bench_open(&b, mode);
        operand(&b, 0, 1, 0, 7, 1), operand(&b, 1, 2, 1, 7, 2);
        bench_eval(&b);
        assert_int_equal(b.out.rd_valid[0], 3);
        assert_int_equal(b.out.co_coalesced[0], 0);
        assert_int_equal(b.out.co_possible[0], 1);
        bench_close(&b);
    }
}

// Three registers that all fit together: the first pair in the order 0-1, 0-2, 1-2.
static void first_pair_wins(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, CO_DISJOINT);
    operand(&b, 0, 1, 0, 5, 1), operand(&b, 1, 2, 0, 6, 2), operand(&b, 2, 3, 0, 7, 4);
    bench_eval(&b);
    assert_int_equal(b.out.rd_valid[0], 1 | 4);
    assert_int_equal(b.out.rd_ops2[0], 2);
    assert_int_equal(b.out.rd_mask2[2], 0);
    b.in.co_mask[1] = 1;  // now 1 overlaps 0: 0-2
    bench_eval(&b);
    assert_int_equal(b.out.rd_valid[0], 1 | 2);
    assert_int_equal(b.out.rd_ops2[0], 4);
    b.in.co_mask[0] = 15;  // 1-2 is left
    bench_eval(&b);
    assert_int_equal(b.out.rd_valid[0], 1 | 2);
    assert_int_equal(b.out.rd_ops2[0], 0);
    assert_int_equal(b.out.rd_ops2[1], 4);
    bench_close(&b);
}

static void one_register_twice(void **state) {
    (void)state;
    for (uint32_t mode = 0; mode < 4; mode++) {
        Bench b;
        bench_open(&b, mode);
        operand(&b, 0, 9, 1, 5, 1), operand(&b, 1, 8, 1, 5, 6), operand(&b, 2, 9, 1, 5, 1);
        bench_eval(&b);
        const bool merges = mode == CO_SAME_ENTRY || mode == CO_DISJOINT;
        assert_int_equal(b.out.co_merged[0], merges);
        assert_int_equal(b.out.rd_valid[0], merges ? 1 : 7);
        assert_int_equal(b.out.rd_ops1[0], merges ? 5 : 1);
        assert_int_equal(b.out.rd_ops2[0], merges ? 2 : 0);
        assert_int_equal(b.out.co_multi[0], 1);
        bench_close(&b);
    }
}

static void never_written_is_not_read(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, CO_DISJOINT);
    operand(&b, 0, 1, 0, 0, 0), operand(&b, 1, 2, 0, 6, 15), operand(&b, 2, 1, 0, 0, 0);
    bench_eval(&b);
    assert_int_equal(b.out.co_unread[0], 5);
    assert_int_equal(b.out.rd_valid[0], 2);
    assert_int_equal(b.out.co_merged[0], 0);
    assert_int_equal(b.out.co_possible[0], 0);
    bench_close(&b);
}

// Two full registers do not fit one entry: sizes are added without wrapping.
static void full_registers_do_not_fit(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, CO_SAME_ENTRY);
    operand(&b, 0, 1, 0, 1, 15), operand(&b, 1, 2, 0, 2, 15);
    bench_eval(&b);
    assert_int_equal(b.out.co_possible[0], 0);
    b.in.co_mask[0] = 3, b.in.co_mask[1] = 12;
    bench_eval(&b);
    assert_int_equal(b.out.co_possible[0], 1);
    bench_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corf_reads_one_entry),     cmocka_unit_test(corf_pp_reads_two_entries),
        cmocka_unit_test(banks_must_be_equal),      cmocka_unit_test(first_pair_wins),
        cmocka_unit_test(one_register_twice),       cmocka_unit_test(never_written_is_not_read),
        cmocka_unit_test(full_registers_do_not_fit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
