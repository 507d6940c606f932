// SPDX-License-Identifier: Apache-2.0
// spmv: y = A x, A in compressed rows, one row per thread; gathers, row lengths that differ within
// a warp, read-only loads (ld.global.nc).
#include "cuda_min.h"

extern "C" __global__ void __launch_bounds__(192, 8)
    spmv(const unsigned *__restrict__ row, const unsigned *__restrict__ col,
         const float *__restrict__ val, const float *__restrict__ x, float *__restrict__ y,
         unsigned rows) {
    unsigned r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float sum = 0.0f;
    for (unsigned e = row[r]; e < row[r + 1]; e++) sum = fmaf(val[e], x[col[e]], sum);
    y[r] = sum;
}
