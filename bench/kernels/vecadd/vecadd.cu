// SPDX-License-Identifier: Apache-2.0
// vecadd: one element per thread; coalesced loads and stores, a bounds check that diverges in the
// last warp.
#include "cuda_min.h"

extern "C" __global__ void vecadd(const float *a, const float *b, float *c, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
