// SPDX-License-Identifier: Apache-2.0
// search_short: integers, exact; the reference counts the keys that are less. Gaps between keys are
// 0 to 20, so that some are equal; queries reach a little beyond both ends.
#include "bench.h"

enum { KEYS = 1024, THREADS = 128 };

void search_short_data(Bench *b) {
    int each = (int)bench_size(b, 4, 24), blocks = (int)bench_size(b, 2, 16);
    int n = each * blocks * THREADS;
    int16_t keys[KEYS], *query = BENCH_ARRAY(int16_t, n), *out = BENCH_ARRAY(int16_t, n);
    int key = -10000;
    for (int i = 0; i < KEYS; i++) keys[i] = (int16_t)(key += (int)bench_below(b, 41) / 2);
    for (int i = 0; i < n; i++) {
        query[i] = (int16_t)(-10100 + (int)bench_below(b, (uint32_t)(key + 10200)));
        while (out[i] < KEYS && keys[out[i]] < query[i]) out[i]++;
    }
    bench_save(b, "keys.bin", keys, sizeof keys);
    bench_save(b, "query.bin", query, (size_t)n * sizeof *query);
    bench_save(b, "out.bin", out, (size_t)n * sizeof *out);
}
