// SPDX-License-Identifier: Apache-2.0
// libor: Monte Carlo paths of a LIBOR market model with forward rates of constant maturity. Every
// thread steps its rates in registers: chains of fma, an IEEE division per rate and step, no shared
// data.
#include "cuda_min.h"

#define RATES 10
#define PERIOD 0.25f

static __device__ __forceinline__ float exponential(float x) {
    float p = fmaf(x, 1.0f / 120.0f, 1.0f / 24.0f);
    p = fmaf(x, p, 1.0f / 6.0f);
    p = fmaf(x, p, 0.5f);
    return fmaf(x, fmaf(x, p, 1.0f), 1.0f);
}

// shock[t * paths + i]: normal deviate of path i in step t, times the square root of the period.
// cap: discounted payments of a cap with this strike; bond: discount over all rates at the end.
extern "C" __global__ void libor(const float *__restrict__ shock, float *__restrict__ cap,
                                 float *__restrict__ bond, int paths, int steps, float first,
                                 float strike) {
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= paths) return;
    float rate[RATES], discount = 1.0f, paid = 0.0f;
#pragma unroll
    for (int j = 0; j < RATES; j++) rate[j] = fmaf((float)j, 0.002f, first);
#pragma unroll 1
    for (int t = 0; t < steps; t++) {
        float z = shock[t * paths + i], drift = 0.0f;
        discount = discount / fmaf(PERIOD, rate[0], 1.0f);
        paid = fmaf(discount, PERIOD * fmaxf(rate[0] - strike, 0.0f), paid);
#pragma unroll
        for (int j = 0; j < RATES; j++) {
            float volatility = 0.25f - 0.0125f * (float)j;
            float grown = PERIOD * rate[j];
            drift = fmaf(volatility, grown / (1.0f + grown), drift);
            float fixed = -0.5f * volatility * (volatility * PERIOD);
            float x = fmaf(drift, volatility * PERIOD, fixed);
            rate[j] *= exponential(fmaf(volatility, z, x));
        }
    }
#pragma unroll
    for (int j = 0; j < RATES; j++) discount = discount / fmaf(PERIOD, rate[j], 1.0f);
    cap[i] = paid;
    bond[i] = discount;
}
