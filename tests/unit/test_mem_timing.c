// SPDX-License-Identifier: Apache-2.0
// Latencies, counts and bandwidths of the memory system against numbers worked out by hand.
#include "mem_harness.h"

enum { A = 0x10000000 };

static void test_unloaded_latencies(void **state) {
    (void)state;
    static const char *const MACHINES[] = {"fermi", "fermi-caba", "kepler", "pascal", "tiny"};
    for (size_t i = 0; i < sizeof MACHINES / sizeof *MACHINES; i++) {
        Bench b;
        BENCH_OPEN(&b, MACHINES[i]);
        const MachineConfig *c = &b.cfg;
        MemRequest load = request(MEM_LOAD, A, 0, 4);  // one sector, where there are sectors
        assert_int_equal(bench_alone(&b, load), c->dram_latency);
        assert_int_equal(bench_alone(&b, load), c->l1_latency);
        mem_flush_l1(b.m, 0);
        assert_int_equal(bench_alone(&b, load), c->l2_latency);
        MemRequest bypass = load;
        bypass.bypass_l1 = true;
        assert_int_equal(bench_alone(&b, bypass), c->l2_latency);
        assert_int_equal(bench_alone(&b, load), c->l2_latency);  // the bypass evicted it
        // A far row of another DRAM bank is closed too (with bank groups, two banks are filled
        // together).
        assert_int_equal(bench_alone(&b, request(MEM_LOAD, A + 2 * (uint32_t)c->dram_row, 0, 4)),
                         c->dram_latency);
        assert_int_equal(bench_alone(&b, request(MEM_CONST_LOAD, 0, 0, 4)), c->const_miss_latency);
        assert_int_equal(bench_alone(&b, request(MEM_CONST_LOAD, 0, 0, 4)), c->const_latency);
        if (c->shared_banks == 32)
            assert_int_equal(bench_alone(&b, request(MEM_SHARED_LOAD, 0, 4, 4)), c->shared_latency);
        MemRequest none = load;
        none.active = 0;
        assert_int_equal(bench_alone(&b, none), 1);
        bench_close(&b);
    }
}

static void test_conflict_latencies(void **state) {
    (void)state;
    Bench b;
    BENCH_OPEN(&b, "fermi");
    assert_int_equal(bench_alone(&b, request(MEM_SHARED_LOAD, 0, 8, 4)), 26 + 1);
    assert_int_equal(bench_alone(&b, request(MEM_SHARED_LOAD, 0, 128, 4)), 26 + 31);
    assert_int_equal(bench_alone(&b, request(MEM_SHARED_ATOMIC, 0, 0, 4)), 26 + 31);
    assert_int_equal(COUNT(&b, SHARED_ACCESSES), 3);
    assert_int_equal(COUNT(&b, SHARED_CONFLICTS), 1 + 31 + 31);
    bench_alone(&b, request(MEM_CONST_LOAD, 0, 0, 4));
    assert_int_equal(bench_alone(&b, request(MEM_CONST_LOAD, 0, 4, 4)),
                     200 + 16);  // words 16..31 miss, the first at cycle 17
    assert_int_equal(bench_alone(&b, request(MEM_CONST_LOAD, 0, 4, 4)), 8 + 31);
    assert_int_equal(COUNT(&b, CONST_ACCESSES), 1 + 32 + 32);
    assert_int_equal(COUNT(&b, CONST_MISSES), 2);
    bench_close(&b);
}

// Two shared accesses with conflicts: the second waits for the unit, not for the first one's
// result.
static void test_shared_occupancy(void **state) {
    (void)state;
    Bench b;
    BENCH_OPEN(&b, "fermi");
    uint32_t first = bench_issue(&b, 0, request(MEM_SHARED_LOAD, 0, 128, 4)), got;
    uint32_t second = bench_issue(&b, 0, request(MEM_SHARED_LOAD, 0, 4, 4));
    int done[2] = {0}, n = 0;
    for (int cycle = 1; n < 2 && cycle < 1000; cycle++) {
        mem_cycle(b.m);
        if (mem_done(b.m, 0, &got)) {
            assert_int_equal(got, n ? second : first);
            done[n++] = cycle;
        }
    }
    assert_int_equal(done[0], 26 + 31);
    assert_int_equal(done[1], 32 + 26);
    bench_close(&b);
}

