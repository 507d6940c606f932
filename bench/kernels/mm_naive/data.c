// SPDX-License-Identifier: Apache-2.0
// mm_naive: a chain of fma over k in ascending order; the reference does the same: exact.
#include "bench.h"

#include <math.h>

void mm_naive_data(Bench *b) {
    uint32_t n = bench_size(b, 32, 128);
    float *x = BENCH_ARRAY(float, n *n), *y = BENCH_ARRAY(float, n *n),
          *z = BENCH_ARRAY(float, n *n);
    bench_floats(b, x, n * n, -1, 1);
    bench_floats(b, y, n * n, -1, 1);
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < n * n; i++) z[i] = fmaf(x[i / n * n + k], y[k * n + i % n], z[i]);
    bench_save(b, "a.bin", x, n * n * sizeof *x);
    bench_save(b, "b.bin", y, n * n * sizeof *y);
    bench_save(b, "c.bin", z, n * n * sizeof *z);
}
