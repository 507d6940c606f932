// SPDX-License-Identifier: Apache-2.0
// hello: squares, exact. The test compares the text with that of the C library.
#include "bench.h"

void hello_data(Bench *b) {
    uint32_t n = bench_size(b, 3 * 64, 200 * 192);
    uint64_t *out = BENCH_ARRAY(uint64_t, n);
    for (uint64_t i = 0; i < n; i++) out[i] = i * i;
    bench_save(b, "out.bin", out, n * sizeof *out);
}
