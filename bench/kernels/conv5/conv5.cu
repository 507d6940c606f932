// SPDX-License-Identifier: Apache-2.0
// conv5: 5 x 5 convolutions as in the layers of a small network for images of 32 x 32. Rows have
// 32, 16 and 8 pixels, so that a warp covers one, two and four of them. Windows of neighboring
// lanes and rows overlap.
#include "cuda_min.h"

// z: filter. in: planes of (size + 4)^2, weight: [filter][channel][5][5], out: planes of size^2.
extern "C" __global__ void conv5(const float *in, const float *weight, float *out, int size, int channels) {
    int x = (int)(blockIdx.x * blockDim.x + threadIdx.x), y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    int filter = (int)blockIdx.z, wide = size + 4;
    if (x >= size || y >= size) return;
    float sum = 0.0f;
    for (int c = 0; c < channels; c++)
        for (int dy = 0; dy < 5; dy++)
#pragma unroll
            for (int dx = 0; dx < 5; dx++)
                sum = fmaf(in[(c * wide + y + dy) * wide + x + dx],
                           weight[((filter * channels + c) * 5 + dy) * 5 + dx], sum);
    out[(filter * size + y) * size + x] = fmaxf(sum, 0.0f);
}
