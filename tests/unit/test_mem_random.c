// SPDX-License-Identifier: Apache-2.0
// Random traffic: every request is done exactly once, nothing deadlocks, counters add up. The same
// traffic takes the same cycles. Also: the order in which DRAM serves.
#include "mem_harness.h"

#include <stdlib.h>

typedef struct Random {
    uint64_t s;
} Random;

static uint32_t next(Random *r, uint32_t below) {
    r->s = r->s * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)((r->s >> 33) % below);
}

static MemRequest random_request(Random *rnd) {
    static const MemKind KINDS[] = {MEM_LOAD,          MEM_LOAD,        MEM_LOAD,
                                    MEM_STORE,         MEM_STORE,       MEM_ATOMIC,
                                    MEM_RED,           MEM_SHARED_LOAD, MEM_SHARED_STORE,
                                    MEM_SHARED_ATOMIC, MEM_CONST_LOAD,  MEM_PREFETCH};
    MemRequest r = {.kind = KINDS[next(rnd, sizeof KINDS / sizeof *KINDS)],
                    .bytes = 1u << next(rnd, 5)};
    bool is_atomic = r.kind == MEM_ATOMIC || r.kind == MEM_RED || r.kind == MEM_SHARED_ATOMIC;
    if (is_atomic) r.bytes = next(rnd, 2) ? 8 : 4;
    r.active =
        next(rnd, 8) ? next(rnd, 2) ? UINT32_MAX : next(rnd, 0x7fffffff) : 1u << next(rnd, 32);
    r.bypass_l1 = !next(rnd, 8);
    uint32_t base = 0x10000000 + next(rnd, 64) * 4096, range = 64u << next(rnd, 12),
             stride = next(rnd, 5) * r.bytes;
    bool scattered = next(rnd, 2);
    if (r.kind == MEM_CONST_LOAD) base = 0, range = 4096;
    for (uint32_t i = 0; i < 32; i++)
        r.addr[i] = (base + (scattered ? next(rnd, range) : i * stride)) / r.bytes * r.bytes;
    return r;
}

enum { PORT_LIMIT = 2, TOKENS = 100000 };

typedef struct Traffic {
    uint8_t issued[PORT_LIMIT][TOKENS], performed[PORT_LIMIT][TOKENS];  // 1 in flight, 2 done
    uint32_t lanes[PORT_LIMIT][TOKENS];  // of atomics still to be performed
    uint64_t hash;
} Traffic;

static void perform(void *ctx, int port, uint32_t token, uint32_t lanes) {
    Traffic *t = ctx;
    assert_int_equal(t->issued[port][token], 1);
    assert_int_equal(t->lanes[port][token] & lanes, lanes);  // each lane once
    t->lanes[port][token] &= ~lanes;
}

static void take_done(Bench *b, Traffic *t, int port, int cycle, int *done) {
    uint32_t token;
    while (mem_done(b->m, port, &token)) {
        assert_true(token < TOKENS);
        assert_int_equal(t->issued[port][token], 1);
        assert_int_equal(t->lanes[port][token], 0);
        t->issued[port][token] = 2;
        t->hash = (t->hash ^ (token + (uint64_t)cycle * 131 + (uint64_t)port)) * 0x100000001b3ull;
        (*done)++;
    }
}

// Traffic on a configured machine; the hash tells all completions and their cycles.
static uint64_t run_configured(Bench *bench, int nports, int n, uint64_t seed) {
    Bench b = *bench;
    Traffic *t = calloc(1, sizeof *t);
    bench_start(&b, nports);
    mem_on_perform(b.m, perform, t);
    Random rnd = {seed};
    int issued[PORT_LIMIT] = {0}, done = 0, cycle = 0;
    for (; done < n * nports; cycle++) {
        bool taking = next(&rnd, 100) < 90;  // now and then the SM takes nothing
        for (int port = 0; port < nports; port++) {
            if (issued[port] < n && mem_ready(b.m, port) && next(&rnd, 3)) {
                MemRequest r = random_request(&rnd);
                r.token = (uint32_t)issued[port];
                t->issued[port][issued[port]++] = 1;
                if (r.kind == MEM_ATOMIC || r.kind == MEM_RED) t->lanes[port][r.token] = r.active;
                mem_issue(b.m, port, &r);
            }
        }
        mem_cycle(b.m);
        for (int port = 0; taking && port < nports; port++) take_done(&b, t, port, cycle, &done);
        if (cycle > n * 20000)
            fail_msg("seed %llu: %d of %d done", (unsigned long long)seed, done, n * nports);
    }
    for (int k = 0; !mem_idle(b.m); k++) {  // write-backs
        assert_true(k < 100000);
        mem_cycle(b.m);
    }
    uint64_t hash = t->hash;
    free(t);
    bench_close(&b);
    return hash;
}

