// SPDX-License-Identifier: Apache-2.0
// walsh: every butterfly is one addition and one subtraction of the same two numbers in any order
// of execution: exact.
#include "bench.h"

void walsh_data(Bench *b) {
    uint32_t n = bench_size(b, 256, 1024), rows = bench_size(b, 4, 64);
    float *x = BENCH_ARRAY(float, n *rows);
    bench_floats(b, x, n * rows, -1, 1);
    bench_save(b, "in.bin", x, n * rows * sizeof *x);
    for (uint32_t stride = 1; stride < n; stride *= 2)
        for (uint32_t i = 0; i < n * rows; i++)
            if (!(i & stride)) {
                float p = x[i], q = x[i + stride];
                x[i] = p + q;
                x[i + stride] = p - q;
            }
    bench_save(b, "out.bin", x, n * rows * sizeof *x);
}
