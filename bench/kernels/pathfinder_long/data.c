// SPDX-License-Identifier: Apache-2.0
// pathfinder_long: integers, exact; the reference goes row by row.
#include "bench.h"

#include <string.h>

enum { BLOCK = 128, WORD = 4 };

// The row's costs are every WORD-th byte.
static void row(const uint8_t *wall, int32_t *cost) {
    int32_t old[BLOCK];
    memcpy(old, cost, sizeof old);
    for (int c = 0; c < BLOCK; c++) {
        if (c > 0 && old[c - 1] < cost[c]) cost[c] = old[c - 1];
        if (c < BLOCK - 1 && old[c + 1] < cost[c]) cost[c] = old[c + 1];
        cost[c] += wall[c * WORD];
    }
}

void pathfinder_long_data(Bench *b) {
    int words = (int)bench_size(b, 6, 256), grids = (int)bench_size(b, 2, 3);
    int per = words * WORD * BLOCK;
    uint8_t *wall = BENCH_ARRAY(uint8_t, grids * per);
    int32_t *cost = BENCH_ARRAY(int32_t, grids * BLOCK);
    for (int i = 0; i < grids * per; i++) wall[i] = (uint8_t)bench_below(b, 10);
    for (int g = 0; g < grids; g++)
        for (int r = 0; r < words * WORD; r++)
            row(wall + g * per + r / WORD * WORD * BLOCK + r % WORD, cost + g * BLOCK);
    bench_save(b, "wall.bin", wall, (size_t)(grids * per));
    bench_save(b, "cost.bin", cost, (size_t)(grids * BLOCK) * sizeof *cost);
}