static uint64_t run_traffic(const char *machine, const char *set, int nports, int n,
                            uint64_t seed) {
    Bench b;
    const char *sets[] = {set};
    bench_config(&b, machine, sets, set ? 1 : 0);
    return run_configured(&b, nports, n, seed);
}

// Any legal combination of sizes, latencies and rates works.
static void test_any_machine(void **state) {
    (void)state;
    static const struct {
        const char *key;
        int least, most;
    } KEYS[] = {
        {"gpu.sms", 1, 20},
        {"shared.latency", 1, 40},
        {"const.ways", 1, 4},
        {"const.latency", 1, 9},
        {"l1.sets", 1, 9},
        {"l1.ways", 1, 5},
        {"l1.latency", 1, 40},
        {"l1.mshrs", 1, 20},
        {"l1.merges", 1, 9},
        {"l1.queue", 1, 9},
        {"lsu.queue", 1, 6},
        {"xbar.latency", 1, 20},
        {"xbar.flit", 4, 128},
        {"l2.ways", 1, 9},
        {"l2.banks", 1, 20},
        {"l2.bank_width", 1, 64},
        {"l2.mshrs", 1, 30},
        {"l2.queue", 1, 20},
        {"atom.interval", 1, 20},
        {"dram.channels", 1, 9},
        {"dram.queue", 1, 40},
        {"dram.banks", 1, 20},
        {"dram.bytes_per_kcycle", 10000, 2000000},
        {"dram.tcl", 1, 20},
        {"dram.trcd", 1, 20},
        {"dram.trrd", 1, 20},
        {"dram.tccd", 1, 20},
        {"dram.twr", 1, 40},
        {"dram.tccdl", 1, 20},
        {"dram.twl", 0, 20},
        {"dram.tcdlr", 0, 20},
        {"dram.trtpl", 0, 20},
        {"dram.clock_permille", 300, 3000},
        {"l2.bytes", 1024, 100000},
    };
    Random rnd = {99};
    int machines = 0;
    for (int round = 0; round < 120; round++) {
        Bench b;
        Diag d = {0};
        bench_config(&b, "fermi", NULL, 0);
        for (size_t i = 0; i < sizeof KEYS / sizeof *KEYS; i++) {
            // Small values more often than large ones.
            int span = KEYS[i].most - KEYS[i].least + 1;
            int value = KEYS[i].least + (int)next(&rnd, 1 + next(&rnd, (uint32_t)span));
            const char *set = arena_printf(&b.arena, "%s=%d", KEYS[i].key, value);
            if (!config_set(&b.cfg, set, &d)) fail_msg("%s", d.text);
        }
        config_set(&b.cfg, next(&rnd, 2) ? "l1.store=evict" : "l1.store=update", &d);
        config_set(&b.cfg, next(&rnd, 3) ? "l1.line=128" : "l1.line=64", &d);
        config_set(&b.cfg, next(&rnd, 2) ? "l1.sector=0" : "l1.sector=32", &d);
        config_set(&b.cfg, next(&rnd, 2) ? "l1.hash=mod" : "l1.hash=hash", &d);
        static const char *const ACCESS[] = {"dram.access=0", "dram.access=32", "dram.access=64"};
        config_set(&b.cfg, ACCESS[next(&rnd, 3)], &d);
        if (b.cfg.dram_banks % 2 == 0) config_set(&b.cfg, "dram.groups=2", &d);
        if (b.cfg.dram_twl > b.cfg.dram_tcl) b.cfg.dram_twl = b.cfg.dram_tcl;
        if (b.cfg.dram_tccdl < b.cfg.dram_tccd) b.cfg.dram_tccdl = b.cfg.dram_tccd;
        config_set(&b.cfg, "dram.latency=10000", &d);
        config_set(&b.cfg, next(&rnd, 2) ? "l2.latency=200" : "l2.latency=1000", &d);
        if (!config_check(&b.cfg, &d)) {
            arena_free(&b.arena);
            continue;
        }
        // The least latency that the other parameters allow.
        b.cfg.dram_latency -= config_mem_fixed(&b.cfg, 1).dram_pipe;
        if (b.cfg.dram_latency < b.cfg.l2_latency) b.cfg.dram_latency = b.cfg.l2_latency;
        machines++;
        run_configured(&b, 1 + (int)next(&rnd, 2), 120, (uint64_t)round);
    }
    assert_in_range(machines, 60, 120);
}

