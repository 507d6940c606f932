// SPDX-License-Identifier: Apache-2.0
// RegMutex on the SM: sections that are too few, values in flight at a release and at an exit,
// barriers, pairs. Also launches with different splits, kernels that are not split, and a wait for
// a section that never ends.
#include "sm_support.h"

#include "sm/parts/system.h"
#include "sm/state.h"
#include "systems/systems.h"

typedef struct Run {
    Bench b;
    Arch arch;
    uint64_t cycles;
} Run;

static void open_run(Run *r, const char *arch, const char *sets, uint64_t max_cycles) {
    memset(r, 0, sizeof *r);
    bench_config(&r->b, "fermi", sets);
    if (!arch_parse(arch, &r->arch, &r->b.d)) fail_msg("%s", r->b.d.text);
    bench_start(&r->b,
                &(GpuOptions){.check_retire = true, .arch = &r->arch, .max_cycles = max_cycles});
}

static void run(Run *r, const char *arch, const char *sets, const char *text, uint32_t ctas,
                uint32_t threads) {
    open_run(r, arch, sets, 0);
    bench_run(&r->b, text, ctas, threads, 0);
    r->cycles = bench_count(&r->b, CTR_CYCLES);
}

static uint64_t count(const Run *r, CounterId c) { return bench_count(&r->b, c); }

// A register file with room for 8 CTAs of one warp with 20 base registers each, and one section of
// 4.
#define ONE_SECTION "rf.entries=41"
#define SPLIT ".split 20 4 24\n"
#define STORE(reg) "iadd R5, c[0][0x0], R1\n st.global.b32 _, [R5], " reg "\n"

// Eight times: a section, and work on its registers. Sum of 3 (thread + i).
#define LOOP(split) \
    ".kernel k\n .regs 24\n .preds 1\n" split BENCH_THREAD "mov R3, 0x0\n mov R4, 0x0\n" /* 5 6 */ \
    "L7:\n acq _\n iadd R20, R0, R3\n iadd R21, R20, R20\n iadd R22, R21, R20\n" /* 7 .. 10 */ \
    "iadd R4, R4, R22\n rel _\n iadd R3, R3, 0x1\n"                              /* 11 12 13 */ \
    "isetp.lt.and.u32 _|P0, R3, 0x8\n @P0 bra _, L7, L16\n"                      /* 14 15 */ \
    "L16:\n" STORE("R4") "exit _\n"

static void expect_sums(Run *r, uint32_t threads) {
    for (uint32_t t = 0; t < threads; t++) assert_int_equal(bench_out(&r->b)[t], 24 * t + 84);
}

// ---- one section for all ----

static void test_one_section(void **state) {
    static Run r;
    (void)state;
    run(&r, "regmutex", ONE_SECTION, LOOP(SPLIT), 16, 32);
    expect_sums(&r, 16 * 32);
    assert_int_equal(gpu_kernel_info(r.b.gpu)->ctas_per_sm, 8);
    assert_int_equal(count(&r, CTR_ACQ_GRANTED), 16 * 8);
    assert_int_equal(count(&r, CTR_REL_RELEASED), 16 * 8);
    assert_true(count(&r, CTR_ACQ_REFUSED) > 0 && count(&r, CTR_STALL_SECTION) > 0);
    // A refused warp asks again only when the section was released: seven others wait at most.
    assert_in_range(count(&r, CTR_ACQ_REFUSED), 1, (16 * 8 + 1) * 7);
    assert_in_range(count(&r, CTR_ACQ_FIRST), 1, 16 * 8 - 1);
    assert_in_range(count(&r, CTR_SECTION_CYCLES), 16 * 8 * 4, r.cycles);  // never two holders
    bench_close(&r.b);
    static Run many;
    run(&many, "regmutex", "", LOOP(SPLIT), 16, 32);
    expect_sums(&many, 16 * 32);
    assert_int_equal(count(&many, CTR_ACQ_REFUSED), 0);
    assert_true(many.cycles < r.cycles);
    bench_close(&many.b);
}

