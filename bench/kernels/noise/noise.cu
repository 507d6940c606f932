// SPDX-License-Identifier: Apache-2.0
// noise: random words, each read and written once in whole lines. Memory bandwidth limits it, and no line compresses
// (nvcc-only: no clang form).
#include "cuda_min.h"

extern "C" __global__ void noise(unsigned n, unsigned key, const unsigned *__restrict__ in, unsigned *__restrict__ out) {
    unsigned stride = gridDim.x * blockDim.x;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) out[i] = in[i] ^ key;
}
