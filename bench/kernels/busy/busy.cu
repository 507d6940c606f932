// SPDX-License-Identifier: Apache-2.0
// busy: a log of addresses, with two hundred multiply-adds for each line of it, in four chains. Every line is read and
// written once, whole, and compresses; but issue slots limit it, not memory bandwidth
// (nvcc-only: no clang form).
#include "cuda_min.h"

extern "C" __global__ void busy(unsigned n, float factor, float step, const unsigned *__restrict__ in,
                                unsigned *__restrict__ out) {
    unsigned stride = gridDim.x * blockDim.x;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        unsigned v = in[i];
        float a = (float)(v & 15), b = a + 1.0f, c = a + 2.0f, d = a + 3.0f;
#pragma unroll 5
        for (int k = 0; k < 50; k++) {
            a = fmaf(a, factor, step);
            b = fmaf(b, factor, step);
            c = fmaf(c, factor, step);
            d = fmaf(d, factor, step);
        }
        out[i] = v + ((unsigned)(a + b + c + d) & 15);
    }
}
