// SPDX-License-Identifier: Apache-2.0
// A memory system with its counters, and requests of a few shapes, for the tests of csrc/mem.
#ifndef TEST_MEM_HARNESS_H
#define TEST_MEM_HARNESS_H

#include "mem/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

typedef struct Bench {
    Arena arena;
    MachineConfig cfg;
    Counters counters[2];
    MemSystem *m;
    uint32_t token;
} Bench;

// The memory for which the times in these tests are computed, independent of the preset.
static const char *const BENCH_MEMORY[] = {"xbar.flit=32",
                                           "dram.row=2048",
                                           "dram.tccd=5",
                                           "dram.tccdl=5",
                                           "dram.bytes_per_kcycle=253000",
                                           "dram.access=0",
                                           "dram.groups=1",
                                           "dram.twl=0",
                                           "dram.tcdlr=0",
                                           "dram.trtpl=0",
                                           "l1.latency=35",
                                           "shared.latency=26",
                                           "atom.interval=1"};
static const char *const BENCH_L1[] = {"l1.sector=0", "l1.hash=mod", "l1.loads=all"};

static inline void bench_config(Bench *b, const char *machine, const char *const *sets, int nsets) {
    Diag d = {0};
    memset(b, 0, sizeof *b);
    bool ok = config_load(&b->cfg, &b->arena, TEST_SOURCE_DIR "/csrc/config", machine, &d);
    for (size_t i = 0; ok && i < sizeof BENCH_L1 / sizeof *BENCH_L1; i++)
        ok = config_set(&b->cfg, BENCH_L1[i], &d);
    for (size_t i = 0;
         ok && !strcmp(machine, "fermi") && i < sizeof BENCH_MEMORY / sizeof *BENCH_MEMORY; i++)
        ok = config_set(&b->cfg, BENCH_MEMORY[i], &d);
    for (int i = 0; ok && i < nsets; i++) ok = config_set(&b->cfg, sets[i], &d);
    ok = ok && config_check(&b->cfg, &d);
    if (!ok) fail_msg("%s", d.text);
}

static inline void bench_start(Bench *b, int nports) {
    Counters *counters[2] = {&b->counters[0], &b->counters[1]};
    b->m = mem_open(&b->cfg, nports, counters);
}

#define BENCH_OPEN(b, machine, ...) \
    do { \
        const char *sets_[] = {"sm.warps=32", ##__VA_ARGS__}; \
        bench_config((b), (machine), sets_, (int)(sizeof sets_ / sizeof *sets_)); \
        bench_start((b), 1); \
    } while (0)

static inline void bench_close(Bench *b) {
    mem_close(b->m);
    arena_free(&b->arena);
}

// Lane i at base + i * stride.
static inline MemRequest request(MemKind kind, uint32_t base, uint32_t stride, uint32_t bytes) {
    MemRequest r = {.kind = kind, .active = UINT32_MAX, .bytes = bytes};
    for (uint32_t i = 0; i < 32; i++) r.addr[i] = base + i * stride;
    return r;
}

static inline uint32_t bench_issue(Bench *b, int port, MemRequest r) {
    assert_true(mem_ready(b->m, port));
    r.token = ++b->token;
    mem_issue(b->m, port, &r);
    return r.token;
}

// Cycles until the request is done, alone in the machine; then until nothing is in flight.
static inline int bench_alone(Bench *b, MemRequest r) {
    uint32_t token = bench_issue(b, 0, r), got = 0;
    int cycles = 0;
    while (!mem_done(b->m, 0, &got)) {
        mem_cycle(b->m);
        assert_true(++cycles < 100000);
    }
    assert_int_equal(got, token);
    for (int k = 0; !mem_idle(b->m); k++) {
        mem_cycle(b->m);
        assert_true(k < 100000);
    }
    return cycles;
}

#define COUNT(b, id) ((int)(b)->counters[0].v[CTR_##id])

#endif
