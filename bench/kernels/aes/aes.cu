// SPDX-License-Identifier: Apache-2.0
// aes: AES-128 of one block of 16 bytes per thread. The CTA fills the four tables of a round into
// shared memory; each lane reads them with an index of its own (bank conflicts). Constant-like
// loads read the round keys; no divergence.
#include "cuda_min.h"

#define BLOCK 64

static __device__ __forceinline__ unsigned rotate(unsigned v, int by) { return v << by | v >> (32 - by); }

// box: the substitution. keys: 44 words, in and out: blocks of four words; a word's first byte is its highest.
extern "C" __global__ void aes(const unsigned char *__restrict__ box, const unsigned *__restrict__ keys,
                               const unsigned *__restrict__ in, unsigned *__restrict__ out, int blocks) {
    __shared__ unsigned table[4][256];
    int t = (int)threadIdx.x, i = (int)blockIdx.x * BLOCK + t;
    for (int v = t; v < 256; v += BLOCK) {
        unsigned s = box[v], twice = (s << 1 ^ (s >> 7) * 0x11bu) & 0xffu;
        unsigned word = twice << 24 | s << 16 | s << 8 | (twice ^ s);
        for (int k = 0; k < 4; k++) table[k][v] = k ? rotate(word, 32 - 8 * k) : word;
    }
    __syncthreads();
    if (i >= blocks) return;
    unsigned s[4];
    for (int c = 0; c < 4; c++) s[c] = in[4 * i + c] ^ keys[c];
#pragma unroll 1
    for (int round = 1; round < 10; round++) {
        unsigned n[4];
        for (int c = 0; c < 4; c++)
            n[c] = table[0][s[c] >> 24] ^ table[1][s[(c + 1) & 3] >> 16 & 255u] ^ table[2][s[(c + 2) & 3] >> 8 & 255u] ^
                   table[3][s[(c + 3) & 3] & 255u] ^ keys[4 * round + c];
        for (int c = 0; c < 4; c++) s[c] = n[c];
    }
    for (int c = 0; c < 4; c++) {
        unsigned b0 = table[0][s[c] >> 24] >> 8 & 255u, b1 = table[0][s[(c + 1) & 3] >> 16 & 255u] >> 8 & 255u;
        unsigned b2 = table[0][s[(c + 2) & 3] >> 8 & 255u] >> 8 & 255u, b3 = table[0][s[(c + 3) & 3] & 255u] >> 8 & 255u;
        out[4 * i + c] = (b0 << 24 | b1 << 16 | b2 << 8 | b3) ^ keys[40 + c];
    }
}
