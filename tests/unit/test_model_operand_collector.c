// SPDX-License-Identifier: Apache-2.0
// Golden model of operand_collector against scenarios written by hand from its contract.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "models/collect/operand_collector.h"

enum { COLLS = 4, OPS = 3, ALLOCS = 2, UNITS = 2, BANKS = 4, ENTRIES = 256 };

typedef struct Bench {
    void *model;
    OperandCollectorIn in;
    OperandCollectorOut out;
} Bench;

static void bench_open(Bench *b) {
    const int params[] = {COLLS, OPS, ALLOCS, UNITS, BANKS, ENTRIES};
    memset(b, 0, sizeof *b);
    b->model = operand_collector_model.open(params);
    assert_non_null(b->model);
    operand_collector_model.reset(b->model);
}

static void bench_close(Bench *b) { operand_collector_model.close(b->model); }

// Ends the cycle with the inputs as they are, takes them back, and shows the outputs of the next
// cycle.
static void bench_tick(Bench *b) {
    operand_collector_model.tick(b->model, &b->in);
    memset(&b->in, 0, sizeof b->in);
    operand_collector_model.eval(b->model, &b->in, &b->out);
}

// Operand o of an instruction on port p: bank o, entry 10 * tag + o.
static void enter(Bench *b, int port, uint32_t unit, uint32_t need, uint32_t tag) {
    b->in.alloc_valid[0] |= 1u << port;
    b->in.alloc_unit[port] = unit;
    b->in.alloc_need[port] = need;
    for (uint32_t o = 0; o < OPS; o++) {
        b->in.alloc_bank[(uint32_t)port * OPS + o] = o;
        b->in.alloc_entry[(uint32_t)port * OPS + o] = 10 * tag + o;
    }
}

static void grant(Bench *b, int c) { b->in.rd_grant[0] |= 1u << c; }

static void deliver(Bench *b, int bank, uint32_t c, uint32_t value) {
    b->in.rd_data_valid[0] |= 1u << bank;
    b->in.rd_data_coll[bank] = c;
    for (int i = 0; i < 32; i++) b->in.rd_data[bank][i] = value;
}

static void ready_tells_how_many_are_free(void **state) {
    (void)state;
    Bench b;
    bench_open(&b);
    bench_tick(&b);
    assert_int_equal(b.out.alloc_ready[0], 3);
    assert_int_equal(b.out.alloc_slot[0], 0);
    assert_int_equal(b.out.alloc_slot[1], 1);
    enter(&b, 1, 0, 1, 0);  // port 1 alone takes its slot, the second lowest
    bench_tick(&b);
    assert_int_equal(b.out.alloc_slot[0], 0);
    assert_int_equal(b.out.alloc_slot[1], 2);
    enter(&b, 0, 0, 1, 0), enter(&b, 1, 0, 1, 0);
    bench_tick(&b);
    assert_int_equal(b.out.alloc_ready[0], 1);  // only collector 3
    assert_int_equal(b.out.alloc_slot[0], 3);
    enter(&b, 1, 0, 1, 0);  // not ready: ignored
    bench_tick(&b);
    assert_int_equal(b.out.alloc_ready[0], 1);
    enter(&b, 0, 0, 1, 0);
    bench_tick(&b);
    assert_int_equal(b.out.alloc_ready[0], 0);
    assert_int_equal(b.out.rd_valid[0], 15);
    // order of entering: 1, 0, 2, 3
    assert_int_equal(b.out.older[1], 0);
    assert_int_equal(b.out.older[0], 1u << 1);
    assert_int_equal(b.out.older[2], 1u << 1 | 1u << 0);
    assert_int_equal(b.out.older[3], 7);
    bench_close(&b);
}

static void a_refused_request_gives_way_to_the_next_operand(void **state) {
    (void)state;
    Bench b;
    bench_open(&b);
    enter(&b, 0, 0, 7, 4);
    bench_tick(&b);
    // refused each time: 0, 1, 2, 0
    for (uint32_t t = 0; t < 4; t++) {
        assert_int_equal(b.out.rd_valid[0], 1);
        assert_int_equal(b.out.rd_bank[0], t % 3);
        assert_int_equal(b.out.rd_entry[0], 40 + t % 3);
        bench_tick(&b);
    }
    assert_int_equal(b.out.rd_bank[0], 1);
    grant(&b, 0);  // operand 1: 2 and 0 are left
    bench_tick(&b);
    assert_int_equal(b.out.rd_bank[0], 2);
    deliver(&b, 1, 0, 101);
    bench_tick(&b);
    assert_int_equal(b.out.rd_bank[0], 0);
    grant(&b, 0);
    bench_tick(&b);
    assert_int_equal(b.out.rd_bank[0], 2);  // the last one stays, refused or not
    deliver(&b, 0, 0, 100);
    bench_tick(&b);
    assert_int_equal(b.out.rd_bank[0], 2);
    grant(&b, 0);
    bench_tick(&b);
    assert_int_equal(b.out.rd_valid[0], 0);
    assert_int_equal(b.out.disp_valid[0], 0);  // granted, not arrived
    deliver(&b, 2, 0, 102);
    bench_tick(&b);
    assert_int_equal(b.out.disp_valid[0], 1);
    assert_int_equal(b.out.disp_need[0], 7);
    for (uint32_t o = 0; o < OPS; o++) assert_int_equal(b.out.disp_data[o][31], 100 + o);
    bench_close(&b);
}

