// SPDX-License-Identifier: Apache-2.0
// flags: unsigned arithmetic; the atomics of a step add to 64 different words: exact.
#include "bench.h"

void flags_data(Bench *b) {
    uint32_t ctas = bench_size(b, 6, 32), steps = bench_size(b, 12, 64), before[64];
    uint32_t *part = BENCH_ARRAY(uint32_t, ctas * 64), *out = BENCH_ARRAY(uint32_t, ctas * 64);
    uint32_t *total = BENCH_ARRAY(uint32_t, 64);
    for (uint32_t i = 0; i < ctas * 64; i++) part[i] = bench_u32(b);
    bench_save(b, "part.bin", part, ctas * 64 * sizeof *part);
    for (uint32_t c = 0; c < ctas; c++) {
        uint32_t *p = part + c * 64;
        for (uint32_t t = 0; t < 64; t++) out[c * 64 + t] = p[t] + p[63 - t];
        for (uint32_t s = 0; s < steps; s++) {
            for (uint32_t t = 0; t < 64; t++) before[t] = p[t];
            for (uint32_t t = 0; t < 64; t++) p[(t * 7 + s) % 64] += t + s;
            for (uint32_t t = 0; t < 64; t++)
                out[c * 64 + t] = out[c * 64 + t] * 3 + (p[t] ^ before[t]) + p[63 - t];
        }
        for (uint32_t t = 0; t < 64; t++) before[t] = total[t];
        for (uint32_t t = 0; t < 64; t++) {
            total[63 - t] = before[t] + p[t];
            out[c * 64 + t] += before[t];
        }
    }
    bench_save(b, "total.bin", total, 64 * sizeof *total);
    bench_save(b, "out.bin", out, ctas * 64 * sizeof *out);
}
