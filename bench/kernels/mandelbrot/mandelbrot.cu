// SPDX-License-Identifier: Apache-2.0
// mandelbrot: iterations until escape; a data-dependent loop with strong divergence within warps,
// f32 compare, byte stores.
#include "cuda_min.h"

extern "C" __global__ void mandelbrot(unsigned char *out, int width, int height, int limit) {
    int px = (int)(blockIdx.x * blockDim.x + threadIdx.x),
        py = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (px >= width || py >= height) return;
    float cx = fmaf((float)px, 3.0f / (float)width, -2.25f),
          cy = fmaf((float)py, 2.5f / (float)height, -1.25f);
    float x = 0.0f, y = 0.0f;
    int i = 0;
    while (i < limit && fmaf(x, x, y * y) < 4.0f) {
        float t = fmaf(x, x, fmaf(-y, y, cx));
        y = fmaf(2.0f * x, y, cy);
        x = t;
        i++;
    }
    out[py * width + px] = (unsigned char)i;
}
