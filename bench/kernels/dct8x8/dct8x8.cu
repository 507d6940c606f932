// SPDX-License-Identifier: Apache-2.0
// dct8x8: discrete cosine transform of 8 x 8 blocks of bytes, rows then columns. A table in
// constant memory read with an index per lane, conversions between bytes and floats, rounding to
// 16-bit coefficients.
#include "cuda_min.h"

// cosine[u][x] = c(u) cos((2 x + 1) u pi / 16), c(0) = sqrt(1/8), else 1/2.
__constant__ float cosine[8][8] = {{0.35355338f, 0.35355338f, 0.35355338f, 0.35355338f, 0.35355338f,
                                    0.35355338f, 0.35355338f, 0.35355338f},
                                   {0.49039263f, 0.4157348f, 0.2777851f, 0.09754516f, -0.09754516f,
                                    -0.2777851f, -0.4157348f, -0.49039263f},
                                   {0.46193975f, 0.19134171f, -0.19134171f, -0.46193975f,
                                    -0.46193975f, -0.19134171f, 0.19134171f, 0.46193975f},
                                   {0.4157348f, -0.09754516f, -0.49039263f, -0.2777851f, 0.2777851f,
                                    0.49039263f, 0.09754516f, -0.4157348f},
                                   {0.35355338f, -0.35355338f, -0.35355338f, 0.35355338f,
                                    0.35355338f, -0.35355338f, -0.35355338f, 0.35355338f},
                                   {0.2777851f, -0.49039263f, 0.09754516f, 0.4157348f, -0.4157348f,
                                    -0.09754516f, 0.49039263f, -0.2777851f},
                                   {0.19134171f, -0.46193975f, 0.46193975f, -0.19134171f,
                                    -0.19134171f, 0.46193975f, -0.46193975f, 0.19134171f},
                                   {0.09754516f, -0.2777851f, 0.4157348f, -0.49039263f, 0.49039263f,
                                    -0.4157348f, 0.2777851f, -0.09754516f}};

// One block per 64 threads, two blocks per CTA (blockDim 8 x 8 x 2); width is a multiple of 16.
extern "C" __global__ void dct8x8(const unsigned char *in, short *out, int width) {
    __shared__ float pixel[2][8][8], row[2][8][8];
    int x = (int)threadIdx.x, y = (int)threadIdx.y, z = (int)threadIdx.z;
    int at = ((int)blockIdx.y * 8 + y) * width + ((int)blockIdx.x * 2 + z) * 8 + x;
    pixel[z][y][x] = (float)in[at] - 128.0f;
    __syncthreads();
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < 8; i++) sum = fmaf(cosine[x][i], pixel[z][y][i], sum);
    row[z][y][x] = sum;
    __syncthreads();
    sum = 0.0f;
#pragma unroll
    for (int i = 0; i < 8; i++) sum = fmaf(cosine[y][i], row[z][i][x], sum);
    out[at] = (short)(int)(sum < 0.0f ? sum - 0.5f : sum + 0.5f);
}
