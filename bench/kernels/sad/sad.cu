// SPDX-License-Identifier: Apache-2.0
// sad: sums of absolute differences of 4 x 4 blocks of bytes against all displacements of a search
// window (motion estimation). Narrow integers: byte loads, 16-bit results, two-dimensional indices.
#include "cuda_min.h"

#define BLOCK 4
#define RANGE 8 // displacements 0 .. RANGE-1 in x and y

// One CTA per block of the current frame, one thread per displacement. The reference frame is
// larger than the current one by RANGE - 1 at the right and at the bottom.
extern "C" __global__ void sad(const unsigned char *cur, const unsigned char *ref,
                               unsigned short *out, int width) {
    int dx = (int)threadIdx.x, dy = (int)threadIdx.y, rwidth = width + RANGE - 1;
    int x = (int)blockIdx.x * BLOCK, y = (int)blockIdx.y * BLOCK;
    int sum = 0;
    for (int r = 0; r < BLOCK; r++) {
        const unsigned char *c = cur + (y + r) * width + x;
        const unsigned char *p = ref + (y + r + dy) * rwidth + x + dx;
#pragma unroll
        for (int i = 0; i < BLOCK; i++) sum += abs((int)c[i] - (int)p[i]);
    }
    int block = (int)(blockIdx.y * gridDim.x + blockIdx.x);
    out[block * RANGE * RANGE + dy * RANGE + dx] = (unsigned short)sum;
}
