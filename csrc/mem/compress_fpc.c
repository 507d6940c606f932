// SPDX-License-Identifier: Apache-2.0
// Frequent pattern compression by segments (CABA section 5.1.3, algorithms 3 and 4). All 8 words of
// a segment have the same pattern, so that each lane can compute its word's position. Byte 0 is the
// head, the u16 at 2 holds a pattern per segment, and the segments follow from byte 4 on. A segment
// uses the first pattern that fits: zero, sign-extended byte, equal bytes, sign-extended half,
// upper half only, two sign-extended bytes in halves, or raw.
#include "mem/line_compress.h"

#include <string.h>

enum { SEGMENTS = 4, WORDS = 8, DATA_AT = 4, PATTERNS = 8 };
enum { ZERO = 0, BYTE = 1, HALF = 2, UPPER = 3, HALVES = 4, EQUAL = 5, RAW = 7 };

static const int ORDER[] = {ZERO, BYTE, EQUAL, HALF, UPPER, HALVES, RAW};
static const int BYTES[PATTERNS] = {
    [BYTE] = 1, [HALF] = 2, [UPPER] = 2, [HALVES] = 2, [EQUAL] = 1, [RAW] = 4};

static uint32_t expand_word(uint32_t bits, int pattern) {
    switch (pattern) {
    case BYTE: return (uint32_t)(int8_t)bits;
    case HALF: return (uint32_t)(int16_t)bits;
    case UPPER: return bits << 16;
    case HALVES: return ((uint32_t)(int8_t)bits & 0xffff) | (uint32_t)(int8_t)(bits >> 8) << 16;
    case EQUAL: return bits * 0x01010101u;
    default: return bits;  // ZERO: no bits at all
    }
}

// The stored part of a word that has the pattern; expansion restores the word.
static uint32_t shorten_word(uint32_t word, int pattern) {
    switch (pattern) {
    case ZERO: return 0;
    case BYTE:
    case EQUAL: return word & 0xff;
    case HALF: return word & 0xffff;
    case UPPER: return word >> 16;
    case HALVES: return (word & 0xff) | (word >> 16 & 0xff) << 8;
    default: return word;
    }
}

static uint32_t word_at(const uint8_t *line, int i) {
    uint32_t w;
    memcpy(&w, line + 4 * i, 4);
    return w;
}

static bool has_pattern(const uint8_t *line, int segment, int pattern) {
    for (int i = segment * WORDS; i < (segment + 1) * WORDS; i++)
        if (expand_word(shorten_word(word_at(line, i), pattern), pattern) != word_at(line, i))
            return false;
    return true;
}

static int pattern_of(const uint8_t *line, int segment) {
    int i = 0;
    while (!has_pattern(line, segment, ORDER[i])) i++;  // each word has RAW
    return ORDER[i];
}

int fpc_compress(const uint8_t line[COMPRESS_LINE], uint8_t image[COMPRESS_IMAGE]) {
    uint8_t text[DATA_AT + COMPRESS_LINE] = {COMPRESS_FPC << 4};
    int at = DATA_AT;
    for (int s = 0; s < SEGMENTS; s++) {
        int p = pattern_of(line, s);
        text[2 + s / 2] |= (uint8_t)(p << s % 2 * 4);
        for (int k = 0; k < WORDS; k++, at += BYTES[p]) {
            uint32_t bits = shorten_word(word_at(line, s * WORDS + k), p);
            memcpy(text + at, &bits, (size_t)BYTES[p]);
        }
    }
    if (at > COMPRESS_IMAGE) return 0;
    memset(image, 0, COMPRESS_IMAGE);
    memcpy(image, text, (size_t)at);
    return at;
}

bool fpc_decompress(const uint8_t image[COMPRESS_IMAGE], uint8_t line[COMPRESS_LINE]) {
    int at = DATA_AT;
    if (image[0] != COMPRESS_FPC << 4) return false;
    for (int s = 0; s < SEGMENTS; s++) {
        int p = image[2 + s / 2] >> s % 2 * 4 & 15;
        if (p >= PATTERNS || (p != ZERO && !BYTES[p]) || at + WORDS * BYTES[p] > COMPRESS_IMAGE)
            return false;
        for (int k = 0; k < WORDS; k++, at += BYTES[p]) {
            uint32_t bits = 0;
            memcpy(&bits, image + at, (size_t)BYTES[p]);
            bits = expand_word(bits, p);
            memcpy(line + 4 * (s * WORDS + k), &bits, 4);
        }
    }
    return true;
}
