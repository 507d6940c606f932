// SPDX-License-Identifier: Apache-2.0
// busy: exact. All multiply-adds are of small integers: factor 1, step 1. Addresses lie in 64 bytes
// of a region.
#include "bench.h"

enum { STEPS = 50, REGION = 0x40120000 };

void busy_data(Bench *b) {
    uint32_t n = bench_size(b, 8192, 131072);
    uint32_t *log = BENCH_ARRAY(uint32_t, n);
    for (uint32_t i = 0; i < n; i++) log[i] = REGION + bench_below(b, 64);
    bench_save(b, "in.bin", log, n * sizeof *log);
    for (uint32_t i = 0; i < n; i++) log[i] += (4 * (log[i] & 15) + 6 + 4 * STEPS) & 15;
    bench_save(b, "out.bin", log, n * sizeof *log);
}
