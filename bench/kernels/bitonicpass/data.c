// SPDX-License-Identifier: Apache-2.0
// bitonicpass: sorted by another method.
#include "bench.h"

#include <stdlib.h>

static int compare(const void *x, const void *y) {
    const uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return (a > b) - (a < b);
}

void bitonicpass_data(Bench *b) {
    const uint32_t n = bench_size(b, 512, 4096);
    uint32_t *keys = BENCH_ARRAY(uint32_t, n);
    for (uint32_t i = 0; i < n; i++) keys[i] = bench_u32(b);
    bench_save(b, "in.bin", keys, n * sizeof *keys);
    qsort(keys, n, sizeof *keys, compare);
    bench_save(b, "out.bin", keys, n * sizeof *keys);
}
