// SPDX-License-Identifier: Apache-2.0
// Immediate post-dominators of a function's branches. Iterative intersection on the reversed flow
// graph (Cooper, Harvey, Kennedy: "A Simple, Fast Dominance Algorithm"), on basic blocks.
#include "oracle/interp.h"

#include <stdlib.h>
#include <string.h>

typedef struct Graph {
    int nblocks;          // + 1: the exit node has number nblocks
    int *block_of;        // by instruction
    int *first, *last;    // by block: instructions
    int *succ_at, *succ;  // by block: start in succ; succ_at[nblocks] is the end
    int *pred_at, *pred;  // of the blocks and the exit node
    int *order;           // post-order number on the reversed graph, -1: cannot reach the exit
    int *sequence;        // blocks by that number
    int *ipdom;
} Graph;

static bool ends_block(const PtxInst *in) {
    return in->op == PTX_BRA || in->op == PTX_BRX_IDX || in->op == PTX_RET || in->op == PTX_EXIT ||
        in->op == PTX_TRAP;
}

static bool is_exit(const PtxInst *in) {
    return in->op == PTX_RET || in->op == PTX_EXIT || in->op == PTX_TRAP;
}

static int target_of(const PtxFunc *f, const PtxInst *in, int k) {
    return f->labels[in->op == PTX_BRA ? in->opnd[0].index : in->targets[k]].inst;
}

static int targets_of(const PtxInst *in) {
    return in->op == PTX_BRA ? 1 : in->op == PTX_BRX_IDX ? in->ntargets : 0;
}

static void split_blocks(Graph *g, const PtxFunc *f) {
    bool *leader = calloc((size_t)f->ninsts + 1, 1);
    panic_if(!leader, "out of memory");
    leader[0] = true;
    for (int i = 0; i < f->ninsts; i++) {
        const PtxInst *in = &f->insts[i];
        for (int k = 0; k < targets_of(in); k++) leader[target_of(f, in, k)] = true;
        if (ends_block(in)) leader[i + 1] = true;
    }
    for (int i = 0; i < f->ninsts; i++) {
        if (leader[i]) g->first[g->nblocks++] = i;
        g->block_of[i] = g->nblocks - 1;
        g->last[g->nblocks - 1] = i;
    }
    free(leader);
}

// Successors of block b into out (NULL: only count).
static int list_successors(const Graph *g, const PtxFunc *f, int b, int *out) {
    const PtxInst *in = &f->insts[g->last[b]];
    int n = 0, next = g->last[b] + 1, exit = g->nblocks;
    for (int k = 0; k < targets_of(in); k++) {
        int t = target_of(f, in, k), to = t < f->ninsts ? g->block_of[t] : exit;
        if (out) out[n] = to;
        n++;
    }
    if (is_exit(in)) {
        if (out) out[n] = exit;
        n++;
    }
    bool falls = in->guard >= 0 || !ends_block(in);
    if (falls) {
        if (out) out[n] = next < f->ninsts ? g->block_of[next] : exit;
        n++;
    }
    return n;
}

static void build_edges(Graph *g, const PtxFunc *f) {
    int edges = 0;
    for (int b = 0; b < g->nblocks; b++) edges += list_successors(g, f, b, NULL);
    g->succ = calloc((size_t)edges + 1, sizeof(int));
    g->pred = calloc((size_t)edges + 1, sizeof(int));
    panic_if(!g->succ || !g->pred, "out of memory");
    int at = 0;
    for (int b = 0; b < g->nblocks; b++) {
        g->succ_at[b] = at;
        at += list_successors(g, f, b, g->succ + at);
    }
    g->succ_at[g->nblocks] = at;
    for (int e = 0; e < at; e++) g->pred_at[g->succ[e] + 1]++;
    for (int b = 0; b <= g->nblocks; b++) g->pred_at[b + 1] += g->pred_at[b];
    int *fill = calloc((size_t)g->nblocks + 1, sizeof(int));
    panic_if(!fill, "out of memory");
    for (int b = 0; b < g->nblocks; b++)
        for (int e = g->succ_at[b]; e < g->succ_at[b + 1]; e++)
            g->pred[g->pred_at[g->succ[e]] + fill[g->succ[e]]++] = b;
    free(fill);
}

// Depth-first search from the exit against the flow.
static int number_blocks(Graph *g) {
    int exit = g->nblocks, n = 0, depth = 0;
    int *stack = calloc((size_t)exit + 1, sizeof(int)),
        *next = calloc((size_t)exit + 1, sizeof(int));
    panic_if(!stack || !next, "out of memory");
    for (int b = 0; b <= exit; b++) {
        g->order[b] = -1;
        next[b] = g->pred_at[b];
    }
    bool *seen = calloc((size_t)exit + 1, 1);
    panic_if(!seen, "out of memory");
    stack[depth++] = exit;
    seen[exit] = true;
    while (depth) {
        int b = stack[depth - 1];
        if (next[b] < g->pred_at[b + 1]) {
            int p = g->pred[next[b]++];
            if (!seen[p]) {
                seen[p] = true;
                stack[depth++] = p;
            }
            continue;
        }
        depth--;
        g->order[b] = n;
        g->sequence[n++] = b;
    }
    free(stack);
    free(next);
    free(seen);
    return n;
}

static int meet_blocks(const Graph *g, int a, int b) {
    while (a != b) {
        while (g->order[a] < g->order[b]) a = g->ipdom[a];
        while (g->order[b] < g->order[a]) b = g->ipdom[b];
    }
    return a;
}

static void solve_graph(Graph *g) {
    int exit = g->nblocks, n = number_blocks(g);
    for (int b = 0; b <= exit; b++) g->ipdom[b] = -1;
    g->ipdom[exit] = exit;
    for (bool changed = true; changed;) {
        changed = false;
        for (int k = n - 2; k >= 0; k--) {  // the exit has the highest number
            int b = g->sequence[k], with = -1;
            for (int e = g->succ_at[b]; e < g->succ_at[b + 1]; e++) {
                int s = g->succ[e];
                if (g->order[s] < 0 || g->ipdom[s] < 0) continue;
                with = with < 0 ? s : meet_blocks(g, with, s);
            }
            if (with != g->ipdom[b]) {
                g->ipdom[b] = with;
                changed = true;
            }
        }
    }
}

bool o_postdominators(OFunc *of, Diag *d) {
    const PtxFunc *f = of->f;
    size_t n = (size_t)f->ninsts + 3;
    Graph g = {0};
    int **arrays[] = {&g.block_of, &g.first, &g.last,     &g.succ_at,
                      &g.pred_at,  &g.order, &g.sequence, &g.ipdom};
    const size_t count = sizeof arrays / sizeof *arrays;
    int *memory = calloc(n * count, sizeof(int));
    if (!memory) return diag_fail(d, EXIT_ENVIRONMENT, "out of memory");
    for (size_t i = 0; i < count; i++) *arrays[i] = memory + i * n;
    split_blocks(&g, f);
    build_edges(&g, f);
    solve_graph(&g);
    for (int i = 0; i < f->ninsts; i++) {
        PtxOp op = f->insts[i].op;
        of->insts[i].reconv = -1;
        if (op != PTX_BRA && op != PTX_BRX_IDX) continue;
        int p = g.ipdom[g.block_of[i]];
        if (p >= 0 && p < g.nblocks) of->insts[i].reconv = g.first[p];
    }
    free(memory);
    free(g.succ);
    free(g.pred);
    return true;
}
