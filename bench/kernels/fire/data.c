// SPDX-License-Identifier: Apache-2.0
// fire: fma in a given order: exact. The reference has one convolution for all three layers;
// weights are numbered by filter, channel and tap, and arranged for the kernels afterwards.
#include "bench.h"

#include <math.h>

enum { SQUEEZED = 16, GROUP = 4 };

typedef struct Layer {
    int size, channels, filters, side;  // side: 1 or 3
    float *weight, *bias;
} Layer;

static size_t weights(const Layer *k) {
    return (size_t)(k->filters * k->channels * k->side * k->side);
}

static Layer drawn(Bench *b, int size, int channels, int filters, int side) {
    Layer k = {size, channels, filters, side, NULL, BENCH_ARRAY(float, (size_t)filters)};
    k.weight = BENCH_ARRAY(float, weights(&k));
    bench_floats(b, k.weight, weights(&k), -0.25f, 0.25f);
    bench_floats(b, k.bias, (size_t)filters, -0.25f, 0.25f);
    return k;
}

static float value(const Layer *k, const float *in, const float *weight, float sum, int x, int y) {
    for (int c = 0; c < k->channels; c++)
        for (int tap = 0; tap < k->side * k->side; tap++) {
            int tx = x + tap % k->side - k->side / 2, ty = y + tap / k->side - k->side / 2;
            if (tx < 0 || ty < 0 || tx >= k->size || ty >= k->size) continue;
            float v = in[(c * k->size + ty) * k->size + tx];
            sum = fmaf(v, weight[c * k->side * k->side + tap], sum);
        }
    return sum > 0 ? sum : 0;
}

static void convolve(const Layer *k, const float *in, float *out) {
    for (int f = 0; f < k->filters; f++)
        for (int i = 0; i < k->size * k->size; i++) {
            const float *w = k->weight + f * k->channels * k->side * k->side;
            out[f * k->size * k->size + i] = value(k, in, w, k->bias[f], i % k->size, i / k->size);
        }
}

// Filters of a group lie beside each other.
static void save(const Bench *b, const Layer *k, int group, const char *weight, const char *bias) {
    int inner = k->channels * k->side * k->side;
    float *to = BENCH_ARRAY(float, weights(k));
    for (int f = 0; f < k->filters; f++)
        for (int i = 0; i < inner; i++)
            to[(f / group * inner + i) * group + f % group] = k->weight[f * inner + i];
    bench_save(b, weight, to, weights(k) * sizeof *to);
    bench_save(b, bias, k->bias, (size_t)k->filters * sizeof *k->bias);
}

void fire_data(Bench *b) {
    int size = (int)bench_size(b, 11, 55), channels = (int)bench_size(b, 12, 64);
    int filters = (int)bench_size(b, 4, 32);
    size_t plane = (size_t)(size * size), nin = plane * (size_t)channels;
    size_t nmid = plane * SQUEEZED, nout = plane * (size_t)filters;
    float *in = BENCH_ARRAY(float, nin), *mid = BENCH_ARRAY(float, nmid);
    float *out1 = BENCH_ARRAY(float, nout), *out3 = BENCH_ARRAY(float, nout);
    bench_floats(b, in, nin, -1, 1);
    Layer squeeze = drawn(b, size, channels, SQUEEZED, 1);
    Layer expand1 = drawn(b, size, SQUEEZED, filters, 1);
    Layer expand3 = drawn(b, size, SQUEEZED, filters, 3);
    convolve(&squeeze, in, mid);
    convolve(&expand1, mid, out1);
    convolve(&expand3, mid, out3);
    bench_save(b, "in.bin", in, nin * sizeof *in);
    save(b, &squeeze, SQUEEZED, "squeeze.bin", "squeeze_bias.bin");
    save(b, &expand1, GROUP, "expand1.bin", "expand1_bias.bin");
    save(b, &expand3, GROUP, "expand3.bin", "expand3_bias.bin");
    bench_save(b, "mid.bin", mid, nmid * sizeof *mid);
    bench_save(b, "out1.bin", out1, nout * sizeof *out1);
    bench_save(b, "out3.bin", out3, nout * sizeof *out3);
}
