// SPDX-License-Identifier: Apache-2.0
// reduction: numbers in [0, 1), expected sum in double. A device sum passes through at most
// n / threads + 9 + 1 + 9 roundings of at most 2^-24 of a partial sum, all of one sign: below 60 x
// 6e-8 = 3.6e-6 of the result at both sizes. rtol 5e-6 in the launch files.
#include "bench.h"

void reduction_data(Bench *b) {
    uint32_t n = bench_size(b, 16000, 500000);
    float *x = BENCH_ARRAY(float, n), sum;
    bench_floats(b, x, n, 0, 1);
    double exact = 0;
    for (uint32_t i = 0; i < n; i++) exact += x[i];
    sum = (float)exact;
    bench_save(b, "in.bin", x, n * sizeof *x);
    bench_save(b, "sum.bin", &sum, sizeof sum);
}
