// SPDX-License-Identifier: Apache-2.0
// tmv: the kernel asks for fma, and so does the reference: exact.
#include "bench.h"

#include <math.h>

void tmv_data(Bench *b) {
    const uint32_t columns = bench_size(b, 4096, 65536), rows = 16;
    float *a = BENCH_ARRAY(float, columns *rows), *x = BENCH_ARRAY(float, rows),
          *y = BENCH_ARRAY(float, columns);
    bench_floats(b, a, (size_t)columns * rows, -1, 1);
    bench_floats(b, x, rows, -1, 1);
    bench_save(b, "a.bin", a, (size_t)columns * rows * sizeof *a);
    bench_save(b, "x.bin", x, rows * sizeof *x);
    for (uint32_t c = 0; c < columns; c++)
        for (uint32_t r = 0; r < rows; r++) y[c] = fmaf(a[r * columns + c], x[r], y[c]);
    bench_save(b, "y.bin", y, columns * sizeof *y);
}
