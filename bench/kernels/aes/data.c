// SPDX-License-Identifier: Apache-2.0
// aes: exact. The reference follows FIPS 197 byte by byte: inverses in the field of 256 elements,
// rows shifted, columns multiplied. It stops if the standard's example fails.
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint8_t product(uint8_t a, uint8_t b) {
    unsigned p = 0, x = a;
    for (; b; b >>= 1, x = x << 1 ^ (x & 0x80 ? 0x11b : 0))
        if (b & 1) p ^= x;
    return (uint8_t)p;
}

static void substitution(uint8_t box[256]) {
    for (unsigned v = 0; v < 256; v++) {
        uint8_t inverse = 0, out = 0x63;
        for (unsigned w = 1; w < 256 && v; w++)
            if (product((uint8_t)v, (uint8_t)w) == 1) inverse = (uint8_t)w;
        for (int k = 0; k < 5; k++) out ^= (uint8_t)(inverse << k | inverse >> (8 - k));
        box[v] = out;
    }
}

static void expand(const uint8_t box[256], const uint8_t key[16], uint8_t round[176]) {
    uint8_t constant = 1;
    memcpy(round, key, 16);
    for (int i = 16; i < 176; i += 4) {
        uint8_t t[4];
        for (int k = 0; k < 4; k++)
            t[k] = i % 16 ? round[i - 4 + k] : box[round[i - 4 + (k + 1) % 4]];
        if (i % 16 == 0) {
            t[0] ^= constant;
            constant = product(constant, 2);
        }
        for (int k = 0; k < 4; k++) round[i + k] = round[i - 16 + k] ^ t[k];
    }
}

static void encrypt(const uint8_t box[256], const uint8_t round[176], const uint8_t in[16],
                    uint8_t out[16]) {
    uint8_t s[16], n[16];
    for (int i = 0; i < 16; i++) s[i] = in[i] ^ round[i];
    for (int r = 1; r <= 10; r++) {
        for (int i = 0; i < 16; i++) n[i] = box[s[(i + 4 * (i % 4)) % 16]];
        for (int i = 0; i < 16; i++) {
            const uint8_t *c = n + i / 4 * 4;
            int k = i % 4;
            s[i] = r == 10
                ? n[i]
                : product(c[k], 2) ^ product(c[(k + 1) % 4], 3) ^ c[(k + 2) % 4] ^ c[(k + 3) % 4];
            s[i] ^= round[16 * r + i];
        }
    }
    memcpy(out, s, 16);
}

static uint32_t word(const uint8_t *p) {
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

// FIPS 197, appendix C.1: key 00 01 .. 0f, text 00 11 .. ff.
static void check(const uint8_t box[256]) {
    static const uint8_t expected[16] = {0x69, 0xc4, 0xe0, 0xd8, 0x6a, 0x7b, 0x04, 0x30,
                                         0xd8, 0xcd, 0xb7, 0x80, 0x70, 0xb4, 0xc5, 0x5a};
    uint8_t key[16], in[16], out[16], round[176];
    for (int i = 0; i < 16; i++) key[i] = (uint8_t)i, in[i] = (uint8_t)(17 * i);
    expand(box, key, round);
    encrypt(box, round, in, out);
    if (!memcmp(out, expected, 16)) return;
    fprintf(stderr, "aes: the reference does not encrypt the standard's example\n");
    exit(1);
}

void aes_data(Bench *b) {
    uint32_t blocks = bench_size(b, 300, 16384);
    uint8_t box[256], key[16], round[176];
    uint32_t *in = BENCH_ARRAY(uint32_t, blocks * 4), *out = BENCH_ARRAY(uint32_t, blocks * 4),
             keys[44];
    substitution(box);
    check(box);
    for (int i = 0; i < 16; i++) key[i] = (uint8_t)bench_below(b, 256);
    expand(box, key, round);
    for (int i = 0; i < 44; i++) keys[i] = word(round + 4 * i);
    for (uint32_t i = 0; i < blocks; i++) {
        uint8_t text[16], code[16];
        for (int k = 0; k < 16; k++) text[k] = (uint8_t)bench_below(b, 256);
        encrypt(box, round, text, code);
        for (int c = 0; c < 4; c++)
            in[4 * i + (uint32_t)c] = word(text + 4 * c),
                       out[4 * i + (uint32_t)c] = word(code + 4 * c);
    }
    bench_save(b, "box.bin", box, sizeof box);
    bench_save(b, "keys.bin", keys, sizeof keys);
    bench_save(b, "in.bin", in, blocks * 4 * sizeof *in);
    bench_save(b, "out.bin", out, blocks * 4 * sizeof *out);
}
