// SPDX-License-Identifier: Apache-2.0
// lavamd: the reference computes in double. Error of the kernel: the exponent, at most 12, is off
// by 6 x 2^-24 of itself, which changes the exponential by at most 6 x 2^-24 x max(x e^-x) =
// 1.4e-7; the approximation adds 2^-22 of the value, products 2 x 2^-24: a term is off by less than
// 5e-7. Its force carries a factor 2 d with d below 1.7 where the exponential is not small: 1.2e-6.
// The errors of n terms, with n at most 80 (2700), add up to 1e-4 (3.3e-3) if all had one sign and
// to sqrt(n) as much if not. Partial sums stay below 64 (1024), so an addition rounds by at most
// 2^-19 (2^-15): 1.6e-4 together for the small size, sqrt(n) x 2^-15 = 1.6e-3 for the paper size:
// atol 3e-4 (5e-3).
#include "bench.h"

#include <math.h>
#include <stdlib.h>

void lavamd_data(Bench *b) {
    int nx = (int)bench_size(b, 2, 3), ny = (int)bench_size(b, 1, 3), nz = ny;
    int per = (int)bench_size(b, 40, 100), boxes = nx * ny * nz;
    size_t n = (size_t)(boxes * per);
    float *p = BENCH_ARRAY(float, n * 4), *force = BENCH_ARRAY(float, n * 4);
    for (int i = 0; i < boxes * per; i++) {
        int box = i / per, at[3] = {box % nx, box / nx % ny, box / nx / ny};
        for (int d = 0; d < 3; d++) p[i * 4 + d] = (float)at[d] + bench_float(b, 0, 1);
        p[i * 4 + 3] = bench_float(b, 0.1f, 1);
    }
    for (int i = 0; i < boxes * per; i++) {
        double sum[4] = {0};
        int a = i / per, ax = a % nx, ay = a / nx % ny, az = a / nx / ny;
        for (int j = 0; j < boxes * per; j++) {
            int c = j / per, cx = c % nx, cy = c / nx % ny, cz = c / nx / ny;
            if (abs(ax - cx) > 1 || abs(ay - cy) > 1 || abs(az - cz) > 1) continue;
            double square = 0, d[3];
            for (int k = 0; k < 3; k++) {
                d[k] = (double)p[i * 4 + k] - p[j * 4 + k];
                square += d[k] * d[k];
            }
            double term = p[j * 4 + 3] * exp(-0.5 * square);
            for (int k = 0; k < 3; k++) sum[k] += 2 * term * d[k];
            sum[3] += term;
        }
        for (int k = 0; k < 4; k++) force[i * 4 + k] = (float)sum[k];
    }
    bench_save(b, "particle.bin", p, n * 4 * sizeof *p);
    bench_save(b, "force.bin", force, n * 4 * sizeof *force);
}
