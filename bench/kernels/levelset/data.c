// SPDX-License-Identifier: Apache-2.0
// levelset: all sums with products are fma in both: exact.
#include "bench.h"

#include <math.h>

void levelset_data(Bench *b) {
    const uint32_t n = bench_size(b, 1920, 32000), most = 100;
    float *phi = BENCH_ARRAY(float, n), *speed = BENCH_ARRAY(float, n),
          *out = BENCH_ARRAY(float, n);
    bench_floats(b, phi, n, -2, 2);
    bench_floats(b, speed, n, -0.125f, 0.125f);
    bench_save(b, "phi.bin", phi, n * sizeof *phi);
    bench_save(b, "speed.bin", speed, n * sizeof *speed);
    for (uint32_t i = 0; i < n; i++) {
        float p = phi[i], v = speed[i];
        for (uint32_t step = 0; step < most && fabsf(p) < 1.0f; step++) {
            const float bend = fmaf(p * p, -0.25f, 1.0f), drift = fmaf(v, bend, 0.015625f);
            const float damp = fmaf(fabsf(p), 0.125f, 0.75f), next = fmaf(drift, damp, p);
            const float clamp = fminf(fmaxf(next, -4.0f), 4.0f), settle = fabsf(clamp - p);
            v = fmaf(v, 0.96875f, clamp * 0.0078125f);
            p = clamp;
            if (settle < 0.001f) break;
        }
        out[i] = p;
    }
    bench_save(b, "out.bin", out, n * sizeof *out);
}
