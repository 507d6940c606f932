// SPDX-License-Identifier: Apache-2.0
// pool3: maxima and means of windows of 3 x 3 with a step of 2. Lanes load words 8 bytes apart,
// even or odd ones, and neighboring windows share a row or a column.
#include "cuda_min.h"

// z: plane. in: planes of (2 * size + 1)^2, out: planes of size^2.
extern "C" __global__ void pool3_max(const float *in, float *out, int size) {
    int x = (int)(blockIdx.x * blockDim.x + threadIdx.x), y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    int plane = (int)blockIdx.z, wide = 2 * size + 1;
    if (x >= size || y >= size) return;
    const float *p = in + (plane * wide + 2 * y) * wide + 2 * x;
    float most = p[0];
#pragma unroll
    for (int i = 1; i < 9; i++) most = fmaxf(most, p[i / 3 * wide + i % 3]);
    out[(plane * size + y) * size + x] = most;
}

extern "C" __global__ void pool3_mean(const float *in, float *out, int size) {
    int x = (int)(blockIdx.x * blockDim.x + threadIdx.x), y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    int plane = (int)blockIdx.z, wide = 2 * size + 1;
    if (x >= size || y >= size) return;
    const float *p = in + (plane * wide + 2 * y) * wide + 2 * x;
    float sum = p[0];
#pragma unroll
    for (int i = 1; i < 9; i++) sum += p[i / 3 * wide + i % 3];
    out[(plane * size + y) * size + x] = sum * (1.0f / 9.0f);
}
