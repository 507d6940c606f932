// SPDX-License-Identifier: Apache-2.0
// conv: filter of 17 taps and a lookup table in constant memory with initializers. Some loads of
// constants are the same in all lanes, others differ per lane; a shared-memory row has a halo.
#include "cuda_min.h"

#define RADIUS 8
#define BLOCK 128

__constant__ float taps[2 * RADIUS + 1] = {0.0022f, -0.0041f, 0.0106f, -0.0228f, 0.0427f, -0.0726f,
                                           0.1164f, -0.1826f, 0.6175f, -0.1826f, 0.1164f, -0.0726f,
                                           0.0427f, -0.0228f, 0.0106f, -0.0041f, 0.0022f};
__constant__ int level[8] = {-40, -25, -15, -5, 5, 15, 25, 40};

// out = filtered row, in taken as 0 outside; code = index of the next of 8 levels for the filtered
// value in [-4, 4) (clamped) and that level.
extern "C" __global__ void conv(const float *in, float *out, int *code, int n) {
    __shared__ float row[BLOCK + 2 * RADIUS];
    int t = (int)threadIdx.x, first = (int)blockIdx.x * BLOCK - RADIUS, i = first + RADIUS + t;
    for (int j = t; j < BLOCK + 2 * RADIUS; j += BLOCK)
        row[j] = first + j >= 0 && first + j < n ? in[first + j] : 0.0f;
    __syncthreads();
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k <= 2 * RADIUS; k++) sum = fmaf(taps[k], row[t + k], sum);
    if (i >= n) return;
    out[i] = sum;
    int q = max(0, min(7, (int)(sum + 4.0f)));
    code[i] = q << 8 | (level[q] & 255);
}