static void only_needed_operands_are_asked_for(void **state) {
    (void)state;
    Bench b;
    bench_open(&b);
    enter(&b, 0, 1, 1u << 1, 2);  // operand 1 only
    enter(&b, 1, 0, 0, 3);        // none: ready at once
    bench_tick(&b);
    assert_int_equal(b.out.rd_valid[0], 1);
    assert_int_equal(b.out.rd_bank[0], 1);
    assert_int_equal(b.out.rd_entry[0], 21);
    assert_int_equal(b.out.disp_valid[0], 1u << 0);
    assert_int_equal(b.out.disp_slot[0], 1);
    assert_int_equal(b.out.disp_need[0], 0);
    grant(&b, 0);
    b.in.disp_ready[0] = 1;
    bench_tick(&b);
    assert_int_equal(b.out.disp_valid[0], 0);
    assert_int_equal(b.out.alloc_slot[0], 1);  // free for the next cycle
    deliver(&b, 1, 0, 55);
    bench_tick(&b);
    assert_int_equal(b.out.disp_valid[0], 1u << 1);
    assert_int_equal(b.out.disp_slot[1], 0);
    assert_int_equal(b.out.disp_need[0], 1u << (1 * OPS + 1));
    assert_int_equal(b.out.disp_data[1 * OPS + 1][0], 55);
    bench_tick(&b);
    assert_int_equal(b.out.disp_valid[0], 1u << 1);  // the unit did not take it
    bench_close(&b);
}

static void the_oldest_ready_of_a_unit_is_offered(void **state) {
    (void)state;
    Bench b;
    bench_open(&b);
    enter(&b, 0, 0, 1, 0), enter(&b, 1, 0, 0, 0);  // collector 0 waits for an operand, 1 is ready
    bench_tick(&b);
    enter(&b, 0, 0, 0, 0), enter(&b, 1, 1, 0, 0);  // 2 ready for unit 0, 3 for unit 1
    bench_tick(&b);
    assert_int_equal(b.out.disp_valid[0], 3);
    assert_int_equal(b.out.disp_slot[0], 1);
    assert_int_equal(b.out.disp_slot[1], 3);
    grant(&b, 0);
    bench_tick(&b);
    deliver(&b, 0, 0, 9);
    bench_tick(&b);
    assert_int_equal(b.out.disp_slot[0], 0);  // the older one arrived late and leaves first
    b.in.disp_ready[0] = 1;
    bench_tick(&b);
    assert_int_equal(b.out.disp_slot[0], 1);
    assert_int_equal(b.out.older[1], 0);  // the one that left is older than nobody
    assert_int_equal(b.out.older[0], 0);
    enter(&b, 0, 0, 0, 0);  // collector 0 again, now the youngest
    b.in.disp_ready[0] = 1;
    bench_tick(&b);
    assert_int_equal(b.out.disp_slot[0], 2);
    assert_int_equal(b.out.older[0], 1u << 2 | 1u << 3);
    bench_close(&b);
}

static void strangers_are_ignored(void **state) {
    (void)state;
    Bench b;
    bench_open(&b);
    grant(&b, 2);          // a grant without a request
    deliver(&b, 3, 1, 1);  // data nobody waits for
    bench_tick(&b);
    assert_int_equal(b.out.disp_valid[0], 0);
    enter(&b, 0, 0, 1, 0);
    bench_tick(&b);
    deliver(&b, 0, 0, 1);  // data before the grant
    bench_tick(&b);
    assert_int_equal(b.out.disp_valid[0], 0);
    assert_int_equal(b.out.rd_valid[0], 1);
    bench_close(&b);
}

static void observation_shows_the_status(void **state) {
    (void)state;
    Bench b;
    uint32_t words[32];
    bench_open(&b);
    assert_int_equal(operand_collector_model.obs_count(b.model), COLLS * (1 + OPS));
    enter(&b, 0, 0, 1, 0), enter(&b, 1, 1, 5, 7);  // collector 1: operands 0 and 2 for unit 1
    bench_tick(&b);
    grant(&b, 1);
    bench_tick(&b);
    deliver(&b, 0, 1, 77);
    bench_tick(&b);
    operand_collector_model.observe(b.model, 1, words);
    assert_int_equal(words[0], 1 | 5u << 1 | 1u << 4 | 1u << 7 | 2u << 10 | 1u << 12);
    assert_int_equal(words[1], 1u << 0);
    assert_int_equal(words[2], 0u << 16 | 70);
    assert_int_equal(words[3], 0);
    assert_int_equal(words[4], 2u << 16 | 72);
    operand_collector_model.observe(b.model, COLLS + 1 * OPS + 0, words);
    assert_int_equal(words[31], 77);
    operand_collector_model.observe(b.model, COLLS + 1 * OPS + 2, words);
    assert_int_equal(words[31], 0);  // not arrived
    operand_collector_model.observe(b.model, 3, words);
    assert_int_equal(words[0], 0);
    operand_collector_model.observe(b.model, BLOCK_OBS_PARAM + 3, words);
    assert_int_equal(words[0], UNITS);
    operand_collector_model.reset(b.model);
    operand_collector_model.observe(b.model, 1, words);
    assert_int_equal(words[0] | words[1] | words[2], 0);
    bench_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ready_tells_how_many_are_free),
        cmocka_unit_test(a_refused_request_gives_way_to_the_next_operand),
        cmocka_unit_test(only_needed_operands_are_asked_for),
        cmocka_unit_test(the_oldest_ready_of_a_unit_is_offered),
        cmocka_unit_test(strangers_are_ignored),
        cmocka_unit_test(observation_shows_the_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
