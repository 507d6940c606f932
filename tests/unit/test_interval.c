// SPDX-License-Identifier: Apache-2.0
// Means and their intervals against values worked out by hand, and Student's t against its table.
#include "report/interval.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void assert_near(double found, double expected, double error) {
    if (!(fabs(found - expected) <= error)) fail_msg("found %.9g, expected %.9g", found, expected);
}

// Any table of Student's t, two-sided 95 %, against half of the interval over the standard error.
// Of 0 to n - 1 the variance is n (n + 1) / 12, so that the standard error is sqrt((n + 1) / 12).
static void quantiles(void **state) {
    (void)state;
    static const struct {
        int freedom;
        double t;
    } table[] = {{1, 12.7062}, {2, 4.3027},  {3, 3.1824},  {4, 2.7764},
                 {5, 2.5706},  {7, 2.3646},  {9, 2.2622},  {10, 2.2281},
                 {19, 2.0930}, {29, 2.0452}, {30, 2.0423}, {99, 1.9842}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        double v[100];
        const int n = table[i].freedom + 1;
        for (int k = 0; k < n; k++) v[k] = k;
        const Interval found = interval_of(v, n, INTERVAL_ARITHMETIC);
        assert_near(interval_half(found) / sqrt((n + 1) / 12.0), table[i].t, 6e-5);
    }
}

// 2, 4, 4, 6: mean 4, squared deviations 4 + 0 + 0 + 4, variance 8/3, standard error
// sqrt(8/3/4) = 0.8165; times t(3) = 3.1824: 2.5984.
static void arithmetic(void **state) {
    (void)state;
    const double v[] = {2, 4, NAN, 4, 6};
    const Interval i = interval_of(v, 5, INTERVAL_ARITHMETIC);
    assert_int_equal(i.n, 4);
    assert_near(i.mean, 4, 1e-12);
    assert_near(i.low, 4 - 2.5984, 1e-4);
    assert_near(i.high, 4 + 2.5984, 1e-4);
    assert_near(interval_half(i), 2.5984, 1e-4);
}

// 1, 2, 4: logarithms 0, ln 2, 2 ln 2, with mean ln 2 and deviation ln 2.
// The standard error is ln 2 / sqrt(3) = 0.40019, times t(2) = 4.30265 is 1.72187.
// The ends are exp(ln 2 - 1.72187) = 0.3575 and exp(ln 2 + 1.72187) = 11.190.
static void geometric(void **state) {
    (void)state;
    const double v[] = {1, 2, 4};
    const Interval i = interval_of(v, 3, INTERVAL_GEOMETRIC);
    assert_near(i.mean, 2, 1e-12);
    assert_near(i.low, 0.35746, 2e-5);
    assert_near(i.high, 11.18991, 5e-4);
}

// 1, 1/2, 1/3: reciprocals 1, 2, 3. Mean 2, deviation 1, half 4.30265 / sqrt(3) = 2.48414, which
// reaches below 0: the upper end does not exist. 1, 1, 1/1.3: reciprocals 1, 1, 1.3, mean 1.1,
// deviation 0.173205, half 0.430265.
static void harmonic(void **state) {
    (void)state;
    const double wide[] = {1, 1. / 2, 1. / 3}, v[] = {1, 1, 1 / 1.3};
    Interval i = interval_of(wide, 3, INTERVAL_HARMONIC);
    assert_near(i.mean, 0.5, 1e-12);
    assert_near(i.low, 1 / 4.48414, 1e-5);
    assert_true(isnan(i.high));
    i = interval_of(v, 3, INTERVAL_HARMONIC);
    assert_near(i.mean, 1 / 1.1, 1e-12);
    assert_near(i.low, 1 / 1.530265, 1e-6);
    assert_near(i.high, 1 / 0.669735, 1e-6);
}

static void few_values(void **state) {
    (void)state;
    Arena arena = {0};
    const double v[] = {3, NAN, -1};
    Interval i = interval_of(v, 2, INTERVAL_ARITHMETIC);
    assert_int_equal(i.n, 1);
    assert_near(i.mean, 3, 0);
    assert_true(isnan(i.low) && isnan(i.high));
    assert_string_equal(interval_text(&arena, i, 1), "-");
    i = interval_of(v, 0, INTERVAL_ARITHMETIC);
    assert_true(isnan(i.mean));
    i = interval_of(v, 3, INTERVAL_GEOMETRIC);  // -1 has no logarithm
    assert_true(isnan(i.mean) && isnan(i.low));
    i = interval_of((const double[]){5, 5, 5}, 3, INTERVAL_GEOMETRIC);
    assert_near(i.low, 5, 1e-12);
    assert_string_equal(interval_text(&arena, i, 2), "5.00 to 5.00");
    arena_free(&arena);
}

// (103 - 97) / 100
static void moves(void **state) {
    (void)state;
    const double v[] = {100, 97, 103, 100};
    assert_near(interval_moves(v, 4), 6, 1e-12);
    assert_near(interval_moves(v, 1), 0, 1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles), cmocka_unit_test(arithmetic), cmocka_unit_test(geometric),
        cmocka_unit_test(harmonic),  cmocka_unit_test(few_values), cmocka_unit_test(moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
