// SPDX-License-Identifier: Apache-2.0
// Golden model of avail_vector against scenarios written by hand from its contract and the P-mode
// paper.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "models/pmode/avail_vector.h"

enum { IDS = 12, BANKS = 4, ENTRIES = 8, PORTS = 2, NOTHING = -1 };

typedef struct Bench {
    void *model;
    AvailVectorIn in;
    AvailVectorOut out;
} Bench;

static void bench_open(Bench *b) {
    const int params[] = {IDS, BANKS, ENTRIES, PORTS, 2};
    memset(b, 0, sizeof *b);
    b->model = avail_vector_model.open(params);
    assert_non_null(b->model);
    avail_vector_model.reset(b->model);
}
static void bench_close(Bench *b) { avail_vector_model.close(b->model); }
static void bench_cycle(Bench *b) {
    avail_vector_model.eval(b->model, &b->in, &b->out);
    avail_vector_model.tick(b->model, &b->in);
    memset(&b->in, 0, sizeof b->in);
}
static void ask(Bench *b, int port, uint32_t bank) {
    b->in.alloc_valid[0] |= 1u << port;
    b->in.alloc_bank[2 * port] = bank;
}
static void ask_pair(Bench *b, int port, uint32_t bank, uint32_t bank2) {
    ask(b, port, bank);
    b->in.alloc_pair[0] |= 1u << port;
    b->in.alloc_bank[2 * port + 1] = bank2;
}
static int got_word(const Bench *b, int c) {
    return b->out.alloc_word[0] >> c & 1 ? (int)b->out.alloc_phy[c] : NOTHING;
}
static int got(const Bench *b, int port) {
    assert_int_equal(b->out.alloc_ok[0] >> port & 1, b->out.alloc_word[0] >> 2 * port & 1);
    return got_word(b, 2 * port);
}
static void written(Bench *b, int port, uint32_t id) {
    b->in.wb_valid[0] |= 1u << port;
    b->in.wb_phy[port] = id;
}
static void give_up(Bench *b, int port, uint32_t id) {
    b->in.free_valid[0] |= 1u << port;
    b->in.free_phy[port] = id;
}
static void launch(Bench *b, uint32_t count) {
    b->in.load_valid[0] = 1, b->in.load_count[0] = count;
}

// Warp registers 896..1023 of the paper's machine; here 20..31, id 0 in bank 0.
static void places(void **state) {
    (void)state;
    assert_int_equal(avail_vector_bank(4, 256, 128, 0), 0);
    assert_int_equal(avail_vector_entry(4, 256, 128, 0), 224);
    assert_int_equal(avail_vector_bank(4, 256, 128, 127), 3);
    assert_int_equal(avail_vector_entry(4, 256, 128, 127), 255);
    assert_int_equal(avail_vector_bank(3, 50, 100, 0), 2);
    assert_int_equal(avail_vector_entry(3, 50, 100, 1), 17);
}

static void same_bank_first_then_any(void **state) {
    (void)state;
    Bench b;
    bench_open(&b);
    const int expected[] = {2, 6, 10, 0, 1, 3, 4, 5, 7, 8, 9, 11, NOTHING};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        ask(&b, 0, 2);
        bench_cycle(&b);
        assert_int_equal(got(&b, 0), expected[i]);
        assert_int_equal(b.out.ready[0], i < 9 ? 15 : (1 << (12 - i)) - 1);
    }
    bench_close(&b);
}

static void ports_in_order(void **state) {
    (void)state;
    Bench b;
    bench_open(&b);
    ask(&b, 0, 3), ask(&b, 1, 3);
    bench_cycle(&b);
    assert_int_equal(got(&b, 0), 3);
    assert_int_equal(got(&b, 1), 7);
    ask(&b, 0, 3), ask(&b, 1, 3);
    bench_cycle(&b);
    assert_int_equal(got(&b, 0), 11);
    assert_int_equal(got(&b, 1), 0);  // the bank is empty behind port 0
    ask(&b, 1, 1);
    bench_cycle(&b);
    assert_int_equal(got(&b, 0), NOTHING);
    assert_int_equal(got(&b, 1), 1);
    bench_close(&b);
}

