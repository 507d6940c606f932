// SPDX-License-Identifier: Apache-2.0
// hotspot: temperature of a chip from its power, two steps per launch in shared memory with a
// shrinking halo. Many scalar parameters, neighbor indices clamped with minimum and maximum.
#include "cuda_min.h"

#define BLOCK 16
#define STEPS 2

extern "C" __global__ void hotspot(const float *power, const float *in, float *out, int cols,
                                   int rows, float cap, float rx, float ry, float rz,
                                   float ambient) {
    __shared__ float now[BLOCK][BLOCK], next[BLOCK][BLOCK];
    int tx = (int)threadIdx.x, ty = (int)threadIdx.y;
    int x0 = (int)blockIdx.x * (BLOCK - 2 * STEPS) - STEPS,
        y0 = (int)blockIdx.y * (BLOCK - 2 * STEPS) - STEPS;
    int x = x0 + tx, y = y0 + ty;
    bool inside = x >= 0 && x < cols && y >= 0 && y < rows;
    float p = 0.0f;
    if (inside) {
        now[ty][tx] = in[y * cols + x];
        p = power[y * cols + x];
    }
    // Neighbors in the tile; at the chip's edge a cell is its own neighbor.
    int w = max(x - 1, 0) - x0, e = min(x + 1, cols - 1) - x0, n = max(y - 1, 0) - y0,
        s = min(y + 1, rows - 1) - y0;
    for (int i = 1; i <= STEPS; i++) {
        __syncthreads();
        bool mine = inside && tx >= i && tx < BLOCK - i && ty >= i && ty < BLOCK - i;
        if (mine) {
            float c = now[ty][tx];
            float dy = fmaf(-2.0f, c, now[n][tx] + now[s][tx]),
                  dx = fmaf(-2.0f, c, now[ty][w] + now[ty][e]);
            float heat = fmaf(dy, ry, p);
            heat = fmaf(dx, rx, heat);
            heat = fmaf(ambient - c, rz, heat);
            next[ty][tx] = fmaf(cap, heat, c);
        }
        __syncthreads();
        if (mine) now[ty][tx] = next[ty][tx];
    }
    if (inside && tx >= STEPS && tx < BLOCK - STEPS && ty >= STEPS && ty < BLOCK - STEPS)
        out[y * cols + x] = now[ty][tx];
}
