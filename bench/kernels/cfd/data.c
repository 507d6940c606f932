// SPDX-License-Identifier: Apache-2.0
// cfd: the reference computes in double. Densities are 0.8 to 1.2, parts of momenta below 0.3,
// energies 2 to 3, parts of normals below 0.5: speeds through a face are below 0.6, pressures below
// 1.2, the speed of sound below 1.5. Terms of a face add up to less than 8.3 (energy: 3.5 x 1 + 2 x
// 4.2 x 0.57), all to less than 34. Twelve additions are off by 12 x 34 x 2^-24 = 2.4e-5, terms,
// with at most twelve roundings each, by 4 x 8.3 x 12 x 2^-24 = 2.4e-5: atol 5e-5.
#include "bench.h"

#include <math.h>

enum { SIDES = 4 };

// The derived values of one cell that a face uses.
typedef struct Cell {
    double q[5], speed[3], pressure, sound;
} Cell;

static void derive(Cell *c) {
    double moving = 0;
    for (int d = 0; d < 3; d++) {
        c->speed[d] = c->q[1 + d] / c->q[0];
        moving += c->q[1 + d] * c->speed[d];
    }
    c->pressure = (double)0.4f * (c->q[4] - 0.5 * moving);
    c->sound = sqrt((double)1.4f * c->pressure / c->q[0]);
}

static void face(double *sum, const Cell *a, const Cell *o, const double *n) {
    if (!o) {
        for (int d = 0; d < 3; d++) sum[1 + d] += n[d] * a->pressure;
        return;
    }
    double through = 0, back = 0;
    for (int d = 0; d < 3; d++) through += n[d] * a->speed[d], back += n[d] * o->speed[d];
    double speed = 0.5 * (fabs(through) + fabs(back)) + a->sound + o->sound;
    for (int f = 0; f < 5; f++) {
        double pa = f == 4 ? a->pressure : 0, po = f == 4 ? o->pressure : 0;
        sum[f] += speed * (a->q[f] - o->q[f]) + (a->q[f] + pa) * through + (o->q[f] + po) * back;
        if (f >= 1 && f <= 3) sum[f] += n[f - 1] * (a->pressure + o->pressure);
    }
}

void cfd_data(Bench *b) {
    uint32_t n = bench_size(b, 320, 16384);
    float *field = BENCH_ARRAY(float, n * 5), *normal = BENCH_ARRAY(float, n * 3 * SIDES),
          *flux = BENCH_ARRAY(float, n * 5);
    int32_t *near = BENCH_ARRAY(int32_t, n * SIDES);
    Cell *cell = BENCH_ARRAY(Cell, n);
    bench_floats(b, field, n, 0.8f, 1.2f);
    bench_floats(b, field + n, n * 3, -0.3f, 0.3f);
    bench_floats(b, field + 4 * n, n, 2, 3);
    bench_floats(b, normal, n * 3 * SIDES, -0.5f, 0.5f);
    for (uint32_t i = 0; i < n * SIDES; i++)
        near[i] = bench_below(b, 16) ? (int32_t)bench_below(b, n) : -1;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t f = 0; f < 5; f++) cell[i].q[f] = field[f * n + i];
        derive(&cell[i]);
    }
    for (uint32_t i = 0; i < n; i++) {
        double sum[5] = {0};
        for (uint32_t k = 0; k < SIDES; k++) {
            int32_t j = near[k * n + i];
            double at[3];
            for (uint32_t d = 0; d < 3; d++) at[d] = normal[(3 * k + d) * n + i];
            face(sum, &cell[i], j < 0 ? NULL : &cell[j], at);
        }
        for (uint32_t f = 0; f < 5; f++) flux[f * n + i] = (float)sum[f];
    }
    bench_save(b, "field.bin", field, n * 5 * sizeof *field);
    bench_save(b, "near.bin", near, n * SIDES * sizeof *near);
    bench_save(b, "normal.bin", normal, n * 3 * SIDES * sizeof *normal);
    bench_save(b, "flux.bin", flux, n * 5 * sizeof *flux);
}
