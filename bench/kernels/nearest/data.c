// SPDX-License-Identifier: Apache-2.0
// nearest: the kernel asks for fma, and so does the reference: exact.
#include "bench.h"

#include <math.h>

void nearest_data(Bench *b) {
    const uint32_t ctas = bench_size(b, 12, 160), n = 256 * ctas;
    float *x = BENCH_ARRAY(float, n), *y = BENCH_ARRAY(float, n);
    uint32_t *best = BENCH_ARRAY(uint32_t, ctas);
    bench_floats(b, x, n, -90, 90);
    bench_floats(b, y, n, -180, 180);
    bench_save(b, "x.bin", x, n * sizeof *x);
    bench_save(b, "y.bin", y, n * sizeof *y);
    for (uint32_t c = 0; c < ctas; c++) {
        float least = INFINITY;
        for (uint32_t i = 256 * c; i < 256 * (c + 1); i++) {
            const float dx = x[i] - 30.0f, dy = y[i] - 90.0f, away = fmaf(dx, dx, dy * dy);
            if (away < least) least = away, best[c] = i;
        }
    }
    bench_save(b, "best.bin", best, ctas * sizeof *best);
}
