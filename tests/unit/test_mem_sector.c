// SPDX-License-Identifier: Apache-2.0
// Lines in sectors: valid, requested and moved sectors, their time; and the hash of L1's sets.
#include "mem_harness.h"

enum { A = 0x10000000, SECTOR = 32, LINE = 128 };

static MemRequest sectors(MemKind kind, uint32_t base, int n) {
    MemRequest r = request(kind, base, 4, 4);
    r.active = n == 4 ? UINT32_MAX : (1u << 8 * n) - 1;
    return r;
}

static void test_unloaded_latencies(void **state) {
    (void)state;
    static const char *const MACHINES[] = {"fermi", "fermi-caba", "kepler", "pascal"};
    static const char *const ACCESS[] = {"dram.access=0", "dram.access=32", "dram.access=64",
                                         "dram.access=128"};
    for (int i = 0; i < 16; i++) {
        Bench b;
        BENCH_OPEN(&b, MACHINES[i / 4], "l1.sector=32", "dram.groups=4", "dram.tccdl=9",
                   ACCESS[i % 4]);
        const MachineConfig *c = &b.cfg;
        assert_int_equal(bench_alone(&b, sectors(MEM_LOAD, A, 1)), c->dram_latency);
        assert_int_equal(bench_alone(&b, sectors(MEM_LOAD, A, 1)), c->l1_latency);
        mem_flush_l1(b.m, 0);
        assert_int_equal(bench_alone(&b, sectors(MEM_LOAD, A, 1)), c->l2_latency);
        bench_alone(&b, sectors(MEM_LOAD, A, 4));
        mem_flush_l1(b.m, 0);
        // A whole line is four sectors on the response link.
        assert_int_equal(bench_alone(&b, sectors(MEM_LOAD, A, 4)),
                         c->l2_latency + 128 / c->xbar_flit -
                             (32 + c->xbar_flit - 1) / c->xbar_flit);
        bench_close(&b);
    }
}

// Lanes a line apart: of each line one sector moves; in DRAM as much as a column command carries.
static void test_scattered_traffic(void **state) {
    (void)state;
    static const struct {
        const char *sector, *access;
        int l1, dram;
    } MOVED[] = {
        {"l1.sector=0", "dram.access=0", 128, 128},   {"l1.sector=32", "dram.access=0", 32, 32},
        {"l1.sector=32", "dram.access=32", 32, 32},   {"l1.sector=32", "dram.access=64", 32, 64},
        {"l1.sector=32", "dram.access=128", 32, 128}, {"l1.sector=0", "dram.access=32", 128, 128}};
    for (size_t i = 0; i < sizeof MOVED / sizeof *MOVED; i++) {
        Bench b;
        BENCH_OPEN(&b, "fermi", MOVED[i].sector, MOVED[i].access);
        bench_alone(&b, request(MEM_LOAD, A, LINE, 4));
        assert_int_equal(COUNT(&b, L1_MISSES), 32);
        assert_int_equal(COUNT(&b, L1_MISS_SECTORS), MOVED[i].l1);
        assert_int_equal(COUNT(&b, DRAM_READS), 32);
        assert_int_equal(COUNT(&b, DRAM_READ_SECTORS), MOVED[i].dram);
        // A line takes 7.589 cycles of the share's bus.
        assert_in_range(COUNT(&b, DRAM_BUSY), MOVED[i].dram / 4.0 * 7.58 - 1,
                        MOVED[i].dram / 4.0 * 7.6);
        bench_close(&b);
    }
}

static void test_one_after_the_other(void **state) {
    (void)state;
    Bench b;
    BENCH_OPEN(&b, "fermi", "l1.sector=32", "dram.access=64");
    assert_int_equal(bench_alone(&b, sectors(MEM_LOAD, A, 1)), 440);
    // fetched into L2 with the first
    assert_int_equal(bench_alone(&b, sectors(MEM_LOAD, A + SECTOR, 1)), 200);
    // Sectors 2 and 3 are missing: one request of two sectors, an MSHR and a miss.
    bench_alone(&b, sectors(MEM_LOAD, A, 4));
    assert_int_equal(COUNT(&b, L1_MISSES), 3);
    assert_int_equal(COUNT(&b, L1_MISS_SECTORS), 4);
    assert_int_equal(COUNT(&b, L2_HITS), 1);
    assert_int_equal(COUNT(&b, L2_MISSES), 2);
    assert_int_equal(COUNT(&b, DRAM_READ_SECTORS), 4);
    assert_int_equal(bench_alone(&b, sectors(MEM_LOAD, A, 4)), 35);
    assert_int_equal(COUNT(&b, L1_HITS), 1);
    bench_close(&b);
}

// A load may wait for sectors that several older requests bring, in L1 and in L2; it is done after
// all of them.
static void test_several_requests(void **state) {
    (void)state;
    Bench b;
    BENCH_OPEN(&b, "fermi", "l1.sector=32", "lsu.queue=8");
    MemRequest bypass = sectors(MEM_LOAD, A, 4);
    bypass.bypass_l1 = true;
    bench_issue(&b, 0, sectors(MEM_LOAD, A, 1));
    bench_issue(&b, 0, sectors(MEM_LOAD, A + 2 * SECTOR, 1));
    bench_issue(&b, 0, sectors(MEM_LOAD, A, 4));  // two of its sectors are requested
    bench_issue(&b, 0, sectors(MEM_LOAD, A, 4));  // all of them are on their way
    bench_issue(&b, 0, bypass);                   // meets three requests in L2
    uint32_t order[5], got;
    int at[5], n = 0;
    for (int cycle = 1; n < 5 && cycle < 2000; cycle++) {
        mem_cycle(b.m);
        if (mem_done(b.m, 0, &got)) order[n] = got, at[n++] = cycle;
    }
    assert_int_equal(n, 5);
    for (int i = 0; i < 5; i++) assert_int_equal(order[i], i + 1);
    assert_int_equal(at[0], 440);
    // The third request has two sectors: 1.9 cycles of the bus for each sector, 2 flits.
    assert_in_range(at[2], 440 + 3 * 2, 440 + 12);
    assert_int_equal(COUNT(&b, L1_MISSES), 4);
    assert_int_equal(COUNT(&b, L1_MISS_SECTORS), 1 + 1 + 2 + 4);
    assert_int_equal(COUNT(&b, L1_MERGES), 1);
    assert_int_equal(COUNT(&b, DRAM_READ_SECTORS), 4);
    while (!mem_idle(b.m)) mem_cycle(b.m);
    bench_close(&b);
}

