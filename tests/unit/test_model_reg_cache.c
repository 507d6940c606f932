// SPDX-License-Identifier: Apache-2.0
// Golden model of reg_cache against scenarios written by hand from its contract. Random traffic
// runs beside a register file that is written at once: each value from the cache or the register
// file is the last one written.
#include "models/collect/reg_cache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WARPS = 4, WAYS = 2, BANKS = 2, ENTRIES = 16, COLLS = 4, PORTS = 2 };

typedef struct Bench {
    void *m;
    RegCacheIn in;
    RegCacheOut out;
    uint32_t file[BANKS][ENTRIES][32];  // the register file; takes the writes that rf_wr_ready says
} Bench;

static Bench bench(void) {
    return (Bench){
        .m = reg_cache_model.open((const int[]){WARPS, WAYS, BANKS, ENTRIES, COLLS, PORTS})};
}

static void write_lanes(uint32_t row[32], const uint32_t data[32], uint32_t lanes) {
    uint32_t old[32], new[32];
    rf_lanes_from_slices(old, row);
    rf_lanes_from_slices(new, data);
    for (int l = 0; l < 32; l++)
        if (lanes >> l & 1) old[l] = new[l];
    rf_slices_from_lanes(row, old);
}

// One cycle; the inputs are idle afterwards, but the register file still takes writes.
static void cycle(Bench *b) {
    reg_cache_model.eval(b->m, &b->in, &b->out);
    for (uint32_t left = b->out.rf_wr_valid[0] & b->in.rf_wr_ready[0]; left; left &= left - 1) {
        const int p = __builtin_ctz(left);
        write_lanes(b->file[b->out.rf_wr_bank[p]][b->out.rf_wr_entry[p]], b->out.rf_wr_data[p],
                    b->out.rf_wr_lane[p]);
    }
    reg_cache_model.tick(b->m, &b->in);
    b->in = (RegCacheIn){.rf_wr_ready = {b->in.rf_wr_ready[0]}};
}

static void fill(uint32_t slices[32], uint32_t value) {
    uint32_t lanes[32];
    for (int l = 0; l < 32; l++) lanes[l] = value + (uint32_t)l;
    rf_slices_from_lanes(slices, lanes);
}

// Places of a warp: register r in bank r mod BANKS, entry 4 * warp + r / BANKS.
static void result(Bench *b, int port, uint32_t warp, uint32_t reg, uint32_t value,
                   uint32_t lanes) {
    b->in.wr_valid[0] |= 1u << port;
    b->in.wr_warp[port] = warp;
    b->in.wr_bank[port] = reg % BANKS, b->in.wr_entry[port] = 4 * warp + reg / BANKS;
    b->in.wr_lane[port] = lanes;
    b->in.wr_whole[0] |= (uint32_t)(lanes == UINT32_MAX) << port;
    fill(b->in.wr_data[port], value);
}

static void ask(Bench *b, int coll, uint32_t warp, uint32_t reg) {
    b->in.rd_valid[0] |= 1u << coll;
    b->in.rd_warp[coll] = warp;
    b->in.rd_bank[coll] = reg % BANKS, b->in.rd_entry[coll] = 4 * warp + reg / BANKS;
    b->in.older[coll] = (1u << coll) - 1;
}

static uint32_t lane_of(const uint32_t slices[32], int lane) {
    uint32_t lanes[32];
    rf_lanes_from_slices(lanes, slices);
    return lanes[lane];
}

static uint32_t in_file(const Bench *b, uint32_t warp, uint32_t reg, int lane) {
    return lane_of(b->file[reg % BANKS][4 * warp + reg / BANKS], lane);
}

// The value that the cache gives for it in lane 31, or UINT32_MAX: it has none.
static uint32_t read_lane(Bench *b, uint32_t warp, uint32_t reg) {
    ask(b, 0, warp, reg);
    cycle(b);
    if (!b->out.rd_grant[0]) return UINT32_MAX;
    cycle(b);
    for (int k = 0; k < BANKS; k++)
        if (b->out.rd_data_valid[0] >> k & 1) return lane_of(b->out.rd_data[k], 31);
    return UINT32_MAX;
}

