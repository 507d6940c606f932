// SPDX-License-Identifier: Apache-2.0
// fire: a fire module of small image classifiers. A 1 x 1 convolution squeezes many channels into
// 16; then 1 x 1 and 3 x 3 convolutions side by side expand them. 16 or 4 sums in registers,
// uniform weights as vectors.
#include "cuda_min.h"

#define SQUEEZED 16
#define AT_ONCE 4

struct __attribute__((aligned(16))) Four {
    float v[AT_ONCE];
};

// All tensors are planes of size x size. weight: [channel][filter].
extern "C" __global__ void fire_squeeze(const float *__restrict__ in,
                                        const Four *__restrict__ weight,
                                        const float *__restrict__ bias, float *__restrict__ out,
                                        int size, int channels) {
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x), plane = size * size;
    if (i >= plane) return;
    float sum[SQUEEZED];
#pragma unroll
    for (int f = 0; f < SQUEEZED; f++) sum[f] = bias[f];
#pragma unroll 1
    for (int c = 0; c < channels; c++) {
        float v = in[c * plane + i];
#pragma unroll
        for (int f = 0; f < SQUEEZED / AT_ONCE; f++) {
            Four w = weight[c * (SQUEEZED / AT_ONCE) + f];
#pragma unroll
            for (int j = 0; j < AT_ONCE; j++)
                sum[f * AT_ONCE + j] = fmaf(v, w.v[j], sum[f * AT_ONCE + j]);
        }
    }
#pragma unroll
    for (int f = 0; f < SQUEEZED; f++) out[f * plane + i] = fmaxf(sum[f], 0.0f);
}

// Four filters per CTA of y; weight: [group of four][channel][filter of the group].
extern "C" __global__ void fire_expand1(const float *__restrict__ in,
                                        const Four *__restrict__ weight,
                                        const float *__restrict__ bias, float *__restrict__ out,
                                        int size) {
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x), plane = size * size;
    int group = (int)blockIdx.y;
    if (i >= plane) return;
    float sum[AT_ONCE];
#pragma unroll
    for (int j = 0; j < AT_ONCE; j++) sum[j] = bias[group * AT_ONCE + j];
#pragma unroll 4
    for (int c = 0; c < SQUEEZED; c++) {
        Four w = weight[group * SQUEEZED + c];
        float v = in[c * plane + i];
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++) sum[j] = fmaf(v, w.v[j], sum[j]);
    }
#pragma unroll
    for (int j = 0; j < AT_ONCE; j++)
        out[(group * AT_ONCE + j) * plane + i] = fmaxf(sum[j], 0.0f);
}

// As fire_expand1; weight: [group of four][channel][y][x][filter of the group].
extern "C" __global__ void fire_expand3(const float *__restrict__ in,
                                        const Four *__restrict__ weight,
                                        const float *__restrict__ bias, float *__restrict__ out,
                                        int size) {
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x), plane = size * size;
    int group = (int)blockIdx.y, x = i % size, y = i / size;
    if (i >= plane) return;
    float sum[AT_ONCE];
#pragma unroll
    for (int j = 0; j < AT_ONCE; j++) sum[j] = bias[group * AT_ONCE + j];
    const Four *k = weight + group * SQUEEZED * 9;
#pragma unroll 1
    for (int c = 0; c < SQUEEZED; c++, k += 9) {
        const float *p = in + c * plane + i;
#pragma unroll
        for (int tap = 0; tap < 9; tap++) {
            int dx = tap % 3 - 1, dy = tap / 3 - 1;
            bool inside = x + dx >= 0 && x + dx < size && y + dy >= 0 && y + dy < size;
            float v = inside ? p[dy * size + dx] : 0.0f;
            Four w = k[tap];
#pragma unroll
            for (int j = 0; j < AT_ONCE; j++) sum[j] = fmaf(v, w.v[j], sum[j]);
        }
    }
#pragma unroll
    for (int j = 0; j < AT_ONCE; j++)
        out[(group * AT_ONCE + j) * plane + i] = fmaxf(sum[j], 0.0f);
}
