// SPDX-License-Identifier: Apache-2.0
// logscan: exact. Pointers lie in 128 bytes of one region and counts are below 100: BDI takes one
// burst per line.
#include "bench.h"

void logscan_data(Bench *b) {
    uint32_t n = bench_size(b, 8192, 131072);
    uint64_t *log = BENCH_ARRAY(uint64_t, n);
    for (uint32_t i = 0; i < n; i++)
        log[i] = i % 2 ? bench_below(b, 100) : 0x7f0012340000ull + 8 * bench_below(b, 14);
    bench_save(b, "in.bin", log, n * sizeof *log);
    for (uint32_t i = 1; i < n; i += 2) log[i]++;
    bench_save(b, "out.bin", log, n * sizeof *log);
}
