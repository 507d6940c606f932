// SPDX-License-Identifier: Apache-2.0
// histogram_long: 64 bins of bytes (value / 4) by few warps that read a thousand words each: shared
// atomics with collisions in one long loop.
#include "cuda_min.h"

#define BINS 64

// Each thread counts `each` words; one histogram per CTA.
extern "C" __global__ void histogram_long(const unsigned *in, unsigned *bins, int each) {
    __shared__ unsigned count[BINS];
    int t = (int)threadIdx.x, stride = (int)blockDim.x;
    if (t < BINS) count[t] = 0;
    __syncthreads();
    const unsigned *p = in + (int)blockIdx.x * stride * each + t;
    for (int n = 0; n < each; n++, p += stride) {
        unsigned w = *p;
        atomicAdd(&count[w >> 2 & 63], 1u);
        atomicAdd(&count[w >> 10 & 63], 1u);
        atomicAdd(&count[w >> 18 & 63], 1u);
        atomicAdd(&count[w >> 26], 1u);
    }
    __syncthreads();
    if (t < BINS) bins[(int)blockIdx.x * BINS + t] = count[t];
}
