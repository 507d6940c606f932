// SPDX-License-Identifier: Apache-2.0
// phase: alternates between a long phase with few live values and a short one with 20 more, all of
// them live at once. The long phase is a chain of loads, each address the previous load's result.
#include "cuda_min.h"

#define WIDE 20

static __device__ __forceinline__ unsigned rotated(unsigned v, int by) {
    return v << by | v >> (32 - by);
}

// next holds mask + 1 indices; those of a warp's lanes stay within one line.
extern "C" __global__ void phase(const unsigned *__restrict__ next, unsigned *__restrict__ out,
                                 unsigned mask, int rounds, int hops) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, at = i & mask, sum = 0;
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        int left = hops;
#pragma unroll 1
        do at = next[at];
        while (--left > 0);
        unsigned v[WIDE];
        v[0] = at + sum;
#pragma unroll
        for (int j = 1; j < WIDE; j++) v[j] = v[j - 1] * 1664525u + 1013904223u;
        // Each value takes up two others, old or new, so that none of them dies before the last pass.
#pragma unroll
        for (int pass = 0; pass < 2; pass++)
#pragma unroll
            for (int j = 0; j < WIDE; j++)
                v[j] += rotated(v[(j + 7) % WIDE], 5 + pass) ^ v[(j + 13) % WIDE];
#pragma unroll
        for (int j = 0; j < WIDE; j++) sum = sum * 31u + v[j];
    }
    out[i] = sum;
}
