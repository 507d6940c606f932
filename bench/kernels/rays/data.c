// SPDX-License-Identifier: Apache-2.0
// rays: division, square root and fma are correctly rounded, and sums with products are fma in
// both: exact.
#include "bench.h"

#include <math.h>

static float trace(const float *sphere, uint32_t px, uint32_t py, int most) {
    float o[3] = {0, 0, -4},
          d[3] = {fmaf((float)px, 0.03125f, -0.75f), fmaf((float)py, 0.03125f, -1.25f), 1};
    int depth = 0;
    for (; depth < most; depth++) {
        const float norm = 1.0f / sqrtf(fmaf(d[0], d[0], fmaf(d[1], d[1], d[2] * d[2])));
        float near = 1.0e30f, n[3];
        int hit = -1;
        for (int k = 0; k < 3; k++) d[k] *= norm;
        for (int s = 0; s < 8; s++) {
            float c[3];
            const float r = sphere[4 * s + 3];
            for (int k = 0; k < 3; k++) c[k] = sphere[4 * s + k] - o[k];
            const float along = fmaf(c[0], d[0], fmaf(c[1], d[1], c[2] * d[2]));
            const float away =
                fmaf(c[0], c[0], fmaf(c[1], c[1], fmaf(c[2], c[2], -(along * along))));
            const float inside = fmaf(r, r, -away);
            if (!(along > 0.0f && inside > 0.0f)) continue;
            const float t = along - sqrtf(inside);
            if (t > 0.001f && t < near) near = t, hit = s;
        }
        if (hit < 0) break;
        for (int k = 0; k < 3; k++) {
            o[k] = fmaf(near, d[k], o[k]);
            n[k] = o[k] - sphere[4 * hit + k];
        }
        const float back = -2.0f * fmaf(n[0], d[0], fmaf(n[1], d[1], n[2] * d[2])) /
            fmaf(n[0], n[0], fmaf(n[1], n[1], n[2] * n[2]));
        for (int k = 0; k < 3; k++) d[k] = fmaf(back, n[k], d[k]);
    }
    return fmaf((float)depth, 0.0625f, fabsf(d[1]));
}

void rays_data(Bench *b) {
    const uint32_t width = bench_size(b, 40, 50), height = bench_size(b, 32, 80);
    float *out = BENCH_ARRAY(float, width *height), sphere[32];
    for (uint32_t s = 0; s < 8; s++) {
        for (uint32_t k = 0; k < 2; k++) sphere[4 * s + k] = bench_float(b, -2, 2);
        sphere[4 * s + 2] = bench_float(b, -2, 2);
        sphere[4 * s + 3] = bench_float(b, 0.5f, 1.25f);
    }
    bench_save(b, "sphere.bin", sphere, sizeof sphere);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) out[y * width + x] = trace(sphere, x, y, 16);
    bench_save(b, "out.bin", out, (size_t)width * height * sizeof *out);
}
