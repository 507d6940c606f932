// SPDX-License-Identifier: Apache-2.0
// tmv: a transposed matrix times a vector: a thread walks down a column.
#include "cuda_min.h"

extern "C" __global__ void tmv(const float *a, const float *x, float *y, int columns, int rows) {
    int c = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (c >= columns) return;
    float sum = 0.0f;
    for (int r = 0; r < rows; r++) sum = fmaf(a[r * columns + c], x[r], sum);
    y[c] = sum;
}
