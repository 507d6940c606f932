// SPDX-License-Identifier: Apache-2.0
// Coloring: a place in the register file for every class.
// First it finds the fewest registers. Classes are removed from the graph, least constrained first,
// and colored in the opposite order, each at the lowest free aligned place. Other orders are tried
// too.
// Then it chooses places. It may use a few registers more (those that cost no resident warp, see
// spread_limit), and each class gets its cheapest register. Operands of one instruction are in
// different banks. A register is not written soon after it was read, because a write waits for
// earlier reads.
// If registers are stored in as few bytes as their values require, one register holds values of one
// width. The reason: after a change from narrow to wide the register file must find another place.
#include "compile/alloc/alloc.h"

#include <stdlib.h>
#include <string.h>

typedef struct Node {
    int root, width;
    int *near, nnear, cap_near;  // neighboring nodes, each once
    int degree;                  // words that neighbors still in the graph may block
    int first, last;             // places of the first definition and the last use in the program
    struct Together *together;   // operands read by the same instructions
    int ntogether, cap_together;
    bool removed;
    uint8_t bytes[ISA_MAX_DST_WORDS];  // expected width of each word
    double times;                      // how often it is written
} Node;

// Word `mine` of this node is read together with word `word` of another.
typedef struct Together {
    int node, mine, word;
    float weight;
} Together;

typedef struct Coloring {
    const Graph *g;
    Arena scratch;
    Node *nodes;
    int n;
    int *node_of;  // per root
    int *order;    // order of coloring
    int banks;
    bool widths;
} Coloring;

static int blocked_places(int width, int by) { return width > by ? width : by; }

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

static void collect_neighbors(Coloring *c) {
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
                node->degree += blocked_places(node->width, c->nodes[other].width);
            }
        }
    }
}

static void number_places(Coloring *c) {
    const Ir *ir = c->g->ir;
    int at = 0;
    for (int i = 0; i < ir->nblocks; i++) {
        const IrBlock *b = &ir->blocks[i];
        for (int k = 0; k < b->ninsts; k++, at++) {
            int defs[3], nd = ir_defs(b->insts[k], defs);
            for (int d = 0; d < nd; d++) {
                Node *n = &c->nodes[c->node_of[graph_root(c->g, defs[d], NULL)]];
                if (at < n->first) n->first = at;
                if (at > n->last) n->last = at;
            }
            IR_FOR_USES(b->insts[k], r) {
                Node *n = &c->nodes[c->node_of[graph_root(c->g, r, NULL)]];
                if (at > n->last) n->last = at;
            }
        }
    }
}

static void add_together(Coloring *c, int a, int wa, int b, int wb, double weight) {
    Node *n = &c->nodes[a];
    if (a == b || n->ntogether > 64) return;
    *ARENA_PUSH(&c->scratch, n->together, n->ntogether, n->cap_together) =
        (Together){b, wa, wb, (float)weight};
}

static void collect_widths(Coloring *c, int threads) {
    const Graph *g = c->g;
    const uint8_t *bytes = width_estimate(g->ir, &g->live, threads, &c->scratch);
    for (int v = 0; v < g->ir->nvregs; v++) {
        if (!g->used[v]) continue;
        int offset, at = c->node_of[graph_root(g, v, &offset)];
        Node *n = &c->nodes[at];
        for (int w = 0; w < g->ir->width[v]; w++)
            if (bytes[g->live.unit[v] + w] > n->bytes[offset + w])
                n->bytes[offset + w] = bytes[g->live.unit[v] + w];
    }
    for (int b = 0; b < g->ir->nblocks; b++) {
        double weight = 1;
        for (int i = 0; i < g->ir->blocks[b].loop_depth && i < 4; i++) weight *= 8;
        for (int k = 0; k < g->ir->blocks[b].ninsts; k++) {
            const IrInst *in = g->ir->blocks[b].insts[k];
            if (in->dst == IR_NONE) continue;
            Node *n = &c->nodes[c->node_of[graph_root(g, in->dst, NULL)]];
            if (weight > n->times) n->times = weight;
        }
    }
}

