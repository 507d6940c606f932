// SPDX-License-Identifier: Apache-2.0
// Interference graph over words of registers, and coalescing of copies.
//
// requires  cfg_analyze, no PHIs
//
// Two units interfere if one is written while the other is live, unless it is written as its copy.
#include "compile/alloc/alloc.h"

#include <stdlib.h>
#include <string.h>

// ---- hash set of edges ----

static uint64_t edge_key(int a, int b) {
    uint64_t x = (uint64_t)(a < b ? a : b), y = (uint64_t)(a < b ? b : a);
    return x << 32 | (y + 1);  // never 0
}
static size_t edge_slot(const Graph *g, uint64_t key) {
    size_t mask = g->table_size - 1, i = (size_t)((key * 0x9e3779b97f4a7c15ull) >> 20) & mask;
    while (g->table[i] && g->table[i] != key) i = (i + 1) & mask;
    return i;
}
static void table_grow(Graph *g) {
    uint64_t *old = g->table;
    size_t size = g->table_size;
    g->table_size = size * 2;
    g->table = ARENA_ARRAY(g->arena, uint64_t, g->table_size);
    for (size_t i = 0; i < size; i++)
        if (old[i]) g->table[edge_slot(g, old[i])] = old[i];
}

static bool has_edge(const Graph *g, int a, int b) {
    return g->table[edge_slot(g, edge_key(a, b))] != 0;
}

static void add_edge(Graph *g, int a, int b) {
    if (a == b) return;
    size_t slot = edge_slot(g, edge_key(a, b));
    if (g->table[slot]) return;
    g->table[slot] = edge_key(a, b);
    if (++g->table_used * 2 > g->table_size) table_grow(g);
    *ARENA_PUSH(g->arena, g->adj[a], g->nadj[a], g->cap_adj[a]) = b;
    *ARENA_PUSH(g->arena, g->adj[b], g->nadj[b], g->cap_adj[b]) = a;
}

// ---- union-find ----

int graph_unit(const Graph *g, int u) {
    while (g->rep[u] != u) u = g->rep[u] = g->rep[g->rep[u]];
    return u;
}

int graph_root(const Graph *g, int v, int *offset) {
    int o = 0;
    while (g->parent[v] != v) {
        o += g->offset[v];
        v = g->parent[v];
    }
    if (offset) *offset = o;
    return v;
}

// ---- building ----

typedef struct LiveSet {  // sparse set of live units
    int *dense, *where, n;
} LiveSet;
static bool live_has(const LiveSet *s, int u) {
    return s->where[u] < s->n && s->dense[s->where[u]] == u;
}
static void live_add(LiveSet *s, int u) {
    if (live_has(s, u)) return;
    s->where[u] = s->n;
    s->dense[s->n++] = u;
}
static void live_remove(LiveSet *s, int u) {
    if (!live_has(s, u)) return;
    int last = s->dense[--s->n];
    s->dense[s->where[u]] = last;
    s->where[last] = s->where[u];
}

static bool is_pred_unit(const Graph *g, int unit) { return g->ir->width[g->owner[unit]] == 0; }

// The unit that word w of the destination is a copy of, or -1.
static int copied_unit(const Graph *g, const IrInst *in, int w) {
    const Ir *ir = g->ir;
    if (in->op == IR_JOIN) {
        for (int i = 0, at = 0; i < in->nsrc; at += in->src[i].width, i++)
            if (w >= at && w < at + in->src[i].width)
                return in->src[i].kind == ISA_SRC_REG ? g->live.unit[in->src[i].reg] + w - at : -1;
        return -1;
    }
    if ((in->op != IR_COPY && in->op != IR_SPLIT) || in->src[0].kind != ISA_SRC_REG) return -1;
    if (in->src[0].neg) return -1;
    (void)ir;
    return g->live.unit[in->src[0].reg] + w + (in->op == IR_SPLIT ? in->mod.mode : 0);
}