// A holder that waits for memory leaves a small active set. Those that wait for its section do not
// keep it out of it.
static void test_two_level(void **state) {
    static Run r;
    (void)state;
    run(&r, "regmutex", ONE_SECTION " sm.scheduler=two-level sm.active_warps=1",
        ".kernel k\n .regs 24\n" SPLIT BENCH_THREAD
        "iadd R3, c[0][0x8], R1\n acq _\n ld.global.b32 R20, [R3]\n iadd R4, R20, R0\n rel "
        "_\n" STORE("R4") "exit _\n",
        16, 32);
    for (uint32_t t = 0; t < 16 * 32; t++) assert_int_equal(bench_out(&r.b)[t], t);
    assert_true(count(&r, CTR_ACQ_REFUSED) > 0);
    bench_close(&r.b);
}

// No two warps hold the section at once, and a released one is not taken in the same cycle. A
// release costs its holder a cycle, a grant takes the next, so 128 of them take at least twice as
// many.
static void test_released_one_cycle_later(void **state) {
    static Run r;
    (void)state;
    run(&r, "regmutex", ONE_SECTION,
        ".kernel k\n .regs 24\n" SPLIT
        "acq _\n rel _\n acq _\n rel _\n acq _\n rel _\n acq _\n rel _\n exit _\n",
        32, 32);
    assert_int_equal(count(&r, CTR_ACQ_GRANTED), 4 * 32);
    assert_true(r.cycles >= 2 * 4 * 32);
    bench_close(&r.b);
}

// ---- what is in flight ----

// A load that nobody reads goes to DRAM. The release waits for it; else it would land among the
// next warp's values.
static void test_release_waits_for_loads(void **state) {
    static Run r;
    (void)state;
    run(&r, "regmutex", ONE_SECTION,
        ".kernel k\n .regs 24\n" SPLIT BENCH_THREAD
        "iadd R3, c[0][0x8], R1\n acq _\n ld.global.b32 R20, [R3]\n rel _\n"
        "acq _\n mov R20, 0x7\n iadd R4, R20, R0\n rel _\n" STORE("R4") "exit _\n",
        8, 32);
    for (uint32_t t = 0; t < 8 * 32; t++) assert_int_equal(bench_out(&r.b)[t], t + 7);
    assert_true(count(&r, CTR_STALL_RAW_LONG) > 0);
    bench_close(&r.b);
}

// A warp ends with its section and a load into it in flight: the section is released after the
// load.
static void test_exit_while_held(void **state) {
    static Run r;
    (void)state;
    run(&r, "regmutex", ONE_SECTION,
        ".kernel k\n .regs 24\n" SPLIT BENCH_THREAD
        "acq _\n iadd R20, R0, 0x9\n" STORE("R20") "ld.global.b32 R21, [R5+64]\n exit _\n",
        24, 32);
    for (uint32_t t = 0; t < 24 * 32; t++) assert_int_equal(bench_out(&r.b)[t], t + 9);
    assert_int_equal(count(&r, CTR_SECTIONS_BY_EXIT), 24);
    assert_int_equal(count(&r, CTR_REL_RELEASED), 0);
    bench_close(&r.b);
}

// A fresh section holds the values of its last owner: a program that reads its own earlier value in
// the section is wrong.
static void test_section_of_another(void **state) {
    static Run r;
    (void)state;
    open_run(&r, "regmutex", ONE_SECTION, 0);
    assert_false(bench_try(&r.b,
                           ".kernel k\n .regs 24\n .preds 1\n" SPLIT BENCH_THREAD
                           "lop3.lut=0xc0 R3, R0, 0x1, RZ\n isetp.ne.and.u32 _|P0, R3, 0x0\n"
                           "acq _\n iadd R20, R0, 0x64\n rel _\n acq _\n @P0 mov R20, 0x7\n iadd "
                           "R4, R20, RZ\n rel _\n" STORE("R4") "exit _\n",
                           8, 32, 0, 0));
    assert_int_equal(r.b.d.status, EXIT_MISMATCH);
    assert_non_null(strstr(r.b.d.text, "lane 0 of R4: expected 0x00000064"));
    bench_close(&r.b);
}

