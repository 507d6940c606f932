// SPDX-License-Identifier: Apache-2.0
// Which loads of a program L1 caches (l1.loads).
#include "sm_support.h"

// One warp loads a line twice; hits of the second load.
static void expect(const char *sets, const char *load, uint64_t hits, uint64_t misses) {
    Bench b;
    char text[1024];
    bench_open(&b, "fermi", sets);
    snprintf(text, sizeof text,
             ".kernel loads\n.regs 63\n.preds 1\n.local 16\n%s iadd R3, c[0][0x8], R1\n"
             "%s\n iadd R4, R4, 0x1\n membar _\n %s\n exit _\n",
             BENCH_THREAD, load, load);
    bench_run(&b, text, 1, 32, 0);
    if (bench_count(&b, CTR_L1_HITS) != hits || bench_count(&b, CTR_L1_MISSES) != misses)
        fail_msg("%s, %s: %llu hits, %llu misses, expected %llu, %llu", sets, load,
                 (unsigned long long)bench_count(&b, CTR_L1_HITS),
                 (unsigned long long)bench_count(&b, CTR_L1_MISSES), (unsigned long long)hits,
                 (unsigned long long)misses);
    bench_close(&b);
}

static void test_loads(void **state) {
    (void)state;
    const char *plain = "ld.global.b32.u32 R4, [R3]", *nc = "ld.global.nc.b32.u32 R4, [R3]",
               *local = "ld.local.b32.u32 R4, [0x4]", *generic = "ld.b32.u32 R4, [R3]";
    expect("l1.loads=all", plain, 1, 1);
    expect("l1.loads=all", generic, 1, 1);
    expect("l1.loads=all", nc, 1, 1);
    expect("l1.loads=all", local, 1, 1);
    expect("l1.loads=nc", plain, 0, 2);
    expect("l1.loads=nc", generic, 0, 2);
    expect("l1.loads=nc", nc, 1, 1);
    expect("l1.loads=nc", local, 1, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_loads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
