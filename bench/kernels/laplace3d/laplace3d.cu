// SPDX-License-Identifier: Apache-2.0
// laplace3d: Jacobi step of the Laplace equation on a box. A CTA marches through the planes with
// three of them in shared memory (tile with halo), barriers in a loop, boundary conditions as
// divergent branches.
#include "cuda_min.h"

#define BX 32
#define BY 4

// out = mean of the 6 neighbors inside, in at the boundary.
extern "C" __global__ void laplace3d(const float *in, float *out, int nx, int ny, int nz) {
    __shared__ float tile[3][BY + 2][BX + 2];
    int tx = (int)threadIdx.x, ty = (int)threadIdx.y, x = (int)blockIdx.x * BX + tx,
        y = (int)blockIdx.y * BY + ty;
    int plane = nx * ny, at = y * nx + x;
    bool in_range = x < nx && y < ny, edge = x == 0 || y == 0 || x == nx - 1 || y == ny - 1;
    for (int z = 0; z <= nz; z++) {
        // Plane z arrives while plane z - 1 is computed.
        if (z < nz && in_range) {
            float(*t)[BX + 2] = tile[z % 3];
            const float *p = in + z * plane + at;
            t[ty + 1][tx + 1] = p[0];
            if (tx == 0 && x > 0) t[ty + 1][0] = p[-1];
            if (tx == BX - 1 && x < nx - 1) t[ty + 1][BX + 1] = p[1];
            if (ty == 0 && y > 0) t[0][tx + 1] = p[-nx];
            if (ty == BY - 1 && y < ny - 1) t[BY + 1][tx + 1] = p[nx];
        }
        __syncthreads();
        if (z > 0 && in_range) {
            float(*t)[BX + 2] = tile[(z - 1) % 3];
            float v = t[ty + 1][tx + 1];
            if (!edge && z > 1 && z < nz) {
                float sides =
                    (t[ty + 1][tx] + t[ty + 1][tx + 2]) + (t[ty][tx + 1] + t[ty + 2][tx + 1]);
                v = (sides + (tile[(z - 2) % 3][ty + 1][tx + 1] + tile[z % 3][ty + 1][tx + 1])) *
                    (1.0f / 6.0f);
            }
            out[(z - 1) * plane + at] = v;
        }
        __syncthreads();
    }
}