static void test_first_in_first_out(void **unused) {
    (void)unused;
    Bench b = bench();
    b.in.rf_wr_ready[0] = 3;
    result(&b, 0, 1, 0, 100, UINT32_MAX), cycle(&b);
    result(&b, 0, 1, 1, 200, UINT32_MAX), cycle(&b);
    assert_int_equal(b.out.wr_ready[0], 1);
    assert_int_equal(b.out.evict[0] | b.out.rf_wr_valid[0], 0);
    assert_int_equal(read_lane(&b, 1, 0), 131);
    // overwrites: no row is taken, it stays the first
    result(&b, 0, 1, 0, 300, UINT32_MAX), cycle(&b);
    assert_int_equal(b.out.wr_hit[0], 1);
    // register 0 leaves, though it was read and written last
    result(&b, 0, 1, 2, 400, UINT32_MAX), cycle(&b);
    assert_int_equal(b.out.evict[0], 1);
    ask(&b, 0, 1, 0), ask(&b, 1, 1, 3);  // in the buffer, and in the register file
    cycle(&b);
    assert_int_equal(b.out.rd_grant[0], 0);
    assert_int_equal(b.out.rf_rd_valid[0], 2);
    assert_int_equal(b.out.rf_wr_valid[0], 1);
    assert_int_equal(in_file(&b, 1, 0, 31), 331);
    ask(&b, 0, 1, 0);
    cycle(&b);
    assert_int_equal(b.out.rf_rd_valid[0], 1);
    assert_int_equal(read_lane(&b, 1, 1), 231);
    assert_int_equal(read_lane(&b, 1, 2), 431);
    assert_int_equal(read_lane(&b, 2, 2), UINT32_MAX);  // of another warp
    reg_cache_model.close(b.m);
}

static void test_lanes(void **unused) {
    (void)unused;
    Bench b = bench();
    b.in.rf_wr_ready[0] = 3;
    result(&b, 1, 0, 3, 100, 0xffff), cycle(&b);  // the cache lacks the other lanes
    assert_int_equal(b.out.rf_wr_valid[0], 2);
    assert_int_equal(in_file(&b, 0, 3, 15), 115);
    assert_int_equal(in_file(&b, 0, 3, 16), 0);
    result(&b, 1, 0, 3, 200, UINT32_MAX), cycle(&b);
    result(&b, 1, 0, 3, 300, 0xffff), cycle(&b);  // merged
    assert_int_equal(b.out.wr_hit[0], 2);
    assert_int_equal(b.out.rf_wr_valid[0], 0);
    assert_int_equal(read_lane(&b, 0, 3), 231);
    result(&b, 0, 0, 4, 0, UINT32_MAX), cycle(&b);
    result(&b, 0, 0, 5, 0, UINT32_MAX), cycle(&b);
    cycle(&b);
    assert_int_equal(in_file(&b, 0, 3, 15), 315);
    assert_int_equal(in_file(&b, 0, 3, 16), 216);
    reg_cache_model.close(b.m);
}

static void test_buffer(void **unused) {
    (void)unused;
    Bench b = bench();
    for (uint32_t r = 0; r < 3; r++) result(&b, 0, 0, r, 100 * r, UINT32_MAX), cycle(&b);
    // register 1 is to leave, register 0 is still there
    result(&b, 0, 0, 3, 300, UINT32_MAX);
    result(&b, 1, 0, 0, 700, UINT32_MAX);  // behind its own older value
    cycle(&b);
    assert_int_equal(b.out.wr_ready[0], 0);
    b.in.rf_wr_ready[0] = 1;
    result(&b, 0, 0, 3, 300, UINT32_MAX);
    cycle(&b);
    // in the cycle in which the buffer is emptied
    assert_int_equal(b.out.wr_ready[0], 1);
    assert_int_equal(b.out.evict[0], 1);
    assert_int_equal(in_file(&b, 0, 0, 0), 0);
    cycle(&b);
    assert_int_equal(in_file(&b, 0, 1, 0), 100);
    reg_cache_model.close(b.m);
}

