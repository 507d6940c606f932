// SPDX-License-Identifier: Apache-2.0
// sobel: edges of an image of bytes. Eight loads of single bytes around each of four pixels in a
// row, sums with weights 1 and 2, magnitudes clamped to a byte and written as one word.
#include "cuda_min.h"

static __device__ __forceinline__ unsigned edge(const unsigned char *at, int pitch) {
    int a = at[-pitch - 1], b = at[-pitch], c = at[-pitch + 1], d = at[-1], e = at[1];
    int f = at[pitch - 1], g = at[pitch], h = at[pitch + 1];
    int across = (c + 2 * e + h) - (a + 2 * d + f), down = (f + 2 * g + h) - (a + 2 * b + c);
    return (unsigned)min((abs(across) + abs(down)) / 2, 255);
}

// in has a margin of one row and of four bytes on both sides: pitch = width + 8. width is a multiple of 4.
extern "C" __global__ void sobel(const unsigned char *__restrict__ in, unsigned *__restrict__ out, int width, int height) {
    int x = (int)(blockIdx.x * blockDim.x + threadIdx.x), y = (int)blockIdx.y, pitch = width + 8;
    if (4 * x >= width) return;
    const unsigned char *at = in + (y + 1) * pitch + 4 * x + 4;
    unsigned word = 0u;
#pragma unroll
    for (int k = 3; k >= 0; k--) word = word << 8 | edge(at + k, pitch);
    out[y * (width / 4) + x] = word;
}
