// SPDX-License-Identifier: Apache-2.0
// srad: IEEE divisions, additions and fma in a given order: exact. The reference makes one step
// over the whole image at a time, with the pixels beyond the border equal to those at it.
#include "bench.h"

#include <math.h>
#include <string.h>

typedef struct Image {
    int cols, rows;
    float noise, rate;
} Image;

static float at(const Image *k, const float *p, int x, int y) {
    x = x < 0 ? 0 : x >= k->cols ? k->cols - 1 : x;
    y = y < 0 ? 0 : y >= k->rows ? k->rows - 1 : y;
    return p[y * k->cols + x];
}

static float coefficient(const Image *k, const float *p, int x, int y) {
    float c = at(k, p, x, y),
          d[4] = {at(k, p, x, y - 1) - c, at(k, p, x, y + 1) - c, at(k, p, x - 1, y) - c,
                  at(k, p, x + 1, y) - c};
    float squares = d[0] * d[0];
    for (int i = 1; i < 4; i++) squares = fmaf(d[i], d[i], squares);
    squares = squares / (c * c);
    float curve = ((d[0] + d[1]) + (d[2] + d[3])) / c;
    float q = fmaf(-0.0625f * curve, curve, 0.5f * squares);
    float root = fmaf(0.25f, curve, 1);
    q = (q / (root * root) - k->noise) / (k->noise * (1 + k->noise));
    float value = 1 / (1 + q);
    return value < 0 ? 0 : value > 1 ? 1 : value;
}

static void step(const Image *k, float *image, float *old, float *c) {
    memcpy(old, image, (size_t)(k->cols * k->rows) * sizeof *old);
    for (int y = 0; y < k->rows; y++)
        for (int x = 0; x < k->cols; x++) c[y * k->cols + x] = coefficient(k, old, x, y);
    for (int y = 0; y < k->rows; y++)
        for (int x = 0; x < k->cols; x++) {
            int i = y * k->cols + x;
            float flow = c[i] * (at(k, old, x, y - 1) - old[i]);
            flow = fmaf(at(k, c, x, y + 1), at(k, old, x, y + 1) - old[i], flow);
            flow = fmaf(c[i], at(k, old, x - 1, y) - old[i], flow);
            flow = fmaf(at(k, c, x + 1, y), at(k, old, x + 1, y) - old[i], flow);
            image[i] = fmaf(0.25f * k->rate, flow, old[i]);
        }
}

void srad_data(Bench *b) {
    Image k = {(int)bench_size(b, 40, 256), (int)bench_size(b, 20, 256), 0.05f, 0.5f};
    size_t n = (size_t)(k.cols * k.rows);
    float *image = BENCH_ARRAY(float, n), *old = BENCH_ARRAY(float, n), *c = BENCH_ARRAY(float, n);
    bench_floats(b, image, n, 1, 3);
    bench_save(b, "image.bin", image, n * sizeof *image);
    for (uint32_t i = 0; i < bench_size(b, 1, 2); i++) step(&k, image, old, c);
    bench_save(b, "result.bin", image, n * sizeof *image);
    bench_save(b, "coefficient.bin", c, n * sizeof *c);
}