// ---- nested ----

static void test_nested(void **state) {
    static Run r;
    (void)state;
    run(&r, "regmutex", ONE_SECTION,
        ".kernel k\n .regs 24\n" SPLIT BENCH_THREAD
        "acq _\n acq _\n iadd R20, R0, 0x5\n iadd R21, R20, R0\n mov.mode=1 R4, R21\n rel _\n rel "
        "_\n" STORE("R4") "exit _\n",
        16, 32);
    for (uint32_t t = 0; t < 16 * 32; t++) assert_int_equal(bench_out(&r.b)[t], 2 * t + 5);
    assert_int_equal(count(&r, CTR_COMPACT_MOVES), 16);
    assert_int_equal(count(&r, CTR_ACQ_GRANTED), 16);
    assert_int_equal(count(&r, CTR_ACQ_NESTED), 16);
    assert_int_equal(count(&r, CTR_REL_RELEASED), 16);
    bench_close(&r.b);
}

// ---- barriers ----

// Warps of one CTA wait at a barrier while others of it wait for the section.
static void test_barriers(void **state) {
    static Run r;
    (void)state;
    run(&r, "regmutex", "rf.entries=41 sm.ctas=2",
        ".kernel k\n .regs 24\n .preds 1\n .barriers 1\n" SPLIT BENCH_THREAD
        "mov R3, 0x0\n mov R4, 0x0\n"
        "L7:\n acq _\n iadd R20, R0, R3\n iadd R21, R20, R20\n iadd R22, R21, R20\n"
        "iadd R4, R4, R22\n rel _\n bar _, 0x0\n iadd R3, R3, 0x1\n"
        "isetp.lt.and.u32 _|P0, R3, 0x8\n @P0 bra _, L7, L17\n"
        "L17:\n" STORE("R4") "exit _\n",
        6, 128);
    expect_sums(&r, 6 * 128);
    assert_true(count(&r, CTR_STALL_BARRIER) > 0 && count(&r, CTR_ACQ_REFUSED) > 0);
    bench_close(&r.b);
}

// ---- pairs ----

// CTAs of three warps: pairs go across CTAs. Each pair has a section, an odd last warp has its own.
static void test_paired(void **state) {
    static Run r;
    (void)state;
    for (int odd = 0; odd < 2; odd++) {
        run(&r, "regmutex-paired", odd ? "sm.warps=45 sm.ctas=15" : "", LOOP(SPLIT), 20, 96);
        expect_sums(&r, 20 * 96);
        assert_int_equal(count(&r, CTR_ACQ_GRANTED), 20 * 3 * 8);
        // A release wakes the partner alone: no more attempts than acquires and releases.
        assert_in_range(count(&r, CTR_ACQ_REFUSED), 1, count(&r, CTR_REL_RELEASED));
        bench_close(&r.b);
    }
    // 8 warps with 20 registers, and 4 sections of 4: 176.
    run(&r, "regmutex-paired", "rf.entries=44", LOOP(SPLIT), 16, 32);
    assert_int_equal(gpu_kernel_info(r.b.gpu)->ctas_per_sm, 8);
    bench_close(&r.b);
    run(&r, "regmutex-paired", "rf.entries=43", LOOP(SPLIT), 16, 32);
    assert_int_equal(gpu_kernel_info(r.b.gpu)->ctas_per_sm, 7);
    expect_sums(&r, 16 * 32);
    bench_close(&r.b);
}

// ---- launches ----

static void test_two_splits(void **state) {
    static Run r;
    (void)state;
    open_run(&r, "regmutex", ONE_SECTION, 0);
    for (int i = 0; i < 2; i++) {
        bench_run(&r.b, LOOP(SPLIT), 16, 32, 0);
        expect_sums(&r, 16 * 32);
        memset(bench_out(&r.b), 0, 4096);
        bench_run(&r.b, LOOP(".split 18 6 24\n"), 16, 32, 0);
        memset(bench_out(&r.b), 0, 4096);
    }
    assert_int_equal(count(&r, CTR_ACQ_GRANTED), 4 * 16 * 8);
    assert_int_equal(count(&r, CTR_REL_RELEASED), 4 * 16 * 8);
    bench_close(&r.b);
}

