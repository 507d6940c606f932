// SPDX-License-Identifier: Apache-2.0
// pathfinder: cheapest way down a grid (dynamic programming), several rows per launch. Blocks
// compute an overlapping halo that shrinks by one on each side per row; shared memory
// double-buffered, integer minimum.
#include "cuda_min.h"

#define BLOCK 128

// Rows row0 .. row0+steps-1 of wall are added to the costs `in`; out gets the costs after the last
// of them. A block owns BLOCK - 2 * steps columns.
extern "C" __global__ void pathfinder(const int *wall, const int *in, int *out, int cols, int row0,
                                      int steps) {
    __shared__ int cost[2][BLOCK];
    int t = (int)threadIdx.x, col = (int)blockIdx.x * (BLOCK - 2 * steps) + t - steps, now = 0;
    bool inside = col >= 0 && col < cols;
    cost[0][t] = inside ? in[col] : 0;
    for (int s = 0; s < steps; s++) {
        __syncthreads();
        if (inside && t > s && t < BLOCK - 1 - s) {
            int best = cost[now][t];
            if (col > 0) best = min(best, cost[now][t - 1]);
            if (col < cols - 1) best = min(best, cost[now][t + 1]);
            cost[now ^ 1][t] = best + wall[(row0 + s) * cols + col];
        }
        now ^= 1;
    }
    if (inside && t >= steps && t < BLOCK - steps) out[col] = cost[now][t];
}
