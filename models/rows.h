// SPDX-License-Identifier: Apache-2.0
// Rows of 1024 bits: 32 words.
#ifndef SMCOSIM_MODELS_ROWS_H
#define SMCOSIM_MODELS_ROWS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef __AVX2__
#include <immintrin.h>
#endif

typedef uint32_t RowQuarter __attribute__((vector_size(32), aligned(4), may_alias));

// Zeroed memory at the beginning of a cache line, so that each row of an array is in two lines; NULL: there is none.
static inline void *rows_alloc(size_t bytes) {
    void *p = aligned_alloc(64, (bytes + 63) / 64 * 64);
    return p ? memset(p, 0, bytes) : NULL;
}

// Copies 32 words in the widest moves that the machine has.
static inline void row_copy(uint32_t to[32], const uint32_t from[32]) {
    const RowQuarter *f = (const RowQuarter *)from;
    RowQuarter *t = (RowQuarter *)to;
    const RowQuarter a = f[0], b = f[1], c = f[2], d = f[3];
    t[0] = a;
    t[1] = b;
    t[2] = c;
    t[3] = d;
}

static inline bool row_equal(const uint32_t a[32], const uint32_t b[32]) {
    const RowQuarter *x = (const RowQuarter *)a, *y = (const RowQuarter *)b;
    const RowQuarter d = (x[0] ^ y[0]) | (x[1] ^ y[1]) | (x[2] ^ y[2]) | (x[3] ^ y[3]);
    uint64_t any[4];
    memcpy(any, &d, sizeof any);
    return !(any[0] | any[1] | any[2] | any[3]);
}

// Which of the words are `value`; which have none of these bits.
#ifdef __AVX2__
// TEST names what is to be all ones in `words`, a quarter of the row.
#define ROW_BITS(row, i, test) \
    ({ const __m256i words = _mm256_loadu_si256((const __m256i *)(row) + (i)); \
       (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(test)) << 8 * (i); })

static inline uint32_t row_equals(const uint32_t row[32], uint32_t value) {
    const __m256i values = _mm256_set1_epi32((int)value);
#define TEST _mm256_cmpeq_epi32(words, values)
    return ROW_BITS(row, 0, TEST) | ROW_BITS(row, 1, TEST) | ROW_BITS(row, 2, TEST) | ROW_BITS(row, 3, TEST);
#undef TEST
}

static inline uint32_t row_without(const uint32_t row[32], uint32_t bits) {
    const __m256i mask = _mm256_set1_epi32((int)bits), none = _mm256_setzero_si256();
#define TEST _mm256_cmpeq_epi32(_mm256_and_si256(words, mask), none)
    return ROW_BITS(row, 0, TEST) | ROW_BITS(row, 1, TEST) | ROW_BITS(row, 2, TEST) | ROW_BITS(row, 3, TEST);
#undef TEST
}
#undef ROW_BITS
#else
static inline uint32_t row_equals(const uint32_t row[32], uint32_t value) {
    uint32_t bits = 0;
    for (int w = 0; w < 32; w++) bits |= (uint32_t)(row[w] == value) << w;
    return bits;
}

static inline uint32_t row_without(const uint32_t row[32], uint32_t bits) {
    uint32_t without = 0;
    for (int w = 0; w < 32; w++) without |= (uint32_t)!(row[w] & bits) << w;
    return without;
}
#endif

#endif
