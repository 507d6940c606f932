// SPDX-License-Identifier: Apache-2.0
// rle: integers, exact. Run lengths of the input are 1 to 24, one run in twelve is ten times as
// long; equal neighbors join by chance.
#include "bench.h"

enum { CHUNK = 256 };

static void segment(const uint8_t *in, uint8_t *values, uint8_t *lengths, uint16_t *runs, int n) {
    int k = -1;
    for (int i = 0; i < n; i++) {
        if (i % CHUNK == 0 || in[i] != in[i - 1]) {
            values[++k] = in[i];
            lengths[k] = 0;
        } else {
            lengths[k]++;
        }
    }
    *runs = (uint16_t)(k + 1);
}

void rle_data(Bench *b) {
    int chunks = (int)bench_size(b, 2, 24), segments = (int)bench_size(b, 2, 16);
    int per = chunks * CHUNK, n = segments * per;
    uint8_t *in = BENCH_ARRAY(uint8_t, n), *values = BENCH_ARRAY(uint8_t, n),
            *lengths = BENCH_ARRAY(uint8_t, n);
    uint16_t *runs = BENCH_ARRAY(uint16_t, segments);
    for (int i = 0; i < n;) {
        uint8_t v = (uint8_t)bench_below(b, 16);
        uint32_t length = 1 + bench_below(b, 24);
        if (bench_below(b, 12) == 0) length *= 10;
        for (uint32_t k = 0; k < length && i < n; k++) in[i++] = v;
    }
    for (int s = 0; s < segments; s++)
        segment(in + s * per, values + s * per, lengths + s * per, runs + s, per);
    bench_save(b, "in.bin", in, (size_t)n);
    bench_save(b, "values.bin", values, (size_t)n);
    bench_save(b, "lengths.bin", lengths, (size_t)n);
    bench_save(b, "runs.bin", runs, (size_t)segments * sizeof *runs);
}
