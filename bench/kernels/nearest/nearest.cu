// SPDX-License-Identifier: Apache-2.0
// nearest: the nearest of many places: a CTA measures 256 of them, and its thread 0 looks for the nearest of these.
#include "cuda_min.h"

extern "C" __global__ void nearest(const float *x, const float *y, unsigned *best, float tx, float ty) {
    __shared__ float away[256];
    int t = (int)threadIdx.x, i = (int)(blockIdx.x * blockDim.x) + t;
    float dx = x[i] - tx, dy = y[i] - ty;
    away[t] = fmaf(dx, dx, dy * dy);
    __syncthreads();
    if (t == 0) {
        unsigned at = 0;
        float least = away[0];
        for (unsigned k = 1; k < 256; k++)
            if (away[k] < least) least = away[k], at = k;
        best[blockIdx.x] = blockIdx.x * 256 + at;
    }
}
