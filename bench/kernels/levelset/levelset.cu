// SPDX-License-Identifier: Apache-2.0
// levelset: points of a narrow band are relaxed until they leave it or settle; all others have nothing to do.
#include "cuda_min.h"

extern "C" __global__ void levelset(const float *phi, const float *speed, float *out, int n, int most) {
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    float p = phi[i], v = speed[i];
    int step = 0;
    while (step < most && fabsf(p) < 1.0f) {
        float bend = fmaf(p * p, -0.25f, 1.0f);
        float drift = fmaf(v, bend, 0.015625f);
        float damp = fmaf(fabsf(p), 0.125f, 0.75f);
        float next = fmaf(drift, damp, p);
        float clamp = fminf(fmaxf(next, -4.0f), 4.0f);
        v = fmaf(v, 0.96875f, clamp * 0.0078125f);
        float settle = fabsf(clamp - p);
        p = clamp;
        step++;
        if (settle < 0.001f) step = most;
    }
    out[i] = p;
}
