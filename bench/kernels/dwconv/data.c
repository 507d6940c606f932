// SPDX-License-Identifier: Apache-2.0
// dwconv: a chain of nine fma: exact. The second layer reads the planes of the first with a step of
// 2.
#include "bench.h"

#include <math.h>

static float *layer(const float *in, const float *weight, uint32_t planes, uint32_t size,
                    uint32_t step) {
    uint32_t wide = step * (size - 1) + 3, n = planes * size * size;
    float *out = BENCH_ARRAY(float, n);
    for (uint32_t tap = 0; tap < 9; tap++)
        for (uint32_t i = 0; i < n; i++) {
            uint32_t z = i / (size * size), y = i / size % size * step + tap / 3,
                     x = i % size * step + tap % 3;
            out[i] = fmaf(in[(z * wide + y) * wide + x], weight[z * 9 + tap], out[i]);
        }
    for (uint32_t i = 0; i < n; i++) out[i] = out[i] > 0 ? out[i] : 0;
    return out;
}

void dwconv_data(Bench *b) {
    uint32_t size = bench_size(b, 37, 57), planes = bench_size(b, 2, 8), half = (size - 1) / 2,
             wide = size + 2;
    float *in = BENCH_ARRAY(float, planes *wide *wide), *weight = BENCH_ARRAY(float, planes * 9);
    bench_floats(b, in, planes * wide * wide, -1, 1);
    bench_floats(b, weight, planes * 9, -1, 1);
    float *mid = layer(in, weight, planes, size, 1), *out = layer(mid, weight, planes, half, 2);
    bench_save(b, "in.bin", in, planes * wide * wide * sizeof *in);
    bench_save(b, "weight.bin", weight, planes * 9 * sizeof *weight);
    bench_save(b, "mid.bin", mid, planes * size * size * sizeof *mid);
    bench_save(b, "out.bin", out, planes * half * half * sizeof *out);
}