static void run_all(Bench *b, const MemRequest *r, int n) {
    uint32_t got;
    int issued = 0, done = 0;
    for (int cycle = 0; done < n; cycle++) {
        if (issued < n && mem_ready(b->m, 0)) bench_issue(b, 0, r[issued++]);
        mem_cycle(b->m);
        while (mem_done(b->m, 0, &got)) done++;
        assert_true(cycle < 1000000);
    }
}

static void test_hit_merge_miss(void **state) {
    (void)state;
    Bench b;
    BENCH_OPEN(&b, "fermi");
    // Eight loads of the same line at once: one miss, seven merges. The ninth finds all merge slots
    // taken (the miss has the first) until the line arrives, and hits.
    MemRequest same[9];
    for (int i = 0; i < 9; i++) same[i] = request(MEM_LOAD, A, 4, 4);
    run_all(&b, same, 9);
    assert_int_equal(COUNT(&b, L1_MISSES), 1);
    assert_int_equal(COUNT(&b, L1_MERGES), 7);
    assert_int_equal(COUNT(&b, L1_HITS), 1);
    assert_int_equal(COUNT(&b, L2_MISSES), 1);
    assert_int_equal(COUNT(&b, DRAM_READS), 1);
    assert_int_equal(COUNT(&b, GLOBAL_LOADS), 9);
    assert_int_equal(COUNT(&b, TRANSACTIONS), 9);
    assert_true(COUNT(&b, L1_RESERVATION_FAILS) > 300);
    // Five lines of one set of four ways, twice in order: LRU keeps none of them.
    MemRequest set[10];
    for (int i = 0; i < 10; i++)
        set[i] = request(MEM_LOAD, A + 0x100000 + (uint32_t)(i % 5) * 64 * 128, 0, 4);
    for (int i = 0; i < 10; i++) bench_alone(&b, set[i]);
    assert_int_equal(COUNT(&b, L1_MISSES), 1 + 10);
    assert_int_equal(COUNT(&b, L2_MISSES), 1 + 5);
    assert_int_equal(COUNT(&b, L2_HITS), 5);
    // Four of them fit.
    for (int i = 0; i < 8; i++)
        bench_alone(&b, request(MEM_LOAD, A + 0x200000 + (uint32_t)(i % 4) * 64 * 128, 0, 4));
    assert_int_equal(COUNT(&b, L1_MISSES), 1 + 10 + 4);
    assert_int_equal(COUNT(&b, L1_HITS), 1 + 4);
    bench_close(&b);
}

static void test_store_rules(void **state) {
    (void)state;
    Bench b;
    BENCH_OPEN(&b, "fermi");
    MemRequest load = request(MEM_LOAD, A, 4, 4), store = request(MEM_STORE, A, 4, 4);
    bench_alone(&b, load);
    // Done when L2 has it: 1 (LSU) + 4 flits + 12 there + 12 back.
    assert_int_equal(bench_alone(&b, store), 1 + 4 + 12 + 12);
    assert_int_equal(bench_alone(&b, load), 200);  // evicted from L1, in L2
    assert_int_equal(COUNT(&b, GLOBAL_STORES), 1);
    // Local memory: the line is updated and stays.
    uint32_t local = mem_local_address(3, 16, 8, 0);
    bench_alone(&b, request(MEM_LOAD, local, 4, 4));
    bench_alone(&b, request(MEM_STORE, local, 4, 4));
    assert_int_equal(bench_alone(&b, request(MEM_LOAD, local, 4, 4)), 35);
    bench_close(&b);
    BENCH_OPEN(&b, "fermi", "l1.store=update");
    bench_alone(&b, load);
    bench_alone(&b, store);
    assert_int_equal(bench_alone(&b, load), 35);
    bench_close(&b);
}

