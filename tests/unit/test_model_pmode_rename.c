// SPDX-License-Identifier: Apache-2.0
// Golden model of pmode_rename against scenarios written by hand from its contract and the P-mode
// paper.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "models/pmode/pmode_rename.h"

enum { WARPS = 3, REGS = 63, PHY = 128, PORTS = 2, OPS = 3, ORIGINAL = -1, NOTHING = -1 };

typedef struct Bench {
    void *model;
    PmodeRenameIn in;
    PmodeRenameOut out;
} Bench;

static void bench_open(Bench *b) {
    const int params[] = {WARPS, REGS, PHY, PORTS, OPS};
    memset(b, 0, sizeof *b);
    b->model = pmode_rename_model.open(params);
    assert_non_null(b->model);
    pmode_rename_model.reset(b->model);
}
static void bench_close(Bench *b) { pmode_rename_model.close(b->model); }
static void bench_cycle(Bench *b) {
    pmode_rename_model.eval(b->model, &b->in, &b->out);
    pmode_rename_model.tick(b->model, &b->in);
    memset(&b->in, 0, sizeof b->in);
}

// Where an instruction of that mode finds the register: an id or ORIGINAL.
static int find(Bench *b, uint32_t warp, bool pmode, uint32_t reg) {
    PmodeRenameIn in = {.lk_warp = {0, warp}, .lk_pmode = {(uint32_t)pmode << 1}};
    in.lk_src[OPS + 2] = in.lk_dst[1] = reg;
    pmode_rename_model.eval(b->model, &in, &b->out);
    const bool renamed = b->out.src_renamed[0] >> (OPS + 2) & 1;
    assert_int_equal(b->out.dst_renamed[0] >> 2 & 1, renamed);
    if (renamed) assert_int_equal(b->out.dst_phy[2], b->out.src_phy[OPS + 2]);
    return renamed ? (int)b->out.src_phy[OPS + 2] : ORIGINAL;
}

static void set(Bench *b, int port, uint32_t warp, bool pmode, uint32_t reg, uint32_t phy,
                bool own) {
    b->in.set_valid[0] |= 1u << port;
    b->in.lk_pmode[0] |= (uint32_t)pmode << port;
    b->in.set_own[0] |= (uint32_t)own << port;
    b->in.lk_warp[port] = warp, b->in.lk_dst[port] = reg, b->in.set_phy[2 * port] = phy;
}
static void kill(Bench *b, int port, uint32_t warp, bool pmode, uint32_t reg) {
    set(b, port, warp, pmode, reg, 0, false);
    b->in.set_kill[0] |= 1u << port;
}
static void end(Bench *b, uint32_t warp, bool all) {
    b->in.end_valid[0] = 1, b->in.end_all[0] = all, b->in.end_warp[0] = warp;
}
// Word of a destination, by port; behind them the ids that take-down releases.
static int freed_word(const Bench *b, int c) {
    return b->out.free_valid[0] >> c & 1 ? (int)b->out.free_phy[c] : NOTHING;
}
static int freed(const Bench *b, int port) { return freed_word(b, 2 * port); }
static void set_pair(Bench *b, int port, uint32_t warp, bool pmode, uint32_t reg, uint32_t phy,
                     uint32_t phy2, bool own) {
    set(b, port, warp, pmode, reg, phy, own);
    b->in.lk_pair[0] |= 1u << port;
    b->in.set_phy[2 * port + 1] = phy2;
}

// Slides, "WAR and WAW hazards": sub.$r2 is renamed to $p0, and the set.lt behind it reads $p0. In
// N-mode mul still reads $r2 itself. When sub is reused, $r2 is $p0 for all later instructions.
static void hazards_of_the_slides(void **state) {
    (void)state;
    Bench b;
    bench_open(&b);
    assert_int_equal(find(&b, 0, true, 2), ORIGINAL);
    set(&b, 0, 0, true, 2, 100, false);  // sub, taken by the P-queue
    bench_cycle(&b);
    assert_int_equal(freed(&b, 0), NOTHING);
    assert_int_equal(find(&b, 0, true, 2), 100);
    assert_int_equal(find(&b, 0, false, 2), ORIGINAL);
    assert_int_equal(find(&b, 1, true, 2), ORIGINAL);
    end(&b, 0, false);  // the load is there
    bench_cycle(&b);
    assert_int_equal(find(&b, 0, true, 2), ORIGINAL);
    bench_cycle(&b);
    assert_int_equal(freed_word(&b, 2 * PORTS), NOTHING);  // the P-queue owns $p0
    set(&b, 1, 0, false, 2, 100, false);                   // sub is reused
    bench_cycle(&b);
    assert_int_equal(find(&b, 0, false, 2), 100);
    assert_int_equal(find(&b, 0, true, 2), 100);  // P-mode falls back on N
    kill(&b, 0, 0, false, 2);                     // an instruction writes $r2
    bench_cycle(&b);
    assert_int_equal(freed(&b, 0), 100);
    assert_int_equal(find(&b, 0, false, 2), ORIGINAL);
    bench_close(&b);
}

