// SPDX-License-Identifier: Apache-2.0
// kmeans: members and counts are exact (fma in a given order). The order of the atomic additions is
// unknown. But coordinates are multiples of 2^-10 below 1 and no centre gets more than 2^14 points,
// so every partial sum fits in 24 bits: exact.
#include "bench.h"

#include <math.h>

enum { DIMS = 4 };

void kmeans_data(Bench *b) {
    uint32_t n = bench_size(b, 1000, 30000), centres = bench_size(b, 5, 8);
    float *x = BENCH_ARRAY(float, n *DIMS), *centre = BENCH_ARRAY(float, centres *DIMS);
    int32_t *member = BENCH_ARRAY(int32_t, n);
    double *exact = BENCH_ARRAY(double, centres *DIMS);
    float *sum = BENCH_ARRAY(float, centres *DIMS);
    uint32_t *count = BENCH_ARRAY(uint32_t, centres);
    for (uint32_t i = 0; i < n * DIMS; i++) x[i] = (float)bench_below(b, 1024) * 0x1p-10f;
    bench_floats(b, centre, centres * DIMS, 0, 1);
    for (uint32_t i = 0; i < n; i++) {
        float best = 3.0e38f;
        for (uint32_t c = 0; c < centres; c++) {
            float distance = 0;
            for (uint32_t d = 0; d < DIMS; d++) {
                float diff = x[d * n + i] - centre[c * DIMS + d];
                distance = fmaf(diff, diff, distance);
            }
            if (distance < best) {
                best = distance;
                member[i] = (int32_t)c;
            }
        }
        count[member[i]]++;
        for (uint32_t d = 0; d < DIMS; d++) exact[(uint32_t)member[i] * DIMS + d] += x[d * n + i];
    }
    for (uint32_t i = 0; i < centres * DIMS; i++) sum[i] = (float)exact[i];
    bench_save(b, "x.bin", x, n * DIMS * sizeof *x);
    bench_save(b, "centre.bin", centre, centres * DIMS * sizeof *centre);
    bench_save(b, "member.bin", member, n * sizeof *member);
    bench_save(b, "sum.bin", sum, centres * DIMS * sizeof *sum);
    bench_save(b, "count.bin", count, centres * sizeof *count);
}
