// SPDX-License-Identifier: Apache-2.0
// jacobi: fma in column order and one IEEE division: exact. A pass of the launch file is two sweeps
// (x to y, y to x); either may ask for another pass.
#include "bench.h"

#include <math.h>

static bool sweep(const double *a, const double *b, const double *x, double *out, uint32_t n,
                  double limit) {
    bool again = false;
    for (uint32_t r = 0; r < n; r++) {
        double sum = b[r];
        for (uint32_t c = 0; c < n; c++)
            if (c != r) sum = fma(-a[c * n + r], x[c], sum);
        out[r] = sum / a[r * n + r];
        again |= fabs(out[r] - x[r]) > limit;
    }
    return again;
}

void jacobi_data(Bench *b) {
    uint32_t n = bench_size(b, 40, 384);
    double *a = BENCH_ARRAY(double, n *n), *rhs = BENCH_ARRAY(double, n),
           *x = BENCH_ARRAY(double, n);
    double *y = BENCH_ARRAY(double, n);
    for (uint32_t i = 0; i < n * n; i++) a[i] = bench_double(b, -1, 1);
    for (uint32_t i = 0; i < n; i++)
        a[i * n + i] = n * bench_double(b, 2, 3);  // dominant: converges
    for (uint32_t i = 0; i < n; i++) rhs[i] = bench_double(b, -10, 10);
    bench_save(b, "a.bin", a, n * n * sizeof *a);
    bench_save(b, "b.bin", rhs, n * sizeof *rhs);
    double limit = 1e-10;
    bool again = true;
    while (again) {
        again = sweep(a, rhs, x, y, n, limit);
        again |= sweep(a, rhs, y, x, n, limit);
    }
    bench_save(b, "x.bin", x, n * sizeof *x);
}
