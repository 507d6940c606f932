// SPDX-License-Identifier: Apache-2.0
// radixsort: stable sort of tiles by two bits at a time. Each thread counts the digits of its four
// keys in fields of 16 bits. A scan in shared memory turns counts into places; keys and values move
// through shared memory.
#include "cuda_min.h"

#define THREADS 256
#define ITEMS 4
#define TILE (THREADS * ITEMS)

struct __attribute__((aligned(8))) Counts {
    unsigned x, y;
};

// Sorts each tile of in by its lowest bits.
extern "C" __global__ void radixsort(const unsigned *__restrict__ in, unsigned *__restrict__ key,
                                     unsigned *__restrict__ value, int bits) {
    __shared__ Counts count[2][THREADS];
    __shared__ unsigned moved[2][TILE];
    int t = (int)threadIdx.x, base = (int)blockIdx.x * TILE;
    unsigned k[ITEMS], v[ITEMS];
#pragma unroll
    for (int j = 0; j < ITEMS; j++) {
        v[j] = (unsigned)(base + t * ITEMS + j);
        k[j] = in[v[j]];
    }
#pragma unroll 1
    for (int bit = 0; bit < bits; bit += 2) {
        // Digits 0 and 1 are counted in the halves of x, 2 and 3 in those of y.
        Counts sum = {0u, 0u};
        unsigned before[ITEMS];
#pragma unroll
        for (int j = 0; j < ITEMS; j++) {
            unsigned shift = (k[j] >> bit & 1u) * 16u;
            bool high = k[j] >> bit & 2u;
            before[j] = (high ? sum.y : sum.x) >> shift & 0xffffu;
            if (high)
                sum.y += 1u << shift;
            else
                sum.x += 1u << shift;
        }
        Counts mine = sum;
        int now = 0;
        count[0][t] = sum;
        __syncthreads();
#pragma unroll 1
        for (int d = 1; d < THREADS; d *= 2) {
            sum = count[now][t];
            if (t >= d) {
                Counts left = count[now][t - d];
                sum.x += left.x;
                sum.y += left.y;
            }
            now ^= 1;
            count[now][t] = sum;
            __syncthreads();
        }
        // Keys of smaller digits in the tile, and of the same digit in threads before this one.
        Counts all = count[now][THREADS - 1];
        unsigned zeros = all.x & 0xffffu, ones = all.x >> 16, twos = all.y & 0xffffu;
        unsigned low = (sum.x - mine.x) + (zeros << 16);
        unsigned high = (sum.y - mine.y) + (zeros + ones) + ((zeros + ones + twos) << 16);
#pragma unroll
        for (int j = 0; j < ITEMS; j++) {
            unsigned shift = (k[j] >> bit & 1u) * 16u;
            unsigned to = ((k[j] >> bit & 2u ? high : low) >> shift & 0xffffu) + before[j];
            moved[0][to] = k[j];
            moved[1][to] = v[j];
        }
        __syncthreads();
#pragma unroll
        for (int j = 0; j < ITEMS; j++) {
            k[j] = moved[0][t * ITEMS + j];
            v[j] = moved[1][t * ITEMS + j];
        }
    }
#pragma unroll
    for (int j = 0; j < ITEMS; j++) {
        key[base + t * ITEMS + j] = k[j];
        value[base + t * ITEMS + j] = v[j];
    }
}
