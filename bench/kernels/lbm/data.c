// SPDX-License-Identifier: Apache-2.0
// lbm: the reference pushes instead of pulling, and computes in double with moments as sums over
// directions. Densities are 0.8 to 1.5, parts of momenta below 0.2, of speeds below 0.25. A result
// is below 1 after at most twenty roundings of numbers below 2 and a division of such. This gives
// 20 x 2 x 2^-24 = 2.4e-6, twice that with the error that speeds carry: atol 5e-6.
#include "bench.h"

void lbm_data(Bench *b) {
    static const int dir[9][2] = {{0, 0}, {1, 0},  {0, 1},   {-1, 0}, {0, -1},
                                  {1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
    int width = (int)bench_size(b, 80, 256), height = (int)bench_size(b, 8, 64), n = width * height;
    float *from = BENCH_ARRAY(float, n * 9), *to = BENCH_ARRAY(float, n * 9);
    double *moved = BENCH_ARRAY(double, n * 9);
    uint8_t *solid = BENCH_ARRAY(uint8_t, n);
    for (int q = 0; q < 9; q++)
        bench_floats(b, from + q * n, (size_t)n, q ? 0.06f : 0.35f, q ? 0.12f : 0.5f);
    for (int i = 0; i < n; i++) solid[i] = bench_below(b, 12) == 0;
    for (int i = 0; i < n; i++)
        for (int q = 0; q < 9; q++) {
            int x = (i % width + dir[q][0] + width) % width,
                y = (i / width + dir[q][1] + height) % height;
            moved[q * n + y * width + x] = from[q * n + i];
        }
    for (int i = 0; i < n; i++) {
        double density = 0, m[2] = {0, 0};
        for (int q = 0; q < 9; q++) {
            density += moved[q * n + i];
            for (int d = 0; d < 2; d++) m[d] += dir[q][d] * moved[q * n + i];
        }
        double u = m[0] / density, v = m[1] / density;
        for (int q = 0; q < 9; q++) {
            int back = 0;
            while (dir[back][0] != -dir[q][0] || dir[back][1] != -dir[q][1]) back++;
            int length = dir[q][0] * dir[q][0] + dir[q][1] * dir[q][1];
            double along = dir[q][0] * u + dir[q][1] * v,
                   weight = length == 0 ? 4.0 / 9
                : length == 1           ? 1.0 / 9
                                        : 1.0 / 36;
            double balance =
                weight * density * (1 + 3 * along + 4.5 * along * along - 1.5 * (u * u + v * v));
            double now = moved[q * n + i];
            to[q * n + i] =
                (float)(solid[i] ? moved[back * n + i] : now + (double)0.6f * (balance - now));
        }
    }
    bench_save(b, "from.bin", from, (size_t)n * 9 * sizeof *from);
    bench_save(b, "solid.bin", solid, (size_t)n);
    bench_save(b, "to.bin", to, (size_t)n * 9 * sizeof *to);
}
