// SPDX-License-Identifier: Apache-2.0
// The register file cache on the SM: values that are read from it, written back, merged, bypassed
// and dropped. Counters of small programs and their stores show these.
#include "sm_support.h"

#include "sm/parts/system.h"
#include "sm/state.h"
#include "systems/systems.h"

typedef struct Run {
    Bench b;
    Arch arch;
} Run;

static void open_idle(Run *r, const char *arch, const char *sets, GpuIdle idle) {
    memset(r, 0, sizeof *r);
    bench_config(&r->b, "fermi", sets);
    if (!arch_parse(arch, &r->arch, &r->b.d)) fail_msg("%s", r->b.d.text);
    bench_start(&r->b, &(GpuOptions){.check_retire = true, .arch = &r->arch, .idle = idle});
}

static void open_run(Run *r, const char *arch, const char *sets) {
    open_idle(r, arch, sets, GPU_IDLE_SKIP);
}

static uint64_t count(const Run *r, CounterId c) { return bench_count(&r->b, c); }

// Every value that was stored is gone when the kernel has ended: replaced, written back, dead or
// dropped. Nothing else wrote the register file, except for values in the write-back buffers.
static void check_conserved(const Run *r) {
    const uint64_t writes = count(r, CTR_RFC_WRITTEN_BACK) + count(r, CTR_RFC_THROUGH);
    assert_int_equal(count(r, CTR_RFC_ALLOCATED),
                     count(r, CTR_RFC_WRITTEN_BACK) + count(r, CTR_RFC_DEAD) +
                         count(r, CTR_RFC_DROPPED));
    assert_in_range(count(r, CTR_RF_WRITES), writes > 2 ? writes - 2 : 0, writes);
}

static void run(Run *r, const char *sets, const char *text, uint32_t ctas, uint32_t threads) {
    open_run(r, "rfc", sets);
    bench_run(&r->b, text, ctas, threads, 0);
    check_conserved(r);
}

static void close_run(Run *r) {
    assert_true(gpu_finish(r->b.gpu, &r->b.d));
    bench_close(&r->b);
}

#define SIX \
    "mov R10, 0x1\n mov R11, 0x2\n mov R12, 0x3\n mov R13, 0x4\n mov R14, 0x5\n mov R15, 0x6\n"

static void test_six_rows(void **state) {
    static Run r;
    (void)state;
    run(&r, "", ".kernel k\n.regs 20\n" SIX "iadd R10, R10, R11\n iadd R12, R13, R14\n exit _\n", 1,
        32);
    assert_int_equal(count(&r, CTR_RFC_ALLOCATED), 6);
    assert_int_equal(count(&r, CTR_RFC_OVERWRITTEN), 2);
    assert_int_equal(count(&r, CTR_RFC_READS), 4);
    assert_int_equal(count(&r, CTR_RFC_DROPPED), 6);
    assert_int_equal(count(&r, CTR_RF_READS) + count(&r, CTR_RF_WRITES), 0);
    close_run(&r);
    run(&r, "", ".kernel k\n.regs 20\n" SIX "mov R16, 0x7\n iadd R17, R10, R16\n exit _\n", 1, 32);
    // R10 for R16, R11 for R17, but after it was read
    assert_int_equal(count(&r, CTR_RFC_WRITTEN_BACK), 2);
    assert_int_equal(count(&r, CTR_RFC_READS), 1);
    assert_int_equal(count(&r, CTR_RF_READS), 1);
    close_run(&r);
    run(&r, "rfc.entries=1", ".kernel k\n.regs 20\n" SIX "iadd R17, R15, R15\n exit _\n", 1, 32);
    assert_int_equal(count(&r, CTR_RFC_WRITTEN_BACK), 6);
    assert_int_equal(count(&r, CTR_RFC_READS), 1);
    close_run(&r);
}

// P0 in lanes 16 to 31.
#define HALF "s2r R0, %laneid\n isetp.ge.and.u32 _|P0, R0, 0x10\n"

// Lanes of a register without row go through; of one with a row they are merged, and all lanes are
// written back.
static void test_some_lanes(void **state) {
    static Run r;
    (void)state;
    run(&r, "",
        ".kernel k\n.regs 63\n.preds 1\n" BENCH_THREAD HALF "mov R20, 0x64\n" SIX
        "@P0 mov R20, 0x65\n"  // R20 was evicted: 0x65 goes to the register file
        "mov R10, 0x7\n @P0 iadd R10, R10, 0x1\n"  // merged
        "iadd R30, R10, RZ\n mov R31, 0x1\n mov R32, 0x1\n mov R33, 0x1\n mov R34, 0x1\n mov R35, "
        "0x1\n"
        "imad.lo.u32 R21, R20, 0x64, R10\n" BENCH_STORE("R21") "exit _\n",
        1, 32);
    for (uint32_t t = 0; t < 32; t++)
        assert_int_equal(bench_out(&r.b)[t], t < 16 ? 100 * 100 + 7 : 101 * 100 + 8);
    assert_int_equal(count(&r, CTR_RFC_THROUGH), 1);
    assert_int_equal(count(&r, CTR_RFC_MERGED), 1);
    close_run(&r);
}

// Lanes that have ended are of no use to anybody: the other ones are a whole result.
static void test_ended_lanes(void **state) {
    static Run r;
    (void)state;
    run(&r, "",
        ".kernel k\n.regs 63\n.preds 1\n" BENCH_THREAD HALF "@P0 exit _\n" SIX
        "iadd R10, R10, R15\n" BENCH_STORE("R10") "exit _\n",
        3, 24);
    for (uint32_t t = 0; t < 3 * 24; t++) assert_int_equal(bench_out(&r.b)[t], t % 24 < 16 ? 7 : 0);
    assert_int_equal(count(&r, CTR_RFC_THROUGH), 0);
    assert_int_equal(count(&r, CTR_RFC_MERGED), 0);
    close_run(&r);
}

