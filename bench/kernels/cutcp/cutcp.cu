// SPDX-License-Identifier: Apache-2.0
// cutcp: potential of point charges on a plane of a grid, cut off at a distance. The 8 grid points
// of a row per thread share an atom's distance in y and z; a branch skips atoms out of reach.
#include "cuda_min.h"

#define POINTS 8

struct __attribute__((aligned(16))) Atom {
    float x, y, z, charge;
};

// Threads of a row take neighboring points: point k of thread x is x + k * blockDim.x.
extern "C" __global__ void cutcp(const Atom *__restrict__ atom, float *__restrict__ potential,
                                 int atoms, float spacing, float reach, float inverse) {
    int row = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    int col = (int)(blockIdx.x * blockDim.x * POINTS + threadIdx.x);
    int wide = (int)(gridDim.x * blockDim.x * POINTS);
    float y = (float)row * spacing, x[POINTS], sum[POINTS];
#pragma unroll
    for (int k = 0; k < POINTS; k++) {
        x[k] = (float)(col + k * (int)blockDim.x) * spacing;
        sum[k] = 0.0f;
    }
#pragma unroll 1
    for (int a = 0; a < atoms; a++) {
        Atom o = atom[a];
        float dy = o.y - y, across = fmaf(dy, dy, o.z * o.z);
        if (across >= reach) continue;
#pragma unroll
        for (int k = 0; k < POINTS; k++) {
            float dx = o.x - x[k], square = fmaf(dx, dx, across);
            if (square < reach) {
                float fade = fmaf(-inverse, square, 1.0f);
                sum[k] = fmaf(o.charge * rsqrtf(square), fade * fade, sum[k]);
            }
        }
    }
    float *out = potential + row * wide + col;
#pragma unroll
    for (int k = 0; k < POINTS; k++) out[k * (int)blockDim.x] = sum[k];
}
