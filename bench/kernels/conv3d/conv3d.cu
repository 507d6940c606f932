// SPDX-License-Identifier: Apache-2.0
// conv3d: a convolution in three dimensions of eleven neighbors, one launch per plane. A guard
// skips the border, so that the first warp of a row works without its lane 0. The next launch reads
// two of the three planes again.
#include "cuda_min.h"

// Cubes of size x size points per plane; the plane z is computed from those around it.
extern "C" __global__ void conv3d(const float *in, float *out, int size, int z) {
    int x = (int)(blockIdx.x * blockDim.x + threadIdx.x), y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (x < 1 || y < 1 || x >= size - 1 || y >= size - 1) return;
    int plane = size * size;
    const float *p = in + (z * size + y) * size + x, *below = p - plane, *above = p + plane;
    float sum = 0.2f * below[-size - 1];
    sum = fmaf(-0.3f, below[0], sum);
    sum = fmaf(0.4f, below[size + 1], sum);
    sum = fmaf(0.5f, p[-size], sum);
    sum = fmaf(-0.6f, p[-1], sum);
    sum = fmaf(0.7f, p[0], sum);
    sum = fmaf(-0.8f, p[1], sum);
    sum = fmaf(0.9f, p[size], sum);
    sum = fmaf(0.1f, above[-size + 1], sum);
    sum = fmaf(-0.2f, above[0], sum);
    sum = fmaf(0.3f, above[size - 1], sum);
    out[(z * size + y) * size + x] = sum;
}
