// SPDX-License-Identifier: Apache-2.0
// C-Pack with words of a fixed size (CABA section 5.1.3, algorithms 5 and 6). The dictionary holds
// zero and up to three words of the line. An entry covers a word if their upper 24 bits are equal.
// A word that no entry covers becomes the next entry. A fourth such word leaves the line
// uncompressed.
//
// Byte 0: head. Byte 1: entries stored. Byte 2: 1 if some word differs from its entry in the low
// byte. From byte 4 on: a nibble per word, the entry number plus 4 if the low byte differs. From
// byte 20 on: the entries, then, if byte 2 is 1, a byte per word.
#include "mem/line_compress.h"

#include <string.h>

enum { WORDS = 32, ENTRIES = 4, NIBBLES_AT = 4, ENTRIES_AT = 20, DIFFERS = 4 };

int cpack_compress(const uint8_t line[COMPRESS_LINE], uint8_t image[COMPRESS_IMAGE]) {
    uint32_t word[WORDS], entry[ENTRIES] = {0};
    int n = 1;
    uint8_t low[WORDS] = {0};
    memcpy(word, line, COMPRESS_LINE);
    memset(image, 0, COMPRESS_IMAGE);
    for (int i = 0; i < WORDS; i++) {
        int j = 0;
        while (j < n && word[i] >> 8 != entry[j] >> 8) j++;
        if (j == ENTRIES) return 0;
        if (j == n) entry[n++] = word[i];
        bool differs = word[i] != entry[j];
        if (differs) low[i] = (uint8_t)word[i];
        image[2] |= differs;
        image[NIBBLES_AT + i / 2] |= (uint8_t)((j | (differs ? DIFFERS : 0)) << i % 2 * 4);
    }
    image[0] = COMPRESS_CPACK << 4;
    image[1] = (uint8_t)(n - 1);
    int at = ENTRIES_AT + 4 * (n - 1);
    memcpy(image + ENTRIES_AT, entry + 1, 4 * (size_t)(n - 1));
    if (image[2]) memcpy(image + at, low, WORDS);
    return at + (image[2] ? WORDS : 0);
}

bool cpack_decompress(const uint8_t image[COMPRESS_IMAGE], uint8_t line[COMPRESS_LINE]) {
    uint32_t entry[ENTRIES] = {0};
    if (image[0] != COMPRESS_CPACK << 4 || image[1] >= ENTRIES || image[2] > 1) return false;
    memcpy(entry + 1, image + ENTRIES_AT, 4 * (size_t)image[1]);
    const uint8_t *low = image + ENTRIES_AT + 4 * image[1];
    for (int i = 0; i < WORDS; i++) {
        int code = image[NIBBLES_AT + i / 2] >> i % 2 * 4 & 15;
        if (code >= 2 * DIFFERS || code % DIFFERS > image[1] || (code >= DIFFERS && !image[2]))
            return false;
        uint32_t w = entry[code % DIFFERS];
        if (code >= DIFFERS) w = (w & ~0xffu) | low[i];
        memcpy(line + 4 * i, &w, 4);
    }
    return true;
}
