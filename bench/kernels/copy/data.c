// SPDX-License-Identifier: Apache-2.0
// copy: the output equals the input.
#include "bench.h"

void copy_data(Bench *b) {
    const uint32_t n = bench_size(b, 16384, 524288);
    float *x = BENCH_ARRAY(float, n);
    bench_floats(b, x, n, -10, 10);
    bench_save(b, "in.bin", x, n * sizeof *x);
}
