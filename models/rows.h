// SPDX-License-Identifier: Apache-2.0
// Rows of 1024 bits: 32 words.
#ifndef SMCOSIM_MODELS_ROWS_H
#define SMCOSIM_MODELS_ROWS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#if defined __AVX512F__ || defined __AVX2__
#include <immintrin.h>
#endif

// The widest vector of words that the host has. Rows are moved, and sets of collectors computed, in
// parts of this width.
#ifdef __AVX512F__
enum { ROW_PART = 16 };  // words
#else
enum { ROW_PART = 8 };
#endif
typedef uint32_t RowPart __attribute__((vector_size(4 * ROW_PART), aligned(4), may_alias));

// Zeroed memory at the beginning of a cache line, so that each row of an array occupies two lines.
// NULL: no memory.
static inline void *rows_alloc(size_t bytes) {
    void *p = aligned_alloc(64, (bytes + 63) / 64 * 64);
    return p ? memset(p, 0, bytes) : NULL;
}

static inline void row_copy(uint32_t to[32], const uint32_t from[32]) {
    const RowPart *f = (const RowPart *)from;
    RowPart *t = (RowPart *)to, part[32 / ROW_PART];
    for (int i = 0; i < 32 / ROW_PART; i++) part[i] = f[i];
    for (int i = 0; i < 32 / ROW_PART; i++) t[i] = part[i];
}

// The words equal to `value`; the words without any of these bits; whether two rows are equal.
#ifdef __AVX512F__
#define ROW_BITS(test, row, with) \
    ((uint32_t)test(_mm512_loadu_si512(row), with) | \
     (uint32_t)test(_mm512_loadu_si512((row) + 16), with) << 16)

static inline uint32_t row_equals(const uint32_t row[32], uint32_t value) {
    const __m512i values = _mm512_set1_epi32((int)value);
    return ROW_BITS(_mm512_cmpeq_epi32_mask, row, values);
}

static inline uint32_t row_without(const uint32_t row[32], uint32_t bits) {
    const __m512i mask = _mm512_set1_epi32((int)bits);
    return ROW_BITS(_mm512_testn_epi32_mask, row, mask);
}
#undef ROW_BITS

static inline bool row_equal(const uint32_t a[32], const uint32_t b[32]) {
    const __m512i low = _mm512_loadu_si512(a), high = _mm512_loadu_si512(a + 16);
    return !(_mm512_cmpneq_epi32_mask(low, _mm512_loadu_si512(b)) |
             _mm512_cmpneq_epi32_mask(high, _mm512_loadu_si512(b + 16)));
}
#elif defined __AVX2__
// TEST is all ones for the selected elements of `words`, a quarter of the row.
#define ROW_BITS(row, i, test) \
    ({ \
        const __m256i words = _mm256_loadu_si256((const __m256i *)(row) + (i)); \
        (uint32_t) _mm256_movemask_ps(_mm256_castsi256_ps(test)) << 8 * (i); \
    })

static inline uint32_t row_equals(const uint32_t row[32], uint32_t value) {
    const __m256i values = _mm256_set1_epi32((int)value);
#define TEST _mm256_cmpeq_epi32(words, values)
    return ROW_BITS(row, 0, TEST) | ROW_BITS(row, 1, TEST) | ROW_BITS(row, 2, TEST) |
        ROW_BITS(row, 3, TEST);
#undef TEST
}

static inline uint32_t row_without(const uint32_t row[32], uint32_t bits) {
    const __m256i mask = _mm256_set1_epi32((int)bits), none = _mm256_setzero_si256();
#define TEST _mm256_cmpeq_epi32(_mm256_and_si256(words, mask), none)
    return ROW_BITS(row, 0, TEST) | ROW_BITS(row, 1, TEST) | ROW_BITS(row, 2, TEST) |
        ROW_BITS(row, 3, TEST);
#undef TEST
}
#undef ROW_BITS

static inline bool row_equal(const uint32_t a[32], const uint32_t b[32]) {
    const RowPart *x = (const RowPart *)a, *y = (const RowPart *)b;
    const RowPart d = (x[0] ^ y[0]) | (x[1] ^ y[1]) | (x[2] ^ y[2]) | (x[3] ^ y[3]);
    uint64_t any[4];
    memcpy(any, &d, sizeof any);
    return !(any[0] | any[1] | any[2] | any[3]);
}
#else
static inline uint32_t row_equals(const uint32_t row[32], uint32_t value) {
    uint32_t bits = 0;
    for (int w = 0; w < 32; w++) bits |= (uint32_t)(row[w] == value) << w;
    return bits;
}

static inline uint32_t row_without(const uint32_t row[32], uint32_t bits) {
    uint32_t without = 0;
    for (int w = 0; w < 32; w++) without |= (uint32_t) !(row[w] & bits) << w;
    return without;
}

static inline bool row_equal(const uint32_t a[32], const uint32_t b[32]) {
    return !memcmp(a, b, 32 * sizeof *a);
}
#endif

#endif
