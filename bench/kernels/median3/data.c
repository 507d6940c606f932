// SPDX-License-Identifier: Apache-2.0
// median3: integers, exact: the reference sorts the nine values. A smooth picture with some white
// and black pixels.
#include "bench.h"

#include <stdlib.h>

static int compare(const void *a, const void *b) {
    return *(const uint8_t *)a - *(const uint8_t *)b;
}

static uint8_t median(const uint8_t *c, int width) {
    uint8_t v[9];
    for (int k = 0; k < 9; k++) v[k] = c[(k / 3 - 1) * width + k % 3 - 1];
    qsort(v, 9, 1, compare);
    return v[4];
}

void median3_data(Bench *b) {
    int width = (int)bench_size(b, 32, 256), height = (int)bench_size(b, 32, 256);
    uint8_t *in = BENCH_ARRAY(uint8_t, width * height), *out = BENCH_ARRAY(uint8_t, width * height);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            uint32_t noise = bench_below(b, 20);
            int v = (x * 3 + y * 5) / 4 % 200 + (int)noise;
            in[y * width + x] = (uint8_t)(noise == 0 ? 0 : noise == 1 ? 255 : v);
        }
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            int i = y * width + x;
            bool inside = x > 0 && y > 0 && x < width - 1 && y < height - 1;
            out[i] = inside ? median(in + i, width) : in[i];
        }
    bench_save(b, "in.bin", in, (size_t)(width * height));
    bench_save(b, "out.bin", out, (size_t)(width * height));
}
