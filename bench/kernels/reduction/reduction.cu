// SPDX-License-Identifier: Apache-2.0
// reduction: sum of floats in two launches. Grid-stride loads, a tree in dynamic shared memory with
// bar.sync. The last warp runs without barriers on volatile shared memory, because it relies on a
// converged warp in lockstep.
#include "cuda_min.h"

extern __shared__ float part[];

extern "C" __global__ void reduction(const float *in, float *out, unsigned n) {
    unsigned tid = threadIdx.x, stride = gridDim.x * blockDim.x;
    float sum = 0.0f;
    for (unsigned i = blockIdx.x * blockDim.x + tid; i < n; i += stride) sum += in[i];
    part[tid] = sum;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 32; s >>= 1) {
        if (tid < s) part[tid] += part[tid + s];
        __syncthreads();
    }
    if (tid < 32) {
        volatile float *p = part;
        // Lanes 16..31 add values of no interest; reads of one step precede its writes.
        p[tid] += p[tid + 32];
        p[tid] += p[tid + 16];
        p[tid] += p[tid + 8];
        p[tid] += p[tid + 4];
        p[tid] += p[tid + 2];
        p[tid] += p[tid + 1];
        if (tid == 0) out[blockIdx.x] = p[0];
    }
}
