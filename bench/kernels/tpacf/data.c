// SPDX-License-Identifier: Apache-2.0
// tpacf: counts, and fma in a given order: exact. The reference compares with one border after the
// other.
#include "bench.h"

#include <math.h>

enum { BINS = 20 };

// Unit vectors, as exact as float has them; sqrtf is rounded as IEEE 754 says.
static float *points(Bench *b, uint32_t n) {
    float *p = BENCH_ARRAY(float, n * 3);
    for (uint32_t i = 0; i < n;) {
        float v[3], square = 0;
        for (int d = 0; d < 3; d++) {
            v[d] = bench_float(b, -1, 1);
            square += v[d] * v[d];
        }
        if (square > 1 || square < 0.01f) continue;
        for (uint32_t d = 0; d < 3; d++) p[d * n + i] = v[d] / sqrtf(square);
        i++;
    }
    return p;
}

void tpacf_data(Bench *b) {
    uint32_t n = bench_size(b, 240, 1536), m = bench_size(b, 20, 1024);
    float *first = points(b, n), *second = points(b, m), border[BINS - 1];
    uint32_t count[BINS] = {0};
    for (int k = 0; k < BINS - 1; k++) border[k] = 1 - (float)((k + 1) * (k + 1)) / 200;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < m; j++) {
            float dot = first[2 * n + i] * second[2 * m + j];
            dot = fmaf(first[n + i], second[m + j], dot);
            dot = fmaf(first[i], second[j], dot);
            int bin = 0;
            while (bin < BINS - 1 && dot < border[bin]) bin++;
            count[bin]++;
        }
    bench_save(b, "first.bin", first, n * 3 * sizeof *first);
    bench_save(b, "second.bin", second, m * 3 * sizeof *second);
    bench_save(b, "border.bin", border, sizeof border);
    bench_save(b, "count.bin", count, sizeof count);
}
