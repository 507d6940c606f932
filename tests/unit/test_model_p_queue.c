// SPDX-License-Identifier: Apache-2.0
// Golden model of p_queue against scenarios written by hand from its contract and the P-mode paper.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "models/pmode/p_queue.h"

enum { WARPS = 4, DEPTH = 4, DISTANCE = 64, REGS = 63, PHY = 128, NONE = 63, ALL_IDLE = 15 };

typedef struct Bench {
    void *model;
    PQueueIn in;
    PQueueOut out;
} Bench;

static void bench_open(Bench *b) {
    const int params[] = {WARPS, DEPTH, DISTANCE, REGS, PHY, 2, 2, 2};
    memset(b, 0, sizeof *b);
    b->model = p_queue_model.open(params);
    assert_non_null(b->model);
    p_queue_model.reset(b->model);
}
static void bench_close(Bench *b) { p_queue_model.close(b->model); }
static void bench_eval(Bench *b) { p_queue_model.eval(b->model, &b->in, &b->out); }
// The cycle as driven: its outputs, then the clock edge; the next cycle starts with nothing driven.
static void bench_cycle(Bench *b) {
    bench_eval(b);
    p_queue_model.tick(b->model, &b->in);
    memset(&b->in, 0, sizeof b->in);
}

static void start(Bench *b, uint32_t warp, uint32_t pc) {
    b->in.start_valid[0] = 1, b->in.start_warp[0] = warp, b->in.start_pc[0] = pc;
}
static void push(Bench *b, int port, uint32_t warp, uint32_t pc, uint32_t dst, uint32_t phy) {
    b->in.push_valid[0] |= 1u << port;
    b->in.push_warp[port] = warp, b->in.push_pc[port] = pc, b->in.push_dst[port] = dst;
    b->in.push_seq[port] = pc / 8 & 255;  // as if there were no loop
    b->in.push_src0[port] = 1, b->in.push_src1[port] = 2, b->in.push_phy[port] = phy;
}
static void fetch(Bench *b, int port, uint32_t warp, uint32_t pc) {
    b->in.fetch_valid[0] |= 1u << port;
    b->in.fetch_warp[port] = warp, b->in.fetch_pc[port] = pc, b->in.fetch_seq[port] = pc / 8 & 255;
}
static void written(Bench *b, int port, uint32_t warp, uint32_t idx) {
    b->in.wb_valid[0] |= 1u << port;
    b->in.wb_warp[port] = warp, b->in.wb_idx[port] = idx;
}
static uint32_t idle(const Bench *b) {
    uint32_t mask = 0;
    for (int w = 0; w < WARPS; w++) mask |= b->out.idle[w] << w;
    return mask;
}

