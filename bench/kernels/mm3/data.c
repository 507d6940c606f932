// SPDX-License-Identifier: Apache-2.0
// mm3: chains of fma over k in ascending order: exact.
#include "bench.h"

#include <math.h>

static void product(const float *a, const float *b, float *c, uint32_t n) {
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < n * n; i++) c[i] = fmaf(a[i / n * n + k], b[k * n + i % n], c[i]);
}

void mm3_data(Bench *b) {
    static const char *const files[] = {"a.bin", "b.bin", "c.bin", "d.bin"};
    uint32_t n = bench_size(b, 20, 96);
    float *m[7];
    for (int i = 0; i < 7; i++) m[i] = BENCH_ARRAY(float, n *n);
    for (int i = 0; i < 4; i++) {
        bench_floats(b, m[i], n * n, -1, 1);
        bench_save(b, files[i], m[i], n * n * sizeof(float));
    }
    product(m[0], m[1], m[4], n);
    product(m[2], m[3], m[5], n);
    product(m[4], m[5], m[6], n);
    bench_save(b, "g.bin", m[6], n * n * sizeof(float));
}