// A store does not fetch; a full line can be read afterwards, a part of one must be completed from
// DRAM.
static void test_l2_write_allocate(void **state) {
    (void)state;
    Bench b;
    BENCH_OPEN(&b, "fermi");
    bench_alone(&b, request(MEM_STORE, A, 4, 4));
    assert_int_equal(COUNT(&b, DRAM_READS), 0);
    assert_int_equal(bench_alone(&b, request(MEM_LOAD, A, 4, 4)), 200);
    MemRequest part = request(MEM_STORE, A + 4096, 4, 4);
    part.active = 0x3;
    bench_alone(&b, part);
    assert_int_equal(bench_alone(&b, request(MEM_LOAD, A + 4096, 4, 4)), 440);
    MemRequest sparse = request(MEM_STORE, A + 8192, 32, 4);  // a word of every sector
    sparse.active = 0xf;
    bench_alone(&b, sparse);
    assert_int_equal(bench_alone(&b, request(MEM_LOAD, A + 8192, 4, 4)), 440);
    assert_int_equal(COUNT(&b, DRAM_READS), 2);
    assert_int_equal(COUNT(&b, DRAM_WRITES), 0);
    // Dirty lines are written when they are replaced: 51 sets x 8 ways hold 408 lines.
    for (uint32_t i = 0; i < 1000; i++)
        bench_alone(&b, request(MEM_STORE, A + 0x100000 + i * 128, 4, 4));
    assert_int_equal(COUNT(&b, DRAM_WRITES), 1003 - 408);
    bench_close(&b);
}

static void test_prefetch(void **state) {
    (void)state;
    Bench b;
    BENCH_OPEN(&b, "fermi");
    bench_alone(&b, request(MEM_PREFETCH, A, 4, 4));
    assert_int_equal(bench_alone(&b, request(MEM_LOAD, A, 4, 4)), 35);
    assert_int_equal(COUNT(&b, GLOBAL_LOADS), 1);
    bench_close(&b);
}

// One port with 2 lines per flit etc. would hide it: the response link moves a line in four cycles.
static void test_l2_hit_bandwidth(void **state) {
    (void)state;
    Bench b;
    BENCH_OPEN(&b, "fermi", "l1.sets=1", "l1.ways=64");
    enum { LINES = 256 };
    for (uint32_t i = 0; i < LINES; i++) bench_alone(&b, request(MEM_LOAD, A + i * 128, 0, 4));
    mem_flush_l1(b.m, 0);
    MemRequest r[LINES];
    for (uint32_t i = 0; i < LINES; i++) r[i] = request(MEM_LOAD, A + i * 128, 0, 4);
    uint32_t got;
    int issued = 0, done = 0, cycles = 0;
    for (; done < LINES; cycles++) {
        if (issued < LINES && mem_ready(b.m, 0)) bench_issue(&b, 0, r[issued++]);
        mem_cycle(b.m);
        while (mem_done(b.m, 0, &got)) done++;
    }
    // L2's share: 12 banks x 32 bytes / 15 SMs = 25.6 bytes per cycle, 5 cycles per line.
    int expected = 200 + (LINES - 1) * 5;
    assert_in_range(cycles, expected - 8, expected + expected / 20);
    bench_close(&b);
}

static double stream(Bench *b, MemKind kind, uint32_t step, int n) {
    uint32_t got, addr = A;
    int issued = 0, done = 0, cycles = 0;
    for (; done < n || !mem_idle(b->m); cycles++) {
        if (issued < n && mem_ready(b->m, 0)) {
            bench_issue(b, 0, request(kind, addr, 4, 4));
            addr += step;
            issued++;
        }
        mem_cycle(b->m);
        while (mem_done(b->m, 0, &got)) done++;
        assert_true(cycles < 10000000);
    }
    return n * 128.0 / cycles;
}

static void test_dram_bandwidth(void **state) {
    (void)state;
    static const char *const MACHINES[] = {"fermi", "fermi-caba", "kepler", "pascal"};
    for (size_t i = 0; i < sizeof MACHINES / sizeof *MACHINES; i++) {
        Bench b;
        BENCH_OPEN(&b, MACHINES[i]);
        double peak = b.cfg.dram_bytes_per_kcycle / 1000.0 / b.cfg.sm_count_gpu;
        double reached = stream(&b, MEM_LOAD, 128, 4000);
        if (reached > peak || reached < 0.9 * peak)
            fail_msg("%s reads %.2f of %.2f", MACHINES[i], reached, peak);
        // Each row holds dram.row / 128 lines; all but its first are row hits.
        int rows = 4000 * 128 / b.cfg.dram_row;
        assert_in_range(COUNT(&b, DRAM_ROW_HITS), 4000 - rows - rows / 4, 4000 - rows);
        assert_int_equal(COUNT(&b, DRAM_READS), 4000);
        double busy = 4000 * 128.0 / peak;
        assert_in_range(COUNT(&b, DRAM_BUSY), (int)(busy * 0.999) - 2, (int)(busy * 1.001) + 2);
        bench_close(&b);
    }
}