// Both sides of a branch write the same register, one of them in a row that the other one evicts.
static void test_both_sides(void **state) {
    static Run r;
    (void)state;
    run(&r, "",
        ".kernel k\n.regs 63\n.preds 1\n" BENCH_THREAD HALF "mov R20, 0x9\n"    // 4; 5 6; 7
        "@P0 bra _, L13, L19\n"                                                 // 8
        "iadd R20, R20, 0x1\n mov R21, 0x1\n mov R22, 0x1\n bra _, L19, L19\n"  // 9 .. 12
        "L13:\n" SIX                                                            // 13 .. 18
        "L19:\n iadd R20, R20, R0\n" BENCH_STORE("R20") "exit _\n",
        2, 32);
    for (uint32_t t = 0; t < 64; t++)
        assert_int_equal(bench_out(&r.b)[t], t % 32 < 16 ? 10 + t % 32 : 9 + t % 32);
    assert_true(count(&r, CTR_RFC_THROUGH) + count(&r, CTR_RFC_MERGED) > 0);
    close_run(&r);
}

// A warp's remaining values are dropped: they never reach the register file, and the next warp of
// the slot never reads them.
static void test_next_warp(void **state) {
    static const char text[] = ".kernel k\n.regs 63\n" BENCH_THREAD
                               "iadd R40, R20, RZ\n" BENCH_STORE("R40") "mov R20, 0x4d\n exit _\n";
    static Run r;
    (void)state;
    run(&r, "sm.ctas=1", text, 12, 32);
    for (uint32_t t = 0; t < 12 * 32; t++) assert_int_equal(bench_out(&r.b)[t], 0);
    assert_true(count(&r, CTR_RFC_DROPPED) >= 12);
    close_run(&r);
    open_run(&r, "baseline", "sm.ctas=1");
    bench_run(&r.b, text, 12, 32, 0);
    assert_int_equal(bench_out(&r.b)[5 * 32], 0x4d);
    bench_close(&r.b);
}

// Two cache banks, which also have the results: reads and results wait, and all values are there.
static void test_few_banks(void **state) {
    static Run r;
    (void)state;
    run(&r, "rf.banks=2 rf.entries=512",
        ".kernel k\n.regs 63\n" BENCH_THREAD SIX
        "imad.lo.u32 R20, R10, R11, R12\n imad.lo.u32 R21, R13, R14, R15\n iadd R20, R20, "
        "R21\n" BENCH_STORE("R20") "exit _\n",
        8, 128);
    for (uint32_t t = 0; t < 8 * 128; t++)
        assert_int_equal(bench_out(&r.b)[t], 1 * 2 + 3 + 4 * 5 + 6);
    assert_true(count(&r, CTR_RFC_READ_WAITS) > 0);
    assert_true(count(&r, CTR_RFC_RESULT_WAITS) > 0);
    close_run(&r);
}

// Cycles without work may be skipped: no counter tells whether they were. Loads from DRAM leave the
// blocks idle, with rows in use and values on their way to the banks.
static void test_idle(void **state) {
    static const GpuIdle idle[] = {GPU_IDLE_SKIP, GPU_IDLE_CLOCK};
    static uint64_t v[2][CTR_COUNT];
    static Run r;
    (void)state;
    for (int i = 0; i < 2; i++) {
        open_idle(&r, "rfc", "rfc.entries=2", idle[i]);
        bench_run(
            &r.b,
            ".kernel k\n.regs 63\n" BENCH_THREAD
            "iadd R3, c[0][0x8], R1\n ld.global.b32 R20, [R3]\n" SIX
            "iadd R20, R20, R10\n ld.global.b32 R21, [R3+4096]\n iadd R21, R21, R20\n" BENCH_STORE(
                "R21") "exit _\n",
            20, 64, 0);
        check_conserved(&r);
        memcpy(v[i], gpu_counters(r.b.gpu)->v, sizeof v[i]);
        close_run(&r);
    }
    for (int i = 0; i < CTR_COUNT; i++)
        if (v[0][i] != v[1][i])
            fail_msg("%s: %lu skipped, %lu clocked", counter_info[i].name, v[0][i], v[1][i]);
    assert_true(v[0][CTR_RFC_WRITTEN_BACK] > 0 && v[0][CTR_RFC_ROWS] > v[0][CTR_CYCLES]);
}

static void test_combinations(void **state) {
    Diag d = {0};
    Arch a;
    (void)state;
    assert_true(arch_parse("rfc:rfv", &a, &d) && arch_parse("rfv:rfc", &a, &d));
    assert_string_equal(a.name, "rfc:rfv");
    assert_false(arch_parse("rfc:regmutex", &a, &d));
    assert_non_null(strstr(d.text, "its values are written back to fixed places"));
    d = (Diag){0};
    assert_false(arch_parse("rfc:packing", &a, &d));
    assert_non_null(strstr(d.text, "expected at most one of"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_six_rows),    cmocka_unit_test(test_some_lanes),
        cmocka_unit_test(test_ended_lanes), cmocka_unit_test(test_both_sides),
        cmocka_unit_test(test_next_warp),   cmocka_unit_test(test_few_banks),
        cmocka_unit_test(test_idle),        cmocka_unit_test(test_combinations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
