// SPDX-License-Identifier: Apache-2.0
// sad_long: integers, exact. The pattern is somewhere in its window, with a little noise.
#include "bench.h"

#include <stdlib.h>

enum { WIDTH = 32, RANGE = 16, FRAME = WIDTH + RANGE };

static void make(Bench *b, uint8_t *pattern, uint8_t *window, int rows) {
    int dx = (int)bench_below(b, RANGE), dy = (int)bench_below(b, RANGE);
    for (int i = 0; i < (rows + RANGE) * FRAME; i++) window[i] = (uint8_t)bench_below(b, 256);
    for (int i = 0; i < rows * WIDTH; i++) {
        int v = window[(i / WIDTH + dy) * FRAME + i % WIDTH + dx];
        pattern[i] = (uint8_t)(v < 248 ? v + (int)bench_below(b, 8) : v);
    }
}

static uint32_t difference(const uint8_t *pattern, const uint8_t *window, int rows) {
    uint32_t sum = 0;
    for (int i = 0; i < rows * WIDTH; i++)
        sum += (uint32_t)abs(pattern[i] - window[i / WIDTH * FRAME + i % WIDTH]);
    return sum;
}

void sad_long_data(Bench *b) {
    int rows = (int)bench_size(b, 2, 36), count = (int)bench_size(b, 1, 4);
    int np = rows * WIDTH, nw = (rows + RANGE) * FRAME, no = RANGE * RANGE;
    uint8_t *pattern = BENCH_ARRAY(uint8_t, count * np), *window = BENCH_ARRAY(uint8_t, count * nw);
    uint32_t *out = BENCH_ARRAY(uint32_t, count * no);
    for (int k = 0; k < count; k++) {
        make(b, pattern + k * np, window + k * nw, rows);
        for (int d = 0; d < no; d++)
            out[k * no + d] =
                difference(pattern + k * np, window + k * nw + d / RANGE * FRAME + d % RANGE, rows);
    }
    bench_save(b, "pattern.bin", pattern, (size_t)(count * np));
    bench_save(b, "window.bin", window, (size_t)(count * nw));
    bench_save(b, "out.bin", out, (size_t)(count * no) * sizeof *out);
}
