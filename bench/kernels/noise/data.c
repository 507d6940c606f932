// SPDX-License-Identifier: Apache-2.0
// noise: exact. Random words: no codec takes fewer than four bursts.
#include "bench.h"

enum { KEY = 0x5bd1e995 };

void noise_data(Bench *b) {
    uint32_t n = bench_size(b, 8192, 262144);
    uint32_t *words = BENCH_ARRAY(uint32_t, n);
    for (uint32_t i = 0; i < n; i++)
        words[i] = bench_below(b, 1u << 16) << 16 | bench_below(b, 1u << 16);
    bench_save(b, "in.bin", words, n * sizeof *words);
    for (uint32_t i = 0; i < n; i++) words[i] ^= KEY;
    bench_save(b, "out.bin", words, n * sizeof *words);
}
