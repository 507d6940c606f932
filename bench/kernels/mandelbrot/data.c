// SPDX-License-Identifier: Apache-2.0
// mandelbrot: all operations are written as fma or are single IEEE operations: the counts are
// exact.
#include "bench.h"

#include <math.h>

void mandelbrot_data(Bench *b) {
    int width = (int)bench_size(b, 40, 200), height = (int)bench_size(b, 36, 150),
        limit = (int)bench_size(b, 40, 200);
    uint8_t *out = BENCH_ARRAY(uint8_t, width * height);
    for (int py = 0; py < height; py++)
        for (int px = 0; px < width; px++) {
            float cx = fmaf((float)px, 3.0f / (float)width, -2.25f);
            float cy = fmaf((float)py, 2.5f / (float)height, -1.25f), x = 0, y = 0;
            int i = 0;
            for (; i < limit && fmaf(x, x, y * y) < 4.0f; i++) {
                float t = fmaf(x, x, fmaf(-y, y, cx));
                y = fmaf(2.0f * x, y, cy);
                x = t;
            }
            out[py * width + px] = (uint8_t)i;
        }
    bench_save(b, "out.bin", out, (size_t)(width * height));
}
