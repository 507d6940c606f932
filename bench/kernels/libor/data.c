// SPDX-License-Identifier: Apache-2.0
// libor: fma, IEEE divisions and additions in a given order: exact. The reference keeps all rates
// of all steps and computes payments from them afterwards. Each deviate is a sum of uniform ones.
#include "bench.h"

#include <math.h>

enum { RATES = 10, MAX_STEPS = 40 };

static float exponential(float x) {
    static const float terms[6] = {1.0f, 1.0f, 0.5f, 1.0f / 6, 1.0f / 24, 1.0f / 120};
    float p = terms[5];
    for (int k = 4; k >= 0; k--) p = fmaf(x, p, terms[k]);
    return p;
}

static void step(const float *now, float *next, float z) {
    float drift = 0;
    for (int j = 0; j < RATES; j++) {
        float volatility = 0.25f - 0.0125f * (float)j, share = 0.25f * now[j];
        drift = fmaf(volatility, share / (1 + share), drift);
        float mean = fmaf(drift, volatility / 4, -(volatility / 2) * (volatility / 4));
        next[j] = now[j] * exponential(fmaf(volatility, z, mean));
    }
}

void libor_data(Bench *b) {
    uint32_t paths = bench_size(b, 150, 4096), steps = bench_size(b, 6, MAX_STEPS);
    float *shock = BENCH_ARRAY(float, paths *steps), strike = 0.05f;
    float *cap = BENCH_ARRAY(float, paths), *bond = BENCH_ARRAY(float, paths);
    for (uint32_t i = 0; i < paths * steps; i++) {
        float sum = 0;  // of 12 uniform deviates: variance 1
        for (int k = 0; k < 12; k++) sum += bench_float(b, -0.5f, 0.5f);
        shock[i] = 0.5f * sum;
    }
    for (uint32_t i = 0; i < paths; i++) {
        float rates[MAX_STEPS + 1][RATES], discount = 1;
        for (int j = 0; j < RATES; j++) rates[0][j] = fmaf((float)j, 0.002f, 0.045f);
        for (uint32_t t = 0; t < steps; t++) step(rates[t], rates[t + 1], shock[t * paths + i]);
        for (uint32_t t = 0; t < steps; t++) {
            discount /= fmaf(0.25f, rates[t][0], 1);
            float gain = rates[t][0] > strike ? rates[t][0] - strike : 0;
            cap[i] = fmaf(discount, 0.25f * gain, cap[i]);
        }
        for (int j = 0; j < RATES; j++) discount /= fmaf(0.25f, rates[steps][j], 1);
        bond[i] = discount;
    }
    bench_save(b, "shock.bin", shock, paths * steps * sizeof *shock);
    bench_save(b, "cap.bin", cap, paths * sizeof *cap);
    bench_save(b, "bond.bin", bond, paths * sizeof *bond);
}
