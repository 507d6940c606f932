// SPDX-License-Identifier: Apache-2.0
// spmv: rows of 0 to 24 entries (a few of 96), columns ascending; the sum is a chain of fma in row
// order: exact.
#include "bench.h"

#include <math.h>

static uint32_t row_length(Bench *b) { return bench_below(b, 64) == 0 ? 96 : bench_below(b, 25); }

void spmv_data(Bench *b) {
    uint32_t rows = bench_size(b, 900, 12000), cols = rows;
    uint32_t *first = BENCH_ARRAY(uint32_t, rows + 1), *col = BENCH_ARRAY(uint32_t, rows * 96);
    for (uint32_t r = 0; r < rows; r++) {
        uint32_t length = row_length(b), step = cols / (length + 1), at = bench_below(b, step);
        first[r + 1] = first[r];
        for (uint32_t i = 0; i < length; i++) {
            col[first[r + 1]++] = at;
            at += 1 + bench_below(b, step);
        }
    }
    uint32_t n = first[rows];
    float *val = BENCH_ARRAY(float, n), *x = BENCH_ARRAY(float, cols),
          *y = BENCH_ARRAY(float, rows);
    bench_floats(b, val, n, -1, 1);
    bench_floats(b, x, cols, -1, 1);
    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t e = first[r]; e < first[r + 1]; e++) y[r] = fmaf(val[e], x[col[e]], y[r]);
    bench_save(b, "row.bin", first, (rows + 1) * sizeof *first);
    bench_save(b, "col.bin", col, n * sizeof *col);
    bench_save(b, "val.bin", val, n * sizeof *val);
    bench_save(b, "x.bin", x, cols * sizeof *x);
    bench_save(b, "y.bin", y, rows * sizeof *y);
}
