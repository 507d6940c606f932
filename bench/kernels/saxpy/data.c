// SPDX-License-Identifier: Apache-2.0
// saxpy: the kernel asks for fma, and so does the reference: exact.
#include "bench.h"

#include <math.h>

void saxpy_data(Bench *b) {
    uint32_t n = bench_size(b, 10000, 400000);
    float *x = BENCH_ARRAY(float, n), *y = BENCH_ARRAY(float, n);
    bench_floats(b, x, n, -10, 10);
    bench_floats(b, y, n, -10, 10);
    bench_save(b, "x.bin", x, n * sizeof *x);
    bench_save(b, "y.bin", y, n * sizeof *y);
    for (uint32_t i = 0; i < n; i++) y[i] = fmaf(1.5f, x[i], y[i]);
    bench_save(b, "out.bin", y, n * sizeof *y);
}
