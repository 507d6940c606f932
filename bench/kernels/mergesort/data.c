// SPDX-License-Identifier: Apache-2.0
// mergesort: integers: exact. Keys repeat; their order is that of the input, so the values say
// whether the sort is stable. The reference is the C library's sort of keys and places.
#include "bench.h"

#include <stdlib.h>

static int by_key(const void *a, const void *b) {
    const uint32_t *x = a, *y = b;
    if (x[0] != y[0]) return x[0] < y[0] ? -1 : 1;
    return x[1] < y[1] ? -1 : x[1] > y[1];
}

void mergesort_data(Bench *b) {
    uint32_t n = bench_size(b, 1024, 32768);
    uint32_t *in = BENCH_ARRAY(uint32_t, n), *pair = BENCH_ARRAY(uint32_t, n * 2);
    uint32_t *key = BENCH_ARRAY(uint32_t, n), *value = BENCH_ARRAY(uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        in[i] = pair[i * 2] = bench_below(b, n / 2);
        pair[i * 2 + 1] = i;
    }
    qsort(pair, n, 2 * sizeof *pair, by_key);
    for (uint32_t i = 0; i < n; i++) key[i] = pair[i * 2], value[i] = pair[i * 2 + 1];
    bench_save(b, "in.bin", in, n * sizeof *in);
    bench_save(b, "key.bin", key, n * sizeof *key);
    bench_save(b, "value.bin", value, n * sizeof *value);
}
