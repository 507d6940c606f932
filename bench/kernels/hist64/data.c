// SPDX-License-Identifier: Apache-2.0
// hist64: a thread counts at most 63 words of 4 bytes, so that no byte overflows: exact.
#include "bench.h"

void hist64_data(Bench *b) {
    const uint32_t words = bench_size(b, 8192, 262144);
    uint32_t *data = BENCH_ARRAY(uint32_t, words), bins[64] = {0};
    for (uint32_t i = 0; i < words; i++) {
        data[i] = bench_u32(b);
        for (uint32_t k = 0; k < 4; k++) bins[data[i] >> (8 * k + 2) & 63]++;
    }
    bench_save(b, "data.bin", data, words * sizeof *data);
    bench_save(b, "bins.bin", bins, sizeof bins);
}
