// SPDX-License-Identifier: Apache-2.0
// Occupancy by each of its limits, and launches that must be refused.
#include "sm_support.h"

#include "models/rf/banked_rf.h"
#include "sm/state.h"

// header: lines of the kernel's, behind .regs
static void expect_limit_of(const char *sets, int regs, const char *header, int shared,
                            uint32_t ctas, uint32_t threads, int fits, const char *by) {
    Bench b;
    bench_open(&b, "fermi", sets);
    char text[512];
    snprintf(text, sizeof text, ".kernel k\n.regs %d\n%s.shared %d\n%s", regs, header, shared,
             BENCH_THREAD "iadd R5, c[0][0x0], R1\n st.global.b32 _, [R5], R0\n exit _\n");
    bench_run(&b, text, ctas, threads, 0);
    const GpuKernelInfo *info = gpu_kernel_info(b.gpu);
    assert_int_equal(info->ctas_per_sm, fits);
    assert_string_equal(info->limited_by, by);
    assert_int_equal(info->ctas, ctas);
    for (uint32_t i = 0; i < ctas * threads; i++) assert_int_equal(bench_out(&b)[i], i);
    bench_close(&b);
}

static void expect_limit(const char *sets, int regs, int shared, uint32_t ctas, uint32_t threads,
                         int fits, const char *by) {
    expect_limit_of(sets, regs, "", shared, ctas, threads, fits, by);
}

// Registers without a home need no place: 60 of which 24 have one are as good as 24.
static void test_homes(void **state) {
    (void)state;
    expect_limit_of(NULL, 60, "", 0, 20, 256, 2, "registers");
    expect_limit_of(NULL, 60, ".window 3 12 24\n", 0, 20, 256, 5, "registers");
    expect_limit_of("sm.regs_per_thread=32", 60, ".window 3 12 24\n", 0, 20, 256, 5, "registers");
}

static void test_limits(void **state) {
    (void)state;
    expect_limit(NULL, 63, 0, 20, 32, 8, "CTAs");
    expect_limit(NULL, 16, 0, 20, 256, 6, "warps");
    expect_limit(NULL, 63, 0, 20, 256, 2, "registers");         // 16 rows x 8 warps of 256
    expect_limit(NULL, 61, 0, 20, 256, 2, "registers");         // whole rows of four registers
    expect_limit(NULL, 20, 0, 20, 160, 8, "CTAs");              // 5 rows x 5 warps: 10 fit
    expect_limit(NULL, 24, 0, 20, 256, 5, "registers");         // 6 rows x 8 warps = 48 of 256
    expect_limit(NULL, 16, 12289, 20, 64, 3, "shared memory");  // 12416 after rounding: 3 of 49152
    expect_limit(NULL, 16, 12288, 20, 64, 4, "shared memory");
    expect_limit(NULL, 16, 0, 2, 64, 2, "grid");
}

static void expect_refusal(const char *text, const uint32_t grid[3], const uint32_t block[3],
                           uint32_t shared, const char *says) {
    Bench b;
    bench_open(&b, "fermi", NULL);
    IsaProgram *p = bench_parse(&b, text);
    BenchParams params = {b.out, b.in, 0, 0};
    p->param_bytes = sizeof params;
    GpuLaunch l = {.program = p, .shared_bytes = shared, .params = (const uint8_t *)&params};
    memcpy(l.grid, grid, sizeof l.grid);
    memcpy(l.block, block, sizeof l.block);
    assert_false(gpu_run(b.gpu, &l, &b.d));
    assert_int_equal(b.d.status, EXIT_USAGE);
    if (!strstr(b.d.text, says)) fail_msg("`%s` does not say `%s`", b.d.text, says);
    // The SM is as good as before.
    b.d = (Diag){0};
    bench_run(&b, ".kernel after\n.regs 63\n" BENCH_THREAD BENCH_STORE("R0") "exit _\n", 1, 32, 0);
    bench_close(&b);
}

static void test_refusals(void **state) {
    (void)state;
    const char *plain = ".kernel k\n.regs 16\n exit _\n";
    const uint32_t one[3] = {1, 1, 1};
    expect_refusal(plain, (uint32_t[3]){0, 1, 1}, one, 0, "grid.x is 0");
    expect_refusal(plain, (uint32_t[3]){1, 65536, 1}, one, 0,
                   "grid.y is 65536, expected 1 to 65535");
    expect_refusal(plain, one, (uint32_t[3]){1, 0, 1}, 0, "block.y is 0");
    expect_refusal(plain, one, (uint32_t[3]){1025, 1, 1}, 0, "block.x is 1025");
    expect_refusal(plain, one, (uint32_t[3]){1, 1, 65}, 0, "block.z is 65");
    expect_refusal(plain, one, (uint32_t[3]){32, 33, 1}, 0, "has 1056 threads");
    expect_refusal(plain, one, one, 49153, "bytes of shared memory per CTA");
    expect_refusal(".kernel k\n.regs 63\n.shared 49280\n exit _\n", one, one, 0,
                   "the SM has 49152");
    // 63 registers: 64 for each of 17 warps are more than 1024
    expect_refusal(".kernel k\n.regs 63\n exit _\n", one, (uint32_t[3]){544, 1, 1}, 0,
                   "requires 1088 warp registers");
    expect_refusal(".kernel k\n.regs 8\n mov R0, c[0][0x400]\n exit _\n", one, one, 0,
                   "constant bank 0");
}

enum { PLACED_WARPS = 16 };

static void check_places(int banks, int granularity, int regs) {
    static uint8_t used[RF_MAX_BANKS][1024];
    const RegLayout l = reg_layout(banks, granularity, regs);
    const int rows = l.alloc / banks;
    assert_true(l.alloc >= regs && l.alloc < regs + granularity && l.alloc % granularity == 0);
    memset(used, 0, sizeof used);
    for (int warp = 0; warp < PLACED_WARPS; warp++) {
        for (int r = 0; r < regs; r++) {
            const RegPlace p = reg_place(&l, warp, r);
            assert_in_range(p.bank, 0, banks - 1);
            assert_in_range(p.entry, 0, (PLACED_WARPS * l.alloc - 1) / banks);
            assert_int_equal(used[p.bank][p.entry]++, 0);
            assert_int_equal(p.bank, (reg_place(&l, warp, 0).bank + r) % banks);
            if (l.alloc % banks == 0) {
                assert_int_equal(p.bank, (r + warp) % banks);
                assert_int_equal(p.entry, warp * rows + r / banks);
            }
        }
    }
}

// Every register of every warp has a place of its own, for all numbers of banks and granularities.
static void test_register_places(void **state) {
    (void)state;
    for (int banks = 1; banks <= RF_MAX_BANKS; banks++)
        for (int granularity = 1; granularity <= 8; granularity++)
            for (int regs = 1; regs <= ISA_MAX_REGS; regs += 7)
                check_places(banks, granularity, regs);
}

// First registers of eight warps with 24 registers each lie in eight different banks of 16.
static void test_register_spread(void **state) {
    (void)state;
    const RegLayout l = reg_layout(16, 4, 24);
    uint32_t banks = 0;
    for (int warp = 0; warp < 16; warp++) banks |= 1u << reg_place(&l, warp, 0).bank;
    assert_int_equal(banks, 0xffff);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limits),          cmocka_unit_test(test_homes),
        cmocka_unit_test(test_refusals),        cmocka_unit_test(test_register_places),
        cmocka_unit_test(test_register_spread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