static void test_banks(void **unused) {
    (void)unused;
    Bench b = bench();
    b.in.rf_wr_ready[0] = 3;
    // Ways 0 and 1 of warps 0 and 2 lie in banks 0 and 1, those of warp 1 in banks 1 and 0.
    for (uint32_t w = 0; w < 3; w++) result(&b, 0, w, 0, w, UINT32_MAX), cycle(&b);
    result(&b, 0, 1, 1, 5, UINT32_MAX), cycle(&b);
    ask(&b, 0, 0, 0), ask(&b, 1, 1, 0), ask(&b, 2, 2, 0);
    b.in.older[0] = 4, b.in.older[1] = 5, b.in.older[2] = 0;
    cycle(&b);
    assert_int_equal(b.out.rd_grant[0], 6);
    ask(&b, 0, 0, 0), ask(&b, 1, 1, 1), ask(&b, 2, 2, 0);
    b.in.older[0] = 4, b.in.older[1] = 5, b.in.older[2] = 0;
    cycle(&b);
    assert_int_equal(b.out.rd_grant[0], 4);  // the oldest
    ask(&b, 0, 0, 0);
    result(&b, 0, 1, 1, 7, UINT32_MAX), result(&b, 1, 2, 0, 8, UINT32_MAX);
    cycle(&b);
    assert_int_equal(b.out.rd_grant[0], 0);  // a result has the bank
    assert_int_equal(b.out.wr_ready[0], 1);
    assert_int_equal(b.out.rd_data_valid[0], 1);
    assert_int_equal(lane_of(b.out.rd_data[0], 0), 2);
    result(&b, 0, 1, 1, 9, UINT32_MAX), result(&b, 1, 2, 0, 8, UINT32_MAX);
    cycle(&b);
    assert_int_equal(b.out.wr_ready[0], 2);  // the refused port is first
    reg_cache_model.close(b.m);
}

static void test_dead(void **unused) {
    (void)unused;
    Bench b = bench();
    for (uint32_t r = 0; r < 2; r++) result(&b, 0, 3, r, 50, UINT32_MAX), cycle(&b);
    b.in.kill_valid[0] = 1, b.in.kill_warp[0] = 3, b.in.kill_bank[0] = 0, b.in.kill_entry[0] = 12;
    cycle(&b);
    assert_int_equal(b.out.killed[0], 1);
    result(&b, 0, 3, 2, 50, UINT32_MAX), cycle(&b);  // into its way, and nothing leaves
    assert_int_equal(b.out.wr_ready[0], 1);
    assert_int_equal(b.out.evict[0], 0);
    b.in.kill_valid[0] = 1, b.in.kill_warp[0] = 3, b.in.kill_bank[0] = 1, b.in.kill_entry[0] = 12;
    result(&b, 0, 3, 3, 50, UINT32_MAX), cycle(&b);  // it leaves in the same cycle
    assert_int_equal(b.out.evict[0], 1);
    assert_int_equal(b.out.killed[0], 0);
    b.in.drop_valid[0] = 1, b.in.drop_warp[0] = 3;
    cycle(&b);
    assert_int_equal(b.out.dropped[0], 2);
    b.in.drop_valid[0] = 1, b.in.drop_warp[0] = 3;
    cycle(&b);
    assert_int_equal(b.out.dropped[0], 0);
    assert_int_equal(b.out.rf_wr_valid[0], 1);  // the row that had left earlier
    reg_cache_model.close(b.m);
}

// ---- values -------------------------------------------------------------------------------------

enum { REGS = 8, CYCLES = 20000 };

typedef struct Traffic {
    Bench b;
    uint64_t random;
    uint32_t last[WARPS][REGS][32];  // the value written last, by lane
    int stored, overwritten, evicted, killed, dropped, rows, wanted[COLLS][2];
} Traffic;

static uint32_t draw(Traffic *t, uint32_t n) {
    t->random = t->random * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)((t->random >> 33) % n);
}

static uint32_t warp_of_place(const uint32_t entry) { return entry / 4; }

static void check_delivered(Traffic *t, uint32_t granted) {
    for (int k = 0; k < BANKS; k++) {
        if (!(t->b.out.rd_data_valid[0] >> k & 1)) continue;
        const uint32_t c = t->b.out.rd_data_coll[k];
        uint32_t lanes[32];
        assert_true(granted >> c & 1);
        rf_lanes_from_slices(lanes, t->b.out.rd_data[k]);
        assert_memory_equal(lanes, t->last[t->wanted[c][0]][t->wanted[c][1]], 128);
    }
}

