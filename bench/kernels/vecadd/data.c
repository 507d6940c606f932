// SPDX-License-Identifier: Apache-2.0
// vecadd: one IEEE addition, so the result is exact. n is 3 short of the grid: the last warp
// diverges.
#include "bench.h"

void vecadd_data(Bench *b) {
    uint32_t n = bench_size(b, 8192, 262144) - 3;
    float *x = BENCH_ARRAY(float, n), *y = BENCH_ARRAY(float, n), *z = BENCH_ARRAY(float, n);
    bench_floats(b, x, n, -100, 100);
    bench_floats(b, y, n, -100, 100);
    for (uint32_t i = 0; i < n; i++) z[i] = x[i] + y[i];
    bench_save(b, "a.bin", x, n * sizeof *x);
    bench_save(b, "b.bin", y, n * sizeof *y);
    bench_save(b, "c.bin", z, n * sizeof *z);
}
