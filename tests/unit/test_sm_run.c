// SPDX-License-Identifier: Apache-2.0
// Small programs on the SM, with the retire check on: values, control flow, memory, barriers, atomics.
#include "sm_support.h"

static void test_thread_numbers(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, "fermi", NULL);
    bench_run(&b, ".kernel ids\n.regs 63\n.params 24\n" BENCH_THREAD BENCH_STORE("R0") "exit _\n", 20, 100, 0);
    for (uint32_t i = 0; i < 2000; i++) assert_int_equal(bench_out(&b)[i], i);
    assert_int_equal(bench_out(&b)[2000], 0);
    assert_int_equal(bench_count(&b, CTR_CTAS), 20);
    assert_int_equal(bench_count(&b, CTR_WARP_INSTS), 20 * 4 * 8);
    assert_int_equal(bench_count(&b, CTR_THREAD_INSTS), 20 * 100 * 8);
    bench_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_thread_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
