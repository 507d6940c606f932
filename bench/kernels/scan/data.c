// SPDX-License-Identifier: Apache-2.0
// scan: unsigned integers modulo 2^32: exact.
#include "bench.h"

void scan_data(Bench *b) {
    uint32_t n = bench_size(b, 2000, 120000), sum = 0;
    uint32_t *x = BENCH_ARRAY(uint32_t, n), *y = BENCH_ARRAY(uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        x[i] = bench_below(b, 100000);
        y[i] = sum += x[i];
    }
    bench_save(b, "in.bin", x, n * sizeof *x);
    bench_save(b, "out.bin", y, n * sizeof *y);
}
