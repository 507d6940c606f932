// SPDX-License-Identifier: Apache-2.0
// Golden model of width_detect against values whose size the thesis' circuit gives (2.6).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "models/pack/width_detect.h"

static WidthDetectOut sized(const uint32_t lanes[32], uint32_t written, uint32_t old) {
    const int params[] = {2};
    WidthDetectIn in = {.wd_valid = {2}};  // port 1: port 0 must stay silent
    WidthDetectOut out;
    void *m = width_detect_model.open(params);
    memset(&out, 0xee, sizeof out);
    memset(in.wd_data[0], 0x5a, sizeof in.wd_data[0]);
    rf_slices_from_lanes(in.wd_data[1], lanes);
    in.wd_lane[1] = written;
    in.wd_old[1] = old;
    width_detect_model.eval(m, &in, &out);
    width_detect_model.close(m);
    assert_int_equal(out.wd_size[0], 0);
    assert_int_equal(out.wd_wide[0], 0);
    return out;
}

static uint32_t size_of(const uint32_t lanes[32], uint32_t written, uint32_t old) {
    return sized(lanes, written, old).wd_size[1];
}

static void edges_of_every_size(void **state) {
    (void)state;
    static const struct {
        int32_t value;
        uint32_t size;
    } cases[] = {{0, 1},        {1, 1},         {127, 1},      {-1, 1},       {-128, 1},
                 {128, 2},      {255, 2},       {-129, 2},     {32767, 2},    {-32768, 2},
                 {32768, 3},    {-32769, 3},    {8388607, 3},  {-8388608, 3}, {8388608, 4},
                 {-8388609, 4}, {INT32_MAX, 4}, {INT32_MIN, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int lane = 0; lane < 32; lane += 31) {
            uint32_t lanes[32] = {0};
            lanes[lane] = (uint32_t)cases[i].value;
            assert_int_equal(size_of(lanes, UINT32_MAX, 0), cases[i].size);
        }
}

// The 3-bit result is the OR over the bytes, not a thermometer.
static void wide_bits(void **state) {
    (void)state;
    uint32_t lanes[32] = {0};
    lanes[5] = 0x00010000;
    assert_int_equal(sized(lanes, UINT32_MAX, 0).wd_wide[1], 2);
    lanes[6] = (uint32_t)-129;
    assert_int_equal(sized(lanes, UINT32_MAX, 0).wd_wide[1], 3);
    lanes[7] = 0x7f000000;
    assert_int_equal(sized(lanes, UINT32_MAX, 0).wd_wide[1], 7);
}

// Signs of lanes differ: each lane counts with its own.
static void mixed_signs(void **state) {
    (void)state;
    uint32_t lanes[32];
    for (int l = 0; l < 32; l++) lanes[l] = (uint32_t)(l & 1 ? -100 : 100);
    assert_int_equal(size_of(lanes, UINT32_MAX, 4), 1);
    lanes[31] = 200;
    assert_int_equal(size_of(lanes, UINT32_MAX, 0), 2);
}

// Lanes not written count with the size that the register has; all written, it may shrink.
static void partial_results(void **state) {
    (void)state;
    uint32_t lanes[32] = {0};
    lanes[9] = 0x123456;
    assert_int_equal(size_of(lanes, ~(1u << 9), 0), 1);
    assert_int_equal(size_of(lanes, ~(1u << 9), 2), 2);
    assert_int_equal(size_of(lanes, ~1u, 2), 3);
    assert_int_equal(size_of(lanes, ~1u, 4), 4);
    assert_int_equal(size_of(lanes, UINT32_MAX, 4), 3);
    assert_int_equal(size_of(lanes, 0, 0), 1);
    assert_int_equal(size_of(lanes, 0, 3), 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(edges_of_every_size),
                                       cmocka_unit_test(wide_bits), cmocka_unit_test(mixed_signs),
                                       cmocka_unit_test(partial_results)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
