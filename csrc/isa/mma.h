// SPDX-License-Identifier: Apache-2.0
// One step of a matrix product by a warp: D = A * B + C. A has 16 or 8 rows, B 8 columns. A row of
// A is as long as four words: K = 4 * 32 / bits of an element. This is PTX's smallest mma of each
// type; longer ones are chains of steps (csrc/ptx/parse_matrix.c). Lane 4g + t holds, as PTX
// specifies:
//
//   `A`  word i: row g + 8i, elements t * n .. t * n + n - 1 of it, n = 32 / bits.
//   `B`  column g, elements t * n ..
//   `C, D`  row g, columns 2t and 2t + 1, then the same of row g + 8: a word each (f64: two), f16:
//         one word for both.
//
// Products are exact. With floating point the sum starts at C and adds products by rising k. Each
// addition is rounded to nearest even in f32 (f64: fused multiply-add). An f16 sum is rounded from
// f32 at the end of the step. Hardware aligns and truncates by rules that are not published.
// Integer sums are exact, and truncated or clamped at the end. A lane that does not execute counts
// as zeros.
#ifndef SMCOSIM_ISA_MMA_H
#define SMCOSIM_ISA_MMA_H

#include "isa/isa.h"

typedef enum MmaKind {
    MMA_F16,
    MMA_BF16,
    MMA_TF32,
    MMA_I8,
    MMA_I4,
    MMA_XOR,
    MMA_AND,
    MMA_F64
} MmaKind;
// `mode` of the instruction: the kind, and these.
enum {
    MMA_KIND = 7,
    MMA_A_SIGNED = 8,
    MMA_B_SIGNED = 16,  // I8, I4
    MMA_CLAMP = 32,     // I8, I4: .satfinite
    MMA_HALF_SUM = 64,  // F16: C and D are f16
    MMA_TALL = 128,     // 16 rows
};

static inline int mma_element_bits(int mode) {
    static const int bits[] = {16, 16, 32, 8, 4, 1, 1, 64};
    return bits[mode & MMA_KIND];
}
static inline int mma_depth(int mode) {
    return (mode & MMA_KIND) == MMA_F64 ? 4 : 128 / mma_element_bits(mode);
}
// Words of source i (a, b, c) and of the destination (i = 3).
static inline int mma_words(int mode, int i) {
    const bool wide = (mode & MMA_KIND) == MMA_F64, tall = mode & MMA_TALL;
    if (i < 2) return wide || (tall && i == 0) ? 2 : 1;
    return wide ? 4 : (tall ? 4 : 2) / (mode & MMA_HALF_SUM ? 2 : 1);
}

// a, b, c, d [word][lane]; lanes of d outside `active` are unchanged.
void mma_step(int mode, uint32_t active, const uint32_t *const src[3][4], uint32_t (*d)[ISA_LANES]);

#endif
