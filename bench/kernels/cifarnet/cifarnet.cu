// SPDX-License-Identifier: Apache-2.0
// cifarnet: first layer of a small image classifier: 5 x 5 filters over three channels, bias, ReLU.
// A chain of 75 fma per pixel, weights the same for the whole warp, zeros beyond the border by
// predicates.
#include "cuda_min.h"

#define CHANNELS 3
#define RADIUS 2
#define FILTER (2 * RADIUS + 1)

// CTAs of z: filter of an image. in: planes [image][channel], out: planes [image][filter]; weight:
// [filter][channel][y][x].
extern "C" __global__ void cifarnet(const float *__restrict__ in, const float *__restrict__ weight,
                                    const float *__restrict__ bias, float *__restrict__ out,
                                    int size, int filters) {
    int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    int y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    int filter = (int)blockIdx.z % filters, image = (int)blockIdx.z / filters;
    if (x >= size || y >= size) return;
    const float *k = weight + filter * CHANNELS * FILTER * FILTER;
    float sum = bias[filter];
#pragma unroll 1
    for (int c = 0; c < CHANNELS; c++) {
        const float *p = in + (image * CHANNELS + c) * size * size + y * size + x;
#pragma unroll
        for (int dy = -RADIUS; dy <= RADIUS; dy++)
#pragma unroll
            for (int dx = -RADIUS; dx <= RADIUS; dx++) {
                bool inside = x + dx >= 0 && x + dx < size && y + dy >= 0 && y + dy < size;
                float v = inside ? p[dy * size + dx] : 0.0f;
                sum = fmaf(v, k[(dy + RADIUS) * FILTER + dx + RADIUS], sum);
            }
        k += FILTER * FILTER;
    }
    out[(int)blockIdx.z * size * size + y * size + x] = fmaxf(sum, 0.0f);
}
