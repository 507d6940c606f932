// SPDX-License-Identifier: Apache-2.0
// cifarnet: fma in a given order: exact. The reference adds one tap of a filter at a time to the
// whole plane, over an image with a rim of zeros.
#include "bench.h"

#include <math.h>
#include <string.h>

enum { CHANNELS = 3, TAPS = 25, RIM = 2 };

static void layer(const float *in, const float *weight, float bias, float *out, int size) {
    int wide = size + 2 * RIM;
    float *rim = BENCH_ARRAY(float, (size_t)(wide * wide));
    for (int i = 0; i < size * size; i++) out[i] = bias;
    for (int c = 0; c < CHANNELS; c++) {
        for (int y = 0; y < size; y++)
            memcpy(rim + (y + RIM) * wide + RIM, in + (c * size + y) * size,
                   (size_t)size * sizeof *rim);
        for (int tap = 0; tap < TAPS; tap++)
            for (int y = 0; y < size; y++)
                for (int x = 0; x < size; x++) {
                    float v = rim[(y + tap / 5) * wide + x + tap % 5];
                    out[y * size + x] = fmaf(v, weight[c * TAPS + tap], out[y * size + x]);
                }
    }
    for (int i = 0; i < size * size; i++)
        if (out[i] < 0) out[i] = 0;
}

void cifarnet_data(Bench *b) {
    int size = (int)bench_size(b, 14, 32), filters = (int)bench_size(b, 2, 32);
    int images = (int)bench_size(b, 1, 3);
    size_t plane = (size_t)(size * size), nin = plane * (size_t)(images * CHANNELS);
    size_t nout = plane * (size_t)(images * filters), nweight = (size_t)(filters * CHANNELS * TAPS);
    float *in = BENCH_ARRAY(float, nin), *out = BENCH_ARRAY(float, nout);
    float *weight = BENCH_ARRAY(float, nweight), *bias = BENCH_ARRAY(float, (size_t)filters);
    bench_floats(b, in, nin, -1, 1);
    bench_floats(b, weight, nweight, -0.5f, 0.5f);
    bench_floats(b, bias, (size_t)filters, -0.5f, 0.5f);
    for (int i = 0; i < images; i++)
        for (int f = 0; f < filters; f++)
            layer(in + plane * (size_t)(i * CHANNELS), weight + f * CHANNELS * TAPS, bias[f],
                  out + plane * (size_t)(i * filters + f), size);
    bench_save(b, "in.bin", in, nin * sizeof *in);
    bench_save(b, "weight.bin", weight, nweight * sizeof *weight);
    bench_save(b, "bias.bin", bias, (size_t)filters * sizeof *bias);
    bench_save(b, "out.bin", out, nout * sizeof *out);
}
