// SPDX-License-Identifier: Apache-2.0
// hotspot3d: a step of the temperature of a stack of dies: 7 points. Each thread marches in z with
// three planes in registers; no shared memory, no barrier.
#include "cuda_min.h"

// Every weight is that of a neighbor's temperature; step turns power into temperature.
extern "C" __global__ void hotspot3d(const float *__restrict__ power, const float *__restrict__ in,
                                     float *__restrict__ out, int nx, int ny, int nz, float self,
                                     float west, float east, float north, float south, float below,
                                     float above, float step, float ambient) {
    int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    int y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (x >= nx || y >= ny) return;
    int plane = nx * ny, i = y * nx + x;
    int w = x > 0 ? i - 1 : i, e = x < nx - 1 ? i + 1 : i;
    int n = y > 0 ? i - nx : i, s = y < ny - 1 ? i + nx : i;
    float here = in[i], under = here;
    for (int z = 0; z < nz; z++) {
        float over = z < nz - 1 ? in[i + plane] : here;
        float t = self * here;
        t = fmaf(west, in[w], t);
        t = fmaf(east, in[e], t);
        t = fmaf(north, in[n], t);
        t = fmaf(south, in[s], t);
        t = fmaf(below, under, t);
        t = fmaf(above, over, t);
        t = fmaf(step, power[i], t);
        out[i] = fmaf(above, ambient, t);
        under = here;
        here = over;
        i += plane, w += plane, e += plane, n += plane, s += plane;
    }
}
