// SPDX-License-Identifier: Apache-2.0
// libm: the reference is the C library in double (long double for double results). Bounds: the CUDA
// manual's maximum error in ulp (sinf, cosf, tanhf, erff 2, powf 4, atan2f 3, exp, log 1, pow 2)
// plus 1 for the rounding of the expected value, times 2^-23 (2^-52) relative; fmodf, rintf,
// floorf, ceilf and the double square root and division are exact.
#include "bench.h"

#include <math.h>

void libm_data(Bench *b) {
    uint32_t n = bench_size(b, 192, 8000);
    float *x = BENCH_ARRAY(float, n), *y = BENCH_ARRAY(float, n), *f = BENCH_ARRAY(float, n * 8);
    double *d = BENCH_ARRAY(double, n * 4);
    for (uint32_t i = 0; i < n; i++) {
        // One in eight needs the long way of the reduction (|x| > 105615).
        x[i] = bench_float(b, -100, 100);
        if (bench_below(b, 8) == 0) x[i] *= ldexpf(1, (int)bench_below(b, 90) + 12);
        y[i] = bench_float(b, 0.125f, 4);
        if (bench_below(b, 2) == 0) y[i] = -y[i];
        float p = fabsf(x[i]) + 1.0e-3f;
        if (p > 1e9f) y[i] = y[i] / 8;  // keeps the power finite
        f[i] = (float)sin(x[i]);
        f[n + i] = (float)cos(x[i]);
        f[2 * n + i] = (float)pow(p, y[i]);
        f[3 * n + i] = (float)atan2(x[i], y[i]);
        f[4 * n + i] = (float)tanh(y[i]);
        f[5 * n + i] = (float)erf(y[i]);
        f[6 * n + i] = fmodf(x[i], y[i]);
        f[7 * n + i] = rintf(y[i]) + floorf(y[i]) * ceilf(y[i]);
        d[i] = (double)expl(y[i]);
        d[n + i] = (double)logl(p);
        d[2 * n + i] = (double)powl(p, y[i]);
        d[3 * n + i] = sqrt(p) / y[i];
    }
    bench_save(b, "x.bin", x, n * sizeof *x);
    bench_save(b, "y.bin", y, n * sizeof *y);
    static const char *const name[] = {"sin",  "cos",   "pow", "atan2", "tanh", "erf",
                                       "fmod", "round", "exp", "log",   "powd", "div"};
    for (int i = 0; i < 12; i++) {
        char file[16];
        size_t at = 0;
        for (const char *c = name[i]; *c; c++) file[at++] = *c;
        for (const char *c = ".bin"; *c; c++) file[at++] = *c;
        file[at] = 0;
        if (i < 8) bench_save(b, file, f + (uint32_t)i * n, n * sizeof *f);
        else bench_save(b, file, d + (uint32_t)(i - 8) * n, n * sizeof *d);
    }
}
