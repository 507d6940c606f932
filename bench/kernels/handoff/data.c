// SPDX-License-Identifier: Apache-2.0
// handoff: unsigned arithmetic, round by round: exact.
#include "bench.h"

void handoff_data(Bench *b) {
    uint32_t ctas = bench_size(b, 4, 32), rounds = bench_size(b, 12, 64), data[32], before[32];
    uint32_t *first = BENCH_ARRAY(uint32_t, ctas * 32), *out = BENCH_ARRAY(uint32_t, ctas * 128);
    for (uint32_t i = 0; i < ctas * 32; i++) first[i] = bench_u32(b);
    for (uint32_t c = 0; c < ctas; c++) {
        for (uint32_t i = 0; i < 32; i++) data[i] = first[c * 32 + i];
        for (uint32_t t = 0; t < 128; t++) out[c * 128 + t] = data[t % 32];
        for (uint32_t r = 1; r <= rounds; r++) {
            for (uint32_t i = 0; i < 32; i++) {
                before[i] = data[i];
                data[i] = data[i] * 5 + i + r;
            }
            for (uint32_t t = 32; t < 128; t++)
                out[c * 128 + t] = out[c * 128 + t] * 3 + data[(t % 32 + t / 32) % 32] +
                    (data[t % 32] ^ before[t % 32]);
        }
    }
    bench_save(b, "data.bin", first, ctas * 32 * sizeof *first);
    bench_save(b, "out.bin", out, ctas * 128 * sizeof *out);
}
