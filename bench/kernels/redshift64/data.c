// SPDX-License-Identifier: Apache-2.0
// redshift64: exact. 64 levels; every eighth sample is another level than the one before.
#include "bench.h"

#include <math.h>

static float distance(float z) {
    const double h = (double)z * (double)0.125, matter = (double)0.3125f, dark = (double)0.6875f;
    double s = 0;
    for (int k = 0; k < 8; k++) {
        const double a = fma((double)(k + 0.5), h, (double)1);
        const double square = a * a;
        s += (double)1 / sqrt(fma(matter, square * a, dark));
    }
    return (float)(s * h);
}

void redshift64_data(Bench *b) {
    const uint32_t n = bench_size(b, 2048, 16384);
    float *z = BENCH_ARRAY(float, n), *d = BENCH_ARRAY(float, n);
    int level = 20;
    for (uint32_t i = 0; i < n; i++) {
        if (!bench_below(b, 8)) level += (int)bench_below(b, 3) - 1;
        if (level < 0 || level >= 64) level = 32;
        z[i] = (float)level / 16;
    }
    for (uint32_t i = 0; i < n; i++) d[i] = distance(z[i]);
    bench_save(b, "z.bin", z, n * sizeof *z);
    bench_save(b, "d.bin", d, n * sizeof *d);
}
