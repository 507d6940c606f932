// SPDX-License-Identifier: Apache-2.0
// strmatch: integers: exact. The kernel walks a suffix automaton. The reference uses a sorted table
// of all suffixes instead, and looks for the first occurrence from the text's beginning.
#include "bench.h"

#include <stdlib.h>
#include <string.h>

enum { NONE = 0, MAX_LETTERS = 64 };

typedef struct Node {
    uint32_t next[4], link, length, first, unused;
} Node;

// ---- the automaton ------------------------------------------------------------------------------

typedef struct Automaton {
    Node *node;
    uint32_t used, last;
} Automaton;

// The state to which p's edge leads, for the longest proper suffix of the string that ends there.
// If the state represents longer strings too, it is cloned.
static uint32_t split(Automaton *a, uint32_t p, uint32_t letter) {
    uint32_t q = a->node[p].next[letter];
    if (a->node[q].length == a->node[p].length + 1) return q;
    uint32_t clone = a->used++;
    a->node[clone] = a->node[q];
    a->node[clone].length = a->node[p].length + 1;
    a->node[q].link = clone;
    for (;;) {
        if (a->node[p].next[letter] != q) break;
        a->node[p].next[letter] = clone;
        if (p == 0) break;
        p = a->node[p].link;
    }
    return clone;
}

static void extend(Automaton *a, uint32_t letter) {
    uint32_t made = a->used++, p = a->last;
    a->node[made].length = a->node[p].length + 1;
    a->node[made].first = a->node[p].length;
    a->last = made;
    while (a->node[p].next[letter] == NONE) {
        a->node[p].next[letter] = made;
        if (p == 0) return;
        p = a->node[p].link;
    }
    uint32_t link = split(a, p, letter);
    a->node[made].link = link;
}

// ---- the reference ------------------------------------------------------------------------------

static const uint8_t *sorted_text;
static uint32_t sorted_size;

static uint32_t common(const uint8_t *a, uint32_t na, const uint8_t *b, uint32_t nb) {
    uint32_t k = 0;
    while (k < na && k < nb && a[k] == b[k]) k++;
    return k;
}

static int by_suffix(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    uint32_t nx = sorted_size - x, ny = sorted_size - y;
    int order = memcmp(sorted_text + x, sorted_text + y, nx < ny ? nx : ny);
    return order ? order : nx < ny ? -1 : 1;
}

// Length of the longest prefix of q that occurs in the text. One of the two suffixes between which
// q would be sorted shares it.
static uint32_t prefix(const uint32_t *suffix, const uint8_t *q, uint32_t nq) {
    uint32_t low = 0, high = sorted_size, best = 0;
    while (low < high) {
        uint32_t mid = (low + high) / 2, rest = sorted_size - suffix[mid];
        const uint8_t *s = sorted_text + suffix[mid];
        uint32_t k = common(s, rest, q, nq);
        if (k > best) best = k;
        if (k < nq && (k == rest || s[k] < q[k])) low = mid + 1;
        else high = mid;
    }
    return best;
}

typedef struct Match {
    uint32_t longest, place, sum;
} Match;

static Match match(const uint32_t *suffix, const uint8_t *q, uint32_t letters) {
    uint32_t reach[MAX_LETTERS], from = 0, start = 0;
    Match m = {0};
    for (uint32_t s = 0; s < letters; s++) reach[s] = s + prefix(suffix, q + s, letters - s);
    for (uint32_t end = 1; end <= letters; end++) {
        while (from < end && reach[from] < end) from++;
        m.sum += end - from;
        if (end - from <= m.longest) continue;
        m.longest = end - from;
        start = from;
    }
    if (m.longest == 0) return m;
    while (memcmp(sorted_text + m.place, q + start, m.longest) != 0) m.place++;
    m.place += m.longest - 1;
    return m;
}

void strmatch_data(Bench *b) {
    uint32_t nodes = bench_size(b, 1024, 65536), n = bench_size(b, 80, 4096);
    uint32_t letters = bench_size(b, 12, MAX_LETTERS), size = 0;
    Automaton a = {BENCH_ARRAY(Node, nodes), 1, 0};
    uint8_t *text = BENCH_ARRAY(uint8_t, nodes), *query = BENCH_ARRAY(uint8_t, n * letters);
    uint32_t *suffix = BENCH_ARRAY(uint32_t, nodes), *out = BENCH_ARRAY(uint32_t, n * 3);
    while (a.used + 2 <= nodes) {  // a letter adds at most two nodes
        suffix[size] = size;
        text[size] = (uint8_t)bench_below(b, 4);
        extend(&a, text[size++]);
    }
    sorted_text = text;
    sorted_size = size;
    qsort(suffix, size, sizeof *suffix, by_suffix);
    for (uint32_t i = 0; i < n; i++) {
        uint8_t q[MAX_LETTERS];
        uint32_t from = bench_below(b, size - letters);  // a part of the text, some letters changed
        for (uint32_t p = 0; p < letters; p++) {
            q[p] = bench_below(b, 12) ? text[from + p] : (uint8_t)bench_below(b, 4);
            query[p * n + i] = q[p];
        }
        Match m = match(suffix, q, letters);
        out[i] = m.longest;
        out[n + i] = m.place;
        out[2 * n + i] = m.sum;
    }
    bench_save(b, "node.bin", a.node, nodes * sizeof *a.node);
    bench_save(b, "query.bin", query, n * letters);
    bench_save(b, "longest.bin", out, n * sizeof *out);
    bench_save(b, "place.bin", out + n, n * sizeof *out);
    bench_save(b, "sum.bin", out + 2 * n, n * sizeof *out);
}
