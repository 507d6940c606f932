// SPDX-License-Identifier: Apache-2.0
// A memory system whose SMs' sides are apart from L2 and DRAM, beside the one in one piece. The
// same requests are done in the same cycles, as long as no port uses up its credits. All requests
// are done, for any traffic and for either order of simulation.
#include "mem_harness.h"

#include <stdlib.h>

enum { PORTS = 2, REQUESTS = 3000 };

typedef struct Run {
    Bench b;
    Counters far[PORTS];
    MemSystem *port[PORTS];
    bool apart;
    int quantum, ports;
    int performed[PORTS * REQUESTS + 1];  // lanes, by token
    int64_t done[PORTS * REQUESTS + 1];   // cycle, by token
} Run;

static void on_perform(void *ctx, int port, uint32_t token, uint32_t lanes) {
    Run *r = ctx;
    assert_in_range(port, 0, PORTS - 1);
    r->performed[token] += __builtin_popcount(lanes);
}

static void open_run(Run *r, bool apart, int ports, const char *const *sets, int nsets) {
    memset(r, 0, sizeof *r);
    bench_config(&r->b, "fermi", sets, nsets);
    Counters *near[PORTS] = {&r->b.counters[0], &r->b.counters[1]},
             *far[PORTS] = {&r->far[0], &r->far[1]};
    r->b.m = apart ? mem_open_apart(&r->b.cfg, ports, near, far) : mem_open(&r->b.cfg, ports, near);
    for (int i = 0; i < ports; i++) r->port[i] = apart ? mem_near(r->b.m, i) : r->b.m;
    mem_on_perform(r->b.m, on_perform, r);
    r->apart = apart;
    r->ports = ports;
    r->quantum = mem_quantum(&r->b.cfg);
}

static MemRequest any_request(unsigned *seed) {
    static const MemKind kinds[] = {MEM_LOAD,   MEM_LOAD, MEM_LOAD,       MEM_STORE,
                                    MEM_ATOMIC, MEM_RED,  MEM_SHARED_LOAD};
    const MemKind kind = kinds[rand_r(seed) % 7];
    const uint32_t base = 0x10000000u + (uint32_t)(rand_r(seed) % 4096) * 128;
    return request(kind, kind == MEM_SHARED_LOAD ? 0 : base, rand_r(seed) % 4 ? 4 : 64, 4);
}

// Requests of all ports, a random time up to `most` cycles apart; far_first: L2 and DRAM are
// simulated first.
static void run(Run *r, int most, bool far_first) {
    unsigned seed = 1;
    int issued[PORTS] = {0}, left = r->ports * REQUESTS;
    int64_t next[PORTS] = {0};
    for (int64_t cycle = 0; left || !mem_idle(r->b.m); cycle++) {
        assert_true(cycle < 10000000);
        if (r->apart && cycle % r->quantum == 0) {
            mem_begin(r->b.m);
            for (int i = 0; i < r->ports; i++) mem_begin(r->port[i]);
        }
        for (int i = 0; i < r->ports; i++) {
            uint32_t token;
            while (mem_done(r->port[i], i, &token)) r->done[token] = cycle, left--;
            if (issued[i] == REQUESTS || cycle < next[i] || !mem_ready(r->port[i], i)) continue;
            MemRequest q = any_request(&seed);
            q.token = (uint32_t)(i * REQUESTS + ++issued[i]);
            mem_issue(r->port[i], i, &q);
            next[i] = cycle + 1 + rand_r(&seed) % most;
        }
        if (r->apart && far_first) mem_cycle(r->b.m);
        for (int i = 0; r->apart && i < r->ports; i++) mem_cycle(r->port[i]);
        if (!r->apart || !far_first) mem_cycle(r->b.m);
        if (r->apart && (cycle + 1) % r->quantum == 0) {
            mem_end(r->b.m);
            for (int i = 0; i < r->ports; i++) mem_end(r->port[i]);
            mem_perform(r->b.m);
        }
    }
}

static void close_run(Run *r) { bench_close(&r->b); }

static void test_same_cycles(void **state) {
    static const char *const many[] = {"l2.queue=256"};  // credits
    Run *whole = malloc(sizeof *whole), *apart = malloc(sizeof *apart);
    (void)state;
    open_run(whole, false, 1, many, 1);
    open_run(apart, true, 1, many, 1);
    run(whole, 120, false);
    run(apart, 120, false);
    for (int t = 1; t <= REQUESTS; t++) {
        if (whole->done[t] != apart->done[t])
            fail_msg("request %d: done in cycle %lld, apart in %lld", t, (long long)whole->done[t],
                     (long long)apart->done[t]);
        assert_int_equal(whole->performed[t], apart->performed[t]);
    }
    Counters sum = apart->b.counters[0];
    for (int i = 0; i < CTR_COUNT; i++) sum.v[i] += apart->far[0].v[i];
    assert_memory_equal(&sum, &whole->b.counters[0], sizeof sum);
    close_run(whole);
    close_run(apart);
    free(whole);
    free(apart);
}

// As fast as they can, with small queues: nothing is lost, and the order of the sides means
// nothing.
static void test_crowded(void **state) {
    static const char *const small[] = {"l2.queue=2",   "l1.queue=2",     "l2.mshrs=4",
                                        "dram.queue=4", "xbar.latency=3", "l2.latency=100"};
    (void)state;
    for (int k = 0; k < 2; k++) {
        Run *near = malloc(sizeof *near), *far = malloc(sizeof *far);
        open_run(near, true, PORTS, small, k ? 6 : 0);
        open_run(far, true, PORTS, small, k ? 6 : 0);
        assert_int_equal(near->quantum, k ? 3 : 12);
        run(near, 1, false);
        run(far, 1, true);
        assert_memory_equal(near->done, far->done, sizeof near->done);
        assert_memory_equal(near->performed, far->performed, sizeof near->performed);
        assert_memory_equal(near->b.counters, far->b.counters, sizeof near->b.counters);
        for (int t = 1; t <= PORTS * REQUESTS; t++) assert_true(near->done[t] > 0);
        close_run(near);
        close_run(far);
        free(near);
        free(far);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_cycles),
                                       cmocka_unit_test(test_crowded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
