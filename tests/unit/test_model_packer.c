// SPDX-License-Identifier: Apache-2.0
// Golden models of packer and unpacker against the layout of the thesis (2.5.2, 2.6), and together:
// a packed value returns unchanged, for any neighbor.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "models/pack/packer.h"
#include "models/pack/unpacker.h"

static PackerOut packed(const uint32_t lanes[32], uint32_t mask) {
    const int params[] = {1};
    PackerIn in = {.pk_valid = {1}, .pk_mask = {mask}};
    PackerOut out;
    memset(&out, 0xee, sizeof out);
    rf_slices_from_lanes(in.pk_data[0], lanes);
    void *m = packer_model.open(params);
    packer_model.eval(m, &in, &out);
    packer_model.close(m);
    return out;
}

static UnpackerOut unpacked(const uint32_t row[32], uint32_t mask1, uint32_t mask2) {
    const int params[] = {1};
    UnpackerIn in = {.up_valid = {1}, .up_mask1 = {mask1}, .up_mask2 = {mask2}};
    UnpackerOut out;
    memset(&out, 0xee, sizeof out);
    memcpy(in.up_row[0], row, 128);
    void *m = unpacker_model.open(params);
    unpacker_model.eval(m, &in, &out);
    unpacker_model.close(m);
    return out;
}

// r1, one byte, left-aligned in B3; r3, three bytes, right-aligned in B2..B0 (the pair of Fig.
// 2.10).
static void figure_2_10(void **state) {
    (void)state;
    uint32_t r1[32], r3[32], row[32], first[32], second[32];
    for (int l = 0; l < 32; l++) r1[l] = (uint32_t)(l - 16), r3[l] = (uint32_t)(-70000 * l);
    const PackerOut left = packed(r1, 8), right = packed(r3, 7);
    assert_int_equal(left.pk_slice[0], 8);
    assert_int_equal(right.pk_slice[0], 7);
    for (int i = 0; i < 24; i++) assert_int_equal(left.pk_out[0][i], 0);
    for (int i = 24; i < 32; i++) assert_int_equal(right.pk_out[0][i], 0);
    const uint8_t *b3 = (const uint8_t *)(left.pk_out[0] + 24);
    for (int l = 0; l < 32; l++) assert_int_equal(b3[l], (uint8_t)(l - 16));
    for (int i = 0; i < 32; i++) row[i] = left.pk_out[0][i] | right.pk_out[0][i];
    const UnpackerOut out = unpacked(row, 8, 7);
    assert_int_equal(out.up_first_valid[0] & out.up_second_valid[0], 1);
    rf_lanes_from_slices(first, out.up_first[0]);
    rf_lanes_from_slices(second, out.up_second[0]);
    assert_memory_equal(first, r1, 128);
    assert_memory_equal(second, r3, 128);
}

// Slices need not be neighbors; a mask larger than the value holds sign bytes.
static void scattered_and_roomy(void **state) {
    (void)state;
    uint32_t lanes[32], back[32];
    for (int l = 0; l < 32; l++) lanes[l] = (uint32_t)-2;
    const PackerOut out = packed(lanes, 10);
    const uint8_t *bytes = (const uint8_t *)out.pk_out[0];
    assert_int_equal(bytes[0], 0);
    assert_int_equal(bytes[32], 0xfe);  // slice 1: byte 0
    assert_int_equal(bytes[64], 0);
    assert_int_equal(bytes[96], 0xff);  // slice 3: the sign
    const UnpackerOut wide = unpacked(out.pk_out[0], 10, 0);
    assert_int_equal(wide.up_second_valid[0], 0);
    rf_lanes_from_slices(back, wide.up_first[0]);
    assert_memory_equal(back, lanes, 128);
}

static void nothing_to_do(void **state) {
    (void)state;
    const uint32_t lanes[32] = {1, 2, 3};
    const PackerOut out = packed(lanes, 0);
    assert_int_equal(out.pk_out_valid[0], 0);
    assert_int_equal(out.pk_slice[0], 0);
    const UnpackerOut none = unpacked(lanes, 0, 0);
    assert_int_equal(none.up_first_valid[0] | none.up_second_valid[0], 0);
}

static uint32_t sign_extended(uint32_t value, int bytes) {
    const int shift = 32 - 8 * bytes;
    return (uint32_t)((int32_t)(value << shift) >> shift);
}

// All pairs of masks that do not overlap, random values of their sizes, rubbish in the other
// slices.
static void round_trip(void **state) {
    (void)state;
    srand(11);
    for (uint32_t m1 = 1; m1 < 16; m1++)
        for (uint32_t m2 = 0; m2 < 16; m2++) {
            if (m1 & m2) continue;
            uint32_t a[32], b[32], row[32], back[32];
            for (int l = 0; l < 32; l++) {
                a[l] = sign_extended((uint32_t)rand() * 2654435761u, __builtin_popcount(m1));
                b[l] =
                    m2 ? sign_extended((uint32_t)rand() * 2654435761u, __builtin_popcount(m2)) : 0;
                row[l] = (uint32_t)rand();
            }
            const PackerOut pa = packed(a, m1), pb = packed(b, m2);
            for (int s = 0; s < 4; s++) {
                if (m1 >> s & 1) memcpy(row + 8 * s, pa.pk_out[0] + 8 * s, 32);
                if (m2 >> s & 1) memcpy(row + 8 * s, pb.pk_out[0] + 8 * s, 32);
            }
            const UnpackerOut out = unpacked(row, m1, m2);
            rf_lanes_from_slices(back, out.up_first[0]);
            assert_memory_equal(back, a, 128);
            if (!m2) continue;
            rf_lanes_from_slices(back, out.up_second[0]);
            assert_memory_equal(back, b, 128);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_2_10), cmocka_unit_test(scattered_and_roomy),
        cmocka_unit_test(nothing_to_do), cmocka_unit_test(round_trip)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
