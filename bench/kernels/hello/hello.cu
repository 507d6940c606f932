// SPDX-License-Identifier: Apache-2.0
// hello: printf from device code: strings, integers of 32 and 64 bits, floating point, percent
// signs. One thread of each of the first three CTAs prints. nvcc-only.
#include "cuda_min.h"

extern "C" __device__ int printf(const char *, ...);

extern "C" __global__ void hello(unsigned long long *out, double step) {
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = i * i;
    if (threadIdx.x == 5 && blockIdx.x < 3)
        printf("block %d of %u: %s %llu, %.3f is 50%% of %g, %c\n", (int)blockIdx.x - 1, gridDim.x,
               blockIdx.x % 2 ? "odd" : "even", i << 33, step * (double)i, 2.0 * step * (double)i,
               'a' + (int)(blockIdx.x % 26));
}