// Rows of one bank in turn: every access pays an activation, tRC apart.
static void test_row_conflicts(void **state) {
    (void)state;
    Bench b;
    BENCH_OPEN(&b, "fermi", "dram.queue=1", "l1.sets=1", "l1.ways=64");
    uint32_t same_bank = 2048 * 16 * 16;  // row number + 16: the bank shift is a whole turn
    double reached = stream(&b, MEM_LOAD, same_bank, 400);
    double trc = 40 * 1000.0 / 1320;
    assert_int_equal(COUNT(&b, DRAM_ROW_HITS), 0);
    double cycles = 128 / reached;
    if (cycles < trc || cycles > trc * 1.35)
        fail_msg("%.2f cycles per row conflict, tRC is %.2f", cycles, trc);
    bench_close(&b);
}

// Cycles between lines of a stream with one parameter made large enough to be the bottleneck.
static void bottleneck(const char *set, const char *also, MemKind kind, uint32_t step,
                       double expected) {
    enum { N = 300 };
    Bench b;
    BENCH_OPEN(&b, "fermi", "l1.sets=1", "l1.ways=64", set, also);
    double cycles = 128 / stream(&b, kind, step, N), start = (b.cfg.dram_latency + 32.0) / N;
    if (cycles < expected * 0.99 || cycles > expected * 1.02 + start)
        fail_msg("%s: %.2f cycles per line, expected %.2f", set, cycles, expected);
    bench_close(&b);
}

static void test_bottlenecks(void **state) {
    (void)state;
    enum { BANK = 2048, ROW = 2048 * 16 * 16 };  // next bank; next row of the same bank
    double clock = 1.320;
    bottleneck("dram.tccd=20", "dram.queue=32", MEM_LOAD, 128, 20 / clock);
    bottleneck("dram.trc=200", "dram.queue=32", MEM_LOAD, ROW, 200 / clock);
    bottleneck("dram.trrd=40", "dram.queue=32", MEM_LOAD, BANK * 17, 40 / clock);
    bottleneck("dram.tras=190", "dram.trc=202", MEM_LOAD, ROW, 202 / clock);
    bottleneck("xbar.flit=8", "dram.bytes_per_kcycle=100000000", MEM_LOAD, 128, 16);
    bottleneck("xbar.flit=8", "dram.bytes_per_kcycle=100000000", MEM_STORE, 128, 16);
    bottleneck("l2.bank_width=8", "dram.bytes_per_kcycle=100000000", MEM_LOAD, 128, 128 / 6.4);
}

// Write recovery delays the precharge: write-backs of full rows to one bank, each to another row.
static void test_write_recovery(void **state) {
    (void)state;
    enum { ROW = 2048 * 16 * 16 };
    Bench b;
    double cycles[2];
    for (int slow = 0; slow < 2; slow++) {
        BENCH_OPEN(&b, "fermi", "l2.bytes=1024", "l2.ways=1", slow ? "dram.twr=400" : "dram.twr=1");
        cycles[slow] = 128 / stream(&b, MEM_STORE, ROW, 200);
        assert_int_equal(COUNT(&b, DRAM_WRITES), 199);
        bench_close(&b);
    }
    // Activate, column, burst, recovery, precharge: 12 + 12 + 400 + 12 DRAM clocks and 7.6 cycles.
    double slow = (12 + 12 + 400 + 12) / 1.32 + 7.6;
    if (cycles[0] > 50 || cycles[1] < slow * 0.98 || cycles[1] > slow * 1.03)
        fail_msg("%.1f and %.1f cycles per write, expected %.1f", cycles[0], cycles[1], slow);
}

// A channel that waits for one bank looks again when a request for another arrives.
static void test_other_bank_meanwhile(void **state) {
    (void)state;
    enum { BANK = 2048, ROW = 2048 * 16 * 16 };
    Bench b;
    uint32_t got = 0;
    int cycles = 0;
    BENCH_OPEN(&b, "fermi", "dram.trc=1000");
    bench_issue(&b, 0, request(MEM_LOAD, A, 0, 4));
    bench_issue(&b, 0, request(MEM_LOAD, A + ROW, 0, 4));  // 757 cycles later
    for (int i = 0; i < 100; i++) mem_cycle(b.m);
    uint32_t other = bench_issue(&b, 0, request(MEM_LOAD, A + BANK, 0, 4));
    for (; got != other && cycles < 2000; cycles++) {
        mem_cycle(b.m);
        mem_done(b.m, 0, &got);
    }
    assert_int_equal(cycles, 440);
    bench_close(&b);
}

