// SPDX-License-Identifier: Apache-2.0
// conv_int8: integers, exact. Activations are zero in half of the places, as after a ReLU; weights
// are the sum of four small numbers, so that most are near zero. |sum| <= 32 x 9 x 255 x 60 + 999 <
// 2^23, times a multiplier below 2^8 < 2^31. A shift of a negative sum rounds down; it ends as 0.
#include "bench.h"

enum { SIDE = 16, PIXELS = SIDE * SIDE, TAPS = 9, MULTIPLIER = 160 };

static int32_t at(const uint8_t *map, int y, int x) {
    return x >= 0 && y >= 0 && x < SIDE && y < SIDE ? map[y * SIDE + x] : 0;
}

static uint8_t pixel(const uint8_t *in, const int8_t *w, int32_t bias, int channels, int p) {
    int32_t sum = bias;
    for (int c = 0; c < channels; c++)
        for (int k = 0; k < TAPS; k++)
            sum +=
                at(in + c * PIXELS, p / SIDE + k / 3 - 1, p % SIDE + k % 3 - 1) * w[c * TAPS + k];
    if (sum < 0) return 0;
    int32_t scaled = sum * MULTIPLIER >> 16;
    return (uint8_t)(scaled > 255 ? 255 : scaled);
}

void conv_int8_data(Bench *b) {
    int channels = (int)bench_size(b, 4, 32), filters = (int)bench_size(b, 4, 24);
    int nin = channels * PIXELS, nweight = filters * channels * TAPS, nout = filters * PIXELS;
    uint8_t *in = BENCH_ARRAY(uint8_t, nin), *out = BENCH_ARRAY(uint8_t, nout);
    int8_t *weight = BENCH_ARRAY(int8_t, nweight);
    int32_t *bias = BENCH_ARRAY(int32_t, filters);
    for (int i = 0; i < nin; i++) {
        int v = (int)bench_below(b, 255) - 127;
        in[i] = (uint8_t)(v < 0 ? 0 : v);
    }
    for (int i = 0; i < nweight; i++) {
        int w = 0;
        for (int k = 0; k < 4; k++) w += (int)bench_below(b, 31) - 15;
        weight[i] = (int8_t)w;
    }
    for (int i = 0; i < filters; i++) bias[i] = (int32_t)bench_below(b, 1000);
    for (int i = 0; i < nout; i++)
        out[i] = pixel(in, weight + i / PIXELS * channels * TAPS, bias[i / PIXELS], channels,
                       i % PIXELS);
    bench_save(b, "in.bin", in, (size_t)nin);
    bench_save(b, "weight.bin", weight, (size_t)nweight);
    bench_save(b, "bias.bin", bias, (size_t)filters * sizeof *bias);
    bench_save(b, "out.bin", out, (size_t)nout);
}
