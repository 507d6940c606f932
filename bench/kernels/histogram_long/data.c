// SPDX-License-Identifier: Apache-2.0
// histogram_long: counts, exact; all values alike.
#include "bench.h"

enum { BINS = 64, THREADS = 128 };

void histogram_long_data(Bench *b) {
    uint32_t each = bench_size(b, 16, 1024), blocks = bench_size(b, 2, 3);
    uint32_t per = THREADS * each * 4, n = per * blocks;
    uint8_t *x = BENCH_ARRAY(uint8_t, n);
    uint32_t *bins = BENCH_ARRAY(uint32_t, blocks * BINS);
    for (uint32_t i = 0; i < n; i++) {
        x[i] = (uint8_t)bench_below(b, 256);
        bins[i / per * BINS + x[i] / 4]++;
    }
    bench_save(b, "in.bin", x, n);
    bench_save(b, "bins.bin", bins, blocks * BINS * sizeof *bins);
}
