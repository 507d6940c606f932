// SPDX-License-Identifier: Apache-2.0
// halfstore: exact. Words below 64: BDI takes two bursts per line, before and after.
#include "bench.h"

void halfstore_data(Bench *b) {
    uint32_t n = bench_size(b, 4096, 262144);
    uint32_t *words = BENCH_ARRAY(uint32_t, n);
    for (uint32_t i = 0; i < n; i++) words[i] = bench_below(b, 64);
    bench_save(b, "in.bin", words, n * sizeof *words);
    for (uint32_t i = 0; i < n; i++)
        if (i % 32 < 16) words[i] = i & 63;
    bench_save(b, "out.bin", words, n * sizeof *words);
}
