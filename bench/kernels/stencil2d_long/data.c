// SPDX-License-Identifier: Apache-2.0
// stencil2d_long: the order of the additions is written out in kernel and reference: exact.
#include "bench.h"

#include <math.h>
#include <string.h>

enum { SIDE = 16, CELLS = SIDE * SIDE };

static void step(float *tile, float k) {
    float old[CELLS];
    memcpy(old, tile, sizeof old);
    for (int y = 1; y < SIDE - 1; y++)
        for (int x = 1; x < SIDE - 1; x++) {
            const float *c = old + y * SIDE + x;
            float sum = (c[-1] + c[1]) + (c[-SIDE] + c[SIDE]);
            tile[y * SIDE + x] = fmaf(k, fmaf(-4.0f, *c, sum), *c);
        }
}

void stencil2d_long_data(Bench *b) {
    int steps = (int)bench_size(b, 20, 1024), tiles = (int)bench_size(b, 1, 3);
    float *x = BENCH_ARRAY(float, tiles *CELLS);
    bench_floats(b, x, (size_t)(tiles * CELLS), 20, 90);
    bench_save(b, "in.bin", x, (size_t)(tiles * CELLS) * sizeof *x);
    for (int t = 0; t < tiles; t++)
        for (int s = 0; s < steps; s++) step(x + t * CELLS, 0.125f);
    bench_save(b, "out.bin", x, (size_t)(tiles * CELLS) * sizeof *x);
}
