// SPDX-License-Identifier: Apache-2.0
// matmul_short: products of square matrices of 16-bit integers in tiles of shared memory, 32-bit
// sums, saturation to 16 bits.
#include "cuda_min.h"

#define TILE 16

// blockIdx.z: number of the product.
extern "C" __global__ void matmul_short(const short *a, const short *b, short *c, int n,
                                        int shift) {
    __shared__ short left[TILE][TILE], right[TILE][TILE];
    int tx = (int)threadIdx.x, ty = (int)threadIdx.y, matrix = (int)blockIdx.z * n * n;
    int x = (int)blockIdx.x * TILE + tx, y = (int)blockIdx.y * TILE + ty, sum = 0;
    for (int k = 0; k < n; k += TILE) {
        left[ty][tx] = a[matrix + y * n + k + tx];
        right[ty][tx] = b[matrix + (k + ty) * n + x];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; i++) sum += (int)left[ty][i] * (int)right[i][tx];
        __syncthreads();
    }
    c[matrix + y * n + x] = (short)min(max(sum >> shift, -32768), 32767);
}
