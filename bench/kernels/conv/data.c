// SPDX-License-Identifier: Apache-2.0
// conv: fma in the order of the taps: exact.
#include "bench.h"

#include <math.h>

enum { RADIUS = 8 };
static const float taps[2 * RADIUS + 1] = {0.0022f, -0.0041f, 0.0106f, -0.0228f, 0.0427f, -0.0726f,
                                           0.1164f, -0.1826f, 0.6175f, -0.1826f, 0.1164f, -0.0726f,
                                           0.0427f, -0.0228f, 0.0106f, -0.0041f, 0.0022f};
static const int32_t level[8] = {-40, -25, -15, -5, 5, 15, 25, 40};

void conv_data(Bench *b) {
    int n = (int)bench_size(b, 1500, 60000);
    float *x = BENCH_ARRAY(float, n), *out = BENCH_ARRAY(float, n);
    int32_t *code = BENCH_ARRAY(int32_t, n);
    bench_floats(b, x, (size_t)n, -7, 7);
    for (int i = 0; i < n; i++) {
        float sum = 0;
        for (int k = 0; k <= 2 * RADIUS; k++) {
            int j = i + k - RADIUS;
            sum = fmaf(taps[k], j >= 0 && j < n ? x[j] : 0.0f, sum);
        }
        out[i] = sum;
        int q = (int)(sum + 4.0f);
        q = q < 0 ? 0 : q > 7 ? 7 : q;
        code[i] = q << 8 | (level[q] & 255);
    }
    bench_save(b, "in.bin", x, (size_t)n * sizeof *x);
    bench_save(b, "out.bin", out, (size_t)n * sizeof *out);
    bench_save(b, "code.bin", code, (size_t)n * sizeof *code);
}
