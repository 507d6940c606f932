// SPDX-License-Identifier: Apache-2.0
// mm_naive: C = A B, one thread per element, everything from global memory. Rows of A are the same
// word in all lanes, columns of B neighboring words, and the warps of a CTA load the same of B.
#include "cuda_min.h"

// n x n, row-major; n a multiple of 32.
extern "C" __global__ void mm_naive(const float *a, const float *b, float *c, unsigned n) {
    unsigned col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0.0f;
    for (unsigned k = 0; k < n; k++) sum = fmaf(a[row * n + k], b[k * n + col], sum);
    c[row * n + col] = sum;
}
