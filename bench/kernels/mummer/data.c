// SPDX-License-Identifier: Apache-2.0
// mummer: integers, exact. The reference compares letters with the text, without the tree: the
// longest part that two places of the text have.
#include "bench.h"

enum { DEPTH = 12 };

// The tree of all parts of up to DEPTH letters; node 0 is the empty one.
static void grow(const uint8_t *text, uint32_t n, uint32_t *child, uint32_t *occurs) {
    uint32_t nodes = 1;
    for (uint32_t start = 0; start < n; start++)
        for (uint32_t p = start, node = 0; p < n && p < start + DEPTH; p++) {
            uint32_t *to = &child[4 * node + text[p]];
            if (!*to) *to = nodes++;
            node = *to;
            occurs[node]++;
        }
}

static uint32_t common(const uint8_t *text, uint32_t n, uint32_t at, const uint8_t *part,
                       uint32_t length) {
    uint32_t k = 0;
    while (k < length && at + k < n && text[at + k] == part[k]) k++;
    return k;
}

void mummer_data(Bench *b) {
    uint32_t n = bench_size(b, 700, 20000), queries = bench_size(b, 100, 8192),
             letters = bench_size(b, 10, 12);
    uint8_t *text = BENCH_ARRAY(uint8_t, n), *query = BENCH_ARRAY(uint8_t, queries * letters),
            part[DEPTH];
    uint32_t room = n * DEPTH + 1, *child = BENCH_ARRAY(uint32_t, room * 4),
             *occurs = BENCH_ARRAY(uint32_t, room);
    uint32_t *longest = BENCH_ARRAY(uint32_t, queries), *sum = BENCH_ARRAY(uint32_t, queries);
    for (uint32_t i = 0; i < n; i++) text[i] = (uint8_t)bench_below(b, 4);
    grow(text, n, child, occurs);
    for (uint32_t i = 0; i < queries; i++) {
        // a part of the text, with a letter changed here and there
        uint32_t from = bench_below(b, n - letters);
        for (uint32_t p = 0; p < letters; p++)
            query[p * queries + i] =
                bench_below(b, 8) ? text[from + p] : (uint8_t)bench_below(b, 4);
        for (uint32_t start = 0; start < letters; start++) {
            uint32_t first = 0, second = 0;  // the longest two
            for (uint32_t p = start; p < letters; p++) part[p - start] = query[p * queries + i];
            for (uint32_t at = 0; at < n; at++) {
                uint32_t k = common(text, n, at, part, letters - start);
                if (k > first) second = first, first = k;
                else if (k > second) second = k;
            }
            if (second > longest[i]) longest[i] = second;
            sum[i] += second;
        }
    }
    bench_save(b, "child.bin", child, (size_t)room * 4 * sizeof *child);
    bench_save(b, "occurs.bin", occurs, (size_t)room * sizeof *occurs);
    bench_save(b, "query.bin", query, queries * letters);
    bench_save(b, "longest.bin", longest, queries * sizeof *longest);
    bench_save(b, "sum.bin", sum, queries * sizeof *sum);
}
