// SPDX-License-Identifier: Apache-2.0
// bitonic: equal keys are indistinguishable, so the sorted row is unique: exact. The reference is
// an insertion sort.
#include "bench.h"

enum { N = 256 };

void bitonic_data(Bench *b) {
    uint32_t rows = bench_size(b, 2, 64);
    uint32_t *x = BENCH_ARRAY(uint32_t, rows * N);
    for (uint32_t i = 0; i < rows * N; i++) {
        x[i] = bench_u32(b);
        x[i] >>= bench_below(b, 28);
    }
    bench_save(b, "in.bin", x, rows * N * sizeof *x);
    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t *row = x + r * N, i = 1; i < N; i++) {
            uint32_t key = row[i], j = i;
            for (; j > 0 && row[j - 1] > key; j--) row[j] = row[j - 1];
            row[j] = key;
        }
    bench_save(b, "out.bin", x, rows * N * sizeof *x);
}
