// SPDX-License-Identifier: Apache-2.0
// blackscholes: prices of European options. The expf, logf, sqrtf and divisions of the CUDA
// mathematics library are those that nvcc writes out (fma with rounding modes, ex2.approx, div.rn,
// sqrt.rn). Selection by sign. nvcc-only.
#include "cuda_min.h"

// Cumulative normal distribution, polynomial of Abramowitz and Stegun 26.2.17.
static __device__ __forceinline__ float cnd(float d) {
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float p = k * (0.31938153f + k * (-0.356563782f +
                                      k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.39894228f * expf(-0.5f * d * d) * p;
    return d > 0.0f ? 1.0f - tail : tail;
}

extern "C" __global__ void blackscholes(const float *__restrict__ price,
                                        const float *__restrict__ strike,
                                        const float *__restrict__ years, float *__restrict__ call,
                                        float *__restrict__ put, float rate, float volatility,
                                        int n) {
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    float s = price[i], x = strike[i], t = years[i];
    float root = sqrtf(t);
    float d1 = (logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
    float d2 = d1 - volatility * root;
    float n1 = cnd(d1), n2 = cnd(d2), discounted = x * expf(-rate * t);
    call[i] = s * n1 - discounted * n2;
    put[i] = discounted * (1.0f - n2) - s * (1.0f - n1);
}
