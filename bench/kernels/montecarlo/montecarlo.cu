// SPDX-License-Identifier: Apache-2.0
// montecarlo: mean payment of options over common random samples, one option per CTA. Coalesced
// loads of samples, an exponential between two loads, sums of payments and their squares over the
// CTA in shared memory.
#include "cuda_min.h"

#define BLOCK 128

static __device__ __forceinline__ float exponential(float x) {
    float p = fmaf(x, 1.0f / 720.0f, 1.0f / 120.0f);
    p = fmaf(x, p, 1.0f / 24.0f);
    p = fmaf(x, p, 1.0f / 6.0f);
    p = fmaf(x, p, 0.5f);
    return fmaf(x, fmaf(x, p, 1.0f), 1.0f);
}

// option[3 * c]: price now, strike, deviation. sums[2 * c]: of payments over all samples, of their squares.
extern "C" __global__ void montecarlo(const float *__restrict__ sample, const float *__restrict__ option,
                                      float *__restrict__ sums, int samples, float drift) {
    __shared__ float part[2][BLOCK];
    int t = (int)threadIdx.x, c = (int)blockIdx.x;
    float price = option[3 * c], strike = option[3 * c + 1], deviation = option[3 * c + 2];
    float sum = 0.0f, squares = 0.0f;
#pragma unroll 1
    for (int s = t; s < samples; s += BLOCK) {
        float grown = price * exponential(fmaf(deviation, sample[s], drift));
        float paid = fmaxf(grown - strike, 0.0f);
        sum += paid;
        squares = fmaf(paid, paid, squares);
    }
    part[0][t] = sum;
    part[1][t] = squares;
    for (int width = BLOCK / 2; width > 0; width /= 2) {
        __syncthreads();
        if (t < width) {
            part[0][t] += part[0][t + width];
            part[1][t] += part[1][t + width];
        }
    }
    if (t == 0) {
        sums[2 * c] = part[0][0];
        sums[2 * c + 1] = part[1][0];
    }
}
