// SPDX-License-Identifier: Apache-2.0
// dwconv: depth-wise 3 x 3 layers, each plane by a filter of its own, with steps of 1 and of 2.
// Lanes and rows share the most words; the width is no multiple of a warp.
#include "cuda_min.h"

// z: plane. in: planes of (step * (size - 1) + 3)^2, weight: [plane][3][3], out: planes of size^2.
extern "C" __global__ void dwconv(const float *in, const float *weight, float *out, int size, int step) {
    int x = (int)(blockIdx.x * blockDim.x + threadIdx.x), y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    int plane = (int)blockIdx.z, wide = step * (size - 1) + 3;
    if (x >= size || y >= size) return;
    const float *p = in + (plane * wide + y * step) * wide + x * step;
    float sum = 0.0f;
#pragma unroll
    for (int dy = 0; dy < 3; dy++)
#pragma unroll
        for (int dx = 0; dx < 3; dx++) sum = fmaf(p[dy * wide + dx], weight[plane * 9 + dy * 3 + dx], sum);
    out[(plane * size + y) * size + x] = fmaxf(sum, 0.0f);
}
