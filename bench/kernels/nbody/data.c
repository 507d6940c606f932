// SPDX-License-Identifier: Apache-2.0
// nbody: the reference computes in double. A term of the kernel has a relative error of at most 3 x
// 2^-22 (rsqrt.approx, cubed) plus some 8 roundings of 2^-24: 1.2e-6. Adding n terms one after the
// other brings an error that grows as sqrt(n) x 2^-24 of the magnitudes (n x 2^-24 if all roundings
// went one way). The magnitudes of one component's terms add up to 99 (412) at most for n = 128
// (768), so errors of 1.9e-4 (1.2e-3) are to be expected at most: atol 5e-4 (5e-3) in the launch
// files. Values are of the order of 50 (200).
#include "bench.h"

#include <math.h>

void nbody_data(Bench *b) {
    uint32_t n = bench_size(b, 128, 768);
    float *p = BENCH_ARRAY(float, n * 4), *acc = BENCH_ARRAY(float, n * 4);
    for (uint32_t i = 0; i < n * 4; i++)
        p[i] = i % 4 == 3 ? bench_float(b, 0.1f, 1) : bench_float(b, -1, 1);
    for (uint32_t i = 0; i < n; i++) {
        double sum[3] = {0};
        for (uint32_t j = 0; j < n; j++) {
            double d[3], r2 = 0.01f;
            for (int k = 0; k < 3; k++) {
                d[k] = (double)p[j * 4 + k] - p[i * 4 + k];
                r2 += d[k] * d[k];
            }
            for (int k = 0; k < 3; k++) sum[k] += p[j * 4 + 3] * d[k] / (r2 * sqrt(r2));
        }
        for (int k = 0; k < 3; k++) acc[i * 4 + k] = (float)sum[k];
    }
    bench_save(b, "body.bin", p, n * 4 * sizeof *p);
    bench_save(b, "acc.bin", acc, n * 4 * sizeof *acc);
}
