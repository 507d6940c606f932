// SPDX-License-Identifier: Apache-2.0
// scalarprod: products and sums in the kernel's order: exact.
#include "bench.h"

#include <math.h>

void scalarprod_data(Bench *b) {
    const uint32_t vectors = bench_size(b, 24, 256), n = bench_size(b, 1024, 4096);
    float *x = BENCH_ARRAY(float, vectors *n), *y = BENCH_ARRAY(float, vectors *n),
          *out = BENCH_ARRAY(float, vectors);
    bench_floats(b, x, (size_t)vectors * n, -1, 1);
    bench_floats(b, y, (size_t)vectors * n, -1, 1);
    bench_save(b, "a.bin", x, (size_t)vectors * n * sizeof *x);
    bench_save(b, "b.bin", y, (size_t)vectors * n * sizeof *y);
    for (uint32_t v = 0; v < vectors; v++) {
        float part[128] = {0};
        for (uint32_t i = 0; i < n; i++)
            part[i % 128] = fmaf(x[v * n + i], y[v * n + i], part[i % 128]);
        for (uint32_t s = 64; s > 0; s >>= 1)
            for (uint32_t t = 0; t < s; t++) part[t] += part[t + s];
        out[v] = part[0];
    }
    bench_save(b, "out.bin", out, vectors * sizeof *out);
}
