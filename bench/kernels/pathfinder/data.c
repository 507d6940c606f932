// SPDX-License-Identifier: Apache-2.0
// pathfinder: integers, exact; the reference goes row by row over the whole width.
#include "bench.h"

void pathfinder_data(Bench *b) {
    int32_t cols = (int32_t)bench_size(b, 300, 12000), rows = (int32_t)bench_size(b, 24, 32);
    int32_t *wall = BENCH_ARRAY(int32_t, cols * rows), *x = BENCH_ARRAY(int32_t, cols),
            *y = BENCH_ARRAY(int32_t, cols);
    for (int32_t i = 0; i < cols * rows; i++) wall[i] = (int32_t)bench_below(b, 10);
    bench_save(b, "wall.bin", wall, (size_t)(cols * rows) * sizeof *wall);
    for (int32_t r = 0; r < rows; r++) {
        for (int32_t c = 0; c < cols; c++) {
            y[c] = x[c];
            if (c > 0 && x[c - 1] < y[c]) y[c] = x[c - 1];
            if (c < cols - 1 && x[c + 1] < y[c]) y[c] = x[c + 1];
            y[c] += wall[r * cols + c];
        }
        int32_t *swap = x;
        x = y;
        y = swap;
    }
    bench_save(b, "cost.bin", x, (size_t)cols * sizeof *x);
}
