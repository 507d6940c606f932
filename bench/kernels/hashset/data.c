// SPDX-License-Identifier: Apache-2.0
// hashset: the number of distinct keys, the count and the marks do not depend on the order of the
// atomics: exact. The table itself does, and is not checked.
#include "bench.h"

void hashset_data(Bench *b) {
    uint32_t n = bench_size(b, 1500, 60000), range = n / 2, distinct = 0, turn = n % 1000;
    uint32_t *key = BENCH_ARRAY(uint32_t, n), used[64] = {0};
    bool *seen = BENCH_ARRAY(bool, range + 1);
    for (uint32_t i = 0; i < n; i++) {
        key[i] = 1 + bench_below(b, range);
        distinct += !seen[key[i]];
        seen[key[i]] = true;
        used[key[i] % 64] = 1;
    }
    bench_save(b, "key.bin", key, n * sizeof *key);
    bench_save(b, "distinct.bin", &distinct, sizeof distinct);
    bench_save(b, "turn.bin", &turn, sizeof turn);
    bench_save(b, "used.bin", used, sizeof used);
}
