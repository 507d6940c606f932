// SPDX-License-Identifier: Apache-2.0
// phase: integers: exact. The table is one cycle through lines of 32 words in random order. Within
// the next line a lane moves up by one, so a warp's access stays in one line.
#include "bench.h"

enum { WIDE = 20, LINE = 32 };

static uint32_t wide_phase(uint32_t seed, uint32_t sum) {
    uint32_t v[WIDE];
    v[0] = seed;
    for (int j = 1; j < WIDE; j++) v[j] = v[j - 1] * 1664525u + 1013904223u;
    for (int step = 0; step < 2 * WIDE; step++) {
        int j = step % WIDE, by = 5 + step / WIDE;
        uint32_t far = v[(j + 7) % WIDE];
        v[j] += (far << by | far >> (32 - by)) ^ v[(j + 13) % WIDE];
    }
    for (int j = 0; j < WIDE; j++) sum = sum * 31u + v[j];
    return sum;
}

void phase_data(Bench *b) {
    uint32_t lines = bench_size(b, 16, 512), threads = bench_size(b, 768, 24576);
    uint32_t rounds = bench_size(b, 2, 8), hops = bench_size(b, 6, 12), words = lines * LINE;
    uint32_t *order = BENCH_ARRAY(uint32_t, lines), *next = BENCH_ARRAY(uint32_t, words);
    uint32_t *out = BENCH_ARRAY(uint32_t, threads);
    for (uint32_t k = 0; k < lines; k++) order[k] = k;
    for (uint32_t k = lines - 1; k > 0; k--) {
        uint32_t other = bench_below(b, k + 1), kept = order[k];
        order[k] = order[other];
        order[other] = kept;
    }
    for (uint32_t k = 0; k < lines; k++)
        for (uint32_t lane = 0; lane < LINE; lane++)
            next[order[k] * LINE + lane] = order[(k + 1) % lines] * LINE + (lane + 1) % LINE;
    for (uint32_t i = 0; i < threads; i++) {
        uint32_t at = i % words;
        for (uint32_t r = 0; r < rounds; r++) {
            for (uint32_t h = 0; h < hops; h++) at = next[at];
            out[i] = wide_phase(at + out[i], out[i]);
        }
    }
    bench_save(b, "next.bin", next, words * sizeof *next);
    bench_save(b, "out.bin", out, threads * sizeof *out);
}
