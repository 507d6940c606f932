// SPDX-License-Identifier: Apache-2.0
// inplace: unsigned arithmetic: exact. The reference keeps the two steps before in rows of their
// own.
#include "bench.h"

#include <string.h>

void inplace_data(Bench *b) {
    uint32_t ctas = bench_size(b, 2, 8), threads = bench_size(b, 96, 256),
             steps = bench_size(b, 24, 200);
    uint32_t wide = threads + 2, n = ctas * wide;
    uint32_t *row = BENCH_ARRAY(uint32_t, n), *before = BENCH_ARRAY(uint32_t, n);
    uint32_t *earlier = BENCH_ARRAY(uint32_t, n);
    for (uint32_t i = 0; i < n; i++) row[i] = bench_u32(b);
    bench_save(b, "row.bin", row, n * sizeof *row);
    for (uint32_t s = 0; s < steps; s++) {
        if (s) memcpy(earlier, before, n * sizeof *row);
        memcpy(before, row, n * sizeof *row);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t at = i % wide;
            if (at == 0 || at == wide - 1) continue;
            row[i] = before[i - 1] + before[i] * 3 + before[i + 1] + (earlier[i] >> 5);
            if ((at - 1) % 2 != s % 2) row[i] += before[i] >> 3;
        }
    }
    bench_save(b, "out.bin", row, n * sizeof *row);
}
