// SPDX-License-Identifier: Apache-2.0
// histogram: counts, exact. The smaller of two random bytes: low bins are hit more often, so lanes
// collide.
#include "bench.h"

void histogram_data(Bench *b) {
    uint32_t n = bench_size(b, 12000, 800000);
    uint8_t *x = BENCH_ARRAY(uint8_t, n);
    uint32_t bins[256] = {0};
    for (uint32_t i = 0; i < n; i++) {
        uint32_t v = bench_below(b, 256), w = bench_below(b, 256);
        x[i] = (uint8_t)(v < w ? v : w);
        bins[x[i]]++;
    }
    bench_save(b, "in.bin", x, n);
    bench_save(b, "bins.bin", bins, sizeof bins);
}
