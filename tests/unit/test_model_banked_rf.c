// SPDX-License-Identifier: Apache-2.0
// Golden model of banked_rf against scenarios written by hand from its contract.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "models/rf/banked_rf.h"

enum { BANKS = 4, ENTRIES = 8, COLLS = 4 };

typedef struct Bench {
    void *model;
    BankedRfIn in;
    BankedRfOut out;
} Bench;

static void bench_open(Bench *b, int writers) {
    const int params[] = {BANKS, ENTRIES, COLLS, writers};
    memset(b, 0, sizeof *b);
    b->model = banked_rf_model.open(params);
    assert_non_null(b->model);
    banked_rf_model.reset(b->model);
}

static void bench_close(Bench *b) { banked_rf_model.close(b->model); }
static void bench_eval(Bench *b) { banked_rf_model.eval(b->model, &b->in, &b->out); }

// Ends the cycle and takes all requests back.
static void bench_tick(Bench *b) {
    banked_rf_model.tick(b->model, &b->in);
    memset(&b->in, 0, sizeof b->in);
}

static void ask_read(Bench *b, int c, uint32_t bank, uint32_t entry) {
    b->in.rd_valid[0] |= 1u << c;
    b->in.rd_bank[c] = bank;
    b->in.rd_entry[c] = entry;
}

static void ask_write(Bench *b, int w, uint32_t bank, uint32_t entry, uint32_t value) {
    b->in.wr_valid[0] |= 1u << w;
    b->in.wr_bank[w] = bank;
    b->in.wr_entry[w] = entry;
    b->in.wr_slice[w] = 15;
    b->in.wr_lane[w] = 0xffffffffu;
    for (int i = 0; i < 32; i++) b->in.wr_data[w][i] = value + (uint32_t)i;
}

static void assert_row(const uint32_t row[32], uint32_t value) {
    for (int i = 0; i < 32; i++) assert_int_equal(row[i], value + (uint32_t)i);
}

static void what_is_written_is_read(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, 2);
    ask_write(&b, 0, 2, 5, 1000);
    ask_write(&b, 1, 3, 5, 2000);
    bench_eval(&b);
    assert_int_equal(b.out.wr_ready[0], 3);
    bench_tick(&b);
    ask_read(&b, 1, 2, 5);
    ask_read(&b, 3, 3, 5);
    b.in.older[3] = 1u << 1;
    bench_eval(&b);
    assert_int_equal(b.out.rd_grant[0], 1u << 1 | 1u << 3);
    assert_int_equal(b.out.rd_data_valid[0], 0);
    bench_tick(&b);
    ask_write(&b, 0, 2, 5, 7000);  // in the cycle of delivery: not seen by the read
    bench_eval(&b);
    assert_int_equal(b.out.rd_data_valid[0], 1u << 2 | 1u << 3);
    assert_int_equal(b.out.rd_data_coll[2], 1);
    assert_int_equal(b.out.rd_data_coll[3], 3);
    assert_row(b.out.rd_data[2], 1000);
    assert_row(b.out.rd_data[3], 2000);
    bench_tick(&b);
    bench_eval(&b);
    assert_int_equal(b.out.rd_data_valid[0], 0);  // once
    bench_close(&b);
}

static void only_selected_bytes_change(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, 2);
    ask_write(&b, 0, 0, 1, 0);
    memset(b.in.wr_data[0], 0x11, 128);
    bench_tick(&b);
    ask_write(&b, 0, 0, 1, 0);
    memset(b.in.wr_data[0], 0xee, 128);
    b.in.wr_slice[0] = 1u << 2;            // byte 2 ...
    b.in.wr_lane[0] = 1u << 0 | 1u << 31;  // ... of lanes 0 and 31
    bench_tick(&b);
    ask_read(&b, 0, 0, 1);
    bench_tick(&b);
    bench_eval(&b);
    uint32_t lanes[32];
    rf_lanes_from_slices(lanes, b.out.rd_data[0]);
    for (int l = 0; l < 32; l++)
        assert_int_equal(lanes[l], l == 0 || l == 31 ? 0x11ee1111u : 0x11111111u);
    bench_close(&b);
}

static void slices_come_from_two_entries(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, 2);
    ask_write(&b, 0, 1, 2, 0);
    memset(b.in.wr_data[0], 0xaa, 128);
    ask_write(&b, 1, 1, 3, 0);
    memset(b.in.wr_data[1], 0x55, 128);
    for (int i = 0; i < 2; i++) {  // one bank: one after the other
        const BankedRfIn both = b.in;
        bench_eval(&b);
        assert_int_equal(b.out.wr_ready[0], 1u << i);
        bench_tick(&b);
        b.in = both;
    }
    memset(&b.in, 0, sizeof b.in);
    ask_read(&b, 2, 1, 2);
    b.in.rd_entry2[2] = 3;
    b.in.rd_sel[2] = 1u << 0 | 1u << 3;
    bench_tick(&b);
    bench_eval(&b);
    uint32_t lanes[32];
    rf_lanes_from_slices(lanes, b.out.rd_data[1]);
    for (int l = 0; l < 32; l++) assert_int_equal(lanes[l], 0x55aaaa55u);
    bench_close(&b);
}