// The register file's delivery for a miss.
static void check_missed(const Traffic *t, const RegCacheIn *in) {
    for (uint32_t left = t->b.out.rf_rd_valid[0]; left; left &= left - 1) {
        const int c = __builtin_ctz(left);
        const uint32_t bank = in->rd_bank[c], entry = in->rd_entry[c];
        uint32_t lanes[32];
        rf_lanes_from_slices(lanes, t->b.file[bank][entry]);
        assert_memory_equal(lanes, t->last[warp_of_place(entry)][entry % 4 * BANKS + bank], 128);
    }
}

static void take_results(Traffic *t, const RegCacheIn *in) {
    for (int p = 0; p < PORTS; p++) {
        if (!(t->b.out.wr_ready[0] >> p & 1)) continue;
        const bool hit = t->b.out.wr_hit[0] >> p & 1, whole = in->wr_whole[0] >> p & 1;
        const uint32_t warp = in->wr_warp[p], reg = in->wr_entry[p] % 4 * BANKS + in->wr_bank[p];
        uint32_t lanes[32];
        rf_lanes_from_slices(lanes, in->wr_data[p]);
        for (int l = 0; l < 32; l++)
            if (in->wr_lane[p] >> l & 1) t->last[warp][reg][l] = lanes[l];
        t->stored += hit || whole, t->overwritten += hit;
        t->rows += !hit && whole;
    }
    t->evicted += __builtin_popcount(t->b.out.evict[0]);
    t->rows -=
        __builtin_popcount(t->b.out.evict[0]) + (int)t->b.out.killed[0] + (int)t->b.out.dropped[0];
    t->killed += (int)t->b.out.killed[0], t->dropped += (int)t->b.out.dropped[0];
}

static void one_cycle(Traffic *t, uint32_t *granted) {
    Bench *b = &t->b;
    b->in = (RegCacheIn){.rf_wr_ready = {draw(t, 4)}};
    uint32_t written = 0;  // registers with a result in this cycle, which nobody reads
    for (int p = 0; p < PORTS; p++) {
        const uint32_t warp = draw(t, WARPS), reg = draw(t, REGS), id = 1u << (warp * REGS + reg);
        if (draw(t, 2) || written & id) continue;
        written |= id;
        result(b, p, warp, reg, draw(t, 1u << 30), draw(t, 4) ? UINT32_MAX : draw(t, 1u << 30));
    }
    int wanted[COLLS][2];
    for (int c = 0; c < COLLS; c++) {
        const uint32_t warp = draw(t, WARPS), reg = draw(t, REGS);
        wanted[c][0] = (int)warp, wanted[c][1] = (int)reg;
        if (draw(t, 2) && !(written >> (warp * REGS + reg) & 1)) ask(b, c, warp, reg);
    }
    const RegCacheIn in = b->in;
    reg_cache_model.eval(b->m, &in, &b->out);
    check_delivered(t, *granted);
    check_missed(t, &in);
    memcpy(t->wanted, wanted, sizeof wanted);
    *granted = b->out.rd_grant[0];
    cycle(b);
    take_results(t, &in);
}

static void test_values(void **unused) {
    (void)unused;
    Traffic *t = calloc(1, sizeof *t);
    t->b = bench(), t->random = 5;
    uint32_t granted = 0;
    for (int i = 0; i < CYCLES; i++) one_cycle(t, &granted);
    for (uint32_t w = 0; w < WARPS; w++) {  // the rows dropped at the end are all that remain
        t->b.in = (RegCacheIn){.rf_wr_ready = {3}, .drop_valid = {1}, .drop_warp = {w}};
        cycle(&t->b);
        take_results(t, &t->b.in);
    }
    assert_true(t->evicted > 1000 && t->overwritten > 1000);
    assert_int_equal(t->rows, 0);
    assert_int_equal(t->stored, t->overwritten + t->evicted + t->killed + t->dropped);
    reg_cache_model.close(t->b.m);
    free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_first_in_first_out),
                                       cmocka_unit_test(test_lanes),
                                       cmocka_unit_test(test_buffer),
                                       cmocka_unit_test(test_banks),
                                       cmocka_unit_test(test_dead),
                                       cmocka_unit_test(test_values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
