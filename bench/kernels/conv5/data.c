// SPDX-License-Identifier: Apache-2.0
// conv5: a chain of fma per pixel: exact. Each layer has an image and weights of its own.
#include "bench.h"

#include <math.h>
#include <stdio.h>

static void layer(Bench *b, int number, uint32_t size, uint32_t channels, uint32_t filters) {
    const uint32_t wide = size + 4, pixels = size * size;
    const char *suffix[] = {"1.bin", "2.bin", "3.bin"};
    char name[16];
    float *in = BENCH_ARRAY(float, channels *wide *wide),
          *weight = BENCH_ARRAY(float, filters *channels * 25);
    float *out = BENCH_ARRAY(float, filters *pixels);
    bench_floats(b, in, channels * wide * wide, -1, 1);
    bench_floats(b, weight, filters * channels * 25, -0.5f, 0.5f);
    // Tap by tap over the whole image.
    for (uint32_t f = 0; f < filters; f++)
        for (uint32_t tap = 0; tap < channels * 25; tap++) {
            const float *from = in + (tap / 25 * wide + tap % 25 / 5) * wide + tap % 5;
            for (uint32_t i = 0; i < pixels; i++)
                out[f * pixels + i] = fmaf(from[i / size * wide + i % size],
                                           weight[f * channels * 25 + tap], out[f * pixels + i]);
        }
    for (uint32_t i = 0; i < filters * pixels; i++) out[i] = out[i] > 0 ? out[i] : 0;
    snprintf(name, sizeof name, "in%s", suffix[number]);
    bench_save(b, name, in, channels * wide * wide * sizeof *in);
    snprintf(name, sizeof name, "weight%s", suffix[number]);
    bench_save(b, name, weight, filters * channels * 25 * sizeof *weight);
    snprintf(name, sizeof name, "out%s", suffix[number]);
    bench_save(b, name, out, filters * pixels * sizeof *out);
}

void conv5_data(Bench *b) {
    const uint32_t filters = bench_size(b, 2, 8), deep = bench_size(b, 2, 8);
    layer(b, 0, bench_size(b, 16, 32), 3, filters);
    layer(b, 1, bench_size(b, 8, 16), deep, filters);
    layer(b, 2, bench_size(b, 4, 8), deep, filters);
}
