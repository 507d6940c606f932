// SPDX-License-Identifier: Apache-2.0
// saxpy: grid-stride loop (trip count from nctaid), fused multiply-add, in-place update.
#include "cuda_min.h"

extern "C" __global__ void saxpy(unsigned n, float alpha, const float *__restrict__ x,
                                 float *__restrict__ y) {
    unsigned stride = gridDim.x * blockDim.x;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        y[i] = fmaf(alpha, x[i], y[i]);
}
