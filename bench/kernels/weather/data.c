// SPDX-License-Identifier: Apache-2.0
// weather: fma, IEEE divisions and additions in a given order: exact. The reference walks the grid
// level by level, field by field; values from above are rows of all columns.
#include "bench.h"

#include <math.h>

enum { FIELDS = 20, RESULTS = 7 };
enum {
    T,
    P,
    VAPOUR,
    CLOUD,
    RAIN,
    ICE,
    SNOW,
    GRAUPEL,
    U,
    V,
    W,
    DENSITY,
    DEPTH,
    RADIATION,
    SENSIBLE,
    TURBULENCE,
    COVER,
    OZONE,
    DUST,
    LATENT
};

static const float *row(const float *f, uint32_t field, uint32_t levels, uint32_t k, uint32_t n) {
    return f + ((size_t)field * levels + k) * n;
}

void weather_data(Bench *b) {
    uint32_t n = bench_size(b, 96, 2048), levels = bench_size(b, 12, 40);
    size_t cells = (size_t)levels * n;
    float *field = BENCH_ARRAY(float, cells *FIELDS), *result = BENCH_ARRAY(float, cells *RESULTS);
    float *water = BENCH_ARRAY(float, n), *falling = BENCH_ARRAY(float, n),
          *above = BENCH_ARRAY(float, n);
    bench_floats(b, field, cells * FIELDS, 0.05f, 1);
    for (uint32_t k = 0; k < levels; k++) {
        const float *f[FIELDS];
        for (uint32_t j = 0; j < FIELDS; j++) f[j] = row(field, j, levels, k, n);
        for (uint32_t i = 0; i < n; i++) {
            float limit = fmaf(f[T][i], 0.05f, 0.2f) / f[P][i],
                  half = 0.5f * (f[VAPOUR][i] - limit);
            float condensed = half > 0 ? half : half > -f[CLOUD][i] ? half : -f[CLOUD][i];
            float cloud = f[CLOUD][i] + condensed, vapour = f[VAPOUR][i] - condensed,
                  t = fmaf(2.5f, condensed, f[T][i]);
            float excess = cloud > 0.3f ? cloud - 0.3f : 0,
                  rate = fmaf(0.2f * cloud, f[RAIN][i], 0.1f * excess);
            float gain = rate < cloud ? rate : cloud, rain = f[RAIN][i] + gain;
            float ice = f[ICE][i] + (t < 0.4f ? 0.25f * rain : 0);
            float snow = fmaf(0.1f, ice, f[SNOW][i] - (t > 0.6f ? 0.3f * f[SNOW][i] : 0));
            float mass = f[DENSITY][i] * f[DEPTH][i], fall = 0.6f * rain / mass;
            float last_u = k ? row(field, U, levels, k - 1, n)[i] : 0,
                  last_v = k ? row(field, V, levels, k - 1, n)[i] : 0;
            float shear = fabsf(f[U][i] - last_u) + fabsf(f[V][i] - last_v);
            t = fmaf(0.01f, fmaf(f[RADIATION][i], 1 - f[COVER][i], f[SENSIBLE][i] * f[LATENT][i]),
                     t);
            rain += falling[i] - fall;
            float out[RESULTS] = {t,
                                  vapour,
                                  rain,
                                  fmaf(0.3f, shear, 0.9f * f[TURBULENCE][i]),
                                  fmaf(f[DUST][i] * fmaf(-0.1f, gain, 1), 0.5f, f[OZONE][i]),
                                  fmaf(0.02f, t - above[i], f[W][i]),
                                  fmaf(0.05f, snow, f[GRAUPEL][i])};
            for (uint32_t j = 0; j < RESULTS; j++)
                result[((size_t)j * levels + k) * n + i] = out[j];
            water[i] = fmaf(mass, (vapour + (cloud - gain)) + rain, water[i]);
            falling[i] = fall * f[DENSITY][i];
            above[i] = t;
        }
    }
    bench_save(b, "field.bin", field, cells * FIELDS * sizeof *field);
    bench_save(b, "result.bin", result, cells * RESULTS * sizeof *result);
    bench_save(b, "water.bin", water, n * sizeof *water);
}
