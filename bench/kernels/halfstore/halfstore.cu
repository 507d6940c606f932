// SPDX-License-Identifier: Apache-2.0
// halfstore: the first half of each line of 128 bytes is rewritten in place. A line that L2 holds compressed has to be raw
// before it can take the store (nvcc-only: no clang form).
#include "cuda_min.h"

extern "C" __global__ void halfstore(unsigned n, unsigned *data) {
    unsigned stride = gridDim.x * blockDim.x;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        if (i % 32 < 16) data[i] = i & 63;
}
