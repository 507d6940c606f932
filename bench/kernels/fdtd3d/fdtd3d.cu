// SPDX-License-Identifier: Apache-2.0
// fdtd3d: finite differences of radius 4 in space; a CTA marches along z. Registers hold the nine
// values before and behind each point, shared memory the plane's tile with its halo. Two barriers
// per plane.
#include "cuda_min.h"

#define BX 16
#define BY 8
#define R 4

__constant__ float weight[R + 1] = {0.375f, 0.0625f, 0.03125f, 0.0078125f, 0.00390625f};

// in has R cells of margin on all sides: nx, ny, nz are the inner sizes, row and plane the distances in it.
extern "C" __global__ void fdtd3d(const float *__restrict__ in, float *__restrict__ out, int nx, int ny, int nz,
                                  int row, int plane) {
    __shared__ float tile[BY + 2 * R][BX + 2 * R];
    int tx = (int)threadIdx.x, ty = (int)threadIdx.y, x = (int)blockIdx.x * BX + tx, y = (int)blockIdx.y * BY + ty;
    const float *at = in + R * plane + (y + R) * row + x + R;
    float line[2 * R + 1];
#pragma unroll
    for (int k = 1; k <= 2 * R; k++) line[k] = at[(k - R - 1) * plane];
#pragma unroll 1
    for (int z = 0; z < nz; z++) {
#pragma unroll
        for (int k = 0; k < 2 * R; k++) line[k] = line[k + 1];
        line[2 * R] = at[(z + R) * plane];
        const float *here = at + z * plane;
        __syncthreads();
        tile[ty + R][tx + R] = line[R];
        if (tx < R) {
            tile[ty + R][tx] = here[-R];
            tile[ty + R][tx + BX + R] = here[BX];
        }
        if (ty < R) {
            tile[ty][tx + R] = here[-R * row];
            tile[ty + BY + R][tx + R] = here[BY * row];
        }
        __syncthreads();
        float sum = weight[0] * line[R];
#pragma unroll
        for (int k = 1; k <= R; k++) {
            float z_pair = line[R - k] + line[R + k];
            float y_pair = tile[ty + R - k][tx + R] + tile[ty + R + k][tx + R];
            float x_pair = tile[ty + R][tx + R - k] + tile[ty + R][tx + R + k];
            sum = fmaf(weight[k], z_pair + (y_pair + x_pair), sum);
        }
        out[(z * ny + y) * nx + x] = sum;
    }
}
