// SPDX-License-Identifier: Apache-2.0
// sad_long: full search of patterns of 32 columns: each thread sums more than a thousand absolute
// differences of bytes for its displacement in one loop.
#include "cuda_min.h"

#define WIDTH 32
#define RANGE 16 // displacements 0 .. RANGE-1 in x and y
#define FRAME (WIDTH + RANGE)

// One CTA per pattern of rows x WIDTH bytes and its window of (rows + RANGE) x FRAME bytes; one
// thread per displacement.
extern "C" __global__ void sad_long(const unsigned char *pattern, const unsigned char *window,
                                    unsigned *out, int rows) {
    int dx = (int)threadIdx.x, dy = (int)threadIdx.y, block = (int)blockIdx.x;
    const unsigned char *c = pattern + block * rows * WIDTH,
                        *p = window + block * (rows + RANGE) * FRAME + dy * FRAME + dx;
    int sum = 0;
    for (int r = 0; r < rows; r++, p += FRAME, c += WIDTH) {
#pragma unroll 4
        for (int i = 0; i < WIDTH; i++) sum += abs((int)c[i] - (int)p[i]);
    }
    out[(block * RANGE + dy) * RANGE + dx] = (unsigned)sum;
}
