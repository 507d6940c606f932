// SPDX-License-Identifier: Apache-2.0
// conv11: a chain of 121 fma per channel: exact.
#include "bench.h"

#include <math.h>

void conv11_data(Bench *b) {
    const uint32_t size = bench_size(b, 8, 27), channels = bench_size(b, 1, 3),
                   filters = bench_size(b, 2, 4);
    const uint32_t wide = 4 * (size - 1) + 11, pixels = size * size, taps = channels * 121;
    float *in = BENCH_ARRAY(float, channels *wide *wide),
          *weight = BENCH_ARRAY(float, filters *taps);
    float *out = BENCH_ARRAY(float, filters *pixels);
    bench_floats(b, in, channels * wide * wide, 0, 1);
    bench_floats(b, weight, filters * taps, -0.25f, 0.25f);
    // Tap by tap over the whole image.
    for (uint32_t f = 0; f < filters; f++)
        for (uint32_t tap = 0; tap < taps; tap++) {
            const float *from = in + (tap / 121 * wide + tap % 121 / 11) * wide + tap % 11;
            for (uint32_t i = 0; i < pixels; i++)
                out[f * pixels + i] = fmaf(from[4 * (i / size * wide + i % size)],
                                           weight[f * taps + tap], out[f * pixels + i]);
        }
    for (uint32_t i = 0; i < filters * pixels; i++) out[i] = out[i] > 0 ? out[i] : 0;
    bench_save(b, "in.bin", in, channels * wide * wide * sizeof *in);
    bench_save(b, "weight.bin", weight, filters * taps * sizeof *weight);
    bench_save(b, "out.bin", out, filters * pixels * sizeof *out);
}
