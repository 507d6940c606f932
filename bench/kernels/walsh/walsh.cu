// SPDX-License-Identifier: Apache-2.0
// walsh: fast Walsh transform of rows in dynamic shared memory; strides from 1 to n/2 give every
// kind of bank conflict, a barrier per stage.
#include "cuda_min.h"

extern __shared__ float row[];

// One row of n = 4 * blockDim.x (a power of two) per CTA, in place; natural order.
extern "C" __global__ void walsh(float *data, unsigned n) {
    float *mine = data + blockIdx.x * n;
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x) row[i] = mine[i];
    for (unsigned stride = 1; stride < n; stride *= 2) {
        __syncthreads();
        for (unsigned i = threadIdx.x; i < n / 2; i += blockDim.x) {
            unsigned low = i & (stride - 1), at = 2 * i - low;
            float a = row[at], b = row[at + stride];
            row[at] = a + b;
            row[at + stride] = a - b;
        }
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x) mine[i] = row[i];
}
