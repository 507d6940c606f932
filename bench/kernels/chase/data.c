// SPDX-License-Identifier: Apache-2.0
// chase: exact. A permutation of random order; 128 lists.
#include "bench.h"

enum { LISTS = 128 };

void chase_data(Bench *b) {
    const uint32_t n = bench_size(b, 16384, 131072), steps = bench_size(b, 48, 512);
    uint32_t *next = BENCH_ARRAY(uint32_t, n), sums[LISTS];
    for (uint32_t i = 0; i < n; i++) next[i] = i;
    for (uint32_t i = n - 1; i > 0; i--) {
        const uint32_t k = bench_below(b, i + 1), word = next[i];
        next[i] = next[k];
        next[k] = word;
    }
    for (uint32_t i = 0; i < LISTS; i++) {
        uint32_t at = i;
        sums[i] = 0;
        for (uint32_t s = 0; s < steps; s++) {
            at = next[at];
            sums[i] += at ^ s;
        }
    }
    bench_save(b, "next.bin", next, n * sizeof *next);
    bench_save(b, "out.bin", sums, sizeof sums);
}
