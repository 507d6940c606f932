// SPDX-License-Identifier: Apache-2.0
// sgemm: the kernel's sum is a chain of fma over k in ascending order; the reference does the same:
// exact.
#include "bench.h"

#include <math.h>

void sgemm_data(Bench *b) {
    uint32_t m = bench_size(b, 32, 192), n = bench_size(b, 48, 128), k = bench_size(b, 32, 128);
    float *x = BENCH_ARRAY(float, m *k), *y = BENCH_ARRAY(float, k *n),
          *z = BENCH_ARRAY(float, m *n);
    bench_floats(b, x, m * k, -1, 1);
    bench_floats(b, y, k * n, -1, 1);
    for (uint32_t r = 0; r < m; r++)
        for (uint32_t c = 0; c < n; c++) {
            float sum = 0;
            for (uint32_t i = 0; i < k; i++) sum = fmaf(x[r * k + i], y[i * n + c], sum);
            z[r * n + c] = sum;
        }
    bench_save(b, "a.bin", x, m * k * sizeof *x);
    bench_save(b, "b.bin", y, k * n * sizeof *y);
    bench_save(b, "c.bin", z, m * n * sizeof *z);
}