static void build_inst(Graph *g, const IrInst *in, LiveSet *live) {
    int defs[IR_MAX_UNITS], uses[IR_MAX_UNITS];
    int nd = live_defs(&g->live, g->ir, in, defs), nu = live_uses(&g->live, g->ir, in, uses);
    for (int i = 0; i < nd; i++) {
        bool pred = is_pred_unit(g, defs[i]);
        int from = in->dst != IR_NONE && g->owner[defs[i]] == in->dst
            ? copied_unit(g, in, defs[i] - g->live.unit[in->dst])
            : -1;
        for (int k = 0; k < live->n; k++)
            if (live->dense[k] != from && is_pred_unit(g, live->dense[k]) == pred)
                add_edge(g, defs[i], live->dense[k]);
        for (int k = 0; k < i; k++)
            if (is_pred_unit(g, defs[k]) == pred) add_edge(g, defs[i], defs[k]);
        // Parts are moved one after another: no part may overwrite a part that is not moved yet.
        if (in->op == IR_JOIN || in->op == IR_SPLIT)
            for (int k = 0; k < nu; k++)
                if (uses[k] != from) add_edge(g, defs[i], uses[k]);
    }
    for (int i = 0; i < nd; i++) live_remove(live, defs[i]);
    for (int i = 0; i < nu; i++) live_add(live, uses[i]);
}

static double block_frequency(const IrBlock *b) {
    double f = 1;
    for (int i = 0; i < b->loop_depth && i < 8; i++) f *= 10;
    return f;
}

static void note_costs(Graph *g, const IrBlock *b) {
    double f = block_frequency(b);
    for (int i = 0; i < b->ninsts; i++) {
        const IrInst *in = b->insts[i];
        int defs[3], nd = ir_defs(in, defs);
        for (int d = 0; d < nd; d++) {
            g->cost[defs[d]] += f;
            g->used[defs[d]] = true;
        }
        IR_FOR_USES(in, r) {
            g->cost[r] += f;
            g->used[r] = true;
        }
    }
}

void graph_build(Graph *g, Ir *ir, Arena *scratch) {
    memset(g, 0, sizeof *g);
    g->arena = scratch;
    g->ir = ir;
    g->nvregs = ir->nvregs;
    live_compute(&g->live, ir, scratch);
    int n = g->live.nunits;
    g->parent = ARENA_ARRAY(scratch, int, ir->nvregs + 1);
    g->offset = ARENA_ARRAY(scratch, int, ir->nvregs + 1);
    g->cost = ARENA_ARRAY(scratch, double, ir->nvregs + 1);
    g->used = ARENA_ARRAY(scratch, bool, ir->nvregs + 1);
    g->rep = ARENA_ARRAY(scratch, int, n + 1);
    g->owner = ARENA_ARRAY(scratch, int, n + 1);
    g->place = ARENA_ARRAY(scratch, int, n + 1);
    g->adj = ARENA_ARRAY(scratch, int *, n + 1);
    g->nadj = ARENA_ARRAY(scratch, int, n + 1);
    g->cap_adj = ARENA_ARRAY(scratch, int, n + 1);
    g->table_size = 1024;
    g->table = ARENA_ARRAY(scratch, uint64_t, g->table_size);
    for (int v = 0; v < ir->nvregs; v++) {
        g->parent[v] = v;
        for (int w = 0; w < ir_units(ir->width[v]); w++) {
            int u = g->live.unit[v] + w;
            g->rep[u] = u;
            g->owner[u] = v;
            g->place[u] = w;
        }
    }
    LiveSet live = {ARENA_ARRAY(scratch, int, n + 1), ARENA_ARRAY(scratch, int, n + 1), 0};
    for (int b = 0; b < ir->nblocks; b++) {
        const IrBlock *k = &ir->blocks[b];
        const uint64_t *out = g->live.out + (size_t)g->live.words * (size_t)b;
        live.n = 0;
        for (int u = 0; u < n; u++) {
            if (!(u & 63) && !out[u >> 6]) {
                u += 63;
                continue;
            }
            if (bit_get(out, u)) live_add(&live, u);
        }
        for (int i = k->ninsts - 1; i >= 0; i--) build_inst(g, k->insts[i], &live);
        note_costs(g, k);
    }
}

