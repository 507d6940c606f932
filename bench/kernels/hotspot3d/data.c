// SPDX-License-Identifier: Apache-2.0
// hotspot3d: fma in a given order: exact. The reference gives the stack a rim of copies, so that no
// point is special.
#include "bench.h"

#include <math.h>

typedef struct Stack {
    int nx, ny, nz;
} Stack;

static size_t rim(const Stack *k, int x, int y, int z) {
    return ((size_t)(z + 1) * (size_t)(k->ny + 2) + (size_t)(y + 1)) * (size_t)(k->nx + 2) +
        (size_t)(x + 1);
}

static int clamped(int v, int n) { return v < 0 ? 0 : v >= n ? n - 1 : v; }

static void with_rim(const Stack *k, const float *in, float *wide) {
    for (int z = -1; z <= k->nz; z++)
        for (int y = -1; y <= k->ny; y++)
            for (int x = -1; x <= k->nx; x++) {
                int inside = (clamped(z, k->nz) * k->ny + clamped(y, k->ny)) * k->nx;
                wide[rim(k, x, y, z)] = in[inside + clamped(x, k->nx)];
            }
}

void hotspot3d_data(Bench *b) {
    static const int side[7][3] = {{0, 0, 0}, {-1, 0, 0}, {1, 0, 0}, {0, -1, 0},
                                   {0, 1, 0}, {0, 0, -1}, {0, 0, 1}};
    static const float weight[7] = {0.5f, 0.07f, 0.08f, 0.09f, 0.1f, 0.06f, 0.05f};
    Stack k = {(int)bench_size(b, 70, 256), (int)bench_size(b, 10, 128), (int)bench_size(b, 3, 16)};
    size_t n = (size_t)(k.nx * k.ny * k.nz), i = 0;
    float *power = BENCH_ARRAY(float, n), *in = BENCH_ARRAY(float, n), *out = BENCH_ARRAY(float, n);
    float *wide = BENCH_ARRAY(float, (size_t)((k.nx + 2) * (k.ny + 2) * (k.nz + 2)));
    bench_floats(b, power, n, 0, 1);
    bench_floats(b, in, n, 40, 90);
    with_rim(&k, in, wide);
    for (int z = 0; z < k.nz; z++)
        for (int y = 0; y < k.ny; y++)
            for (int x = 0; x < k.nx; x++, i++) {
                float t = weight[0] * in[i];
                for (int j = 1; j < 7; j++) {
                    size_t at = rim(&k, x + side[j][0], y + side[j][1], z + side[j][2]);
                    t = fmaf(weight[j], wide[at], t);
                }
                out[i] = fmaf(weight[6], 80, fmaf(1.5f, power[i], t));
            }
    bench_save(b, "power.bin", power, n * sizeof *power);
    bench_save(b, "in.bin", in, n * sizeof *in);
    bench_save(b, "out.bin", out, n * sizeof *out);
}
