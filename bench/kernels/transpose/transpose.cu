// SPDX-License-Identifier: Apache-2.0
// transpose: tiles of 32 x 32 in shared memory with a padded row (conflict-free columns); coalesced
// on both sides.
#include "cuda_min.h"

#define TILE 32
#define ROWS 8

extern "C" __global__ void transpose(const float *in, float *out, int width, int height) {
    __shared__ float tile[TILE][TILE + 1];
    int x = (int)(blockIdx.x * TILE + threadIdx.x), y = (int)(blockIdx.y * TILE + threadIdx.y);
    for (int i = 0; i < TILE; i += ROWS)
        if (x < width && y + i < height)
            tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * width + x];
    __syncthreads();
    x = (int)(blockIdx.y * TILE + threadIdx.x);
    y = (int)(blockIdx.x * TILE + threadIdx.y);
    for (int i = 0; i < TILE; i += ROWS)
        if (x < height && y + i < width)
            out[(y + i) * height + x] = tile[threadIdx.x][threadIdx.y + i];
}
