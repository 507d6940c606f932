// SPDX-License-Identifier: Apache-2.0
// mm2: chains of fma over k in ascending order: exact.
#include "bench.h"

#include <math.h>

static void product(const float *a, const float *b, float *c, uint32_t n) {
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < n * n; i++) c[i] = fmaf(a[i / n * n + k], b[k * n + i % n], c[i]);
}

void mm2_data(Bench *b) {
    uint32_t n = bench_size(b, 24, 96);
    float *m[5];
    for (int i = 0; i < 5; i++) m[i] = BENCH_ARRAY(float, n *n);
    for (int i = 0; i < 3; i++) bench_floats(b, m[i], n * n, -1, 1);
    product(m[0], m[1], m[3], n);
    product(m[3], m[2], m[4], n);
    bench_save(b, "a.bin", m[0], n * n * sizeof(float));
    bench_save(b, "b.bin", m[1], n * n * sizeof(float));
    bench_save(b, "c.bin", m[2], n * n * sizeof(float));
    bench_save(b, "e.bin", m[4], n * n * sizeof(float));
}
