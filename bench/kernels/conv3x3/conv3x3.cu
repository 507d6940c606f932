// SPDX-License-Identifier: Apache-2.0
// conv3x3: a 3 x 3 convolution over several channels, an image with a rim. Windows of neighboring
// lanes, rows and filters overlap, no branch in the window.
#include "cuda_min.h"

// z: filter. in: planes of (size + 2)^2, weight: [filter][channel][3][3], out: planes of size^2.
extern "C" __global__ void conv3x3(const float *in, const float *weight, float *out, int size, int channels) {
    int x = (int)(blockIdx.x * blockDim.x + threadIdx.x), y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    int filter = (int)blockIdx.z, wide = size + 2;
    if (x >= size || y >= size) return;
    float sum = 0.0f;
    for (int c = 0; c < channels; c++)
        for (int dy = 0; dy < 3; dy++)
#pragma unroll
            for (int dx = 0; dx < 3; dx++)
                sum = fmaf(in[(c * wide + y + dy) * wide + x + dx], weight[((filter * channels + c) * 3 + dy) * 3 + dx], sum);
    out[(filter * size + y) * size + x] = fmaxf(sum, 0.0f);
}
