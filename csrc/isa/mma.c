// SPDX-License-Identifier: Apache-2.0
#include "isa/mma.h"

#include "isa/lane.h"

enum { ROWS = 16, COLUMNS = 8, DEEPEST = 128 };

// A and B as matrices of 64-bit elements: f32 or f64 patterns, or integers.
typedef struct Matrices {
    int64_t a[ROWS][DEEPEST], b[COLUMNS][DEEPEST];
} Matrices;

static int64_t float_element(int kind, uint32_t e) {
    if (kind == MMA_TF32) return lane_f32_is_nan(e) ? LANE_NAN32 : e & 0xffffe000u;
    if (kind == MMA_BF16) return (int64_t)(e << 16);
    return (int64_t)lane_cvt(ISA_F32, ISA_F16, ISA_RN, false, false, e);
}

static int64_t element_of_word(int kind, bool is_signed, uint32_t word, int i, int bits) {
    const uint32_t e = bits == 32 ? word : word >> (i * bits) & ((1u << bits) - 1);
    if (kind <= MMA_TF32) return float_element(kind, e);
    return is_signed && e >> (bits - 1) ? (int64_t)e - (1ll << bits) : e;
}

static void unpack_matrices(int mode, uint32_t active, const uint32_t *const src[3][4],
                            Matrices *m) {
    const int kind = mode & MMA_KIND, bits = mma_element_bits(mode), n = bits == 64 ? 1 : 32 / bits;
    for (int l = 0; l < ISA_LANES; l++) {
        const int g = l / 4, t = l % 4;
        const bool on = active >> l & 1;
        if (kind == MMA_F64) {
            m->a[g][t] = on ? (int64_t)((uint64_t)src[0][1][l] << 32 | src[0][0][l]) : 0;
            m->b[g][t] = on ? (int64_t)((uint64_t)src[1][1][l] << 32 | src[1][0][l]) : 0;
            continue;
        }
        for (int i = 0; i < n; i++) {
            for (int half = 0; half < (mode & MMA_TALL ? 2 : 1); half++)
                m->a[g + 8 * half][t * n + i] =
                    element_of_word(kind, mode & MMA_A_SIGNED, on ? src[0][half][l] : 0, i, bits);
            m->b[g][t * n + i] =
                element_of_word(kind, mode & MMA_B_SIGNED, on ? src[1][0][l] : 0, i, bits);
        }
    }
}

static uint32_t sum_float(const Matrices *m, int row, int column, int depth, uint32_t c) {
    for (int k = 0; k < depth; k++)
        c = lane_f32_fma((uint32_t)m->a[row][k], (uint32_t)m->b[column][k], c, ISA_RN, false,
                         false);
    return c;
}

static uint64_t sum_double(const Matrices *m, int row, int column, int depth, uint64_t c) {
    for (int k = 0; k < depth; k++)
        c = lane_f64_fma((uint64_t)m->a[row][k], (uint64_t)m->b[column][k], c, ISA_RN);
    return c;
}

static uint32_t sum_integer(const Matrices *m, int mode, int row, int column, int depth,
                            uint32_t c) {
    const int kind = mode & MMA_KIND;
    int64_t s = (int32_t)c;
    for (int k = 0; k < depth; k++) {
        const int64_t x = m->a[row][k], y = m->b[column][k];
        s += kind == MMA_XOR ? (x ^ y) : kind == MMA_AND ? (x & y) : x * y;
    }
    if (mode & MMA_CLAMP) s = s > INT32_MAX ? INT32_MAX : s < INT32_MIN ? INT32_MIN : s;
    return (uint32_t)s;
}

static uint32_t half_of(uint32_t word, int i) { return word >> (16 * i) & 0xffff; }

// Words of one lane and row: its two columns.
static void put_row(const Matrices *m, int mode, int l, int half, const uint32_t *const *c,
                    uint32_t (*d)[ISA_LANES]) {
    const int row = l / 4 + 8 * half, column = l % 4 * 2, depth = mma_depth(mode),
              kind = mode & MMA_KIND;
    if (mode & MMA_HALF_SUM) {
        uint32_t word = 0;
        for (int j = 0; j < 2; j++) {
            const uint32_t s =
                (uint32_t)lane_cvt(ISA_F32, ISA_F16, ISA_RN, false, false, half_of(c[half][l], j));
            const uint32_t r = sum_float(m, row, column + j, depth, s);
            word |= (uint32_t)lane_cvt(ISA_F16, ISA_F32, ISA_RN, false, false, r) << (16 * j);
        }
        d[half][l] = word;
        return;
    }
    for (int j = 0; j < 2; j++) {
        if (kind == MMA_F64) {
            const uint64_t s = sum_double(m, row, column + j, depth,
                                          (uint64_t)c[2 * j + 1][l] << 32 | c[2 * j][l]);
            d[2 * j][l] = (uint32_t)s;
            d[2 * j + 1][l] = (uint32_t)(s >> 32);
        } else if (kind <= MMA_TF32) {
            d[2 * half + j][l] = sum_float(m, row, column + j, depth, c[2 * half + j][l]);
        } else {
            d[2 * half + j][l] = sum_integer(m, mode, row, column + j, depth, c[2 * half + j][l]);
        }
    }
}

void mma_step(int mode, uint32_t active, const uint32_t *const src[3][4],
              uint32_t (*d)[ISA_LANES]) {
    Matrices m;
    unpack_matrices(mode, active, src, &m);
    for (int l = 0; l < ISA_LANES; l++) {
        if (!(active >> l & 1)) continue;
        for (int half = 0; half < (mode & MMA_TALL ? 2 : 1); half++)
            put_row(&m, mode, l, half, src[2], d);
    }
}
