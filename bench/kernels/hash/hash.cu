// SPDX-License-Identifier: Apache-2.0
// hash: mixes 64-bit keys and finds the one with most leading zeros. 64-bit shifts, multiplication,
// addition with carry, unsigned division and remainder, rotation, population count, atomics of
// maximum kind.
#include "cuda_min.h"

static __device__ __forceinline__ unsigned long long rotate(unsigned long long v, int n) {
    return v << n | v >> (64 - n);
}

// digest[i] is the hash of key[i]; *best the maximum of (leading zeros << 20 | i), i < 2^20; *ones
// the number of one bits in all digests.
extern "C" __global__ void hash(const unsigned long long *key, unsigned long long *digest,
                                int *best, unsigned *ones, unsigned n, unsigned rounds) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long v = key[i], w = ~v;
    for (unsigned r = 0; r < rounds; r++) {
        v = (v ^ (v >> 29)) * 0xd6e8feb86659fd93ull + r;
        w += rotate(v, 23) ^ (w << 7);
        v ^= w % (2u * r + 1000003u);
        v += w / 0x100000001ull;
    }
    v ^= rotate(w, 41);
    digest[i] = v;
    unsigned high = (unsigned)(v >> 32), low = (unsigned)v;
    int zeros = high ? __clz((int)high) : 32 + __clz((int)low);
    atomicMax(best, zeros << 20 | (int)i);
    atomicAdd(ones, (unsigned)(__popc(high) + __popc(low)));
}
