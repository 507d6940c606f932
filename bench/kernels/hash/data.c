// SPDX-License-Identifier: Apache-2.0
// hash: integers, exact.
#include "bench.h"

static uint64_t rotate(uint64_t v, int n) { return v << n | v >> (64 - n); }

void hash_data(Bench *b) {
    uint32_t n = bench_size(b, 900, 12000), rounds = bench_size(b, 3, 5), ones = 0;
    int32_t best = 0;
    uint64_t *key = BENCH_ARRAY(uint64_t, n), *digest = BENCH_ARRAY(uint64_t, n);
    for (uint32_t i = 0; i < n; i++) {
        // Short keys too: with a zero upper word nvcc's division takes the 32-bit way.
        key[i] = bench_u32(b);
        key[i] = key[i] << 32 | bench_u32(b);
        if (i % 4 == 0) key[i] >>= 36;
        uint64_t v = key[i], w = ~v;
        for (uint32_t r = 0; r < rounds; r++) {
            v = (v ^ (v >> 29)) * 0xd6e8feb86659fd93u + r;
            w += rotate(v, 23) ^ (w << 7);
            v ^= w % (2u * r + 1000003u);
            v += w / 0x100000001u;
        }
        digest[i] = v ^ rotate(w, 41);
        int32_t zeros = 0;
        while (zeros < 64 && !(digest[i] >> (63 - zeros) & 1)) zeros++;
        if ((zeros << 20 | (int32_t)i) > best) best = zeros << 20 | (int32_t)i;
        for (uint64_t bits = digest[i]; bits; bits &= bits - 1) ones++;
    }
    bench_save(b, "key.bin", key, n * sizeof *key);
    bench_save(b, "digest.bin", digest, n * sizeof *digest);
    bench_save(b, "best.bin", &best, sizeof best);
    bench_save(b, "ones.bin", &ones, sizeof ones);
}