// When one sector has arrived, another that was requested later is still in flight: it is not
// requested again.
static void test_came_earlier(void **state) {
    (void)state;
    Bench b;
    uint32_t got;
    int done = 0;
    BENCH_OPEN(&b, "fermi", "l1.sector=32");
    bench_issue(&b, 0, sectors(MEM_LOAD, A, 1));
    for (int i = 0; i < 450; i++) {
        if (i == 100) bench_issue(&b, 0, sectors(MEM_LOAD, A + SECTOR, 1));
        mem_cycle(b.m);
        done += mem_done(b.m, 0, &got);
    }
    assert_int_equal(done, 1);
    bench_issue(&b, 0, sectors(MEM_LOAD, A, 1));  // hit
    bench_issue(&b, 0, sectors(MEM_LOAD, A + SECTOR, 1));
    while (!mem_idle(b.m)) {
        mem_cycle(b.m);
        mem_done(b.m, 0, &got);
    }
    assert_int_equal(COUNT(&b, L1_MISSES), 2);
    assert_int_equal(COUNT(&b, L1_MERGES), 1);
    assert_int_equal(COUNT(&b, L1_HITS), 1);
    bench_close(&b);
}

// An evicting store takes away the sectors that it touches and no others.
static void test_stores(void **state) {
    (void)state;
    Bench b;
    BENCH_OPEN(&b, "fermi", "l1.sector=32");
    bench_alone(&b, sectors(MEM_LOAD, A, 4));
    bench_alone(&b, sectors(MEM_STORE, A + SECTOR, 1));
    assert_int_equal(bench_alone(&b, sectors(MEM_LOAD, A, 1)), 35);
    assert_int_equal(bench_alone(&b, sectors(MEM_LOAD, A + SECTOR, 1)), 200);
    // L2 has a sector that was written in full, and reads another of that line from DRAM when it is
    // asked for.
    bench_alone(&b, sectors(MEM_STORE, A + 0x10000, 1));
    assert_int_equal(bench_alone(&b, sectors(MEM_LOAD, A + 0x10000, 1)), 200);
    assert_int_equal(COUNT(&b, DRAM_READS), 1);
    assert_int_equal(bench_alone(&b, sectors(MEM_LOAD, A + 0x10000 + SECTOR, 1)), 440);
    assert_int_equal(COUNT(&b, DRAM_READ_SECTORS), 4 + 1);
    bench_close(&b);
}

// Dirty sectors are written back alone, or with the neighbors that a column command carries.
static void test_write_back(void **state) {
    (void)state;
    for (int access = 0; access <= 128; access = access ? 2 * access : 32) {
        Bench b;
        char set[32];
        snprintf(set, sizeof set, "dram.access=%d", access);
        BENCH_OPEN(&b, "fermi", "l2.bytes=1024", "l2.ways=1", set);
        for (uint32_t i = 0; i < 11; i++)
            bench_alone(&b, sectors(MEM_STORE, A + i * 0x10000 + 3 * SECTOR, 1));
        assert_int_equal(COUNT(&b, DRAM_WRITES), 10);
        assert_int_equal(COUNT(&b, DRAM_WRITE_SECTORS), 10 * (access > 32 ? access / 32 : 1));
        bench_close(&b);
    }
}

static int misses(const char *hash, const char *sets, uint32_t base, uint32_t step, int n) {
    Bench b;
    BENCH_OPEN(&b, "fermi", hash, sets);
    for (int i = 0; i < 2 * n; i++)
        bench_alone(&b, request(MEM_LOAD, base + (uint32_t)(i % n) * step, 0, 4));
    int found = COUNT(&b, L1_MISSES);
    bench_close(&b);
    return found;
}

// A column of 16 lines a multiple of the sets apart: one set keeps four of them, the hash all.
// Consecutive lines as many as L1 holds stay in any case.
static void test_hash(void **state) {
    (void)state;
    assert_int_equal(misses("l1.hash=mod", "l1.sets=64", A, 64 * LINE, 16), 32);
    assert_int_equal(misses("l1.hash=hash", "l1.sets=64", A, 64 * LINE, 16), 16);
    assert_int_equal(misses("l1.hash=hash", "l1.sets=32", A, 32 * LINE, 16), 16);
    assert_int_equal(misses("l1.hash=hash", "l1.sets=64", A + 7 * 64 * LINE, LINE, 256), 256);
    assert_int_equal(misses("l1.hash=hash", "l1.sets=96", A, 96 * LINE, 4), 4);
    assert_int_equal(misses("l1.hash=hash", "l1.sets=1", A, LINE, 4), 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unloaded_latencies),  cmocka_unit_test(test_scattered_traffic),
        cmocka_unit_test(test_one_after_the_other), cmocka_unit_test(test_several_requests),
        cmocka_unit_test(test_came_earlier),        cmocka_unit_test(test_stores),
        cmocka_unit_test(test_write_back),          cmocka_unit_test(test_hash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