// ---- coalescing ----

static void merge_unit(Graph *g, int from, int into) {
    g->rep[from] = into;
    for (int i = 0; i < g->nadj[from]; i++) {
        int n = graph_unit(g, g->adj[from][i]);
        if (n != into) add_edge(g, into, n);
    }
}

// Can the class of `guest` lie at word `at` of the class of `host`?
static bool class_fits(const Graph *g, int host, int guest, int at) {
    int wh = g->ir->width[host], wg = g->ir->width[guest];
    if (at < 0 || at % (wg ? wg : 1) || at + wg > wh) return false;
    for (int w = 0; w < ir_units(wg); w++)
        if (has_edge(g, graph_unit(g, g->live.unit[guest] + w),
                     graph_unit(g, g->live.unit[host] + at + w)))
            return false;
    return true;
}

static void join_classes(Graph *g, int host, int guest, int at) {
    g->parent[guest] = host;
    g->offset[guest] = at;
    g->cost[host] += g->cost[guest];
    for (int w = 0; w < ir_units(g->ir->width[guest]); w++)
        merge_unit(g, graph_unit(g, g->live.unit[guest] + w),
                   graph_unit(g, g->live.unit[host] + at + w));
}

// Tries to allocate word wa of register a and word wb of register b in the same place.
static void try_merge(Graph *g, int a, int wa, int b, int wb) {
    if ((a < g->nfixed && g->fixed[a]) || (b < g->nfixed && g->fixed[b])) return;
    int oa, ob, ra = graph_root(g, a, &oa), rb = graph_root(g, b, &ob);
    if (ra == rb) return;
    int d = oa + wa - (ob + wb);  // start of rb's class within ra's
    if (g->ir->width[ra] >= g->ir->width[rb]) {
        if (class_fits(g, ra, rb, d)) join_classes(g, ra, rb, d);
    } else if (class_fits(g, rb, ra, -d)) join_classes(g, rb, ra, -d);
}

static void coalesce_inst(Graph *g, const IrInst *in) {
    if (in->op == IR_JOIN) {
        for (int i = 0, at = 0; i < in->nsrc; at += in->src[i].width, i++)
            if (in->src[i].kind == ISA_SRC_REG) try_merge(g, in->dst, at, in->src[i].reg, 0);
        return;
    }
    if ((in->op != IR_COPY && in->op != IR_SPLIT) || in->src[0].kind != ISA_SRC_REG ||
        in->src[0].neg)
        return;
    try_merge(g, in->dst, 0, in->src[0].reg, in->op == IR_SPLIT ? in->mod.mode : 0);
}

void graph_coalesce(Graph *g) {
    Ir *ir = g->ir;
    int deepest = 0;
    for (int b = 0; b < ir->nblocks; b++)
        if (ir->blocks[b].loop_depth > deepest) deepest = ir->blocks[b].loop_depth;
    for (int depth = deepest; depth >= 0; depth--)  // inner loops first
        for (int wide = 1; wide >= 0; wide--)       // wide values first: their places are rarer
            for (int b = 0; b < ir->nblocks; b++) {
                const IrBlock *k = &ir->blocks[b];
                if (k->loop_depth != depth) continue;
                for (int i = 0; i < k->ninsts; i++) {
                    const IrInst *in = k->insts[i];
                    if (in->dst != IR_NONE && (ir->width[in->dst] > 1) == wide)
                        coalesce_inst(g, in);
                }
            }
}
