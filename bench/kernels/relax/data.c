// SPDX-License-Identifier: Apache-2.0
// relax: exact. Four edges of each vertex, to one of the next 256; weights below 16; every distance
// is the same, and none is known of the next round.
#include "bench.h"

enum { EDGES = 4, NEAR = 256, WEIGHTS = 16, DISTANCE = 1000, FAR = 0x7fffffff };

void relax_data(Bench *b) {
    uint32_t vertices = bench_size(b, 2048, 65536), n = EDGES * vertices;
    uint32_t *from = BENCH_ARRAY(uint32_t, n), *to = BENCH_ARRAY(uint32_t, n);
    int32_t *weight = BENCH_ARRAY(int32_t, n), *distance = BENCH_ARRAY(int32_t, vertices),
            *next = BENCH_ARRAY(int32_t, vertices);
    for (uint32_t v = 0; v < vertices; v++) {
        distance[v] = DISTANCE;
        next[v] = FAR;
    }
    bench_save(b, "distance.bin", distance, vertices * sizeof *distance);
    bench_save(b, "far.bin", next, vertices * sizeof *next);
    for (uint32_t i = 0; i < n; i++) {
        from[i] = i / EDGES;
        to[i] = (from[i] + 1 + bench_below(b, NEAR)) % vertices;
        weight[i] = (int32_t)bench_below(b, WEIGHTS);
        if (DISTANCE + weight[i] < next[to[i]]) next[to[i]] = DISTANCE + weight[i];
    }
    bench_save(b, "from.bin", from, n * sizeof *from);
    bench_save(b, "to.bin", to, n * sizeof *to);
    bench_save(b, "weight.bin", weight, n * sizeof *weight);
    bench_save(b, "next.bin", next, vertices * sizeof *next);
}
