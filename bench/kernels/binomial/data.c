// SPDX-License-Identifier: Apache-2.0
// binomial: divisions and fma are correctly rounded: exact.
#include "bench.h"

#include <math.h>

void binomial_data(Bench *b) {
    const uint32_t options = bench_size(b, 12, 128), steps = bench_size(b, 64, 127);
    float *s = BENCH_ARRAY(float, options), *x = BENCH_ARRAY(float, options),
          *u = BENCH_ARRAY(float, options);
    float *g = BENCH_ARRAY(float, options), *price = BENCH_ARRAY(float, options);
    bench_floats(b, s, options, 10, 30);
    bench_floats(b, x, options, 10, 30);
    bench_floats(b, u, options, 1.01f, 1.02f);
    bench_floats(b, g, options, 1.0001f, 1.001f);
    bench_save(b, "spot.bin", s, options * sizeof *s);
    bench_save(b, "strike.bin", x, options * sizeof *x);
    bench_save(b, "up.bin", u, options * sizeof *u);
    bench_save(b, "growth.bin", g, options * sizeof *g);
    for (uint32_t k = 0; k < options; k++) {
        float value[256] = {0};
        const float d = 1.0f / u[k], p = (g[k] - d) / (u[k] - d), higher = p / g[k],
                    lower = (1.0f - p) / g[k];
        for (uint32_t t = 0; t <= steps; t++) {
            float at = s[k];
            for (uint32_t i = 0; i < steps; i++) at *= i < t ? u[k] : d;
            value[t] = fmaxf(at - x[k], 0.0f);
        }
        for (uint32_t n = steps; n > 0; n--)
            for (uint32_t t = 0; t < n; t++)
                value[t] = fmaf(higher, value[t + 1], lower * value[t]);
        price[k] = value[0];
    }
    bench_save(b, "price.bin", price, options * sizeof *price);
}
