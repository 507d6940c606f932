// SPDX-License-Identifier: Apache-2.0
// imat: exact. Words below 100 fit one byte: BDI takes two bursts per line of the matrix.
#include "bench.h"

void imat_data(Bench *b) {
    uint32_t n = bench_size(b, 128, 1024), rows = bench_size(b, 64, 1024);
    int32_t *a = BENCH_ARRAY(int32_t, n * rows), *x = BENCH_ARRAY(int32_t, n),
            *y = BENCH_ARRAY(int32_t, rows);
    for (uint32_t i = 0; i < n * rows; i++) a[i] = (int32_t)bench_below(b, 100);
    for (uint32_t i = 0; i < n; i++) x[i] = (int32_t)bench_below(b, 100);
    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t i = 0; i < n; i++) y[r] += a[r * n + i] * x[i];
    bench_save(b, "a.bin", a, n * rows * sizeof *a);
    bench_save(b, "x.bin", x, n * sizeof *x);
    bench_save(b, "y.bin", y, rows * sizeof *y);
}