static void test_replacement(void **state) {
    (void)state;
    Bench b;
    BENCH_OPEN(&b, "fermi");
    enum { SET = 64 * 128 };
    static const struct {
        int line, latency;
    } STEPS[] = {
        {0, 440},
        {1, 440},
        {2, 440},
        {3, 440},
        {0, 35},
        {4, 440},  // evicts 1, the least recently
                   // used
        {0, 35},
        {2, 35},
        {3, 35},
        {4, 35},
        {1, 200},
        {0, 200},
        {3, 35},
    };
    // The two extra cycles of activation distance do not matter: each access is alone.
    for (size_t i = 0; i < sizeof STEPS / sizeof *STEPS; i++) {
        int cycles = bench_alone(&b, request(MEM_LOAD, A + (uint32_t)STEPS[i].line * SET, 0, 4));
        if (cycles != STEPS[i].latency)
            fail_msg("step %zu: %d cycles, expected %d", i, cycles, STEPS[i].latency);
    }
    bench_close(&b);
}

static void test_long_delays(void **state) {
    (void)state;
    Bench b;
    BENCH_OPEN(&b, "fermi", "dram.latency=5000", "l2.latency=3000", "const.miss_latency=4000");
    assert_int_equal(bench_alone(&b, request(MEM_LOAD, A, 4, 4)), 5000);
    mem_flush_l1(b.m, 0);
    assert_int_equal(bench_alone(&b, request(MEM_LOAD, A, 4, 4)), 3000);
    assert_int_equal(bench_alone(&b, request(MEM_CONST_LOAD, 0, 0, 4)), 4000);
    bench_close(&b);
}

static void perform_nothing(void *ctx, int port, uint32_t token, uint32_t lanes) {
    (void)port, (void)token;
    *(int *)ctx += __builtin_popcount(lanes);
}

static void test_atomics(void **state) {
    (void)state;
    Bench b;
    int lanes = 0;
    BENCH_OPEN(&b, "fermi");
    mem_on_perform(b.m, perform_nothing, &lanes);
    bench_alone(&b, request(MEM_LOAD, A, 4, 4));
    // Data there: 4 flits instead of 1 in the request; 32 lanes apart take one cycle.
    assert_int_equal(bench_alone(&b, request(MEM_ATOMIC, A, 4, 4)), 200 + 3);
    assert_int_equal(bench_alone(&b, request(MEM_ATOMIC, A, 0, 4)), 200 + 3 + 31);
    assert_int_equal(bench_alone(&b, request(MEM_RED, A, 0, 4)), 1 + 4 + 12 + 12 + 171 + 31);
    assert_int_equal(lanes, 96);
    assert_int_equal(bench_alone(&b, request(MEM_LOAD, A, 4, 4)),
                     200);  // evicted by the first atomic
    assert_int_equal(COUNT(&b, ATOMICS), 3);
    // Miss: as a load, plus the conflicts.
    assert_int_equal(bench_alone(&b, request(MEM_ATOMIC, A + 0x10000, 0, 4)), 440 + 3 + 31);
    bench_close(&b);
}

typedef struct Performed {
    uint32_t token[64], lanes[64];
    int n;
} Performed;

static void record(void *ctx, int port, uint32_t token, uint32_t lanes) {
    Performed *p = ctx;
    (void)port;
    p->token[p->n] = token;
    p->lanes[p->n++] = lanes;
}

