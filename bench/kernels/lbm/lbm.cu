// SPDX-License-Identifier: Apache-2.0
// lbm: one step of the lattice Boltzmann method with nine directions. Each cell pulls nine
// distributions from its neighbors and relaxes them towards equilibrium; a solid cell turns them
// round. Loads and stores of whole arrays, many registers, little reuse.
#include "cuda_min.h"

// Direction q of cell i: from[q * cells + i]; the grid is a torus of width x height.
extern "C" __global__ void lbm(const float *__restrict__ from, const unsigned char *__restrict__ solid,
                               float *__restrict__ to, int width, int height, float rate) {
    const int dx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, dy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    const int against[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
    int x = (int)(blockIdx.x * blockDim.x + threadIdx.x), y = (int)blockIdx.y, cells = width * height, i = y * width + x;
    if (x >= width) return;
    float f[9];
#pragma unroll
    for (int q = 0; q < 9; q++) {
        int sx = x - dx[q], sy = y - dy[q];
        sx = sx < 0 ? sx + width : sx >= width ? sx - width : sx;
        sy = sy < 0 ? sy + height : sy >= height ? sy - height : sy;
        f[q] = from[q * cells + sy * width + sx];
    }
    if (solid[i]) {
#pragma unroll
        for (int q = 0; q < 9; q++) to[q * cells + i] = f[against[q]];
        return;
    }
    float density = ((f[0] + f[1]) + (f[2] + f[3])) + (((f[4] + f[5]) + (f[6] + f[7])) + f[8]);
    float mx = ((f[1] - f[3]) + (f[5] - f[6])) + (f[8] - f[7]), my = ((f[2] - f[4]) + (f[5] - f[7])) + (f[6] - f[8]);
    float u = mx / density, v = my / density;
    float base = fmaf(-1.5f, fmaf(u, u, v * v), 1.0f);
#pragma unroll
    for (int q = 0; q < 9; q++) {
        float weight = q == 0 ? 4.0f / 9.0f : q < 5 ? 1.0f / 9.0f : 1.0f / 36.0f;
        float along = fmaf((float)dx[q], u, (float)dy[q] * v);
        float balance = weight * density * fmaf(along, fmaf(4.5f, along, 3.0f), base);
        to[q * cells + i] = fmaf(rate, balance - f[q], f[q]);
    }
}