static void replaced_mappings_are_freed_by_their_owner(void **state) {
    (void)state;
    Bench b;
    bench_open(&b);
    set(&b, 0, 0, true, 5, 1, true);  // the queue was full: the table owns it
    bench_cycle(&b);
    set(&b, 0, 0, true, 5, 2, false);
    bench_cycle(&b);
    assert_int_equal(freed(&b, 0), 1);
    set(&b, 0, 0, true, 5, 3, true);
    bench_cycle(&b);
    assert_int_equal(freed(&b, 0), NOTHING);  // 2 is the queue's
    kill(&b, 0, 0, true, 5);                  // a write to r5 is skipped
    bench_cycle(&b);
    assert_int_equal(freed(&b, 0), 3);
    kill(&b, 0, 0, true, 5);
    bench_cycle(&b);
    assert_int_equal(freed(&b, 0), NOTHING);
    // own is for the P-table: the N-table owns every register that it maps
    set(&b, 0, 0, false, 5, 7, false);
    bench_cycle(&b);
    set(&b, 1, 0, false, 5, 8, false);  // another reuse takes its place
    bench_cycle(&b);
    assert_int_equal(freed(&b, 1), 7);
    assert_int_equal(freed(&b, 0), NOTHING);
    bench_close(&b);
}

static void a_session_ends(void **state) {
    (void)state;
    Bench b;
    bench_open(&b);
    set(&b, 0, 1, true, 62, 10, true), set(&b, 1, 2, true, 0, 20, true);
    bench_cycle(&b);
    set(&b, 0, 1, true, 3, 11, false), set(&b, 1, 2, false, 4, 21, false);
    bench_cycle(&b);
    end(&b, 1, false);
    set(&b, 0, 1, true, 9, 12, true);  // arrives just in time
    bench_cycle(&b);
    assert_int_equal(b.out.busy[1], 0);
    end(&b, 2, true);
    set(&b, 0, 1, true, 9, 13, true);    // too late: ignored
    set(&b, 1, 1, false, 3, 11, false);  // the port is the second of its warp: ignored
    bench_cycle(&b);
    assert_int_equal(b.out.busy[1], 1);
    assert_int_equal(freed(&b, 0), NOTHING);
    assert_int_equal(freed_word(&b, 2 * PORTS), 12);  // r9 before r62; r3 was only borrowed
    set(&b, 0, 1, false, 3, 11, false);               // N-mode goes on
    bench_cycle(&b);
    assert_int_equal(freed_word(&b, 2 * PORTS), 10);
    assert_int_equal(find(&b, 1, false, 3), 11);
    bench_cycle(&b);
    assert_int_equal(b.out.busy[1], 0);
    assert_int_equal(freed_word(&b, 2 * PORTS), 20);    // warp 2: P-table first
    assert_int_equal(find(&b, 2, false, 4), ORIGINAL);  // no longer answers
    bench_cycle(&b);
    assert_int_equal(freed_word(&b, 2 * PORTS), 21);
    assert_int_equal(b.out.busy[2], 1);
    bench_cycle(&b);
    assert_int_equal(b.out.busy[2], 0);
    assert_int_equal(freed_word(&b, 2 * PORTS), NOTHING);
    assert_int_equal(find(&b, 1, false, 3), 11);
    bench_close(&b);
}

static void empty_tables_take_a_cycle(void **state) {
    (void)state;
    Bench b;
    bench_open(&b);
    end(&b, 0, true);
    bench_cycle(&b);
    for (int i = 0; i < 2; i++) {
        bench_cycle(&b);
        assert_int_equal(b.out.busy[0], 1);
        assert_int_equal(b.out.free_valid[0], 0);
    }
    bench_cycle(&b);
    assert_int_equal(b.out.busy[0], 0);
    bench_close(&b);
}