// Figure 5 of the paper: stalled at 0x90, P-mode executes 0x98, 0xA0 and, after the branch back,
// 0x88; the second mul at 0x90 is skipped. N-mode reuses them in that order and executes the rest.
static void figure_5(void **state) {
    (void)state;
    Bench b;
    bench_open(&b);
    start(&b, 1, 0x90);
    bench_cycle(&b);
    push(&b, 0, 1, 0x98, 1, 100);
    bench_cycle(&b);
    assert_int_equal(b.out.push_ok[0], 1);
    assert_int_equal(b.out.push_idx[0], 0);
    push(&b, 0, 1, 0xa0, 4, 101);
    bench_cycle(&b);
    push(&b, 0, 1, 0x88, 2, 102);  // behind the stalled instruction: a loop
    bench_cycle(&b);
    assert_int_equal(b.out.push_ok[0], 1);
    written(&b, 0, 1, 0), written(&b, 1, 1, 2);
    bench_cycle(&b);

    fetch(&b, 0, 1, 0x90);  // skipped in P-mode
    bench_cycle(&b);
    assert_int_equal(b.out.fetch_hit[0], 0);
    fetch(&b, 0, 1, 0x98);
    bench_cycle(&b);
    assert_int_equal(b.out.fetch_hit[0], 1);
    assert_int_equal(b.out.fetch_rdy[0], 1);
    assert_int_equal(b.out.fetch_dst[0], 1);
    assert_int_equal(b.out.fetch_src0[0], 1);
    assert_int_equal(b.out.fetch_src1[0], 2);
    assert_int_equal(b.out.fetch_phy[0], 100);
    fetch(&b, 0, 1, 0xa0);  // its result is not written yet: stays
    bench_cycle(&b);
    assert_int_equal(b.out.fetch_hit[0], 1);
    assert_int_equal(b.out.fetch_rdy[0], 0);
    written(&b, 0, 1, 1), fetch(&b, 0, 1, 0xa0);
    bench_cycle(&b);
    assert_int_equal(b.out.fetch_rdy[0], 0);  // seen from the next cycle on
    fetch(&b, 0, 1, 0xa0);
    bench_cycle(&b);
    assert_int_equal(b.out.fetch_rdy[0], 1);
    assert_int_equal(b.out.fetch_phy[0], 101);
    fetch(&b, 0, 1, 0x88), fetch(&b, 1, 0, 0x88);  // another warp has no such thing
    bench_cycle(&b);
    assert_int_equal(b.out.fetch_rdy[0], 1);
    assert_int_equal(b.out.fetch_phy[0], 102);
    fetch(&b, 0, 1, 0x90);  // the end of the queue: nothing to reuse any more
    bench_cycle(&b);
    assert_int_equal(b.out.fetch_hit[0], 0);
    assert_int_equal(idle(&b), ALL_IDLE);
    bench_close(&b);
}

