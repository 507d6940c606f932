// SPDX-License-Identifier: Apache-2.0
// Colouring: a place in the register file for every class.
// Classes are taken off the graph, least constrained first, and coloured in the opposite order, each at
// the lowest free aligned place. Several orders are tried; the one with the fewest registers wins.
#include "compile/alloc.h"

#include <stdlib.h>
#include <string.h>

typedef struct Node {
    int root, width;
    int *near, nnear, cap_near;  // neighbouring nodes, each once
    int degree;                  // words that neighbours still in the graph may block
    int first;                   // place of the first definition in the program
    bool removed;
} Node;

typedef struct Coloring {
    const Graph *g;
    Arena scratch;
    Node *nodes;
    int n;
    int *node_of;                // per root
    int *order;                  // order of colouring
} Coloring;

static int blocked(int width, int by) { return width > by ? width : by; }

static void collect_nodes(Coloring *c) {
    const Graph *g = c->g;
    int nv = g->ir->nvregs;
    c->node_of = ARENA_ARRAY(&c->scratch, int, nv + 1);
    c->nodes = ARENA_ARRAY(&c->scratch, Node, nv + 1);
    for (int v = 0; v < nv; v++) c->node_of[v] = -1;
    for (int v = 0; v < nv; v++) {
        if (!g->used[v]) continue;
        int root = graph_root(g, v, NULL);
        if (c->node_of[root] >= 0) continue;
        c->node_of[root] = c->n;
        c->nodes[c->n++] = (Node){.root = root, .width = g->ir->width[root], .first = 1 << 30};
    }
}

static void collect_neighbours(Coloring *c) {
    const Graph *g = c->g;
    int *mark = ARENA_ARRAY(&c->scratch, int, c->n + 1);
    for (int i = 0; i < c->n; i++) {
        Node *node = &c->nodes[i];
        for (int w = 0; w < ir_units(node->width); w++) {
            int u = graph_unit(g, g->live.unit[node->root] + w);
            for (int k = 0; k < g->nadj[u]; k++) {
                int owner = graph_root(g, g->owner[graph_unit(g, g->adj[u][k])], NULL);
                int other = c->node_of[owner];
                if (other < 0 || other == i || mark[other] == i + 1) continue;
                mark[other] = i + 1;
                *ARENA_PUSH(&c->scratch, node->near, node->nnear, node->cap_near) = other;
                node->degree += blocked(node->width, c->nodes[other].width);
            }
        }
    }
}

static void number_definitions(Coloring *c) {
    const Ir *ir = c->g->ir;
    int at = 0;
    for (int i = 0; i < ir->norder; i++) {
        const IrBlock *b = &ir->blocks[ir->order[i]];
        for (int k = 0; k < b->ninsts; k++, at++) {
            int defs[3], nd = ir_defs(b->insts[k], defs);
            for (int d = 0; d < nd; d++) {
                Node *n = &c->nodes[c->node_of[graph_root(c->g, defs[d], NULL)]];
                if (at < n->first) n->first = at;
            }
        }
    }
}

// ---- orders ----