static void test_random(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        uint64_t first = run_traffic("tiny", NULL, 1, 1500, seed);
        assert_true(first == run_traffic("tiny", NULL, 1, 1500, seed));
        run_traffic("tiny", "dram.queue=2", 2, 600, seed);
        run_traffic("tiny", "l1.mshrs=2", 1, 600, seed);
        run_traffic("tiny", "l1.line=32", 1, 600, seed);
        run_traffic("tiny", "l1.sector=32", 2, 600, seed);
        run_traffic("fermi", "l1.sector=32", 2, 1500, seed);
        run_traffic("tiny", "atom.interval=100", 1, 300, seed);
        first = run_traffic("fermi", NULL, 1, 4000, seed);
        assert_true(first == run_traffic("fermi", NULL, 1, 4000, seed));
        run_traffic("fermi", NULL, 2, 2000, seed);
        run_traffic("kepler", NULL, 2, 2000, seed);
    }
}

// Without prefetches the numbers add up exactly.
static void test_conservation(void **state) {
    (void)state;
    static const char *const MACHINES[] = {"tiny", "fermi", "kepler"};
    for (size_t i = 0; i < sizeof MACHINES / sizeof *MACHINES; i++) {
        Bench b;
        bench_config(&b, MACHINES[i], NULL, 0);
        bench_start(&b, 1);
        Random rnd = {17};
        uint32_t token;
        int n = 0, done = 0, loads = 0, stores = 0, atomics = 0;
        while (done < 1000) {
            if (n < 1000 && mem_ready(b.m, 0)) {
                MemRequest r = random_request(&rnd);
                if (r.kind == MEM_PREFETCH) r.kind = MEM_LOAD;
                r.token = (uint32_t)n++;
                loads += r.kind == MEM_LOAD;
                stores += r.kind == MEM_STORE;
                atomics += r.kind == MEM_ATOMIC || r.kind == MEM_RED;
                mem_issue(b.m, 0, &r);
            }
            mem_cycle(b.m);
            while (mem_done(b.m, 0, &token)) done++;
        }
        while (!mem_idle(b.m)) mem_cycle(b.m);
        assert_int_equal(COUNT(&b, GLOBAL_LOADS), loads);
        assert_int_equal(COUNT(&b, GLOBAL_STORES), stores);
        assert_int_equal(COUNT(&b, ATOMICS), atomics);
        int l1 = COUNT(&b, L1_HITS) + COUNT(&b, L1_MERGES) + COUNT(&b, L1_MISSES);
        int writes = COUNT(&b, TRANSACTIONS) - l1;  // stores and atomics, each one access of L2
        assert_true(writes > 0);
        assert_int_equal(COUNT(&b, L2_HITS) + COUNT(&b, L2_MISSES), COUNT(&b, L1_MISSES) + writes);
        assert_true(COUNT(&b, DRAM_READS) <= COUNT(&b, L2_MISSES));
        assert_true(COUNT(&b, DRAM_ROW_HITS) <= COUNT(&b, DRAM_READS) + COUNT(&b, DRAM_WRITES));
        bench_close(&b);
    }
}

static void issue_line(Bench *b, uint32_t addr) {
    MemRequest r = request(MEM_LOAD, addr, 0, 4);
    while (!mem_ready(b->m, 0)) mem_cycle(b->m);
    bench_issue(b, 0, r);
}

enum { ROW = 2048, SAME_BANK = ROW * 16 * 16, BASE = 0x10000000 };

// A row hit passes an older request for another row of the bank.
static void test_row_hit_first(void **state) {
    (void)state;
    Bench b;
    uint32_t order[3], got;
    BENCH_OPEN(&b, "fermi");
    issue_line(&b, BASE);              // token 1 opens the row
    issue_line(&b, BASE + SAME_BANK);  // 2: another row of the same bank
    issue_line(&b, BASE + 128);        // 3: the open row
    for (int n = 0; n < 3;) {
        mem_cycle(b.m);
        if (mem_done(b.m, 0, &got)) order[n++] = got;
    }
    assert_int_equal(order[0], 1);
    assert_int_equal(order[1], 3);
    assert_int_equal(order[2], 2);
    assert_int_equal(COUNT(&b, DRAM_ROW_HITS), 1);
    bench_close(&b);
}

// Different banks overlap: their activations are tRRD apart, not a whole access.
static void test_bank_parallelism(void **state) {
    (void)state;
    Bench b;
    uint32_t got;
    BENCH_OPEN(&b, "fermi");
    issue_line(&b, BASE);
    issue_line(&b, BASE + ROW);
    issue_line(&b, BASE + 2 * ROW);
    int cycle = 0, last = 0;
    for (int n = 0; n < 3;) {
        mem_cycle(b.m);
        cycle++;
        if (mem_done(b.m, 0, &got)) n++, last = cycle;
    }
    // Two bursts of 7.6 cycles after the first; the activations hide behind them.
    assert_in_range(last, 440 + 15, 440 + 18);
    bench_close(&b);
}

