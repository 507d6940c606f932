// SPDX-License-Identifier: Apache-2.0
// blend: two pictures of one byte per word, large areas zero, blended. Whole lines are read and written once: memory
// bandwidth limits it, and every line compresses (zeros: one burst; others two) (nvcc-only: no clang form).
#include "cuda_min.h"

extern "C" __global__ void blend(unsigned n, unsigned alpha, const unsigned *__restrict__ a, const unsigned *__restrict__ b,
                                 unsigned *__restrict__ out) {
    unsigned stride = gridDim.x * blockDim.x;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        out[i] = (a[i] * alpha + b[i] * (256 - alpha)) >> 8;
}
