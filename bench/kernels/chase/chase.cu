// SPDX-License-Identifier: Apache-2.0
// chase: lists through an array in random order, one per thread: the next address is known when the word is there
// (nvcc-only: no clang form).
#include "cuda_min.h"

extern "C" __global__ void chase(unsigned steps, const unsigned *__restrict__ next, unsigned *__restrict__ out) {
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned at = thread, sum = 0;
#pragma unroll 1
    for (unsigned i = 0; i < steps; i++) {
        at = next[at];
        sum += at ^ i;
    }
    out[thread] = sum;
}
