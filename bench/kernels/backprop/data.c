// SPDX-License-Identifier: Apache-2.0
// backprop: the reference computes in double. The magnitudes of the n products add up to some 0.25,
// and the kernel's sum passes through 5 + n / 16 roundings: at most 13 (517) x 6e-8 x 0.25 = 2e-7
// (7.8e-6) for n = 128 (8192). The sigmoid's slope is at most 1/4, expf, sum and division add 4 x
// 6e-8 of values below 1: hidden and delta within 2.9e-7 (2.2e-6). A changed weight or step adds
// three roundings of values below 0.1. atol 1e-6 (2.5e-6) in the launch files.
#include "bench.h"

#include <math.h>

enum { H = 16 };

void backprop_data(Bench *b) {
    uint32_t n = bench_size(b, 128, 8192);
    float *input = BENCH_ARRAY(float, n), *weight = BENCH_ARRAY(float, n *H),
          *old = BENCH_ARRAY(float, n *H);
    float target[H], hidden[H], delta[H];
    double rate = 0.3f, momentum = 0.25f, exact[H];
    bench_floats(b, input, n, 0, 1);
    bench_floats(b, weight, n * H, -1.0f / (float)n, 1.0f / (float)n);
    bench_floats(b, old, n * H, -0.01f, 0.01f);
    bench_floats(b, target, H, 0, 1);
    bench_save(b, "input.bin", input, n * sizeof *input);
    bench_save(b, "weight.bin", weight, n * H * sizeof *weight);
    bench_save(b, "old.bin", old, n * H * sizeof *old);
    bench_save(b, "target.bin", target, sizeof target);
    for (uint32_t u = 0; u < H; u++) {
        double sum = 0;
        for (uint32_t i = 0; i < n; i++) sum += (double)input[i] * weight[i * H + u];
        double h = 1 / (1 + exp(-sum));
        exact[u] = h * (1 - h) * (target[u] - h);
        hidden[u] = (float)h;
        delta[u] = (float)exact[u];
    }
    for (uint32_t i = 0; i < n * H; i++) {
        double change = momentum * old[i] + rate * exact[i % H] * input[i / H];
        weight[i] = (float)(weight[i] + change);
        old[i] = (float)change;
    }
    bench_save(b, "hidden.bin", hidden, sizeof hidden);
    bench_save(b, "delta.bin", delta, sizeof delta);
    bench_save(b, "adjusted.bin", weight, n * H * sizeof *weight);
    bench_save(b, "change.bin", old, n * H * sizeof *old);
}
