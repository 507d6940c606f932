// SPDX-License-Identifier: Apache-2.0
// conv3x3: a chain of fma, taps in order: exact.
#include "bench.h"

#include <math.h>

void conv3x3_data(Bench *b) {
    uint32_t size = bench_size(b, 16, 32), channels = bench_size(b, 4, 16),
             filters = bench_size(b, 2, 8);
    uint32_t wide = size + 2, nin = channels * wide * wide, taps = channels * 9,
             nout = filters * size * size;
    float *in = BENCH_ARRAY(float, nin), *weight = BENCH_ARRAY(float, filters *taps),
          *out = BENCH_ARRAY(float, nout);
    bench_floats(b, in, nin, -1, 1);
    bench_floats(b, weight, filters * taps, -1, 1);
    for (uint32_t tap = 0; tap < taps; tap++)
        for (uint32_t i = 0; i < nout; i++) {
            uint32_t f = i / (size * size), y = i / size % size + tap % 9 / 3,
                     x = i % size + tap % 3;
            out[i] = fmaf(in[(tap / 9 * wide + y) * wide + x], weight[f * taps + tap], out[i]);
        }
    for (uint32_t i = 0; i < nout; i++) out[i] = out[i] > 0 ? out[i] : 0;
    bench_save(b, "in.bin", in, nin * sizeof *in);
    bench_save(b, "weight.bin", weight, filters * taps * sizeof *weight);
    bench_save(b, "out.bin", out, nout * sizeof *out);
}
