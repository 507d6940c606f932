// SPDX-License-Identifier: Apache-2.0
// histogram: 256 bins of bytes; atomics on shared memory with many collisions, then atomics on
// global memory at the L2, vector loads of four bytes.
#include "cuda_min.h"

#define BINS 256

extern "C" __global__ void histogram(const unsigned *in, unsigned *bins, unsigned words) {
    __shared__ unsigned count[BINS];
    for (unsigned i = threadIdx.x; i < BINS; i += blockDim.x) count[i] = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < words;
         i += gridDim.x * blockDim.x) {
        unsigned w = in[i];
        atomicAdd(&count[w & 255], 1u);
        atomicAdd(&count[w >> 8 & 255], 1u);
        atomicAdd(&count[w >> 16 & 255], 1u);
        atomicAdd(&count[w >> 24], 1u);
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < BINS; i += blockDim.x)
        if (count[i]) atomicAdd(&bins[i], count[i]);
}
