// SPDX-License-Identifier: Apache-2.0
// dwt2d: fma and additions in a given order: exact. The reference makes one lifting step of a whole
// tile at a time, first down, then across, then sorts the values into bands.
#include "bench.h"

#include <math.h>

enum { WIDE = 256 };

static const float factor[4] = {-1.586134342f, -0.05298011857f, 0.8829110755f, 0.4435068520f};
static const float scale[2] = {1.0f / 1.230174105f, 1.230174105f};

// All steps of n values that are so far apart.
static void lift(float *x, size_t apart, int n) {
    for (int step = 0; step < 4; step++)
        for (int i = 1 - step % 2; i < n; i += 2) {
            int left = i > 0 ? i - 1 : 1, right = i < n - 1 ? i + 1 : n - 2;
            float sum = x[(size_t)left * apart] + x[(size_t)right * apart];
            x[(size_t)i * apart] = fmaf(factor[step], sum, x[(size_t)i * apart]);
        }
}

static void transform(float *tile, float *bands, int rows) {
    for (int x = 0; x < WIDE; x++) lift(tile + x, WIDE, rows);
    for (int y = 0; y < rows; y++) lift(tile + y * WIDE, 1, WIDE);
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < WIDE; x++) {
            int to = (y % 2 * rows / 2 + y / 2) * WIDE + x % 2 * WIDE / 2 + x / 2;
            bands[to] = tile[y * WIDE + x] * scale[x % 2] * scale[y % 2];
        }
}

void dwt2d_data(Bench *b) {
    int rows = (int)bench_size(b, 16, 64), tiles = (int)bench_size(b, 1, 48);
    size_t size = (size_t)(rows * WIDE), n = size * (size_t)tiles;
    float *image = BENCH_ARRAY(float, n), *bands = BENCH_ARRAY(float, n);
    bench_floats(b, image, n, -128, 128);
    bench_save(b, "image.bin", image, n * sizeof *image);
    for (int k = 0; k < tiles; k++)
        transform(image + (size_t)k * size, bands + (size_t)k * size, rows);
    bench_save(b, "bands.bin", bands, n * sizeof *bands);
}
