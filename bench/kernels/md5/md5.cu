// SPDX-License-Identifier: Apache-2.0
// md5: chains of MD5 (RFC 1321), one message block per thread. 64 rounds unrolled: rotations,
// three-input logic and additions; each round depends on the previous one.
#include "cuda_min.h"

static __device__ __forceinline__ unsigned rotated(unsigned v, int by) {
    return v << by | v >> (32 - by);
}

// h += compression of block w by 64 rounds.
static __device__ __forceinline__ void compress(const unsigned *w, unsigned *h) {
    // floor(2^32 |sin(i + 1)|)
    const unsigned sines[64] = {
        0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
        0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
        0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
        0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
        0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
        0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
        0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
        0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
    };
    const int turns[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
    unsigned a = h[0], b = h[1], c = h[2], d = h[3];
#pragma unroll
    for (int i = 0; i < 64; i++) {
        unsigned f = i < 16   ? (b & c) | (~b & d)
                     : i < 32 ? (d & b) | (~d & c)
                     : i < 48 ? b ^ c ^ d
                              : c ^ (b | ~d);
        int word = i < 16 ? i : i < 32 ? 5 * i + 1 : i < 48 ? 3 * i + 5 : 7 * i;
        unsigned sum = a + f + sines[i] + w[word % 16];
        a = d;
        d = c;
        c = b;
        b += rotated(sum, turns[i / 16][i % 4]);
    }
    h[0] += a;
    h[1] += b;
    h[2] += c;
    h[3] += d;
}

// Word j of block i is block[j * n + i]. Each further digest is that of the block with the four
// words of the digest before it added to its words in turn.
extern "C" __global__ void md5(const unsigned *__restrict__ block, unsigned *__restrict__ digest,
                               int n, int chain) {
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    unsigned w[16], h[4] = {0};
    for (int j = 0; j < 16; j++) w[j] = block[j * n + i];
#pragma unroll 1
    for (int k = 0; k < chain; k++) {
        for (int j = 0; j < 16; j++) w[j] += h[j % 4];
        h[0] = 0x67452301, h[1] = 0xefcdab89, h[2] = 0x98badcfe, h[3] = 0x10325476;
        compress(w, h);
    }
    for (int j = 0; j < 4; j++) digest[j * n + i] = h[j];
}
