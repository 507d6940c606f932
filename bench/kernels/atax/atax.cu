// SPDX-License-Identifier: Apache-2.0
// atax: y = A^T (A x): rows of A by thread (strides of a whole row from lane to lane), then its
// columns (neighboring words). Both x and A x are the same word in all lanes and all warps.
#include "cuda_min.h"

extern "C" __global__ void atax_rows(const float *a, const float *x, float *t, unsigned m, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m) return;
    float sum = 0.0f;
    for (unsigned j = 0; j < n; j++) sum = fmaf(a[i * n + j], x[j], sum);
    t[i] = sum;
}

extern "C" __global__ void atax_columns(const float *a, const float *t, float *y, unsigned m, unsigned n) {
    unsigned j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= n) return;
    float sum = 0.0f;
    for (unsigned i = 0; i < m; i++) sum = fmaf(a[i * n + j], t[i], sum);
    y[j] = sum;
}