// Words that instructions read together.
static void collect_together(Coloring *c) {
    const Graph *g = c->g;
    const Ir *ir = g->ir;
    for (int b = 0; b < ir->nblocks; b++) {
        double weight = 1;
        for (int i = 0; i < ir->blocks[b].loop_depth && i < 4; i++) weight *= 8;
        for (int k = 0; k < ir->blocks[b].ninsts; k++) {
            const IrInst *in = ir->blocks[b].insts[k];
            int node[12], word[12], n = 0;
            if (in->op == IR_COPY || in->op == IR_JOIN || in->op == IR_SPLIT) continue;
            for (int i = 0; i < in->nsrc; i++) {
                const IrSrc *s = &in->src[i];
                if (s->kind != ISA_SRC_REG || !s->width) continue;
                int offset, root = graph_root(g, s->reg, &offset);
                for (int w = 0; w < s->width && n < 12; w++) {
                    node[n] = c->node_of[root];
                    word[n++] = offset + w;
                }
            }
            for (int x = 0; x < n; x++)
                for (int y = 0; y < n; y++)
                    if (x != y) add_together(c, node[x], word[x], node[y], word[y], weight);
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

// Simplifies the smallest degree last; if no node is certain to get a register, the cheapest one to
// spill is removed first.
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
            degree[o] -= blocked_places(c->nodes[o].width, n->width);
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

static uint64_t forbidden_places(const Graph *g, int root, const int *color) {
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

// Lowest aligned register; a single word prefers the free half of a pair whose other half is in
// use.
static int choose_place(uint64_t taken, int width, int limit) {
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

// ---- places that cost least ----

enum {
    MANY = 512,      // classes remembered per register
    WIDTH_COST = 2,  // cost of a change of the width, relative to operands in one bank
};

typedef struct Ranges {  // classes that have each register
    Arena *a;
    int *node[ISA_MAX_REGS + 1], n[ISA_MAX_REGS + 1], cap[ISA_MAX_REGS + 1];
} Ranges;

// How much sooner than HAZARD instructions after its last use by another class the register is
// written.
static double hazard_cost(const Coloring *c, const Ranges *r, int reg, const Node *n) {
    enum { HAZARD = 10 };
    int nearest = HAZARD;
    for (int i = 0; i < r->n[reg]; i++) {
        const Node *o = &c->nodes[r->node[reg][i]];
        int gap = n->first - o->last, behind = o->first - n->last;
        if (gap >= 0 && gap < nearest) nearest = gap;
        if (behind >= 0 && behind < nearest) nearest = behind;
    }
    return 0.05 * (HAZARD - nearest);
}

static double conflict_cost(const Coloring *c, const Node *n, int reg, const int *color) {
    double cost = 0;
    for (int i = 0; i < n->ntogether; i++) {
        const Together *t = &n->together[i];
        int other = color[c->nodes[t->node].root];
        if (other >= 0 && (reg + t->mine) % c->banks == (other + t->word) % c->banks)
            cost += t->weight;
    }
    return cost;
}

// Number of changes between values of different widths in the register if it also holds this node.
static double change_cost(const Coloring *c, const Ranges *r, int reg, const Node *n, int word,
                          const int *color) {
    double times = 0;
    for (int i = 0; i < r->n[reg]; i++) {
        const Node *o = &c->nodes[r->node[reg][i]];
        if (o->bytes[reg - color[o->root]] != n->bytes[word])
            times += o->times < n->times ? o->times : n->times;
    }
    return times;
}

static int choose_cheap(const Coloring *c, const Ranges *r, const Node *n, uint64_t taken,
                        int limit, const int *color) {
    int best = -1;
    double least = 0;
    for (int reg = 0; reg + n->width <= limit; reg += n->width) {
        if (taken >> reg & 1) continue;
        double cost = conflict_cost(c, n, reg, color);
        for (int w = 0; w < n->width; w++) cost += hazard_cost(c, r, reg + w, n);
        for (int w = 0; c->widths && w < n->width; w++)
            cost += WIDTH_COST * change_cost(c, r, reg + w, n, w, color);
        // single words prefer incomplete pairs
        if (n->width == 1 && !(taken >> (reg ^ 1) & 1)) cost += 0.2;
        if (best >= 0 && cost >= least) continue;
        best = reg;
        least = cost;
    }
    return best;
}

static bool assign_cheap(Coloring *c, int limit, int *color) {
    const Graph *g = c->g;
    Ranges r = {.a = &c->scratch};
    for (int v = 0; v < g->ir->nvregs; v++) color[v] = -1;
    for (int i = 0; i < c->n; i++) {
        int at = c->order[i];
        const Node *n = &c->nodes[at];
        uint64_t taken = forbidden_places(g, n->root, color);
        int reg = n->width ? choose_cheap(c, &r, n, taken, limit, color)
                           : choose_place(taken, 0, ISA_PREDS);
        if (reg < 0) return false;
        color[n->root] = reg;
        for (int w = 0; w < n->width; w++)
            if (r.n[reg + w] < MANY)
                *ARENA_PUSH(r.a, r.node[reg + w], r.n[reg + w], r.cap[reg + w]) = at;
    }
    return true;
}

// ---- orders tried ----

// Returns the number of registers used, or -1 with the classes that found no place.
static int assign_places(Coloring *c, int limit, int *color, int *failed, int *nfailed) {
    const Graph *g = c->g;
    int top = 0;
    *nfailed = 0;
    for (int v = 0; v < g->ir->nvregs; v++) color[v] = -1;
    for (int i = 0; i < c->n; i++) {
        const Node *n = &c->nodes[c->order[i]];
        int r = choose_place(forbidden_places(g, n->root, color), n->width,
                             n->width ? limit : ISA_PREDS);
        color[n->root] = r;
        if (r < 0) failed[(*nfailed)++] = n->root;
        else if (n->width && r + n->width > top) top = r + n->width;
    }
    return *nfailed ? -1 : top;
}

static void take_order(Coloring *c, int which, int limit) {
    if (which == 0) order_simplify(c, limit);
    else order_program(c, which == 2);
}

// Registers that a kernel with `least` registers may use without losing a warp: a third more and
// two, or all of them for widths.
static int spread_limit(const ColorOptions *o, int least) {
    CtaNeed need = o->cta;
    need.regs = least;
    const int most = o->widths ? o->limit : least + least / 3 + 2;
    const int free_regs = occupancy_free_regs(o->cfg, need, o->limit);
    return most < free_regs ? most : free_regs;
}

bool color_graph(const Graph *g, const ColorOptions *o, int *color, int *failed, int *nfailed) {
    Coloring c = {.g = g, .banks = o->cfg->rf_banks, .widths = o->widths};
    collect_nodes(&c);
    c.order = ARENA_ARRAY(&c.scratch, int, c.n + 1);
    collect_neighbors(&c);
    number_places(&c);
    int nv = g->ir->nvregs, best = -1, other_failed;
    int *trial = ARENA_ARRAY(&c.scratch, int, nv + 1),
        *scratch = ARENA_ARRAY(&c.scratch, int, c.n + 1);
    for (int which = 0; which < 3; which++) {
        take_order(&c, which, o->limit);
        int used = assign_places(&c, o->limit, which ? trial : color, which ? scratch : failed,
                                 which ? &other_failed : nfailed);
        if (used < 0 || (best >= 0 && used >= best)) continue;
        best = used;
        if (which) memcpy(color, trial, sizeof(int) * (size_t)nv);
    }
    if (best > 0) {
        collect_together(&c);
        if (c.widths) collect_widths(&c, o->cta.threads);
        int limit = spread_limit(o, best);
        for (int which = 1; which >= 0; which--) {
            take_order(&c, which, limit);
            if (!assign_cheap(&c, limit, trial)) continue;
            memcpy(color, trial, sizeof(int) * (size_t)nv);
            break;
        }
    }
    arena_free(&c.scratch);
    return best >= 0;
}
