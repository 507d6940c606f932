// SPDX-License-Identifier: Apache-2.0
// atax: chains of fma in ascending order: exact.
#include "bench.h"

#include <math.h>

void atax_data(Bench *b) {
    uint32_t m = bench_size(b, 96, 384), n = bench_size(b, 80, 512);
    float *a = BENCH_ARRAY(float, m *n), *x = BENCH_ARRAY(float, n), *t = BENCH_ARRAY(float, m);
    float *y = BENCH_ARRAY(float, n);
    bench_floats(b, a, m * n, -1, 1);
    bench_floats(b, x, n, -1, 1);
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t i = 0; i < m; i++) t[i] = fmaf(a[i * n + j], x[j], t[i]);
    for (uint32_t i = 0; i < m; i++)
        for (uint32_t j = 0; j < n; j++) y[j] = fmaf(a[i * n + j], t[i], y[j]);
    bench_save(b, "a.bin", a, m * n * sizeof *a);
    bench_save(b, "x.bin", x, n * sizeof *x);
    bench_save(b, "y.bin", y, n * sizeof *y);
}
