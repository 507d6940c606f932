// SPDX-License-Identifier: Apache-2.0
// bfs: each node points to up to eight random others, node 0 to eight, so that nearly all are
// reached in some ten levels. Levels are integers: exact.
#include "bench.h"

void bfs_data(Bench *b) {
    int32_t n = (int32_t)bench_size(b, 448, 20000), edges = 0, head = 0, tail = 0;
    int32_t *first = BENCH_ARRAY(int32_t, n + 1), *to = BENCH_ARRAY(int32_t, n * 8);
    int32_t *cost = BENCH_ARRAY(int32_t, n), *queue = BENCH_ARRAY(int32_t, n);
    uint8_t *start = BENCH_ARRAY(uint8_t, n);
    for (int32_t i = 0; i < n; i++) {
        first[i] = edges;
        int32_t degree = i == 0 ? 8 : (int32_t)bench_below(b, 9);
        for (int32_t e = 0; e < degree; e++) to[edges++] = (int32_t)bench_below(b, (uint32_t)n);
    }
    first[n] = edges;
    for (int32_t i = 0; i < n; i++) cost[i] = -1;
    cost[0] = 0;
    start[0] = 1;
    bench_save(b, "first.bin", first, (size_t)(n + 1) * sizeof *first);
    bench_save(b, "edges.bin", to, (size_t)edges * sizeof *to);
    bench_save(b, "start.bin", start, (size_t)n);
    bench_save(b, "cost.bin", cost, (size_t)n * sizeof *cost);
    queue[tail++] = 0;
    while (head < tail) {
        int32_t i = queue[head++];
        for (int32_t e = first[i]; e < first[i + 1]; e++)
            if (cost[to[e]] < 0) {
                cost[to[e]] = cost[i] + 1;
                queue[tail++] = to[e];
            }
    }
    bench_save(b, "levels.bin", cost, (size_t)n * sizeof *cost);
}
