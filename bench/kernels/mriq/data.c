// SPDX-License-Identifier: Apache-2.0
// mriq: the reference computes in double. Error of the kernel: |turns| < 4, three roundings of at
// most 2^-23 each, 2.3e-6 as an angle; the multiplication by 2 pi adds 4e-7, sin.approx and
// cos.approx 2^-20.5 within (-pi, pi): a term is off by at most 3.4e-6 of its power, which is below
// 1. Adding n terms one after the other brings an error that grows as sqrt(n) x 2^-24 of the
//    partial sums.
// These stay below 64 (160) for 48 (160) samples: 1.7e-4 + 2.7e-5 (5.5e-4 + 1.3e-4) at most, so
// atol 2.5e-4 (8e-4) in the launch files. Values are of the order of 4 (8).
#include "bench.h"

#include <math.h>

void mriq_data(Bench *b) {
    uint32_t n = bench_size(b, 480, 16384), samples = bench_size(b, 48, 160);
    float *at = BENCH_ARRAY(float, n * 3), *q = BENCH_ARRAY(float, n * 2);
    float *sample = BENCH_ARRAY(float, samples * 4);
    bench_floats(b, at, n * 3, -2, 2);
    for (uint32_t i = 0; i < samples * 4; i++)
        sample[i] = i % 4 == 3 ? bench_float(b, 0, 1) : bench_float(b, -0.6f, 0.6f);
    for (uint32_t i = 0; i < n; i++) {
        double real = 0, imaginary = 0;
        for (uint32_t k = 0; k < samples; k++) {
            double turns = 0;
            for (uint32_t d = 0; d < 3; d++) turns += (double)sample[k * 4 + d] * at[d * n + i];
            double angle = 2 * 3.14159265358979323846 * turns;
            real += sample[k * 4 + 3] * cos(angle);
            imaginary += sample[k * 4 + 3] * sin(angle);
        }
        q[i] = (float)real;
        q[n + i] = (float)imaginary;
    }
    bench_save(b, "sample.bin", sample, samples * 4 * sizeof *sample);
    bench_save(b, "at.bin", at, n * 3 * sizeof *at);
    bench_save(b, "q.bin", q, n * 2 * sizeof *q);
}
