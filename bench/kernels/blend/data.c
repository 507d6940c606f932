// SPDX-License-Identifier: Apache-2.0
// blend: exact. Three of four stretches of 256 words are zero in both pictures; the others hold
// values below 128.
#include "bench.h"

enum { ALPHA = 100 };

void blend_data(Bench *b) {
    uint32_t n = bench_size(b, 8192, 262144);
    uint32_t *a = BENCH_ARRAY(uint32_t, n), *c = BENCH_ARRAY(uint32_t, n),
             *out = BENCH_ARRAY(uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        if (i / 256 % 4) continue;
        a[i] = bench_below(b, 128);
        c[i] = bench_below(b, 128);
        out[i] = (a[i] * ALPHA + c[i] * (256 - ALPHA)) >> 8;
    }
    bench_save(b, "a.bin", a, n * sizeof *a);
    bench_save(b, "b.bin", c, n * sizeof *c);
    bench_save(b, "out.bin", out, n * sizeof *out);
}
