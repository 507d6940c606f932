// SPDX-License-Identifier: Apache-2.0
// Listeners of lines: each fill and each victim is told once, and telling changes no counter and no cycle.
#include "mem/codec.h"
#include "mem_harness.h"

enum { A = 0x10000000, LINE = 128 };

typedef struct Told {
    int filled, evicted;
    uint8_t sectors;
} Told;

static void watch_filled(void *ctx, int port, uint32_t line, uint8_t sectors) {
    (void)port, (void)line, (void)sectors;
    ((Told *)ctx)->filled++;
}

static void watch_evicted(void *ctx, int port, uint32_t line, uint8_t sectors) {
    (void)port, (void)line;
    ((Told *)ctx)->evicted++;
    ((Told *)ctx)->sectors = sectors;
}

static const MemWatch WATCH = {.filled = watch_filled, .evicted = watch_evicted};

// Loads and stores of `lines` whole lines, all in flight as far as the unit takes them; the cycles until all is done.
static int traffic(Bench *b, int lines) {
    int cycles = 0, issued = 0;
    uint32_t token;
    while (issued < 2 * lines || !mem_idle(b->m)) {
        if (issued < 2 * lines && mem_ready(b->m, 0)) {
            MemKind kind = issued % 2 ? MEM_STORE : MEM_LOAD;
            bench_issue(b, 0, request(kind, A + (uint32_t)(issued % 2 * 0x100000 + issued / 2 * LINE), 4, 4));
            issued++;
        }
        mem_cycle(b->m);
        while (mem_done(b->m, 0, &token)) {}
        assert_true(++cycles < 1000000);
    }
    return cycles;
}

static void test_lines_are_told_once(void **state) {
    (void)state;
    for (int ahead = 0; ahead < 2; ahead++) {
        Bench plain, watched;
        Told t = {0};
        BENCH_OPEN(&plain, "fermi");
        BENCH_OPEN(&watched, "fermi");
        mem_set_watch(watched.m, &WATCH, &t);
        if (ahead) mem_look_ahead(plain.m, 0), mem_look_ahead(watched.m, 0);
        assert_int_equal(traffic(&plain, 3000), traffic(&watched, 3000));
        assert_memory_equal(&plain.counters[0], &watched.counters[0], sizeof plain.counters[0]);
        assert_int_equal(t.filled, 3000);
        assert_true(t.evicted > 0 && t.sectors == 0xf);
        assert_int_equal(t.evicted, COUNT(&watched, DRAM_WRITES));
        bench_close(&plain);
        bench_close(&watched);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lines_are_told_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
