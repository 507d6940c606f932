// SPDX-License-Identifier: Apache-2.0
// conv11: an 11 x 11 convolution with a step of 4, as in the first layer of a network for large
// images. Neighboring lanes load words 16 bytes apart, and every fourth tap loads a word that the
// next lane has loaded.
#include "cuda_min.h"

// z: filter. in: planes of (4 * (size - 1) + 11)^2, weight: [filter][channel][11][11], out: planes of size^2.
extern "C" __global__ void conv11(const float *in, const float *weight, float *out, int size, int channels) {
    int x = (int)(blockIdx.x * blockDim.x + threadIdx.x), y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    int filter = (int)blockIdx.z, wide = 4 * (size - 1) + 11;
    if (x >= size || y >= size) return;
    float sum = 0.0f;
    for (int c = 0; c < channels; c++)
        for (int dy = 0; dy < 11; dy++)
#pragma unroll
            for (int dx = 0; dx < 11; dx++)
                sum = fmaf(in[(c * wide + 4 * y + dy) * wide + 4 * x + dx],
                           weight[((filter * channels + c) * 11 + dy) * 11 + dx], sum);
    out[(filter * size + y) * size + x] = fmaxf(sum, 0.0f);
}
