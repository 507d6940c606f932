// SPDX-License-Identifier: Apache-2.0
// reread: exact. Words below 100: BDI takes two bursts per line.
#include "bench.h"

void reread_data(Bench *b) {
    uint32_t n = 8192, threads = bench_size(b, 1024, 8192), rounds = bench_size(b, 16, 64);
    uint32_t *in = BENCH_ARRAY(uint32_t, n), *out = BENCH_ARRAY(uint32_t, threads);
    for (uint32_t i = 0; i < n; i++) in[i] = bench_below(b, 100);
    for (uint32_t i = 0; i < threads; i++)
        for (uint32_t r = 0; r < rounds; r++) out[i] += in[(i + r * 32) % n];
    bench_save(b, "in.bin", in, n * sizeof *in);
    bench_save(b, "out.bin", out, threads * sizeof *out);
}
