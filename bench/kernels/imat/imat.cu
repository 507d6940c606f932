// SPDX-License-Identifier: Apache-2.0
// imat: a matrix of int32 below 100 times a vector, a warp per row. Each word of the matrix is read
// once, in whole lines. Memory bandwidth limits the kernel, and every line compresses (BDI: two
// bursts) (nvcc-only: no clang form).
#include "cuda_min.h"

extern "C" __global__ void imat(unsigned n, const int *__restrict__ a, const int *__restrict__ x, int *__restrict__ y) {
    unsigned lane = threadIdx.x % 32, row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int sum = 0;
    for (unsigned i = lane; i < n; i += 32) sum += a[row * n + i] * x[i];
    for (int d = 16; d; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    if (lane == 0) y[row] = sum;
}
