// SPDX-License-Identifier: Apache-2.0
// scalarprod: dot products, a CTA for each pair of vectors: strided loop, then a tree in shared memory.
#include "cuda_min.h"

extern "C" __global__ void scalarprod(const float *a, const float *b, float *out, int n) {
    __shared__ float part[128];
    int t = (int)threadIdx.x, from = (int)blockIdx.x * n;
    float sum = 0.0f;
#pragma unroll 1
    for (int i = t; i < n; i += 128) sum = fmaf(a[from + i], b[from + i], sum);
    part[t] = sum;
    for (int s = 64; s > 0; s >>= 1) {
        __syncthreads();
        if (t < s) part[t] += part[t + s];
    }
    if (t == 0) out[blockIdx.x] = part[0];
}
