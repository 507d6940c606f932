// SPDX-License-Identifier: Apache-2.0
// md5: integers: exact. The reference takes the constants from the sine, as RFC 1321 defines them
// (double precision suffices for their 32 bits), and one function per kind of round. Block 0 is the
// padded empty message: the first digest of its chain is d41d8cd9 8f00b204 e9800998 ecf8427e,
// written as bytes.
#include "bench.h"

#include <math.h>
#include <string.h>

static uint32_t choose(uint32_t x, uint32_t y, uint32_t z) { return ((y ^ z) & x) ^ z; }
static uint32_t choose_last(uint32_t x, uint32_t y, uint32_t z) { return choose(z, x, y); }
static uint32_t parity(uint32_t x, uint32_t y, uint32_t z) { return x ^ y ^ z; }
static uint32_t odd(uint32_t x, uint32_t y, uint32_t z) { return y ^ (x | ~z); }

typedef struct Kind {
    uint32_t (*mix)(uint32_t x, uint32_t y, uint32_t z);
    uint32_t start, step, turn[4];
} Kind;

static const Kind kinds[4] = {{choose, 0, 1, {7, 12, 17, 22}},
                              {choose_last, 1, 5, {5, 9, 14, 20}},
                              {parity, 5, 3, {4, 11, 16, 23}},
                              {odd, 0, 7, {6, 10, 15, 21}}};

static void digest_of(const uint32_t *words, uint32_t *digest) {
    static const uint32_t start[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    uint32_t s[4];  // s[0] is the word that the round replaces
    memcpy(s, start, sizeof s);
    for (uint32_t i = 0; i < 64; i++) {
        const Kind *k = &kinds[i / 16];
        uint32_t word = words[(k->start + k->step * (i % 16)) % 16];
        uint32_t sum = s[0] + k->mix(s[1], s[2], s[3]) + word;
        sum += (uint32_t)floor(fabs(sin(i + 1.0)) * 0x1p32);
        uint32_t turn = k->turn[i % 4], next = s[1] + (sum << turn | sum >> (32 - turn));
        s[0] = s[3];
        s[3] = s[2];
        s[2] = s[1];
        s[1] = next;
    }
    for (int j = 0; j < 4; j++) digest[j] = start[j] + s[j];
}

void md5_data(Bench *b) {
    uint32_t n = bench_size(b, 200, 8192), chain = bench_size(b, 2, 6);
    uint32_t *block = BENCH_ARRAY(uint32_t, n * 16), *digest = BENCH_ARRAY(uint32_t, n * 4);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t words[16] = {0x80}, h[4] = {0};
        for (uint32_t j = 0; j < 16 && i > 0; j++) words[j] = bench_u32(b);
        for (uint32_t j = 0; j < 16; j++) block[j * n + i] = words[j];
        for (uint32_t k = 0; k < chain; k++) {
            for (uint32_t j = 0; j < 16; j++) words[j] += h[j % 4];
            digest_of(words, h);
        }
        for (uint32_t j = 0; j < 4; j++) digest[j * n + i] = h[j];
    }
    bench_save(b, "block.bin", block, n * 16 * sizeof *block);
    bench_save(b, "digest.bin", digest, n * 4 * sizeof *digest);
}
