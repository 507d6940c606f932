// SPDX-License-Identifier: Apache-2.0
// matmul_short: integers, exact. |elements| <= 300, so |sum| <= 64 x 300^2 < 2^23; a shift of a
// negative sum rounds down: floor(sum / 16).
#include "bench.h"

enum { SHIFT = 4 };

static int16_t scaled(int32_t sum) {
    int32_t one = 1 << SHIFT, q = sum >= 0 ? sum / one : -((-sum + one - 1) / one);
    return (int16_t)(q < -32768 ? -32768 : q > 32767 ? 32767 : q);
}

static void product(const int16_t *a, const int16_t *b, int16_t *c, int n) {
    for (int i = 0; i < n * n; i++) {
        int32_t sum = 0;
        for (int k = 0; k < n; k++) sum += a[i / n * n + k] * b[k * n + i % n];
        c[i] = scaled(sum);
    }
}

void matmul_short_data(Bench *bench) {
    int n = (int)bench_size(bench, 32, 64), count = (int)bench_size(bench, 1, 4);
    size_t all = (size_t)(count * n * n);
    int16_t *a = BENCH_ARRAY(int16_t, all), *b = BENCH_ARRAY(int16_t, all),
            *c = BENCH_ARRAY(int16_t, all);
    for (size_t i = 0; i < all; i++) a[i] = (int16_t)((int)bench_below(bench, 601) - 300);
    for (size_t i = 0; i < all; i++) b[i] = (int16_t)((int)bench_below(bench, 601) - 300);
    for (int i = 0; i < count; i++) product(a + i * n * n, b + i * n * n, c + i * n * n, n);
    bench_save(bench, "a.bin", a, all * sizeof *a);
    bench_save(bench, "b.bin", b, all * sizeof *b);
    bench_save(bench, "c.bin", c, all * sizeof *c);
}
