// SPDX-License-Identifier: Apache-2.0
// gaussian: one division and one fma per element and column, in a given order: exact.
#include "bench.h"

#include <math.h>

void gaussian_data(Bench *b) {
    uint32_t n = bench_size(b, 14, 80);
    float *a = BENCH_ARRAY(float, n *n), *rhs = BENCH_ARRAY(float, n);
    bench_floats(b, a, n * n, -1, 1);
    for (uint32_t i = 0; i < n; i++) a[i * n + i] += 4;
    bench_floats(b, rhs, n, -10, 10);
    bench_save(b, "a.bin", a, n * n * sizeof *a);
    bench_save(b, "b.bin", rhs, n * sizeof *rhs);
    for (uint32_t t = 0; t < n - 1; t++)
        for (uint32_t r = t + 1; r < n; r++) {
            float m = a[r * n + t] / a[t * n + t];
            for (uint32_t c = t; c < n; c++) a[r * n + c] = fmaf(-m, a[t * n + c], a[r * n + c]);
            rhs[r] = fmaf(-m, rhs[t], rhs[r]);
        }
    bench_save(b, "upper.bin", a, n * n * sizeof *a);
    bench_save(b, "right.bin", rhs, n * sizeof *rhs);
}
