// SPDX-License-Identifier: Apache-2.0
// Draws of perturbed runs: within their limits, the same whenever they are drawn, none in run 0.
#include "config/perturb.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void no_change(void **state) {
    (void)state;
    const MachineConfig runs[] = {{.perturb_run = 0, .perturb_dram = 4, .perturb_start = 8},
                                  {.perturb_run = 7, .perturb_dram = 0, .perturb_start = 0}};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(perturb_dram(&runs[i]), 0);
        for (uint64_t cta = 0; cta < 100; cta++) assert_int_equal(perturb_start(&runs[i], cta), 0);
    }
}

// Over many runs each value occurs about as often as the others.
static void dram_range(void **state) {
    (void)state;
    int seen[9] = {0};
    for (int run = 1; run <= 900; run++) {
        const MachineConfig c = {.perturb_run = run, .perturb_dram = 4};
        const int v = perturb_dram(&c);
        assert_in_range(v + 4, 0, 8);
        assert_int_equal(perturb_dram(&c), v);
        seen[v + 4]++;
    }
    for (int i = 0; i < 9; i++) assert_in_range(seen[i], 60, 140);
}

// Delays of CTAs differ within a run and between runs.
static void start_range(void **state) {
    (void)state;
    int seen[9] = {0}, same = 0;
    const MachineConfig c = {.perturb_run = 1, .perturb_start = 8},
                        other = {.perturb_run = 2, .perturb_start = 8};
    for (uint64_t cta = 0; cta < 900; cta++) {
        const int v = perturb_start(&c, cta);
        assert_in_range(v, 0, 8);
        seen[v]++;
        same += v == perturb_start(&other, cta);
    }
    for (int i = 0; i < 9; i++) assert_in_range(seen[i], 60, 140);
    assert_in_range(same, 60, 140);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_change),
        cmocka_unit_test(dram_range),
        cmocka_unit_test(start_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
