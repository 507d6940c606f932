// SPDX-License-Identifier: Apache-2.0
#include "models/block.h"

#include <string.h>

// Byte s of lane l is at byte 4*l + s of the lane words and at byte 32*s + l of the row.
#ifdef __AVX512VBMI__
#include <immintrin.h>

// Each byte of the result by its number among the 128. Rows are stored and loaded 64 bytes at a
// time everywhere, so that the next load can be forwarded from the store buffer.
#define EIGHT(first, step) \
    first, first + step, first + 2 * step, first + 3 * step, first + 4 * step, first + 5 * step, \
        first + 6 * step, first + 7 * step
#define SLICE(s) EIGHT(s, 4), EIGHT(32 + s, 4), EIGHT(64 + s, 4), EIGHT(96 + s, 4)
#define LANE(l) l, 32 + l, 64 + l, 96 + l
#define LANES(l) \
    LANE(l), LANE(l + 1), LANE(l + 2), LANE(l + 3), LANE(l + 4), LANE(l + 5), LANE(l + 6), \
        LANE(l + 7)
static const uint8_t of_slices[128]
    __attribute__((aligned(64))) = {SLICE(0), SLICE(1), SLICE(2), SLICE(3)};
static const uint8_t of_lanes[128]
    __attribute__((aligned(64))) = {LANES(0), LANES(8), LANES(16), LANES(24)};

static inline void deal(uint32_t to[32], const uint32_t from[32], const uint8_t of[128]) {
    const __m512i low = _mm512_loadu_si512(from), high = _mm512_loadu_si512(from + 16);
    _mm512_storeu_si512(to, _mm512_permutex2var_epi8(low, _mm512_load_si512(of), high));
    _mm512_storeu_si512(to + 16, _mm512_permutex2var_epi8(low, _mm512_load_si512(of + 64), high));
}

void rf_slices_from_lanes(uint32_t slices[32], const uint32_t lanes[32]) {
    deal(slices, lanes, of_slices);
}
void rf_lanes_from_slices(uint32_t lanes[32], const uint32_t slices[32]) {
    deal(lanes, slices, of_lanes);
}
#elif defined __AVX2__
#include <immintrin.h>

// All lanes at once. The stores are 32 bytes wide, so that the next load of the words can be
// forwarded from the store buffer.
void rf_slices_from_lanes(uint32_t slices[32], const uint32_t lanes[32]) {
    const __m256i *from = (const __m256i *)lanes;
    __m256i *to = (__m256i *)slices;
    // Of four lanes the bytes 0, then the bytes 1, 2, 3.
    const __m256i deal = _mm256_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15, 0,
                                          4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    const __m256i a = _mm256_shuffle_epi8(_mm256_loadu_si256(from), deal);
    const __m256i b = _mm256_shuffle_epi8(_mm256_loadu_si256(from + 1), deal);
    const __m256i c = _mm256_shuffle_epi8(_mm256_loadu_si256(from + 2), deal);
    const __m256i d = _mm256_shuffle_epi8(_mm256_loadu_si256(from + 3), deal);
    // slices 0 and 1
    const __m256i low = _mm256_unpacklo_epi32(a, b), low2 = _mm256_unpacklo_epi32(c, d);
    // 2 and 3
    const __m256i high = _mm256_unpackhi_epi32(a, b), high2 = _mm256_unpackhi_epi32(c, d);
    _mm256_storeu_si256(to, _mm256_permutevar8x32_epi32(_mm256_unpacklo_epi64(low, low2), order));
    _mm256_storeu_si256(to + 1,
                        _mm256_permutevar8x32_epi32(_mm256_unpackhi_epi64(low, low2), order));
    _mm256_storeu_si256(to + 2,
                        _mm256_permutevar8x32_epi32(_mm256_unpacklo_epi64(high, high2), order));
    _mm256_storeu_si256(to + 3,
                        _mm256_permutevar8x32_epi32(_mm256_unpackhi_epi64(high, high2), order));
}

void rf_lanes_from_slices(uint32_t lanes[32], const uint32_t slices[32]) {
    const __m256i *from = (const __m256i *)slices;
    __m256i *to = (__m256i *)lanes;
    const __m256i a = _mm256_loadu_si256(from), b = _mm256_loadu_si256(from + 1);
    const __m256i c = _mm256_loadu_si256(from + 2), d = _mm256_loadu_si256(from + 3);
    // Bytes 0 and 1, bytes 2 and 3 of lanes 0 to 7 and 16 to 23; of 8 to 15 and 24 to 31.
    const __m256i low = _mm256_unpacklo_epi8(a, b), low2 = _mm256_unpacklo_epi8(c, d);
    const __m256i high = _mm256_unpackhi_epi8(a, b), high2 = _mm256_unpackhi_epi8(c, d);
    // 0, 16; 4, 20
    const __m256i e = _mm256_unpacklo_epi16(low, low2), f = _mm256_unpackhi_epi16(low, low2);
    // 8, 24; 12, 28
    const __m256i g = _mm256_unpacklo_epi16(high, high2), h = _mm256_unpackhi_epi16(high, high2);
    _mm256_storeu_si256(to, _mm256_permute2x128_si256(e, f, 0x20));
    _mm256_storeu_si256(to + 1, _mm256_permute2x128_si256(g, h, 0x20));
    _mm256_storeu_si256(to + 2, _mm256_permute2x128_si256(e, f, 0x31));
    _mm256_storeu_si256(to + 3, _mm256_permute2x128_si256(g, h, 0x31));
}
#else
// 16 lanes at a time: their bytes are distributed, or collected again, in two steps. Vectors of 16
// bytes do a step in one to three instructions on every machine.
typedef uint8_t Bytes __attribute__((vector_size(16), aligned(1), may_alias));

#define EVEN(a, b) \
    __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30)
#define ODD(a, b) \
    __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31)
#define LOW1(a, b) \
    __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define HIGH1(a, b) \
    __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#define LOW2(a, b) \
    __builtin_shufflevector(a, b, 0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23)
#define HIGH2(a, b) \
    __builtin_shufflevector(a, b, 8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31)

void rf_slices_from_lanes(uint32_t slices[32], const uint32_t lanes[32]) {
    const Bytes *from = (const Bytes *)lanes;
    Bytes to[8];
    for (int half = 0; half < 2; half++, from += 4) {
        const Bytes a = EVEN(from[0], from[1]), b = EVEN(from[2], from[3]);  // slices 0 and 2
        const Bytes c = ODD(from[0], from[1]), d = ODD(from[2], from[3]);    // 1 and 3
        to[half] = EVEN(a, b);
        to[2 + half] = EVEN(c, d);
        to[4 + half] = ODD(a, b);
        to[6 + half] = ODD(c, d);
    }
    memcpy(slices, to, sizeof to);
}

void rf_lanes_from_slices(uint32_t lanes[32], const uint32_t slices[32]) {
    const Bytes *from = (const Bytes *)slices;
    Bytes to[8];
    for (int half = 0; half < 2; half++, from++) {
        // bytes 0 and 1 of each lane
        const Bytes a = LOW1(from[0], from[2]), b = HIGH1(from[0], from[2]);
        const Bytes c = LOW1(from[4], from[6]), d = HIGH1(from[4], from[6]);  // 2 and 3
        to[4 * half] = LOW2(a, c);
        to[4 * half + 1] = HIGH2(a, c);
        to[4 * half + 2] = LOW2(b, d);
        to[4 * half + 3] = HIGH2(b, d);
    }
    memcpy(lanes, to, sizeof to);
}
#endif