// A kernel that is not split runs as in the baseline; regmutex.es=0 maps its registers all the
// same.
static void test_not_split(void **state) {
    static const char text[] =
        ".kernel k\n .regs 24\n" BENCH_THREAD
        "iadd R6, R0, R1\n iadd R7, R6, R6\n iadd R8, R7, R6\n" STORE("R8") "exit _\n";
    static const char *const archs[] = {"baseline", "regmutex", "regmutex"};
    static Run r[3];
    (void)state;
    for (int i = 0; i < 3; i++) {
        run(&r[i], archs[i], i == 2 ? "regmutex.es=0" : "", text, 1, 32);
        assert_int_equal(bench_out(&r[i].b)[30], 3 * 150);
    }
    for (int c = 0; c < CTR_COUNT; c++)
        assert_int_equal(count(&r[0], (CounterId)c), count(&r[1], (CounterId)c));
    assert_memory_equal(gpu_counters(r[0].b.gpu)->bank_reads, gpu_counters(r[1].b.gpu)->bank_reads,
                        sizeof gpu_counters(r[0].b.gpu)->bank_reads);
    assert_memory_not_equal(gpu_counters(r[0].b.gpu)->bank_reads,
                            gpu_counters(r[2].b.gpu)->bank_reads,
                            sizeof gpu_counters(r[0].b.gpu)->bank_reads);
    for (int i = 0; i < 3; i++) bench_close(&r[i].b);
}

// ---- what goes wrong ----

// The holder waits for a value that the other warp would write once it had the section.
static void test_hang_names_the_section(void **state) {
    static Run r;
    (void)state;
    open_run(&r, "regmutex", ONE_SECTION, 20000);
    const bool passed =
        bench_try(&r.b,
                  ".kernel k\n .regs 24\n .preds 1\n" SPLIT
                  "s2r R2, %ctaid.x\n mov R3, c[0][0x0]\n isetp.ne.and.u32 _|P0, R2, 0x0\n"
                  "acq _\n @P0 bra _, L8, L9\n"                                           // 3 4
                  "L5:\n ld.global.b32.cv R20, [R3]\n isetp.eq.and.u32 _|P0, R20, 0x0\n"  // 5 6
                  "@P0 bra _, L5, L9\n"                                                   // 7
                  "L8:\n st.global.b32 _, [R3], R2\n L9:\n rel _\n exit _\n",
                  2, 32, 0, 0);
    assert_false(passed);
    assert_int_equal(r.b.d.status, EXIT_HANG);
    assert_non_null(strstr(r.b.d.text, "section of the shared register pool"));
    bench_close(&r.b);
}

// An extended register without a section has no place.
static void test_no_section_held(void **state) {
    static Run r;
    (void)state;
    open_run(&r, "regmutex", "", 0);
    assert_false(bench_try(
        &r.b, ".kernel k\n .regs 24\n" SPLIT "mov R3, 0x1\n mov R21, R3\n exit _\n", 1, 32, 0, 0));
    assert_int_equal(r.b.d.status, EXIT_WRONG_RESULT);
    assert_non_null(strstr(r.b.d.text, "R21"));
    assert_non_null(strstr(r.b.d.text, "holds no section"));
    bench_close(&r.b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_section),
        cmocka_unit_test(test_two_level),
        cmocka_unit_test(test_released_one_cycle_later),
        cmocka_unit_test(test_release_waits_for_loads),
        cmocka_unit_test(test_exit_while_held),
        cmocka_unit_test(test_section_of_another),
        cmocka_unit_test(test_nested),
        cmocka_unit_test(test_barriers),
        cmocka_unit_test(test_paired),
        cmocka_unit_test(test_two_splits),
        cmocka_unit_test(test_not_split),
        cmocka_unit_test(test_hang_names_the_section),
        cmocka_unit_test(test_no_section_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