// A heap of nodes by a key that only falls; stale entries are skipped.
typedef struct Entry {
    double key;
    int node;
} Entry;
typedef struct Heap {
    Entry *e;
    int n, cap;
} Heap;
static void heap_push(Arena *a, Heap *h, double key, int node) {
    (void)ARENA_PUSH(a, h->e, h->n, h->cap);
    int i = h->n - 1;
    while (i && h->e[(i - 1) / 2].key > key) {
        h->e[i] = h->e[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    h->e[i] = (Entry){key, node};
}
static Entry heap_pop(Heap *h) {
    Entry top = h->e[0], last = h->e[--h->n];
    int i = 0;
    for (;;) {
        int k = 2 * i + 1;
        if (k >= h->n) break;
        if (k + 1 < h->n && h->e[k + 1].key < h->e[k].key) k++;
        if (h->e[k].key >= last.key) break;
        h->e[i] = h->e[k];
        i = k;
    }
    h->e[i] = last;
    return top;
}

// Smallest last; when no node is sure to find a place, the cheapest to spill goes first.
static void order_simplify(Coloring *c, int limit) {
    Heap easy = {0}, hard = {0};
    int *degree = ARENA_ARRAY(&c->scratch, int, c->n + 1);
    for (int i = 0; i < c->n; i++) {
        Node *n = &c->nodes[i];
        n->removed = false;
        degree[i] = n->degree;
        heap_push(&c->scratch, &easy, degree[i], i);
        heap_push(&c->scratch, &hard, c->g->cost[n->root] / (1 + n->degree), i);
    }
    for (int at = c->n - 1; at >= 0; at--) {
        int pick = -1;
        while (easy.n) {
            Entry e = heap_pop(&easy);
            if (c->nodes[e.node].removed || (int)e.key != degree[e.node]) continue;
            int room = c->nodes[e.node].width ? limit : ISA_PREDS;
            if (degree[e.node] + ir_units(c->nodes[e.node].width) > room) {
                heap_push(&c->scratch, &easy, e.key, e.node);
                break;
            }
            pick = e.node;
            break;
        }
        while (pick < 0) {
            Entry e = heap_pop(&hard);
            if (!c->nodes[e.node].removed) pick = e.node;
        }
        Node *n = &c->nodes[pick];
        n->removed = true;
        c->order[at] = pick;
        for (int k = 0; k < n->nnear; k++) {
            int o = n->near[k];
            if (c->nodes[o].removed) continue;
            degree[o] -= blocked(c->nodes[o].width, n->width);
            heap_push(&c->scratch, &easy, degree[o], o);
        }
    }
}

typedef struct Key {
    int a, b, node;
} Key;
static int by_key(const void *x, const void *y) {
    const Key *p = x, *q = y;
    if (p->a != q->a) return p->a < q->a ? -1 : 1;
    if (p->b != q->b) return p->b < q->b ? -1 : 1;
    return p->node - q->node;
}

// By first definition; `wide_first`: quads, then pairs, then single words.
static void order_program(Coloring *c, bool wide_first) {
    Key *keys = ARENA_ARRAY(&c->scratch, Key, c->n + 1);
    for (int i = 0; i < c->n; i++)
        keys[i] = (Key){wide_first ? -c->nodes[i].width : 0, c->nodes[i].first, i};
    qsort(keys, (size_t)c->n, sizeof *keys, by_key);
    for (int i = 0; i < c->n; i++) c->order[i] = keys[i].node;
}

// ---- assignment ----

static uint64_t forbidden(const Graph *g, int root, const int *color) {
    uint64_t mask = 0;
    for (int w = 0; w < ir_units(g->ir->width[root]); w++) {
        int u = graph_unit(g, g->live.unit[root] + w);
        for (int k = 0; k < g->nadj[u]; k++) {
            int n = graph_unit(g, g->adj[u][k]), off;
            int other = graph_root(g, g->owner[n], &off);
            if (color[other] < 0) continue;
            int at = color[other] + off + g->place[n] - w;
            if (at >= 0) mask |= 1ull << at;
        }
    }
    return mask;
}

// Lowest aligned place; a single word prefers the free half of a pair whose other half is taken.
static int choose(uint64_t taken, int width, int limit) {
    int step = width ? width : 1;
    if (width == 1) {
        int lowest = -1;
        for (int r = 0; r < limit; r++) {
            if (taken >> r & 1) continue;
            if (lowest < 0) lowest = r;
            if (taken >> (r ^ 1) & 1) return r < lowest + 4 ? r : lowest;
            if (r >= lowest + 4) break;
        }
        return lowest;
    }
    for (int r = 0; r + step <= limit; r += step)
        if (!(taken >> r & 1)) return r;
    return -1;
}

// Returns the number of registers used, or -1 with the classes that found no place.
static int assign(Coloring *c, int limit, int *color, int *failed, int *nfailed) {
    const Graph *g = c->g;
    int top = 0;
    *nfailed = 0;
    for (int v = 0; v < g->ir->nvregs; v++) color[v] = -1;
    for (int i = 0; i < c->n; i++) {
        const Node *n = &c->nodes[c->order[i]];
        int r = choose(forbidden(g, n->root, color), n->width, n->width ? limit : ISA_PREDS);
        color[n->root] = r;
        if (r < 0) failed[(*nfailed)++] = n->root;
        else if (n->width && r + n->width > top) top = r + n->width;
    }
    return *nfailed ? -1 : top;
}

bool color_graph(const Graph *g, int limit, int *color, int *failed, int *nfailed) {
    Coloring c = {.g = g};
    collect_nodes(&c);
    c.order = ARENA_ARRAY(&c.scratch, int, c.n + 1);
    collect_neighbours(&c);
    number_definitions(&c);
    int nv = g->ir->nvregs, best = -1, scratch_failed;
    int *trial = ARENA_ARRAY(&c.scratch, int, nv + 1), *scratch = ARENA_ARRAY(&c.scratch, int, c.n + 1);
    order_simplify(&c, limit);
    best = assign(&c, limit, color, failed, nfailed);
    for (int attempt = 0; attempt < 2; attempt++) {
        order_program(&c, attempt);
        int used = assign(&c, limit, trial, scratch, &scratch_failed);
        if (used < 0 || (best >= 0 && used >= best)) continue;
        best = used;
        memcpy(color, trial, sizeof(int) * (size_t)nv);
    }
    arena_free(&c.scratch);
    return best >= 0;
}