// Atomics on one line are performed in the order of issue, before their results are returned. The
// line may be present or not; each is performed exactly once per line.
static void test_atomic_order(void **state) {
    (void)state;
    Bench b;
    Performed p = {0};
    BENCH_OPEN(&b, "fermi");
    mem_on_perform(b.m, record, &p);
    MemRequest r = request(MEM_ATOMIC, A + 64, 4, 4);  // two lines
    uint32_t got;
    int issued = 0, done = 0;
    for (int cycle = 0; done < 16 && cycle < 10000; cycle++) {
        if (issued < 16 && mem_ready(b.m, 0)) {
            r.kind = issued % 3 == 2 ? MEM_RED : MEM_ATOMIC;
            bench_issue(&b, 0, r);
            issued++;
        }
        mem_cycle(b.m);
        while (mem_done(b.m, 0, &got)) {
            uint32_t lanes = 0;
            for (int i = 0; i < p.n; i++)
                if (p.token[i] == got) lanes |= p.lanes[i];
            assert_int_equal(lanes, UINT32_MAX);
            done++;
        }
    }
    assert_int_equal(done, 16);
    assert_int_equal(p.n, 32);
    uint32_t last[2] = {0, 0};
    for (int i = 0; i < p.n; i++) {
        int line = p.lanes[i] == 0xffff ? 0 : 1;
        if (line) assert_int_equal(p.lanes[i], 0xffff0000u);
        assert_true(p.token[i] == last[line] + 1);
        last[line] = p.token[i];
    }
    bench_close(&b);
}

static void test_explain(void **state) {
    (void)state;
    Bench b;
    char text[200];
    BENCH_OPEN(&b, "fermi");
    uint32_t token = bench_issue(&b, 0, request(MEM_LOAD, A + 64, 4, 4)), got;
    mem_explain(b.m, 0, token, text, sizeof text);
    assert_string_equal(text, "load in the LSU at access 1 of 2 (being issued)");
    for (int i = 0; i < 20; i++) mem_cycle(b.m);
    mem_explain(b.m, 0, token, text, sizeof text);
    assert_string_equal(text,
                        "load with 2 of 2 lines outstanding: 0x10000000 is in the DRAM queue");
    for (int i = 0; i < 80; i++) mem_cycle(b.m);
    mem_explain(b.m, 0, token, text, sizeof text);
    assert_string_equal(
        text, "load with 2 of 2 lines outstanding: 0x10000000 is on its way from DRAM to L2");
    for (int i = 0; i < 500; i++) mem_cycle(b.m);
    mem_explain(b.m, 0, token, text, sizeof text);
    assert_string_equal(text, "load is done and waits to be taken by the SM");
    assert_false(mem_idle(b.m));
    assert_true(mem_done(b.m, 0, &got));
    mem_explain(b.m, 0, token, text, sizeof text);
    assert_string_equal(text, "not in the memory system");
    assert_true(mem_idle(b.m));
    bench_close(&b);
}

// At most one load-like completion per cycle; stores are not held up by it.
static void test_one_load_per_cycle(void **state) {
    (void)state;
    Bench b;
    uint32_t got;
    BENCH_OPEN(&b, "fermi");
    bench_alone(&b, request(MEM_LOAD, A, 4, 4));
    for (int i = 0; i < 3; i++) bench_issue(&b, 0, request(MEM_LOAD, A, 4, 4));
    bench_issue(&b, 0, request(MEM_STORE, A + 4096, 4, 4));
    for (int i = 0; i < 200; i++) mem_cycle(b.m);
    int first = 0;
    while (mem_done(b.m, 0, &got)) first++;
    assert_int_equal(first, 2);  // the store and one load
    mem_cycle(b.m);
    assert_true(mem_done(b.m, 0, &got));
    assert_false(mem_done(b.m, 0, &got));
    mem_cycle(b.m);
    assert_true(mem_done(b.m, 0, &got));
    assert_true(mem_idle(b.m));
    bench_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unloaded_latencies),
        cmocka_unit_test(test_conflict_latencies),
        cmocka_unit_test(test_shared_occupancy),
        cmocka_unit_test(test_hit_merge_miss),
        cmocka_unit_test(test_store_rules),
        cmocka_unit_test(test_l2_write_allocate),
        cmocka_unit_test(test_prefetch),
        cmocka_unit_test(test_l2_hit_bandwidth),
        cmocka_unit_test(test_dram_bandwidth),
        cmocka_unit_test(test_row_conflicts),
        cmocka_unit_test(test_bottlenecks),
        cmocka_unit_test(test_write_recovery),
        cmocka_unit_test(test_other_bank_meanwhile),
        cmocka_unit_test(test_replacement),
        cmocka_unit_test(test_long_delays),
        cmocka_unit_test(test_atomics),
        cmocka_unit_test(test_atomic_order),
        cmocka_unit_test(test_explain),
        cmocka_unit_test(test_one_load_per_cycle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
