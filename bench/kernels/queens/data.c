// SPDX-License-Identifier: Apache-2.0
// queens: counted by recursion.
#include "bench.h"

static uint32_t solutions(uint32_t n, uint32_t row, uint32_t columns, uint32_t left,
                          uint32_t right) {
    uint32_t count = 0;
    if (row == n) return 1;
    for (uint32_t free = ((1u << n) - 1) & ~(columns | left | right); free; free &= free - 1) {
        const uint32_t bit = free & -free;
        count += solutions(n, row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1);
    }
    return count;
}

void queens_data(Bench *b) {
    const uint32_t n = bench_size(b, 6, 9);
    uint32_t *found = BENCH_ARRAY(uint32_t, n * n);
    for (uint32_t i = 0; i < n * n; i++) {
        const uint32_t x = i / n, y = i % n, away = x > y ? x - y : y - x;
        if (away > 1)
            found[i] = solutions(n, 2, 1u << x | 1u << y, 1u << x << 2 | 1u << y << 1,
                                 1u << x >> 2 | 1u << y >> 1);
    }
    bench_save(b, "found.bin", found, n * n * sizeof *found);
}
