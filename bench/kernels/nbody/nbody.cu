// SPDX-License-Identifier: Apache-2.0
// nbody: gravity of all bodies on each. Bodies staged in shared memory as vectors of four (ld.v4),
// rsqrt, long chains of fma, a loop per tile.
#include "cuda_min.h"

struct __attribute__((aligned(16))) Body {
    float x, y, z, mass;
};

#define TILE 64
#define SOFT 0.01f

// n is a multiple of TILE = blockDim.x. acc: 4 floats per body, the last one 0.
extern "C" __global__ void nbody(const Body *body, Body *acc, int n) {
    __shared__ Body tile[TILE];
    int i = (int)(blockIdx.x * TILE + threadIdx.x);
    Body me = body[i];
    float ax = 0.0f, ay = 0.0f, az = 0.0f;
    for (int j0 = 0; j0 < n; j0 += TILE) {
        tile[threadIdx.x] = body[j0 + threadIdx.x];
        __syncthreads();
#pragma unroll 4
        for (int j = 0; j < TILE; j++) {
            Body o = tile[j];
            float dx = o.x - me.x, dy = o.y - me.y, dz = o.z - me.z;
            float r = rsqrtf(fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, SOFT))));
            float f = o.mass * r * r * r;
            ax = fmaf(f, dx, ax);
            ay = fmaf(f, dy, ay);
            az = fmaf(f, dz, az);
        }
        __syncthreads();
    }
    Body a = {ax, ay, az, 0.0f};
    acc[i] = a;
}
