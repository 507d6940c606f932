// SPDX-License-Identifier: Apache-2.0
// pwconv: a chain of fma over the channels: exact.
#include "bench.h"

#include <math.h>

void pwconv_data(Bench *b) {
    uint32_t side = bench_size(b, 7, 14), channels = bench_size(b, 24, 64),
             filters = bench_size(b, 8, 16);
    uint32_t pixels = side * side;
    float *in = BENCH_ARRAY(float, channels *pixels),
          *weight = BENCH_ARRAY(float, filters *channels);
    float *out = BENCH_ARRAY(float, filters *pixels);
    bench_floats(b, in, channels * pixels, -1, 1);
    bench_floats(b, weight, filters * channels, -1, 1);
    for (uint32_t c = 0; c < channels; c++)
        for (uint32_t i = 0; i < filters * pixels; i++)
            out[i] = fmaf(in[c * pixels + i % pixels], weight[i / pixels * channels + c], out[i]);
    for (uint32_t i = 0; i < filters * pixels; i++) out[i] = out[i] > 0 ? out[i] : 0;
    bench_save(b, "in.bin", in, channels * pixels * sizeof *in);
    bench_save(b, "weight.bin", weight, filters * channels * sizeof *weight);
    bench_save(b, "out.bin", out, filters * pixels * sizeof *out);
}
