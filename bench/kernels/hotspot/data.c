// SPDX-License-Identifier: Apache-2.0
// hotspot: additions and fma in a given order: exact. The reference makes one step over the whole
// chip at a time.
#include "bench.h"

#include <math.h>

typedef struct Chip {
    int cols, rows;
    float cap, rx, ry, rz, ambient;
} Chip;

static void step(const Chip *k, const float *power, const float *in, float *out) {
    for (int y = 0; y < k->rows; y++)
        for (int x = 0; x < k->cols; x++) {
            int i = y * k->cols + x;
            float n = in[y > 0 ? i - k->cols : i], s = in[y < k->rows - 1 ? i + k->cols : i];
            float w = in[x > 0 ? i - 1 : i], e = in[x < k->cols - 1 ? i + 1 : i], c = in[i];
            float heat = fmaf(fmaf(-2.0f, c, n + s), k->ry, power[i]);
            heat = fmaf(fmaf(-2.0f, c, w + e), k->rx, heat);
            heat = fmaf(k->ambient - c, k->rz, heat);
            out[i] = fmaf(k->cap, heat, c);
        }
}

void hotspot_data(Bench *b) {
    Chip k = {
        (int)bench_size(b, 40, 240), (int)bench_size(b, 30, 180), 0.5f, 0.1f, 0.1f, 0.0125f, 80.0f};
    size_t n = (size_t)(k.cols * k.rows);
    float *power = BENCH_ARRAY(float, n), *x = BENCH_ARRAY(float, n), *y = BENCH_ARRAY(float, n);
    bench_floats(b, power, n, 0, 1);
    bench_floats(b, x, n, 320, 340);
    bench_save(b, "power.bin", power, n * sizeof *power);
    bench_save(b, "in.bin", x, n * sizeof *x);
    step(&k, power, x, y);
    step(&k, power, y, x);
    bench_save(b, "out.bin", x, n * sizeof *x);
}