// A stream of row hits cannot keep another row's request out for ever.
static void test_no_starvation(void **state) {
    (void)state;
    Bench b;
    uint32_t got;
    BENCH_OPEN(&b, "fermi", "dram.queue=4", "dram.row=65536", "l1.sets=1", "l1.ways=64",
               "l2.latency=100", "dram.latency=100");
    uint32_t far_row = 65536u * 16 * 16, addr = BASE;
    bool far_done = false;
    int stream = 0, before = -1;
    issue_line(&b, addr);
    issue_line(&b, addr + far_row);  // token 2
    for (int cycle = 0; cycle < 20000 && !far_done && stream < 500; cycle++) {
        if (mem_ready(b.m, 0)) issue_line(&b, addr += 128), stream++;
        mem_cycle(b.m);
        while (mem_done(b.m, 0, &got))
            if (got == 2) far_done = true, before = stream;
    }
    assert_true(far_done);
    // 16 bypasses, then its turn; the stream runs ahead by the capacity of MSHRs and queues.
    assert_in_range(before, 16, 16 + 96 + 32);
    bench_close(&b);
}

// ---- looking ahead ----

static void note_done(Bench *b, int cycle, int *when, int *done) {
    uint32_t token;
    while (mem_done(b->m, 0, &token)) {
        assert_int_equal(when[token], -1);
        when[token] = cycle;
        (*done)++;
    }
}

static void no_perform(void *ctx, int port, uint32_t token, uint32_t lanes) {
    (void)ctx, (void)port, (void)token, (void)lanes;
}

enum { AHEAD = 5000 };

static void run_ahead(Bench b[2], int when[2][AHEAD], uint8_t kinds[AHEAD]) {
    int issued = 0, done[2] = {0};
    Random rnd = {11};
    for (int cycle = 0; done[0] < AHEAD || done[1] < AHEAD; cycle++) {
        assert_int_equal(mem_ready(b[0].m, 0), mem_ready(b[1].m, 0));
        if (issued < AHEAD && mem_ready(b[0].m, 0) && next(&rnd, 3)) {
            MemRequest r = random_request(&rnd);
            r.token = (uint32_t)issued;
            kinds[issued++] = (uint8_t)r.kind;
            for (int i = 0; i < 2; i++) mem_issue(b[i].m, 0, &r);
        }
        for (int i = 0; i < 2; i++) {
            mem_cycle(b[i].m);
            note_done(&b[i], cycle, when[i], &done[i]);
        }
        assert_true(cycle < AHEAD * 2000);
    }
    for (int i = 0; i < 2; i++) mem_cycle(b[i].m);
}

// The same traffic with and without: loads arrive a cycle sooner, and nothing else differs. A load
// that is decided and done in one cycle cannot arrive sooner.
static void test_look_ahead(void **state) {
    (void)state;
    static int when[2][AHEAD];
    static uint8_t kinds[AHEAD];
    Bench b[2];
    int sooner = 0, loads = 0;
    memset(when, -1, sizeof when);
    for (int i = 0; i < 2; i++) {
        bench_config(&b[i], "fermi", NULL, 0);
        bench_start(&b[i], 1);
        mem_on_perform(b[i].m, no_perform, NULL);
    }
    mem_look_ahead(b[1].m, 0);
    run_ahead(b, when, kinds);
    for (int t = 0; t < AHEAD; t++) {
        bool store = kinds[t] == MEM_STORE || kinds[t] == MEM_RED || kinds[t] == MEM_PREFETCH;
        int n = when[0][t] - when[1][t];
        if (n < 0 || n > (store ? 0 : 1))
            fail_msg("request %d of kind %d: %d cycles sooner", t, kinds[t], n);
        loads += !store;
        sooner += n;
    }
    assert_true(loads > AHEAD / 2);
    assert_true(sooner > loads * 99 / 100);
    assert_memory_equal(&b[0].counters[0], &b[1].counters[0], sizeof b[0].counters[0]);
    assert_int_equal(mem_idle(b[0].m), mem_idle(b[1].m));
    for (int i = 0; i < 2; i++) bench_close(&b[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),        cmocka_unit_test(test_any_machine),
        cmocka_unit_test(test_look_ahead),    cmocka_unit_test(test_conservation),
        cmocka_unit_test(test_row_hit_first), cmocka_unit_test(test_bank_parallelism),
        cmocka_unit_test(test_no_starvation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
