// SPDX-License-Identifier: Apache-2.0
// Golden model of assist_ctrl: order and class of deployed instructions; kills, ends and triggers
// in one cycle, in pairs.
#include "models/lines/assist_ctrl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WARPS = 48 };

static AssistCtrlIn in;
static AssistCtrlOut out;
static void *m;

static int setup(void **state) {
    const int params[] = {WARPS, 2, 1};
    (void)state;
    m = assist_ctrl_model.open(params);
    memset(&in, 0, sizeof in);
    return m ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    assist_ctrl_model.close(m);
    return 0;
}

// A cycle with the present inputs, which are then cleared but for ok and low_room. `out`: of this
// cycle.
static void cycle(void) {
    AssistCtrlIn next = {.low_room = {in.low_room[0]}};
    memcpy(next.ok, in.ok, sizeof next.ok);
    assist_ctrl_model.eval(m, &in, &out);
    assist_ctrl_model.tick(m, &in);
    in = next;
}

static void trigger(int p, int warp, int sr, int end) {
    in.trig_valid[0] |= 1u << p;
    in.trig_warp[p] = (uint32_t)warp;
    in.trig_sr[p] = (uint32_t)sr;
    in.trig_end[p] = (uint32_t)end;
    in.trig_mask[p] = 0xffff0000u + (uint32_t)sr;
}

static void all_ok(void) {
    memset(in.ok, 0xff, sizeof in.ok);
    in.low_room[0] = 1;
}

static void deploys(int p, int warp, int inst) {
    assert_int_equal(out.dep_valid[0], 1);
    assert_int_equal(out.dep_high[0], p);
    assert_int_equal(out.dep_warp[0], warp);
    assert_int_equal(out.dep_inst[0], inst);
}

static void test_routine_in_order(void **state) {
    (void)state;
    all_ok();
    trigger(1, 7, 3, 2);
    cycle();
    assert_int_equal(out.dep_valid[0] | out.busy[2] | out.hold[0], 0);  // deploys from t + 1 on
    cycle();
    deploys(1, 7, 0);
    assert_int_equal(out.dep_sr[0], 3);
    assert_int_equal(out.dep_mask[0], 0xffff0003u);
    assert_int_equal(out.busy[2], 1u << 7);
    assert_int_equal(out.hold[0], 1u << 7);
    cycle();
    deploys(1, 7, 1);
    cycle();
    assert_int_equal(out.dep_valid[0], 0);
    assert_int_equal(out.over[2], 1u << 7);
    in.done[2] = 1u << 7;
    cycle();
    assert_int_equal(out.busy[2], 1u << 7);
    cycle();
    assert_int_equal(out.busy[2] | out.over[2] | out.hold[0], 0);
}

// Each of 48 low entries is served within 48 deployments, and none while one of high priority can
// be.
static void test_ring(void **state) {
    (void)state;
    for (int w = 0; w < WARPS; w++) trigger(0, w, 1, 200), cycle();
    all_ok();
    for (int i = 0; i < 3 * WARPS; i++) {
        cycle();
        deploys(0, i % WARPS, i / WARPS);
    }
    trigger(1, 20, 2, 5);
    cycle();
    deploys(0, 0, 3);
    for (int i = 0; i < 5; i++) {
        cycle();
        deploys(1, 20, i);
    }
    cycle();
    deploys(0, 1, 3);  // the second class's ring has not moved
}

// Kill with deployment, end and trigger in one cycle.
static void test_pairs(void **state) {
    (void)state;
    trigger(0, 4, 1, 9);
    cycle();
    all_ok();
    in.kill[0] = 1u << 4;
    cycle();
    assert_int_equal(out.dep_valid[0], 0);  // kill and deploy: not deployed
    cycle();
    assert_int_equal(out.dep_valid[0], 0);
    assert_int_equal(out.over[0], 1u << 4);
    in.kill[0] = in.done[0] = 1u << 4;  // kill and done: free
    cycle();
    cycle();
    assert_int_equal(out.busy[0], 0);
    trigger(0, 4, 1, 9);  // kill and trigger: the kill meets no entry
    in.kill[0] = 1u << 4;
    cycle();
    cycle();
    deploys(0, 4, 0);
    in.done[0] = 1u << 4;  // done and deploy: not deployed
    cycle();
    assert_int_equal(out.dep_valid[0], 0);
    trigger(1, 4, 1, 9);  // done of one priority and trigger of the other
    cycle();
    cycle();
    deploys(1, 4, 0);
    assert_int_equal(out.busy[0], 0);
}

static void issue(int p, int warp, bool store, int target) {
    in.iss_valid[0] = 1;
    in.iss_high[0] = (uint32_t)p;
    in.iss_warp[0] = (uint32_t)warp;
    in.iss_store[0] = store;
    in.iss_jump[0] = target >= 0;
    in.iss_target[0] = target >= 0 ? (uint32_t)target : 0;
}

// A store pins a routine of low priority: first class, without low_room, and no kill stops it.
static void test_store_pins(void **state) {
    (void)state;
    trigger(0, 4, 1, 9);
    cycle();
    trigger(0, 2, 1, 9);
    cycle();
    memset(in.ok, 0xff, sizeof in.ok);  // no low_room
    cycle();
    assert_int_equal(out.dep_valid[0], 0);
    issue(0, 4, true, -1);
    in.kill[0] = 1u << 4;
    cycle();
    deploys(0, 4, 0);
    in.kill[0] = 1u << 4;
    cycle();
    deploys(0, 4, 1);
    in.low_room[0] = 1;
    cycle();
    deploys(0, 4, 2);  // before the one that has not stored
}

static void test_jump(void **state) {
    (void)state;
    trigger(1, 47, 1, 9);
    cycle();
    all_ok();
    issue(1, 47, false, 6);
    cycle();
    deploys(1, 47, 6);      // in the cycle of the jump
    in.kill[3] = 1u << 15;  // it has issued: not killed
    cycle();
    deploys(1, 47, 7);
    issue(1, 47, false, 9);
    cycle();
    assert_int_equal(out.dep_valid[0], 0);
    cycle();
    assert_int_equal(out.over[3], 1u << 15);
}

// Two at once where both may be staged, the last by itself; the one behind them is next.
static void test_two(void **state) {
    (void)state;
    trigger(1, 6, 1, 3);
    cycle();
    all_ok();
    in.ok2[2] = 1u << 6;
    cycle();
    deploys(1, 6, 0);
    assert_int_equal(out.dep_two[0], 1);
    in.ok2[2] = 1u << 6;
    cycle();
    deploys(1, 6, 2);
    assert_int_equal(out.dep_two[0], 0);
    cycle();
    assert_int_equal(out.over[2], 1u << 6);
    trigger(0, 9, 1, 3);
    cycle();
    in.ok2[2] = 1u << 9;  // of the other priority
    cycle();
    deploys(0, 9, 0);
    assert_int_equal(out.dep_two[0], 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_routine_in_order, setup, teardown),
        cmocka_unit_test_setup_teardown(test_ring, setup, teardown),
        cmocka_unit_test_setup_teardown(test_pairs, setup, teardown),
        cmocka_unit_test_setup_teardown(test_store_pins, setup, teardown),
        cmocka_unit_test_setup_teardown(test_jump, setup, teardown),
        cmocka_unit_test_setup_teardown(test_two, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
