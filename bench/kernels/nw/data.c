// SPDX-License-Identifier: Apache-2.0
// nw: integers, exact. The reference fills the whole table row by row.
#include "bench.h"

static int32_t larger(int32_t a, int32_t b) { return a > b ? a : b; }

void nw_data(Bench *b) {
    int32_t n = (int32_t)bench_size(b, 64, 512), width = n + 1, gap = 10;
    int8_t *match = BENCH_ARRAY(int8_t, n * n);
    int32_t *s = BENCH_ARRAY(int32_t, width * width);
    for (int32_t i = 0; i < n * n; i++) match[i] = (int8_t)((int32_t)bench_below(b, 16) - 6);
    for (int32_t i = 0; i < width; i++) s[i] = s[i * width] = -gap * i;
    bench_save(b, "match.bin", match, (size_t)(n * n));
    bench_save(b, "border.bin", s, (size_t)(width * width) * sizeof *s);
    for (int32_t r = 0; r < n; r++)
        for (int32_t c = 0; c < n; c++) {
            int32_t best = s[r * width + c] + match[r * n + c];
            best = larger(best, s[r * width + c + 1] - gap);
            s[(r + 1) * width + c + 1] = larger(best, s[(r + 1) * width + c] - gap);
        }
    bench_save(b, "score.bin", s, (size_t)(width * width) * sizeof *s);
}
