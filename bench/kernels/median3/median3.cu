// SPDX-License-Identifier: Apache-2.0
// median3: 3 x 3 median of a picture of bytes. Nine byte loads, then a network of minima and maxima
// on values of one byte; pixels at the border are copied.
#include "cuda_min.h"

static __device__ __forceinline__ void sort2(int &a, int &b) {
    int low = min(a, b);
    b = max(a, b);
    a = low;
}
static __device__ __forceinline__ void sort3(int &a, int &b, int &c) {
    sort2(a, b);
    sort2(b, c);
    sort2(a, b);
}

extern "C" __global__ void median3(const unsigned char *in, unsigned char *out, int width,
                                   int height) {
    int x = (int)(blockIdx.x * blockDim.x + threadIdx.x),
        y = (int)(blockIdx.y * blockDim.y + threadIdx.y), i = y * width + x;
    if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
        out[i] = in[i];
        return;
    }
    int v[9];
#pragma unroll
    for (int k = 0; k < 9; k++) v[k] = in[i + (k / 3 - 1) * width + k % 3 - 1];
    // Rows sorted; then the median of the largest minimum, the median median, the least maximum.
#pragma unroll
    for (int r = 0; r < 9; r += 3) sort3(v[r], v[r + 1], v[r + 2]);
    int low = max(max(v[0], v[3]), v[6]), high = min(min(v[2], v[5]), v[8]);
    sort3(v[1], v[4], v[7]);
    int middle = v[4];
    sort3(low, middle, high);
    out[i] = (unsigned char)middle;
}
