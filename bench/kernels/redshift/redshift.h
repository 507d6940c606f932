// SPDX-License-Identifier: Apache-2.0
// The common part of redshift, redshift64 and distances: the reference, and how its inputs and
// results are saved.
#ifndef SMCOSIM_BENCH_REDSHIFT_H
#define SMCOSIM_BENCH_REDSHIFT_H

#include "bench.h"

#include <math.h>

// float NAME(float z): the distance of red shift z in units of the Hubble length, by the midpoint
// rule with eight points. REAL is float or double; FMA and SQRT are those of REAL; operations are
// in the kernel's order.
#define REDSHIFT_DISTANCE(NAME, REAL, FMA, SQRT) \
    static float NAME(float z) { \
        const REAL h = (REAL)z * (REAL)0.125, matter = (REAL)0.3125f, dark = (REAL)0.6875f; \
        REAL s = 0; \
        for (int k = 0; k < 8; k++) { \
            const REAL a = FMA((REAL)(k + 0.5), h, (REAL)1); \
            const REAL square = a * a; \
            s += (REAL)1 / SQRT(FMA(matter, square * a, dark)); \
        } \
        return (float)(s * h); \
    }

// n samples of 64 levels; every eighth is another level than the one before.
static inline float *redshift_levels(Bench *b, uint32_t n) {
    float *z = BENCH_ARRAY(float, n);
    int level = 20;
    for (uint32_t i = 0; i < n; i++) {
        if (!bench_below(b, 8)) level += (int)bench_below(b, 3) - 1;
        if (level < 0 || level >= 64) level = 32;
        z[i] = (float)level / 16;
    }
    return z;
}

static inline void redshift_save(Bench *b, const float *z, uint32_t n, float (*distance)(float)) {
    float *d = BENCH_ARRAY(float, n);
    for (uint32_t i = 0; i < n; i++) d[i] = distance(z[i]);
    bench_save(b, "z.bin", z, n * sizeof *z);
    bench_save(b, "d.bin", d, n * sizeof *d);
}

#endif
