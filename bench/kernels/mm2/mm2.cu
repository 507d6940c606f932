// SPDX-License-Identifier: Apache-2.0
// mm2: (A B) C, a launch for each product. The sum is kept in memory, so that every step stores to
// the element that it has just loaded.
#include "cuda_min.h"

// n x n, row-major.
extern "C" __global__ void mm2_product(const float *a, const float *b, float *c, unsigned n) {
    unsigned col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || col >= n) return;
    c[row * n + col] = 0.0f;
    for (unsigned k = 0; k < n; k++) c[row * n + col] = fmaf(a[row * n + k], b[k * n + col], c[row * n + col]);
}
