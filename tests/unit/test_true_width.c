// SPDX-License-Identifier: Apache-2.0
// The true width of 32 lanes, and when the bound that hardware keeps is above it.
#include "systems/pack/true_width.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bool write(TrueWidth *t, uint32_t value, uint32_t lanes) {
    uint32_t words[32];
    for (int l = 0; l < 32; l++) words[l] = lanes >> l & 1 ? value : 0xdeadbeef;
    return true_width_write(t, words, lanes);
}

static void test_edges(void **state) {
    (void)state;
    static const struct {
        uint32_t value;
        int bytes;
    } edges[] = {{0, 1},        {0x7f, 1},       {0x80, 2},       {0xffffff80, 1}, {0xffffff7f, 2},
                 {0x7fff, 2},   {0x8000, 3},     {0xffff8000, 2}, {0xffff7fff, 3}, {0x7fffff, 3},
                 {0x800000, 4}, {0x80000000, 4}, {0xff800000, 3}, {0xff7fffff, 4}};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        TrueWidth t = {0};
        assert_false(write(&t, edges[i].value, 1u << 31));  // lane 31 alone, the others zero
        assert_int_equal(t.kept, edges[i].bytes);
    }
}

static void test_bound(void **state) {
    (void)state;
    TrueWidth t = {0};
    assert_false(write(&t, 70000, ~0u));
    assert_false(write(&t, 5, 0xffff));     // the upper half still needs three bytes
    assert_true(write(&t, 5, 0xffff0000));  // now no lane does, but hardware cannot detect that
    assert_int_equal(t.kept, 3);
    assert_true(write(&t, 300, 1));          // two bytes, three kept
    assert_false(write(&t, 0x12345678, 2));  // grows: as wide as needed
    assert_true(write(&t, 0, 2));
    assert_false(write(&t, 1, ~0u));  // a full write is no bound
    assert_int_equal(t.kept, 1);
    assert_false(write(&t, 1, 0));  // nothing written
    assert_true(memcmp(t.extra, (uint8_t[32]){0}, sizeof t.extra) == 0);
}

// Against the plain definition: 32 words, their widest.
static int width(const uint32_t *words, uint32_t lanes) {
    int most = 1;
    for (int l = 0; l < 32; l++)
        for (int bytes = 4; lanes >> l & 1 && bytes > most; bytes--) {
            const int64_t half = 1ll << (8 * bytes - 9), v = (int32_t)words[l];
            if (v < -half || v >= half) most = bytes;
        }
    return most;
}

static void test_random(void **state) {
    (void)state;
    uint64_t seed = 1;
    int bounds = 0;
    TrueWidth t = {0};
    uint32_t truth[32] = {0}, words[32];
    int kept = 0;
    for (int turn = 0; turn < 20000; turn++) {
        uint32_t lanes = 0;
        for (int l = 0; l < 32; l++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            words[l] = (uint32_t)((int32_t)(seed >> 32) >> (8 * (turn / 3 % 4)));
            lanes |= (uint32_t)(seed >> 20 & 1) << l;
        }
        if (turn % 7 == 0) lanes = ~0u;
        if (turn % 50 == 0) t = (TrueWidth){0}, kept = 0, memset(truth, 0, sizeof truth);
        const bool above = true_width_write(&t, words, lanes);
        for (int l = 0; l < 32; l++)
            if (lanes >> l & 1) truth[l] = words[l];
        const int written = width(words, lanes);
        kept = lanes == ~0u || !kept || written > kept ? written : kept;
        assert_int_equal(t.kept, kept);
        assert_int_equal(above, width(truth, ~0u) < kept);
        bounds += above;
    }
    assert_true(bounds > 100 && bounds < 19900);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_edges), cmocka_unit_test(test_bound),
                                       cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
