// SPDX-License-Identifier: Apache-2.0
// digest: exact. Random words; 128 stripes.
#include "bench.h"

enum { STRIPES = 128 };

void digest_data(Bench *b) {
    const uint32_t n = bench_size(b, 16384, 262144);
    uint32_t *words = BENCH_ARRAY(uint32_t, n), sums[STRIPES];
    for (uint32_t i = 0; i < n; i++)
        words[i] = bench_below(b, 1u << 16) << 16 | bench_below(b, 1u << 16);
    for (uint32_t i = 0; i < STRIPES; i++) sums[i] = i;
    for (uint32_t i = 0; i < n; i++) sums[i % STRIPES] = sums[i % STRIPES] * 31 + words[i];
    bench_save(b, "in.bin", words, n * sizeof *words);
    bench_save(b, "out.bin", sums, sizeof sums);
}
