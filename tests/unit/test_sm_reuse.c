// SPDX-License-Identifier: Apache-2.0
// stats.reuse: the paper's table 3.1 as a kernel of one warp, uses that name a register without a
// read, partial results. Classes of results by their write bits; all numbers by hand.
#include "sm_support.h"

static void expect(const Bench *b, CounterId first, const uint64_t windows[6]) {
    for (unsigned i = 0; i < 6; i++) assert_int_equal(bench_count(b, first + i), windows[i]);
}

static void run(Bench *b, const char *text, uint32_t threads, const char *sets) {
    bench_open(b, "fermi", sets);
    if (!bench_try(b, text, 1, threads, 0, 64)) fail_msg("%s", b->d.text);
}

#define SNIPPET(first, ten) \
    "ld.shared.b32.u32" first " R3, [R8]\n" /* line 2 */ \
    "mov R2, 0x5\n imul.lo.u32 R1, R0, R2\n imad.lo.u32 R1, R0, R2, R1\n shl R1, R1, 0x10\n" \
    "imad.lo.u32 R0, R0, R2, R1\n iadd R0, R0, c[0][0x14]\n iadd R0, R9, R0\n" \
    "iadd" ten " R1, R0, 0x4\n" /* line 10 */ \
    "ld.shared.b32.u32 R2, [R1]\n plop3.lut=0xf0 _|P1, {P2}\n st.shared.b32 _, [c[0][0x14]], R2\n" \
    "isetp.lt.and.s32 _|P0, R3, R1\n exit _\n"

static void test_table_3_1(void **state) {
    (void)state;
    Bench b;
    run(&b, ".kernel k\n.regs 10\n.preds 3\n" SNIPPET("", ""), 32, "stats.reuse=1");
    assert_int_equal(bench_count(&b, CTR_REUSE_SOURCES), 18);
    // r0 and r2 of line 7 and r2 of line 13 are two places back, r1 of line 14 three. Far away: r8,
    // r9, r0 of line 4, r3
    expect(&b, CTR_REUSE_HITS_2, (const uint64_t[]){10, 13, 14, 14, 14, 14});
    assert_int_equal(bench_count(&b, CTR_REUSE_RESULTS), 10);
    // ten results less the writes of bow-wr in the paper's table: 4, 2, 1
    expect(&b, CTR_REUSE_BYPASSED_2, (const uint64_t[]){6, 8, 9, 9, 9, 9});
    assert_int_equal(bench_count(&b, CTR_REUSE_WITH_0), 3);
    assert_int_equal(bench_count(&b, CTR_REUSE_WITH_1), 6);
    assert_int_equal(bench_count(&b, CTR_REUSE_WITH_2), 3);
    assert_int_equal(bench_count(&b, CTR_REUSE_WITH_3), 2);
    for (unsigned i = 0; i < 4; i++) assert_int_equal(bench_count(&b, CTR_REUSE_CLASS_0 + i), 0);
    assert_int_equal(bench_count(&b, CTR_REUSE_SOURCES), bench_count(&b, CTR_RF_READS));
    assert_int_equal(bench_count(&b, CTR_REUSE_RESULTS), bench_count(&b, CTR_RF_WRITES));
    bench_close(&b);
}

static void test_off(void **state) {
    (void)state;
    Bench b;
    run(&b, ".kernel k\n.regs 10\n.preds 3\n" SNIPPET("", ""), 32, NULL);
    for (unsigned i = CTR_REUSE_SOURCES; i <= CTR_REUSE_CLASS_0 + 3; i++)
        assert_int_equal(bench_count(&b, i), 0);
    assert_int_equal(b.gpu ? bench_count(&b, CTR_WARP_INSTS) : 0, 14);
    bench_close(&b);
}

// Three warps count as one three times, metadata takes no place.
static void test_warps_and_metadata(void **state) {
    (void)state;
    Bench b;
    run(&b, ".kernel k\n.regs 10\n.preds 3\n hint _, 0x3f.64\n" SNIPPET("", ""), 96,
        "stats.reuse=1");
    expect(&b, CTR_REUSE_HITS_2, (const uint64_t[]){30, 39, 42, 42, 42, 42});
    expect(&b, CTR_REUSE_BYPASSED_2, (const uint64_t[]){18, 24, 27, 27, 27, 27});
    assert_int_equal(bench_count(&b, CTR_REUSE_WITH_0), 9);
    bench_close(&b);
}

// R2 is written by half of the lanes, then by the others: the first joins the second. A reader that
// is switched off names it two places on and reads nothing, the true one follows two places behind.
// R3 is never read.
static void test_partial(void **state) {
    (void)state;
    Bench b;
    run(&b,
        ".kernel k\n.regs 10\n.preds 3\n"
        "s2r R1, %tid.x\n isetp.lt.and.u32 _|P0, R1, 0x10\n isetp.lt.and.s32 _|P1, R1, 0x0\n"
        "@P0 mov R2, 0x1\n @!P0 mov R2, 0x2\n nop _\n @P1 iadd R4, R2, 0x1\n nop _\n iadd R3, R2, "
        "0x1\n exit _\n",
        32, "stats.reuse=1");
    assert_int_equal(bench_count(&b, CTR_REUSE_SOURCES), 3);
    expect(&b, CTR_REUSE_HITS_2, (const uint64_t[]){2, 3, 3, 3, 3, 3});
    assert_int_equal(bench_count(&b, CTR_REUSE_RESULTS), 4);
    expect(&b, CTR_REUSE_BYPASSED_2, (const uint64_t[]){3, 4, 4, 4, 4, 4});
    assert_int_equal(bench_count(&b, CTR_REUSE_WITH_0), 6);
    assert_int_equal(bench_count(&b, CTR_REUSE_WITH_1), 4);
    bench_close(&b);
}

// A value that is read again and again within the window stays; one late read, and it needs a
// place.
static void test_extended(void **state) {
    (void)state;
    Bench b;
    run(&b,
        ".kernel k\n.regs 10\n.preds 1\n mov R1, 0x1\n nop _\n isetp.lt.and.s32 _|P0, R1, 0x1\n "
        "nop _\n"
        "isetp.lt.and.s32 _|P0, R1, 0x2\n nop _\n nop _\n isetp.lt.and.s32 _|P0, R1, 0x3\n mov R1, "
        "0x2\n exit _\n",
        32, "stats.reuse=1");
    expect(&b, CTR_REUSE_HITS_2, (const uint64_t[]){0, 2, 3, 3, 3, 3});
    expect(&b, CTR_REUSE_BYPASSED_2, (const uint64_t[]){1, 1, 2, 2, 2, 2});
    bench_close(&b);
}

static void test_classes(void **state) {
    (void)state;
    Bench b;
    run(&b, ".kernel k\n.regs 10\n.preds 3\n.window 3 12 10\n" SNIPPET(".write=1", ".write=3"), 64,
        "stats.reuse=1");
    assert_int_equal(bench_count(&b, CTR_REUSE_CLASS_1), 2);
    assert_int_equal(bench_count(&b, CTR_REUSE_CLASS_3), 2);
    assert_int_equal(bench_count(&b, CTR_REUSE_CLASS_2), 0);
    assert_int_equal(bench_count(&b, CTR_REUSE_CLASS_0), 16);
    bench_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_3_1),          cmocka_unit_test(test_off),
        cmocka_unit_test(test_warps_and_metadata), cmocka_unit_test(test_partial),
        cmocka_unit_test(test_extended),           cmocka_unit_test(test_classes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
