// SPDX-License-Identifier: Apache-2.0
// sgemm: C = A B with 16 x 16 tiles in shared memory. Features: bar.sync in a loop,
// bank-conflict-free and broadcast shared loads, an unrolled chain of fma.
#include "cuda_min.h"

#define TILE 16

// m, n, k: rows of A and C, columns of B and C, columns of A; all multiples of TILE. Row-major.
extern "C" __global__ void __launch_bounds__(TILE * TILE, 6)
    sgemm(const float *a, const float *b, float *c, unsigned n, unsigned k) {
    __shared__ float as[TILE][TILE], bs[TILE][TILE];
    unsigned tx = threadIdx.x, ty = threadIdx.y;
    unsigned row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    float sum = 0.0f;
    for (unsigned k0 = 0; k0 < k; k0 += TILE) {
        as[ty][tx] = a[row * k + k0 + tx];
        bs[ty][tx] = b[(k0 + ty) * n + col];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; i++) sum = fmaf(as[ty][i], bs[i][tx], sum);
        __syncthreads();
    }
    c[row * n + col] = sum;
}
