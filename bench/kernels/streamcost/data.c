// SPDX-License-Identifier: Apache-2.0
// streamcost: the kernel asks for fma, and so does the reference: exact.
#include "bench.h"

#include <math.h>

void streamcost_data(Bench *b) {
    const uint32_t n = bench_size(b, 1000, 16000), dims = bench_size(b, 20, 64), from = 77;
    float *point = BENCH_ARRAY(float, n *dims), *weight = BENCH_ARRAY(float, n),
          *cost = BENCH_ARRAY(float, n);
    bench_floats(b, point, (size_t)n * dims, -4, 4);
    bench_floats(b, weight, n, 0, 2);
    bench_save(b, "point.bin", point, (size_t)n * dims * sizeof *point);
    bench_save(b, "weight.bin", weight, n * sizeof *weight);
    for (uint32_t i = 0; i < n; i++) {
        float sum = 0.0f;
        for (uint32_t d = 0; d < dims; d++) {
            const float away = point[d * n + i] - point[d * n + from];
            sum = fmaf(away, away, sum);
        }
        cost[i] = sum * weight[i];
    }
    bench_save(b, "cost.bin", cost, n * sizeof *cost);
}
