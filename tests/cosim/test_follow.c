// SPDX-License-Identifier: Apache-2.0
// RTL in threads beside the SM's: for any thread that evaluates a block, the SM sees the same, and
// the first difference is that of one thread. With the shortest queues the SM's thread waits, and
// helps, all the time. No other thread evaluates a block that is kept for it.
#include "testing.h"

typedef struct Way {
    int threads;
    size_t queue;
    const char *kept;
} Way;
static const Way ways[] = {{2, 0, NULL},
                           {3, 0, NULL},
                           {2, 1, NULL},
                           {3, 1, NULL},
                           {2, 0, "banked_rf"},
                           {2, 1, "banked_rf"},
                           {3, 1, "banked_rf"},
                           {2, 0, "operand_collector"},
                           {2, 1, "operand_collector"},
                           {3, 0, "operand_collector"}};
enum { WAYS = sizeof ways / sizeof *ways };

static void begin(Bench *b, const Way *way, const char *testbug, int run_on) {
    Diag d = {0};
    const CosimOptions o = {.blocks = "lockstep",
                            .cache_dir = CACHE,
                            .testbug = testbug,
                            .run_on = run_on,
                            .threads = way->threads,
                            .queue = way->queue,
                            .kept = way->kept};
    if (!bench_open(b, DATA, "fermi", &o, 5, &d)) fail_msg("%s", d.text);
    assert_true(cosim_follows(b->cosim) == (way->threads > 1));
}

// Digest of the SM's view and all counts of comparisons.
static uint64_t passes(const Way *way, uint64_t cycles) {
    Bench b = {.kind = BENCH_CONNECTED};
    Diag d = {0};
    begin(&b, way, NULL, 0);
    bench_cycles(&b, cycles);
    if (!cosim_finish(b.cosim, &d)) fail_msg("%s", d.text);
    CosimPortCount *counts;
    const int n = cosim_counts(b.cosim, &b.arena, &counts);
    uint64_t digest = b.digest;
    for (int i = 0; i < n; i++) digest = (digest ^ counts[i].compared) * 0x100000001b3u;
    // An evaluation and a clock edge per cycle, and the reset of the block.
    if (way->kept) assert_true(cosim_helped(b.cosim, way->kept) >= 2 * cycles);
    if (way->threads > 1 && way->queue == 1)
        assert_true(
            cosim_helped(b.cosim, "banked_rf") + cosim_helped(b.cosim, "operand_collector") > 0);
    if (way->threads == 1) assert_int_equal(cosim_helped(b.cosim, "banked_rf"), 0);
    bench_close(&b);
    return digest;
}

static void agree(void **state) {
    (void)state;
    const uint64_t one = passes(&(Way){.threads = 1}, 12000);
    for (int i = 0; i < WAYS; i++) assert_true(passes(&ways[i], 12000) == one);
}

static Mismatch differs(const Way *way, const char *testbug) {
    Bench b = {.kind = BENCH_CONNECTED};
    Diag d = {0};
    begin(&b, way, testbug, 5);
    bench_cycles(&b, 20000);
    const Mismatch *m = cosim_mismatch(b.cosim);
    // A mismatch that the followers had not reached when the run ended is met at its end.
    const bool passed = cosim_finish(b.cosim, &d);
    if (!m) m = cosim_mismatch(b.cosim);
    if (passed || !m) fail_msg("%s: not found with %d threads", testbug, way->threads);
    assert_int_equal(d.status, EXIT_MISMATCH);
    const Mismatch found = *m;
    bench_close(&b);
    return found;
}

static void first_difference(void **state) {
    (void)state;
    static const char *const faults[] = {
        "banked_rf=1",  "banked_rf=13",         "banked_rf=21",         "banked_rf=33",
        "banked_rf=35", "operand_collector=41", "operand_collector=44", "operand_collector=46"};
    for (size_t f = 0; f < sizeof faults / sizeof *faults; f++) {
        const Mismatch one = differs(&(Way){.threads = 1}, faults[f]);
        print_message("%s: %s_o[%d]\n", faults[f], one.port, one.element);
        for (int i = 0; i < WAYS; i++) {
            const Mismatch m = differs(&ways[i], faults[f]);
            assert_string_equal(m.block, one.block);
            assert_string_equal(m.port, one.port);
            assert_int_equal(m.element, one.element);
            assert_int_equal(m.words, one.words);
            assert_memory_equal(m.expected, one.expected, sizeof *m.expected * (size_t)m.words);
            assert_memory_equal(m.actual, one.actual, sizeof *m.actual * (size_t)m.words);
        }
    }
}

// The run is given up with queues that are full, by the caller or before its end: threads end,
// nothing is left behind.
static void given_up(void **state) {
    (void)state;
    for (int i = 0; i < WAYS; i++)
        for (uint64_t cycles = 0; cycles < 400; cycles += 57) {
            Bench b = {.kind = BENCH_CONNECTED};
            begin(&b, &ways[i], NULL, 0);
            bench_cycles(&b, cycles);
            bench_close(&b);
        }
}

static void unknown_block(void **state) {
    (void)state;
    Bench b = {.kind = BENCH_CONNECTED};
    Diag d = {0};
    const CosimOptions o = {
        .blocks = "lockstep", .cache_dir = CACHE, .threads = 2, .kept = "banked"};
    assert_false(bench_open(&b, DATA, "fermi", &o, 5, &d));
    assert_int_equal(d.status, EXIT_USAGE);
    assert_non_null(strstr(d.text, "no block 'banked'"));
    arena_free(&b.arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(agree), cmocka_unit_test(first_difference),
                                       cmocka_unit_test(given_up), cmocka_unit_test(unknown_block)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
