// SPDX-License-Identifier: Apache-2.0
// digest: a checksum of every stripe of a long array, by few warps. Each warp waits for the next
// line of its stripe (nvcc-only: no clang form).
#include "cuda_min.h"

extern "C" __global__ void digest(unsigned n, const unsigned *__restrict__ in, unsigned *__restrict__ out) {
    const unsigned stride = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = thread;
#pragma unroll 1
    for (unsigned i = thread; i < n; i += stride) sum = sum * 31 + in[i];
    out[thread] = sum;
}
