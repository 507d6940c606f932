// SPDX-License-Identifier: Apache-2.0
// stencil2d_long: a thousand heat steps on tiles that stay in shared memory; a tile's border is
// fixed, its threads only wait at the barriers.
#include "cuda_min.h"

#define SIDE 16

// One CTA per tile, one thread per cell.
extern "C" __global__ void stencil2d_long(float *tiles, float k, int steps) {
    __shared__ float cell[2][SIDE][SIDE];
    int x = (int)threadIdx.x, y = (int)threadIdx.y, now = 0;
    float *mine = tiles + ((int)blockIdx.x * SIDE + y) * SIDE + x, c = *mine;
    bool inside = x > 0 && y > 0 && x < SIDE - 1 && y < SIDE - 1;
    cell[0][y][x] = cell[1][y][x] = c;
    for (int s = 0; s < steps; s++) {
        __syncthreads();
        if (inside) {
            float sum = (cell[now][y][x - 1] + cell[now][y][x + 1]) +
                        (cell[now][y - 1][x] + cell[now][y + 1][x]);
            c = fmaf(k, fmaf(-4.0f, c, sum), c);
            cell[now ^ 1][y][x] = c;
        }
        now ^= 1;
    }
    *mine = c;
}
