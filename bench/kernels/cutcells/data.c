// SPDX-License-Identifier: Apache-2.0
// cutcells: a twentieth of the corners is within, so that a fifth of the cells is cut. All sums
// with products are fma in both: exact.
#include "bench.h"

#include <math.h>

static void sample(const float *at, uint32_t width, float *part, float *arm) {
    const float a = at[0], b = at[1], c = at[width + 1], d = at[width + 2];
    const float low = fminf(fminf(a, b), fminf(c, d)), high = fmaxf(fmaxf(a, b), fmaxf(c, d));
    int points = 0;
    *part = high < 0 ? 1.0f : 0.0f;
    *arm = 0;
    if (!(low < 0 && high >= 0)) return;
    for (int y = 0; y < 8; y++) {
        const float v = fmaf((float)y, 0.125f, 0.0625f), left = fmaf(v, c - a, a),
                    right = fmaf(v, d - b, b);
        for (int x = 0; x < 8; x++) {
            const float u = fmaf((float)x, 0.125f, 0.0625f);
            if (fmaf(u, right - left, left) >= 0) continue;
            points++;
            *arm = fmaf(u, v, *arm);
        }
    }
    *part = (float)points * 0.015625f;
}

void cutcells_data(Bench *b) {
    const uint32_t width = 64, cells = bench_size(b, 4096, 65536),
                   corners = (cells / width + 1) * (width + 1);
    float *corner = BENCH_ARRAY(float, corners), *inside = BENCH_ARRAY(float, cells),
          *lever = BENCH_ARRAY(float, cells);
    bench_floats(b, corner, corners, -0.0625f, 0.9375f);
    bench_save(b, "corner.bin", corner, corners * sizeof *corner);
    for (uint32_t i = 0; i < cells; i++)
        sample(corner + i + i / width, width, &inside[i], &lever[i]);
    bench_save(b, "inside.bin", inside, cells * sizeof *inside);
    bench_save(b, "lever.bin", lever, cells * sizeof *lever);
}