static void no_such_register(void **state) {
    (void)state;
    Bench b;
    bench_open(&b);
    set(&b, 0, 0, true, 63, 5, true);
    bench_cycle(&b);
    assert_int_equal(find(&b, 0, true, 63), ORIGINAL);
    end(&b, 0, true);
    bench_cycle(&b);
    bench_cycle(&b);
    assert_int_equal(b.out.free_valid[0], 0);
    bench_close(&b);
}

static void observation(void **state) {
    (void)state;
    Bench b;
    uint32_t word;
    bench_open(&b);
    assert_int_equal(pmode_rename_model.obs_count(b.model), WARPS * (REGS + 1));
    set(&b, 0, 2, true, 7, 127, true), set(&b, 1, 1, false, 7, 64, false);
    bench_cycle(&b);
    set(&b, 0, 2, false, 7, 3, false);
    end(&b, 1, true);
    bench_cycle(&b);
    pmode_rename_model.observe(b.model, 2 * REGS + 7, &word);
    assert_int_equal(word, 1u | 3u << 1 | 1u << 9 | 127u << 10 | 1u << 18);
    pmode_rename_model.observe(b.model, WARPS * REGS + 1, &word);
    assert_int_equal(word, 3);
    pmode_rename_model.observe(b.model, BLOCK_OBS_PARAM + 2, &word);
    assert_int_equal(word, PHY);
    pmode_rename_model.reset(b.model);
    pmode_rename_model.observe(b.model, 2 * REGS + 7, &word);
    assert_int_equal(word, 0);
    bench_close(&b);
}

// A 64-bit result: both words are mapped, replaced and freed together, for any earlier state of
// each.
static void pairs(void **state) {
    (void)state;
    Bench b;
    bench_open(&b);
    set_pair(&b, 1, 0, true, 4, 10, 11, true);
    bench_cycle(&b);
    assert_int_equal(find(&b, 0, true, 4), 10);
    assert_int_equal(find(&b, 0, true, 5), 11);
    // where a merge reads the old values
    b.in.lk_dst[0] = 4, b.in.lk_pair[0] = 1, b.in.lk_pmode[0] = 1;
    bench_cycle(&b);
    assert_int_equal(b.out.dst_renamed[0], 3);
    assert_int_equal(b.out.dst_phy[0], 10);
    assert_int_equal(b.out.dst_phy[1], 11);
    set(&b, 0, 0, true, 5, 12, false);  // one word of it
    bench_cycle(&b);
    assert_int_equal(freed(&b, 0), 11);
    set_pair(&b, 0, 0, true, 4, 13, 14, false);
    bench_cycle(&b);
    assert_int_equal(freed_word(&b, 0), 10);
    assert_int_equal(freed_word(&b, 1), NOTHING);  // 12 is the queue's
    set_pair(&b, 0, 0, false, 4, 13, 14, false);   // reused
    bench_cycle(&b);
    kill(&b, 0, 0, false, 4);
    b.in.lk_pair[0] = 1;  // an N-write of all lanes
    bench_cycle(&b);
    assert_int_equal(freed_word(&b, 0), 13);
    assert_int_equal(freed_word(&b, 1), 14);
    assert_int_equal(find(&b, 0, false, 4), ORIGINAL);
    assert_int_equal(find(&b, 0, false, 5), ORIGINAL);
    set_pair(&b, 0, 0, true, 7, 20, 21, true);  // no pair begins at an odd register
    bench_cycle(&b);
    assert_int_equal(find(&b, 0, true, 7), 20);
    assert_int_equal(find(&b, 0, true, 8), ORIGINAL);
    set_pair(&b, 0, 0, true, REGS - 1, 22, 23, true);  // nor ends beyond the last one
    bench_cycle(&b);
    assert_int_equal(find(&b, 0, true, REGS - 1), 22);
    assert_int_equal(find(&b, 0, true, 0), ORIGINAL);
    bench_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hazards_of_the_slides),
        cmocka_unit_test(replaced_mappings_are_freed_by_their_owner),
        cmocka_unit_test(a_session_ends),
        cmocka_unit_test(empty_tables_take_a_cycle),
        cmocka_unit_test(no_such_register),
        cmocka_unit_test(pairs),
        cmocka_unit_test(observation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
