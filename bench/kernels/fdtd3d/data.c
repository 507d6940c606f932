// SPDX-License-Identifier: Apache-2.0
// fdtd3d: fma and additions in a given order, products with powers of two and 0.375: exact. The
// reference gathers by distance over the whole grid.
#include "bench.h"

#include <math.h>

enum { R = 4 };

void fdtd3d_data(Bench *b) {
    static const float weight[R + 1] = {0.375f, 0.0625f, 0.03125f, 0.0078125f, 0.00390625f};
    int nx = (int)bench_size(b, 32, 64), ny = (int)bench_size(b, 16, 64),
        nz = (int)bench_size(b, 8, 32);
    int row = nx + 2 * R, plane = row * (ny + 2 * R);
    size_t n = (size_t)(nx * ny * nz), all = (size_t)(plane * (nz + 2 * R));
    float *in = BENCH_ARRAY(float, all), *out = BENCH_ARRAY(float, n);
    bench_floats(b, in, all, -1, 1);
    const int away[3] = {plane, row, 1};
    for (int k = 0; k <= R; k++)
        for (size_t i = 0; i < n; i++) {
            int x = (int)i % nx, y = (int)i / nx % ny, z = (int)i / nx / ny;
            const float *at = in + (z + R) * plane + (y + R) * row + x + R;
            float pair[3];
            for (int d = 0; d < 3; d++) pair[d] = at[-k * away[d]] + at[k * away[d]];
            out[i] = k ? fmaf(weight[k], pair[0] + (pair[1] + pair[2]), out[i]) : weight[0] * at[0];
        }
    bench_save(b, "in.bin", in, all * sizeof *in);
    bench_save(b, "out.bin", out, n * sizeof *out);
}
