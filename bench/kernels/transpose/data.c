// SPDX-License-Identifier: Apache-2.0
// transpose: values are only moved: exact, every bit (some are NaN or denormal patterns).
#include "bench.h"

void transpose_data(Bench *b) {
    uint32_t width = bench_size(b, 72, 500), height = bench_size(b, 90, 420), n = width * height;
    uint32_t *x = BENCH_ARRAY(uint32_t, n), *y = BENCH_ARRAY(uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        x[i] = bench_u32(b);
        y[i % width * height + i / width] = x[i];
    }
    bench_save(b, "in.bin", x, n * sizeof *x);
    bench_save(b, "out.bin", y, n * sizeof *y);
}