static void writes_win_over_reads_of_their_bank(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, 2);
    ask_write(&b, 1, 2, 0, 0);
    ask_read(&b, 0, 2, 1);
    ask_read(&b, 1, 3, 1);
    bench_eval(&b);
    assert_int_equal(b.out.wr_ready[0], 1u << 1);
    assert_int_equal(b.out.rd_grant[0], 1u << 1);
    bench_close(&b);
}

static void the_oldest_reader_is_served(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, 2);
    // order of age 2, 0, 3, 1; 0 and 3 and 1 ask bank 1, 2 asks bank 0
    const uint32_t older[] = {1u << 2, 1u << 2 | 1u << 0 | 1u << 3, 0, 1u << 2 | 1u << 0};
    for (int c = 0; c < COLLS; c++) ask_read(&b, c, c == 2 ? 0 : 1, 0), b.in.older[c] = older[c];
    bench_eval(&b);
    assert_int_equal(b.out.rd_grant[0], 1u << 2 | 1u << 0);
    b.in.rd_valid[0] &= ~(1u << 0);  // older bits of one that does not ask do not count
    bench_eval(&b);
    assert_int_equal(b.out.rd_grant[0], 1u << 2 | 1u << 3);
    bench_close(&b);
}

// Who wins when all writers keep asking for one bank, cycle after cycle.
static void assert_winners(int writers, const int *winner, int cycles) {
    Bench b;
    bench_open(&b, writers);
    for (int t = 0; t < cycles; t++) {
        for (int w = 0; w < writers; w++) ask_write(&b, w, 1, (uint32_t)w, 0);
        bench_eval(&b);
        assert_int_equal(b.out.wr_ready[0], 1u << winner[t]);
        bench_tick(&b);
    }
    bench_close(&b);
}

static void the_loser_of_a_conflict_wins_the_next(void **state) {
    (void)state;
    assert_winners(2, (const int[]){0, 1, 0, 1}, 4);
    assert_winners(3, (const int[]){0, 1, 2, 0, 1}, 5);
    assert_winners(1, (const int[]){0, 0}, 2);
    // A write alone is no conflict and changes nothing; each bank has its own memory of conflicts.
    Bench b;
    bench_open(&b, 2);
    ask_write(&b, 0, 1, 0, 0), ask_write(&b, 1, 1, 0, 0);
    bench_tick(&b);  // 0 wins bank 1
    ask_write(&b, 1, 1, 0, 0);
    bench_eval(&b);
    assert_int_equal(b.out.wr_ready[0], 2);  // alone
    bench_tick(&b);
    ask_write(&b, 0, 2, 0, 0), ask_write(&b, 1, 2, 0, 0);
    bench_eval(&b);
    assert_int_equal(b.out.wr_ready[0], 1);  // bank 2: first conflict
    bench_tick(&b);
    ask_write(&b, 0, 1, 0, 0), ask_write(&b, 1, 1, 0, 0);
    bench_eval(&b);
    assert_int_equal(b.out.wr_ready[0], 2);  // bank 1: the loser of cycle 0
    uint32_t words[32];
    banked_rf_model.observe(b.model, BANKS * ENTRIES + 1, words);
    assert_int_equal(words[0], 1);
    bench_close(&b);
}

static void reset_keeps_the_memory_and_drops_the_rest(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, 2);
    ask_write(&b, 0, 0, 3, 42), ask_write(&b, 1, 0, 4, 42);
    bench_tick(&b);
    ask_read(&b, 0, 0, 3);
    bench_tick(&b);
    banked_rf_model.reset(b.model);
    bench_eval(&b);
    assert_int_equal(b.out.rd_data_valid[0], 0);
    uint32_t words[32];
    banked_rf_model.observe(b.model, BANKS * ENTRIES + 0, words);
    assert_int_equal(words[0], 0);
    banked_rf_model.observe(b.model, 3, words);
    assert_row(words, 42);
    bench_close(&b);
}

static void observation_covers_rows_priorities_parameters(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, 2);
    assert_int_equal(banked_rf_model.obs_count(b.model), BANKS * ENTRIES + BANKS);
    const uint32_t params[] = {BANKS, ENTRIES, COLLS, 2};
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t words[32];
        banked_rf_model.observe(b.model, BLOCK_OBS_PARAM + i, words);
        assert_int_equal(words[0], params[i]);
        assert_int_equal(words[1], 0);
    }
    bench_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(only_selected_bytes_change),
        cmocka_unit_test(slices_come_from_two_entries),
        cmocka_unit_test(writes_win_over_reads_of_their_bank),
        cmocka_unit_test(the_oldest_reader_is_served),
        cmocka_unit_test(the_loser_of_a_conflict_wins_the_next),
        cmocka_unit_test(reset_keeps_the_memory_and_drops_the_rest),
        cmocka_unit_test(observation_covers_rows_priorities_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
