// SPDX-License-Identifier: Apache-2.0
// lavamd: potential and force between particles of neighboring boxes: a CTA of 128 threads per box,
// the neighbor's particles in shared memory, exponential by ex2.approx.
#include "cuda_min.h"

#define THREADS 128

struct __attribute__((aligned(16))) Particle {
    float x, y, z, charge;
};

// Box b of nx * ny * nz holds the particles b * per .. b * per + per - 1, per <= THREADS. force: x, y, z
// and the potential of each particle.
extern "C" __global__ void lavamd(const Particle *__restrict__ particle, Particle *__restrict__ force,
                                  int nx, int ny, int nz, int per, float decay) {
    __shared__ Particle near[THREADS];
    int t = (int)threadIdx.x, home = (int)blockIdx.x;
    int bx = home % nx, by = home / nx % ny, bz = home / (nx * ny);
    Particle me = {0.0f, 0.0f, 0.0f, 0.0f}, sum = {0.0f, 0.0f, 0.0f, 0.0f};
    if (t < per) me = particle[home * per + t];
    for (int k = 0; k < 27; k++) {
        int x = bx + k % 3 - 1, y = by + k / 3 % 3 - 1, z = bz + k / 9 - 1;
        if (min(min(x, y), z) < 0 || x >= nx || y >= ny || z >= nz) continue;
        if (t < per) near[t] = particle[((z * ny + y) * nx + x) * per + t];
        __syncthreads();
        if (t < per) {
            for (int j = 0; j < per; j++) {
                Particle o = near[j];
                float dx = me.x - o.x, dy = me.y - o.y, dz = me.z - o.z;
                float square = fmaf(dx, dx, fmaf(dy, dy, dz * dz));
                float near_by = o.charge * __expf(-decay * square), twice = 2.0f * near_by;
                sum.charge += near_by;
                sum.x = fmaf(twice, dx, sum.x);
                sum.y = fmaf(twice, dy, sum.y);
                sum.z = fmaf(twice, dz, sum.z);
            }
        }
        __syncthreads();
    }
    if (t < per) force[home * per + t] = sum;
}