// 10 bits of offset: 512 bytes each way.
static void reach(void **state) {
    (void)state;
    static const struct {
        uint32_t pc;
        bool in;
    } cases[] = {{0x1000 + 504, true}, {0x1000 + 511, true},  {0x1000 + 512, false},
                 {0x1000 - 512, true}, {0x1000 - 513, false}, {0x1000 + 0x80000000u, false},
                 {0x1000, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Bench b;
        bench_open(&b);
        start(&b, 0, 0x1000);
        bench_cycle(&b);
        push(&b, 0, 0, cases[i].pc, 5, 7);
        bench_cycle(&b);
        assert_int_equal(b.out.push_ok[0], cases[i].in);
        fetch(&b, 0, 0, cases[i].pc);
        bench_cycle(&b);
        assert_int_equal(b.out.fetch_hit[0], cases[i].in);
        bench_close(&b);
    }
    Bench b;  // addresses wrap
    bench_open(&b);
    start(&b, 0, 8);
    bench_cycle(&b);
    push(&b, 0, 0, 0xfffffff8u, 5, 7);
    bench_cycle(&b);
    assert_int_equal(b.out.push_ok[0], 1);
    fetch(&b, 0, 0, 0xfffffff8u);
    bench_cycle(&b);
    assert_int_equal(b.out.fetch_hit[0], 1);
    bench_close(&b);
}

static void full_wraps_and_keeps_order(void **state) {
    (void)state;
    Bench b;
    bench_open(&b);
    for (uint32_t i = 0; i < DEPTH; i++) {
        push(&b, 0, 2, 8 * i, i, 10 + i);
        bench_cycle(&b);
        assert_int_equal(b.out.push_ok[0], 1);
        assert_int_equal(b.out.push_idx[0], i);
    }
    push(&b, 0, 2, 80, 9, 99);
    bench_cycle(&b);
    assert_int_equal(b.out.push_ok[0], 0);  // P-mode only pre-loads now
    for (uint32_t i = 0; i < 3 * DEPTH; i++) {
        written(&b, 0, 2, i % DEPTH);
        bench_cycle(&b);
        fetch(&b, 1, 2, 8 * i), push(&b, 1, 2, 8 * (i + DEPTH), 5, 10 + i + DEPTH);
        bench_cycle(&b);
        assert_int_equal(b.out.fetch_rdy[0], 2);
        assert_int_equal(b.out.fetch_phy[1], 10 + i);
        assert_int_equal(b.out.push_ok[0], 0);  // full in this cycle, though one leaves
        push(&b, 0, 2, 8 * (i + DEPTH), 5, 10 + i + DEPTH);
        bench_cycle(&b);
        assert_int_equal(b.out.push_ok[0], 1);
        assert_int_equal(b.out.push_idx[0], i % DEPTH);
    }
    bench_close(&b);
}

static void one_of_a_warp_per_cycle(void **state) {
    (void)state;
    Bench b;
    bench_open(&b);
    push(&b, 0, 2, 0, 1, 1), push(&b, 1, 2, 8, 2, 2);
    bench_cycle(&b);
    assert_int_equal(b.out.push_ok[0], 1);
    push(&b, 0, 3, 9999, 1, 1), push(&b, 1, 3, 8, 2, 2);  // also when the first is refused
    bench_cycle(&b);
    assert_int_equal(b.out.push_ok[0], 0);
    push(&b, 0, 2, 8, NONE, 0), push(&b, 1, 3, 8, NONE, 0);
    bench_cycle(&b);
    assert_int_equal(b.out.push_ok[0], 3);
    fetch(&b, 0, 3, 0), fetch(&b, 1, 3, 8);
    bench_cycle(&b);
    assert_int_equal(b.out.fetch_hit[0], 0);
    fetch(&b, 0, 3, 8), fetch(&b, 1, 2, 0);
    bench_cycle(&b);
    assert_int_equal(b.out.fetch_hit[0], 3);
    assert_int_equal(b.out.fetch_rdy[0], 1);  // without destination: ready from the start
    bench_close(&b);
}

// A new session flushes: registers are released one per cycle, in order, each after its write.
static void start_flushes_what_is_left(void **state) {
    (void)state;
    Bench b;
    bench_open(&b);
    push(&b, 0, 0, 8, 1, 40);
    bench_cycle(&b);
    push(&b, 0, 0, 16, NONE, 41);
    bench_cycle(&b);
    push(&b, 0, 0, 24, 3, 42);
    bench_cycle(&b);
    written(&b, 0, 0, 2);
    bench_cycle(&b);
    start(&b, 0, 0x200), push(&b, 0, 0, 32, 4, 43), fetch(&b, 0, 0, 8);
    bench_cycle(&b);
    assert_int_equal(b.out.push_ok[0], 0);  // neither goes on in the cycle of the flush
    assert_int_equal(b.out.fetch_hit[0], 0);
    push(&b, 0, 0, 0x208, 4, 43), fetch(&b, 0, 0, 8);
    bench_cycle(&b);
    assert_int_equal(b.out.push_ok[0], 0);  // drains
    assert_int_equal(b.out.fetch_hit[0], 0);
    assert_int_equal(b.out.free_valid[0], 0);  // the head's result is not written
    written(&b, 1, 0, 0);
    bench_cycle(&b);
    assert_int_equal(b.out.free_valid[0], 0);
    bench_cycle(&b);
    assert_int_equal(b.out.free_valid[0], 1);
    assert_int_equal(b.out.free_phy[0], 40);
    bench_cycle(&b);
    assert_int_equal(b.out.free_valid[0], 0);  // has no register
    bench_cycle(&b);
    assert_int_equal(b.out.free_valid[0], 1);
    assert_int_equal(b.out.free_phy[0], 42);
    assert_int_equal(idle(&b), ALL_IDLE & ~1u);
    push(&b, 0, 0, 0x208, 4, 43);
    bench_cycle(&b);
    assert_int_equal(idle(&b), ALL_IDLE);
    assert_int_equal(b.out.push_ok[0], 1);  // relative to the new base
    bench_close(&b);
}

static void lowest_ready_warp_drains(void **state) {
    (void)state;
    Bench b;
    bench_open(&b);
    for (uint32_t w = 0; w < 3; w++) {
        push(&b, 0, w, 8, 1, 60 + w);
        bench_cycle(&b);
    }
    written(&b, 0, 1, 0), written(&b, 1, 2, 0);
    b.in.flush_valid[0] = 1, b.in.flush_warp[0] = 2, start(&b, 1, 0);
    bench_cycle(&b);
    b.in.flush_valid[0] = 1, b.in.flush_warp[0] = 0;
    bench_cycle(&b);
    assert_int_equal(b.out.free_phy[0], 61);
    bench_cycle(&b);
    assert_int_equal(b.out.free_phy[0], 62);     // warp 0 waits for its result
    written(&b, 0, 0, 0), written(&b, 1, 0, 3);  // the second names nothing valid
    bench_cycle(&b);
    assert_int_equal(b.out.free_valid[0], 0);
    bench_cycle(&b);
    assert_int_equal(b.out.free_valid[0], 1);
    assert_int_equal(b.out.free_phy[0], 60);
    bench_close(&b);
}

static void observation(void **state) {
    (void)state;
    Bench b;
    uint32_t words[4];
    bench_open(&b);
    assert_int_equal(p_queue_model.obs_count(b.model), WARPS * (DEPTH + 1) + 1);
    start(&b, 3, 0x108);
    bench_cycle(&b);
    push(&b, 0, 3, 0x100, 6, 77);
    bench_cycle(&b);
    written(&b, 0, 3, 0);
    bench_cycle(&b);
    p_queue_model.observe(b.model, 3 * DEPTH, words);
    assert_int_equal(words[0], 0xfu | 0x3f8u << 5 | 6u << 17 | 1u << 23);
    assert_int_equal(words[1], 2u | 77u << 8 | 77u << 16 | 0x20u << 24);
    assert_int_equal(words[2] | words[3], 0);
    p_queue_model.observe(b.model, 3 * DEPTH + 1, words);
    assert_int_equal(words[0] | words[1], 0);
    b.in.flush_valid[0] = 1, b.in.flush_warp[0] = 3;
    bench_cycle(&b);
    p_queue_model.observe(b.model, WARPS * DEPTH + 3, words);
    assert_int_equal(words[0], 0u | 1u << 8 | 1u << 16);
    assert_int_equal(words[1], 0x108);
    p_queue_model.reset(b.model);
    p_queue_model.observe(b.model, WARPS * DEPTH + 3, words);
    assert_int_equal(words[0] | words[1], 0);
    p_queue_model.observe(b.model, BLOCK_OBS_PARAM + 2, words);
    assert_int_equal(words[0], DISTANCE);
    bench_close(&b);
}

// Section 10 of the specification, item 2: X is skipped in the first turn of a loop, because it
// depends on load B. It executes in the second turn. Its result is the second turn's: in the first
// one N-mode must not take it.
static void another_turn_of_a_loop(void **state) {
    (void)state;
    Bench b;
    bench_open(&b);
    start(&b, 0, 0x80);
    bench_cycle(&b);
    push(&b, 0, 0, 0x90, 3, 50);
    b.in.push_seq[0] = 6;
    bench_cycle(&b);
    written(&b, 0, 0, 0);
    bench_cycle(&b);
    fetch(&b, 0, 0, 0x90);
    b.in.fetch_seq[0] = 2;
    bench_cycle(&b);
    assert_int_equal(b.out.fetch_hit[0] | b.out.fetch_rdy[0] | b.out.fetch_clash[0], 0);
    fetch(&b, 0, 0, 0x98);  // the modes took different paths: an error
    b.in.fetch_seq[0] = 6;
    bench_cycle(&b);
    assert_int_equal(b.out.fetch_hit[0], 0);
    assert_int_equal(b.out.fetch_clash[0], 1);
    fetch(&b, 1, 0, 0x90);
    b.in.fetch_seq[1] = 6;
    bench_cycle(&b);
    assert_int_equal(b.out.fetch_rdy[0], 2);
    assert_int_equal(b.out.fetch_phy[1], 50);
    bench_close(&b);
}

// A 64-bit result is there when both words are; predicates arrive with their values.
static void pairs_and_predicates(void **state) {
    (void)state;
    Bench b;
    bench_open(&b);
    push(&b, 0, 0, 0, 4, 10);
    b.in.push_pair[0] = 1, b.in.push_phy2[0] = 20, b.in.push_pred[0] = 1;
    bench_cycle(&b);
    written(&b, 0, 0, 0);
    b.in.wb_word[0] = 1;
    bench_cycle(&b);
    written(&b, 1, 0, 0);
    fetch(&b, 0, 0, 0);
    bench_cycle(&b);
    assert_int_equal(b.out.fetch_hit[0], 1);
    assert_int_equal(b.out.fetch_pair[0], 1);
    assert_int_equal(b.out.fetch_phy2[0], 20);
    assert_int_equal(b.out.fetch_rdy[0] | b.out.fetch_pred[0], 0);
    fetch(&b, 0, 0, 0);
    b.in.pw_valid[0] = 2, b.in.pw_warp[1] = 0, b.in.pw_idx[1] = 0;
    b.in.pw_first[1] = 0xf0f0f0f0, b.in.pw_second[1] = 0x12345678;
    bench_cycle(&b);
    assert_int_equal(b.out.fetch_rdy[0], 0);  // both words, not the predicates
    fetch(&b, 0, 0, 0);
    bench_cycle(&b);
    assert_int_equal(b.out.fetch_rdy[0], 1);
    assert_int_equal(b.out.fetch_pred[0], 1);
    assert_int_equal(b.out.fetch_first[0], 0xf0f0f0f0);
    assert_int_equal(b.out.fetch_second[0], 0x12345678);
    bench_close(&b);
}

// A drained pair releases two ids in two cycles, and no other warp interrupts it.
static void pairs_drain_in_two_cycles(void **state) {
    (void)state;
    Bench b;
    bench_open(&b);
    push(&b, 0, 1, 8, 2, 70), push(&b, 1, 0, 8, 2, 60);
    b.in.push_pair[0] = 1, b.in.push_phy2[0] = 71;
    bench_cycle(&b);
    written(&b, 0, 1, 0), written(&b, 1, 1, 0);
    b.in.wb_word[0] = 2;
    bench_cycle(&b);
    b.in.flush_valid[0] = 1, b.in.flush_warp[0] = 1, start(&b, 0, 0);
    written(&b, 0, 0, 0);
    b.in.wb_valid[0] = 0;
    bench_cycle(&b);
    written(&b, 0, 0, 0);  // the lower warp gets ready meanwhile
    bench_cycle(&b);
    assert_int_equal(b.out.free_valid[0], 1);
    assert_int_equal(b.out.free_phy[0], 70);
    bench_cycle(&b);
    assert_int_equal(b.out.free_phy[0], 71);
    assert_int_equal(idle(&b), ALL_IDLE & ~3u);
    bench_cycle(&b);
    assert_int_equal(b.out.free_phy[0], 60);
    bench_cycle(&b);
    assert_int_equal(b.out.free_valid[0], 0);
    assert_int_equal(idle(&b), ALL_IDLE);
    bench_close(&b);
}

// tiny: one entry, one physical register.
static void queue_of_one(void **state) {
    (void)state;
    Bench b = {0};
    const int params[] = {1, 1, 8, REGS, 1, 1, 1, 1};
    b.model = p_queue_model.open(params);
    assert_non_null(b.model);
    p_queue_model.reset(b.model);
    for (uint32_t turn = 0; turn < 3; turn++) {
        push(&b, 0, 0, 8, 1, 0);
        bench_cycle(&b);
        assert_int_equal(b.out.push_ok[0], 1);
        assert_int_equal(b.out.push_idx[0], 0);
        push(&b, 0, 0, 16, 1, 0), written(&b, 0, 0, 0);
        bench_cycle(&b);
        assert_int_equal(b.out.push_ok[0], 0);
        fetch(&b, 0, 0, 8);
        bench_cycle(&b);
        assert_int_equal(b.out.fetch_rdy[0], 1);
    }
    bench_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_5),
        cmocka_unit_test(reach),
        cmocka_unit_test(full_wraps_and_keeps_order),
        cmocka_unit_test(one_of_a_warp_per_cycle),
        cmocka_unit_test(start_flushes_what_is_left),
        cmocka_unit_test(lowest_ready_warp_drains),
        cmocka_unit_test(another_turn_of_a_loop),
        cmocka_unit_test(pairs_and_predicates),
        cmocka_unit_test(pairs_drain_in_two_cycles),
        cmocka_unit_test(queue_of_one),
        cmocka_unit_test(observation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
