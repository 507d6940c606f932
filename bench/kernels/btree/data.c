// SPDX-License-Identifier: Apache-2.0
// btree: integers, exact. The tree is built by recursion over sorted keys. The reference scans all
// nodes, and so is independent of the tree's order.
#include "bench.h"

enum { KEYS = 7 };
typedef struct Node {
    int64_t key[KEYS];
    int32_t child, rank;
} Node;
typedef struct Tree {
    Node *node;
    int32_t nodes;
} Tree;

// Fills node `at` and its children with sorted[0 .. count-1]; count is KEYS when levels is 1, and
// so on.
static void build(Tree *t, int32_t at, const int64_t *sorted, int32_t first, int32_t count,
                  int levels) {
    int32_t part = (count - KEYS) / (KEYS + 1);
    t->node[at].rank = first;
    t->node[at].child = -1;
    for (int k = 0; k < KEYS; k++) t->node[at].key[k] = sorted[first + part + k * (part + 1)];
    if (levels == 1) return;
    int32_t child = t->node[at].child = t->nodes;
    t->nodes += KEYS + 1;
    for (int k = 0; k <= KEYS; k++)
        build(t, child + k, sorted, first + k * (part + 1), part, levels - 1);
}

void btree_data(Bench *b) {
    int32_t levels = (int32_t)bench_size(b, 3, 4), n = (int32_t)bench_size(b, 800, 30000),
            count = 1;
    for (int i = 0; i < levels; i++) count *= KEYS + 1;
    count -= 1;
    int64_t *sorted = BENCH_ARRAY(int64_t, count), *query = BENCH_ARRAY(int64_t, n);
    int32_t *found = BENCH_ARRAY(int32_t, n);
    Tree t = {BENCH_ARRAY(Node, count / KEYS), 1};
    // Steps of different size; many keys agree in their lower or upper words.
    int64_t key = -((int64_t)count << 31);
    for (int32_t i = 0; i < count; i++)
        sorted[i] = key +=
            bench_below(b, 4) ? 1 + bench_below(b, 9) : (int64_t)1 << (30 + bench_below(b, 5));
    build(&t, 0, sorted, 0, count, levels);
    for (int32_t i = 0; i < n; i++) {
        query[i] = sorted[bench_below(b, (uint32_t)count)];
        query[i] += bench_below(b, 4) == 0;
        found[i] = -1;
        for (int32_t at = 0; at < t.nodes && found[i] < 0; at++)
            for (int k = 0; k < KEYS; k++)
                if (t.node[at].key[k] == query[i]) found[i] = 16 * at + k;
    }
    bench_save(b, "node.bin", t.node, (size_t)t.nodes * sizeof *t.node);
    bench_save(b, "query.bin", query, (size_t)n * sizeof *query);
    bench_save(b, "found.bin", found, (size_t)n * sizeof *found);
}
