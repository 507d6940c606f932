// SPDX-License-Identifier: Apache-2.0
// hist64: a histogram of 64 bins: each of 64 threads counts in bytes of its own, and adds up one bin at the end.
#include "cuda_min.h"

extern "C" __global__ void hist64(const unsigned *data, unsigned *bins, int words, int ctas) {
    __shared__ unsigned char own[64 * 64];
    int t = (int)threadIdx.x;
    for (int k = 0; k < 64; k++) own[k * 64 + t] = 0;
#pragma unroll 1
    for (int i = (int)blockIdx.x * 64 + t; i < words; i += ctas * 64) {
        unsigned w = data[i];
        for (int k = 0; k < 4; k++) own[((w >> (8 * k + 2)) & 63) * 64 + t]++;
    }
    __syncthreads();
    unsigned sum = 0;
    for (int k = 0; k < 64; k++) sum += own[t * 64 + ((k + t) & 63)];
    atomicAdd(&bins[t], sum);
}
