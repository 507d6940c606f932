// SPDX-License-Identifier: Apache-2.0
// stencil3d: seven-point step of the heat equation on a box. One thread per point of a plane loops
// over the planes with three values of the column in registers; it loads neighbors in the plane
// from global memory.
#include "cuda_min.h"

// The boundary stays as it is.
extern "C" __global__ void stencil3d(const float *__restrict__ in, float *__restrict__ out, int nx, int ny, int nz,
                                     float center, float side) {
    int x = (int)(blockIdx.x * blockDim.x + threadIdx.x), y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (x >= nx || y >= ny) return;
    int plane = nx * ny, at = y * nx + x;
    bool edge = x == 0 || y == 0 || x == nx - 1 || y == ny - 1;
    float below = in[at], here = in[at + plane];
    out[at] = below;
    for (int z = 1; z < nz - 1; z++) {
        at += plane;
        float above = in[at + plane], now = here;
        if (!edge) {
            float sum = ((in[at - 1] + in[at + 1]) + (in[at - nx] + in[at + nx])) + (below + above);
            now = fmaf(side, sum, center * here);
        }
        out[at] = now;
        below = here;
        here = above;
    }
    out[at + plane] = here;
}
