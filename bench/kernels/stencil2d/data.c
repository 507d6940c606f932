// SPDX-License-Identifier: Apache-2.0
// stencil2d: the order of the additions is written out in kernel and reference: exact.
#include "bench.h"

#include <math.h>
#include <string.h>

static void step(const float *in, float *out, int width, int height, float k) {
    memcpy(out, in, (size_t)(width * height) * sizeof *out);
    for (int y = 1; y < height - 1; y++)
        for (int x = 1; x < width - 1; x++) {
            const float *c = in + y * width + x;
            float sum = (c[-1] + c[1]) + (c[-width] + c[width]);
            out[y * width + x] = fmaf(k, fmaf(-4.0f, *c, sum), *c);
        }
}

void stencil2d_data(Bench *b) {
    int width = (int)bench_size(b, 60, 480), height = (int)bench_size(b, 50, 360);
    size_t n = (size_t)(width * height);
    float *x = BENCH_ARRAY(float, n), *y = BENCH_ARRAY(float, n);
    bench_floats(b, x, n, 20, 90);
    bench_save(b, "in.bin", x, n * sizeof *x);
    step(x, y, width, height, 0.125f);
    step(y, x, width, height, 0.125f);
    bench_save(b, "out.bin", x, n * sizeof *x);
}
