// SPDX-License-Identifier: Apache-2.0
// Golden models and RTL agree under random stimuli, and the harness notices when nothing was
// compared.
#include "testing.h"

// Runs n cycles and ends the run; the harness stays open for questions.
static ExitStatus run(Bench *b, BenchKind kind, const char *machine, const char *blocks,
                      uint64_t seed, uint64_t n) {
    Diag d = {0};
    b->kind = kind;
    CosimOptions o = {.blocks = blocks, .cache_dir = CACHE, .run_on = 20};
    if (bench_open(b, DATA, machine, &o, seed, &d)) {
        bench_cycles(b, n);
        cosim_finish(b->cosim, &d);
    }
    if (!diag_ok(&d)) print_message("%s\n", d.text);
    return d.status;
}

static void agree(BenchKind kind, const char *machine, const char *blocks, uint64_t seed,
                  uint64_t n) {
    Bench b = {0};
    assert_int_equal(run(&b, kind, machine, blocks, seed, n), EXIT_PASS);
    assert_int_equal(b.cycle, n);
    // Every conditional port carried valid data, so the agreement means something port by port.
    CosimPortCount *counts;
    int ports = cosim_counts(b.cosim, &b.arena, &counts);
    assert_true(ports > 0);
    for (int i = 0; i < ports; i++) {
        if (counts[i].compared == 0)
            print_message("%s.%s never compared\n", counts[i].block, counts[i].port);
        assert_true(counts[i].compared > 0);
    }
    bench_close(&b);
}

static void connected_fermi(void **state) {
    (void)state;
    agree(BENCH_CONNECTED, "fermi", "lockstep", 1, 100000);
}
static void connected_tiny(void **state) {
    (void)state;
    agree(BENCH_CONNECTED, "tiny", "lockstep", 2, 100000);
}
static void rf_alone_fermi(void **state) {
    (void)state;
    agree(BENCH_RF, "fermi", "model,banked_rf=lockstep", 3, 100000);
}
static void rf_alone_tiny(void **state) {
    (void)state;
    agree(BENCH_RF, "tiny", "model,banked_rf=lockstep", 4, 100000);
}
static void oc_alone_fermi(void **state) {
    (void)state;
    agree(BENCH_OC, "fermi", "model,operand_collector=lockstep", 5, 100000);
}
static void oc_alone_tiny(void **state) {
    (void)state;
    agree(BENCH_OC, "tiny", "model,operand_collector=lockstep", 6, 100000);
}

// Mode and order of ticks change nothing that the SM sees.
static void modes_and_order(void **state) {
    (void)state;
    static const char *const modes[] = {"model", "rtl", "lockstep", "model,banked_rf=rtl",
                                        "rtl,banked_rf=lockstep"};
    uint64_t digest = 0;
    for (int m = 0; m < 10; m++) {
        Bench b = {.reversed = m >= 5};
        assert_int_equal(run(&b, BENCH_CONNECTED, "fermi", modes[m % 5], 7, 20000), EXIT_PASS);
        if (m == 0) digest = b.digest;
        assert_true(b.digest == digest);
        assert_true(b.dispatched > 1000);
        bench_close(&b);
    }
    Bench other = {0};
    assert_int_equal(run(&other, BENCH_CONNECTED, "fermi", "model", 8, 20000), EXIT_PASS);
    assert_true(other.digest != digest);  // the digest does see the stimuli
    bench_close(&other);
}

static void idle_is_vacuous(void **state) {
    (void)state;
    Bench b = {.busy = -1};
    assert_int_equal(run(&b, BENCH_RF, "fermi", "model,banked_rf=lockstep", 9, 1000), EXIT_VACUOUS);
    bench_close(&b);
    Bench model = {.busy = -1};
    // nothing claimed, nothing missing
    assert_int_equal(run(&model, BENCH_RF, "fermi", "model", 9, 1000), EXIT_PASS);
    bench_close(&model);
}

// State that no port has shown is still compared at the end: the row is wrong, but nobody reads it.
static void state_is_compared(void **state) {
    (void)state;
    Bench b = {.kind = BENCH_RF};
    Diag d = {0};
    CosimOptions o = {
        .blocks = "model,banked_rf=lockstep", .cache_dir = CACHE, .testbug = "banked_rf=13"};
    assert_true(bench_open(&b, DATA, "fermi", &o, 1, &d));
    BankedRfIn *in = b.rf->in;
    in->rd_valid[0] = 1;  // something valid to compare, from another row
    in->rd_bank[0] = 1;
    in->wr_valid[0] = 1;
    in->wr_slice[0] = 1;  // fault 13 writes slice 2 as well
    in->wr_lane[0] = UINT32_MAX;
    for (int w = 0; w < 32; w++) in->wr_data[0][w] = 0x01010101u * (uint32_t)(w + 1);
    for (int t = 0; t < 3; t++) {
        block_eval(b.rf);
        block_tick(b.rf);
        cosim_cycle(b.cosim, (uint64_t)t);
    }
    assert_null(cosim_mismatch(b.cosim));
    assert_false(cosim_finish(b.cosim, &d));
    assert_int_equal(d.status, EXIT_MISMATCH);
    const Mismatch *m = cosim_mismatch(b.cosim);
    assert_int_equal(m->element, -1);
    assert_int_equal(m->obs_addr, 0);
    assert_int_equal(m->words, 32);
    assert_int_equal(m->expected[16], 0);
    assert_int_equal(m->actual[16], 0x11111111);
    bench_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(connected_fermi),  cmocka_unit_test(connected_tiny),
        cmocka_unit_test(rf_alone_fermi),   cmocka_unit_test(rf_alone_tiny),
        cmocka_unit_test(oc_alone_fermi),   cmocka_unit_test(oc_alone_tiny),
        cmocka_unit_test(modes_and_order),  cmocka_unit_test(idle_is_vacuous),
        cmocka_unit_test(state_is_compared)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
