// SPDX-License-Identifier: Apache-2.0
// blackscholes: the reference computes in double. Error of the kernel: d1 and d2 have an absolute
// error of some 4 x 6e-8 (logarithm, sum) divided by volatility x sqrt(years) >= 0.15, about 2e-6,
// and up to 4 x 6e-8 of their own size; the distribution turns that into 0.4 times as much plus
// some 3e-7 of its polynomial: 1.5e-6. Prices are at most 50, two products each: 1.5e-4. A price
// near 0 loses all relative precision, so the bound is absolute: atol 1.5e-4 in the launch files.
#include "bench.h"

#include <math.h>

static double cnd(double d) {
    double k = 1 / (1 + 0.2316419 * fabs(d));
    double p = k *
        (0.31938153 +
         k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
    double tail = 0.39894228 * exp(-0.5 * d * d) * p;
    return d > 0 ? 1 - tail : tail;
}

void blackscholes_data(Bench *b) {
    uint32_t n = bench_size(b, 800, 40000);
    double rate = 0.02f, volatility = 0.3f;
    float *s = BENCH_ARRAY(float, n), *x = BENCH_ARRAY(float, n), *t = BENCH_ARRAY(float, n);
    float *call = BENCH_ARRAY(float, n), *put = BENCH_ARRAY(float, n);
    bench_floats(b, s, n, 10, 50);
    bench_floats(b, x, n, 10, 50);
    bench_floats(b, t, n, 0.25f, 10);
    for (uint32_t i = 0; i < n; i++) {
        double root = volatility * sqrt(t[i]);
        double d1 =
            (log((double)s[i] / x[i]) + (rate + 0.5 * volatility * volatility) * t[i]) / root;
        double n1 = cnd(d1), n2 = cnd(d1 - root), discounted = x[i] * exp(-rate * t[i]);
        call[i] = (float)(s[i] * n1 - discounted * n2);
        put[i] = (float)(discounted * (1 - n2) - s[i] * (1 - n1));
    }
    bench_save(b, "price.bin", s, n * sizeof *s);
    bench_save(b, "strike.bin", x, n * sizeof *x);
    bench_save(b, "years.bin", t, n * sizeof *t);
    bench_save(b, "call.bin", call, n * sizeof *call);
    bench_save(b, "put.bin", put, n * sizeof *put);
}