static void pairs_get_two_or_none(void **state) {
    (void)state;
    Bench b;
    bench_open(&b);
    ask_pair(&b, 0, 1, 1), ask_pair(&b, 1, 1, 2);
    bench_cycle(&b);
    assert_int_equal(got_word(&b, 0), 1);
    assert_int_equal(got_word(&b, 1), 5);
    assert_int_equal(got_word(&b, 2), 9);
    assert_int_equal(got_word(&b, 3), 2);
    launch(&b, 9);  // 9, 10, 11 are left
    bench_cycle(&b);
    ask_pair(&b, 0, 0, 0), ask_pair(&b, 1, 0, 0);
    bench_cycle(&b);
    assert_int_equal(b.out.ready[0], 7);
    assert_int_equal(b.out.alloc_ok[0], 1);
    assert_int_equal(got_word(&b, 0), 9);
    assert_int_equal(got_word(&b, 1), 10);
    ask_pair(&b, 0, 3, 0), ask(&b, 1, 3);  // the pair leaves the last one to port 1
    bench_cycle(&b);
    assert_int_equal(b.out.alloc_ok[0], 2);
    assert_int_equal(got(&b, 1), 11);
    bench_close(&b);
}

static void what_the_launch_uses_is_taken(void **state) {
    (void)state;
    Bench b;
    bench_open(&b);
    launch(&b, 9), ask(&b, 0, 0);
    bench_cycle(&b);
    assert_int_equal(got(&b, 0), NOTHING);  // not in the cycle of the load
    give_up(&b, 0, 3), written(&b, 0, 4);   // strangers
    bench_cycle(&b);
    ask(&b, 0, 0), ask(&b, 1, 1);
    bench_cycle(&b);
    assert_int_equal(got(&b, 0), 9);   // bank 0 has nothing left: ids 0, 4, 8 are taken
    assert_int_equal(got(&b, 1), 10);  // bank 1 had only 9
    ask(&b, 0, 0), ask(&b, 1, 0);
    bench_cycle(&b);
    assert_int_equal(got(&b, 0), 11);
    assert_int_equal(got(&b, 1), NOTHING);
    launch(&b, 15);  // more than there are: all
    bench_cycle(&b);
    bench_cycle(&b);
    assert_int_equal(b.out.ready[0], 0);
    launch(&b, 0);  // forgets the owners
    bench_cycle(&b);
    written(&b, 0, 9), give_up(&b, 0, 9);
    bench_cycle(&b);
    ask(&b, 0, 1);
    bench_cycle(&b);
    assert_int_equal(got(&b, 0), 1);
    bench_close(&b);
}

static void freed_before_written_waits(void **state) {
    (void)state;
    Bench b;
    bench_open(&b);
    launch(&b, 11);  // id 11 alone
    bench_cycle(&b);
    ask(&b, 0, 3);
    bench_cycle(&b);
    assert_int_equal(got(&b, 0), 11);
    give_up(&b, 4, 11);  // its session is over, its result on its way
    bench_cycle(&b);
    give_up(&b, 0, 11);  // twice: no effect
    bench_cycle(&b);
    assert_int_equal(b.out.ready[0], 0);
    written(&b, 1, 11);
    bench_cycle(&b);
    assert_int_equal(b.out.ready[0], 0);
    ask(&b, 1, 0);
    bench_cycle(&b);
    assert_int_equal(got(&b, 1), 11);
    written(&b, 0, 11);
    bench_cycle(&b);
    bench_cycle(&b);
    assert_int_equal(b.out.ready[0], 0);  // written, but somebody's
    give_up(&b, 1, 11);
    bench_cycle(&b);
    ask(&b, 0, 3);
    bench_cycle(&b);
    assert_int_equal(got(&b, 0), 11);
    written(&b, 0, 11), give_up(&b, 2, 11);  // both at once
    bench_cycle(&b);
    bench_cycle(&b);
    assert_int_equal(b.out.ready[0], 1);
    bench_close(&b);
}

static void observation(void **state) {
    (void)state;
    Bench b;
    uint32_t word;
    bench_open(&b);
    assert_int_equal(avail_vector_model.obs_count(b.model), IDS + 1);
    launch(&b, 2);
    bench_cycle(&b);
    ask(&b, 0, 2), ask(&b, 1, 3);
    bench_cycle(&b);
    give_up(&b, 0, 3);
    bench_cycle(&b);
    const uint32_t expected[] = {0, 0, 2, 6, 1};
    for (uint32_t k = 0; k < 5; k++) {
        avail_vector_model.observe(b.model, k, &word);
        assert_int_equal(word, expected[k]);
    }
    avail_vector_model.observe(b.model, IDS, &word);
    assert_int_equal(word, 2);
    avail_vector_model.observe(b.model, BLOCK_OBS_PARAM + 1, &word);
    assert_int_equal(word, BANKS);
    bench_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places),
        cmocka_unit_test(same_bank_first_then_any),
        cmocka_unit_test(ports_in_order),
        cmocka_unit_test(pairs_get_two_or_none),
        cmocka_unit_test(what_the_launch_uses_is_taken),
        cmocka_unit_test(freed_before_written_waits),
        cmocka_unit_test(observation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
