// SPDX-License-Identifier: Apache-2.0
// radixsort: integers: exact. The values are the places before the sort, so they say whether it is
// stable. The reference is the C library's sort of keys and places.
#include "bench.h"

#include <stdlib.h>

enum { TILE = 1024 };

static int by_key(const void *a, const void *b) {
    const uint32_t *x = a, *y = b;
    if (x[0] != y[0]) return x[0] < y[0] ? -1 : 1;
    return x[1] < y[1] ? -1 : x[1] > y[1];
}

void radixsort_data(Bench *b) {
    uint32_t n = TILE * bench_size(b, 1, 64), bits = bench_size(b, 4, 16);
    uint32_t *in = BENCH_ARRAY(uint32_t, n), *pair = BENCH_ARRAY(uint32_t, n * 2);
    uint32_t *key = BENCH_ARRAY(uint32_t, n), *value = BENCH_ARRAY(uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        in[i] = bench_u32(b);
        pair[i * 2] = in[i] & ((1u << bits) - 1);  // the sort key
        pair[i * 2 + 1] = i;
    }
    for (uint32_t i = 0; i < n; i += TILE) qsort(pair + i * 2, TILE, 2 * sizeof *pair, by_key);
    for (uint32_t i = 0; i < n; i++) {
        value[i] = pair[i * 2 + 1];
        key[i] = in[value[i]];
    }
    bench_save(b, "in.bin", in, n * sizeof *in);
    bench_save(b, "key.bin", key, n * sizeof *key);
    bench_save(b, "value.bin", value, n * sizeof *value);
}
