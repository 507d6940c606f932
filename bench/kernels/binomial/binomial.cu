// SPDX-License-Identifier: Apache-2.0
// binomial: option prices by binomial trees, a CTA per option: the movement and the discount of the
// tree are the same in all threads.
#include "cuda_min.h"

extern "C" __global__ void binomial(const float *__restrict__ spot, const float *__restrict__ strike,
                                    const float *__restrict__ up, const float *__restrict__ growth, float *price, int steps) {
    __shared__ float value[256];
    int t = (int)threadIdx.x;
    float s = spot[blockIdx.x], x = strike[blockIdx.x], u = up[blockIdx.x], g = growth[blockIdx.x];
    float d = 1.0f / u, p = (g - d) / (u - d), higher = p / g, lower = (1.0f - p) / g;
    float at = s;
    for (int i = 0; i < steps; i++) at *= i < t ? u : d;
    value[t] = t <= steps ? fmaxf(at - x, 0.0f) : 0.0f;
    __syncthreads();
    for (int n = steps; n > 0; n--) {
        float v = 0.0f;
        if (t < n) v = fmaf(higher, value[t + 1], lower * value[t]);
        __syncthreads();
        if (t < n) value[t] = v;
        __syncthreads();
    }
    if (t == 0) price[blockIdx.x] = value[0];
}
