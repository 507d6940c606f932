// SPDX-License-Identifier: Apache-2.0
// Control-flow graph: cleaning, predecessors, order, dominators, post-dominators, loops.
#include "compile/ir.h"

#include <stdlib.h>
#include <string.h>

// ---- order and predecessors ----

static void depth_first(Ir *ir, int block, bool *seen, int *post, int *npost) {
    // explicit stack: kernels have thousands of blocks in a row
    int *stack = ARENA_ARRAY(ir->arena, int, ir->nblocks + 1),
        *next = ARENA_ARRAY(ir->arena, int, ir->nblocks + 1);
    int depth = 0;
    stack[depth++] = block;
    seen[block] = true;
    while (depth) {
        int b = stack[depth - 1];
        const IrBlock *k = &ir->blocks[b];
        if (next[b] == k->nsucc) {
            post[(*npost)++] = b;
            depth--;
            continue;
        }
        int s = k->succ[k->nsucc - 1 - next[b]++];
        if (seen[s]) continue;
        seen[s] = true;
        stack[depth++] = s;
    }
}

static void compute_order(Ir *ir) {
    bool *seen = ARENA_ARRAY(ir->arena, bool, ir->nblocks);
    int *post = ARENA_ARRAY(ir->arena, int, ir->nblocks), npost = 0;
    depth_first(ir, 0, seen, post, &npost);
    ir->order = ARENA_ARRAY(ir->arena, int, npost);
    ir->norder = npost;
    for (int i = 0; i < ir->nblocks; i++) ir->blocks[i].rpo = -1;
    for (int i = 0; i < npost; i++) {
        ir->order[i] = post[npost - 1 - i];
        ir->blocks[ir->order[i]].rpo = i;
    }
}

// Predecessors in the order of block numbers. Blocks with phi instructions keep their list.
static void compute_preds(Ir *ir) {
    int *count = ARENA_ARRAY(ir->arena, int, ir->nblocks);
    for (int b = 0; b < ir->nblocks; b++)
        for (int s = 0; s < ir->blocks[b].nsucc; s++) count[ir->blocks[b].succ[s]]++;
    for (int b = 0; b < ir->nblocks; b++) {
        IrBlock *k = &ir->blocks[b];
        bool phis = k->ninsts && k->insts[0]->op == IR_PHI;
        panic_if(phis && k->npred != count[b],
                 "block %d has phi instructions and lost a predecessor", b);
        if (phis) {
            count[b] = -1;
            continue;
        }
        k->pred = ARENA_ARRAY(ir->arena, int, count[b]);
        k->npred = 0;
    }
    for (int b = 0; b < ir->nblocks; b++)
        for (int s = 0; s < ir->blocks[b].nsucc; s++) {
            IrBlock *to = &ir->blocks[ir->blocks[b].succ[s]];
            if (count[ir->blocks[b].succ[s]] >= 0) to->pred[to->npred++] = b;
        }
}

// ---- dominators: iterative intersection over the reverse postorder ----

static int common_dominator(const Ir *ir, int a, int b) {
    while (a != b) {
        while (ir->blocks[a].rpo > ir->blocks[b].rpo) a = ir->blocks[a].idom;
        while (ir->blocks[b].rpo > ir->blocks[a].rpo) b = ir->blocks[b].idom;
    }
    return a;
}

static void number_tree(Ir *ir) {
    // children lists, then preorder intervals without recursion
    int n = ir->nblocks, *first = ARENA_ARRAY(ir->arena, int, n),
        *sibling = ARENA_ARRAY(ir->arena, int, n);
    int *stack = ARENA_ARRAY(ir->arena, int, n + 1), depth = 0, clock = 0;
    for (int i = 0; i < n; i++) first[i] = sibling[i] = -1;
    for (int i = ir->norder - 1; i > 0; i--) {
        int b = ir->order[i], d = ir->blocks[b].idom;
        sibling[b] = first[d];
        first[d] = b;
    }
    stack[depth++] = 0;
    ir->blocks[0].dom_in = clock++;
    while (depth) {
        int b = stack[depth - 1], c = first[b];
        if (c < 0) {
            ir->blocks[b].dom_out = clock++;
            depth--;
            continue;
        }
        first[b] = sibling[c];
        ir->blocks[c].dom_in = clock++;
        stack[depth++] = c;
    }
}

static void compute_dominators(Ir *ir) {
    for (int i = 0; i < ir->nblocks; i++) ir->blocks[i].idom = -1;
    ir->blocks[0].idom = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 1; i < ir->norder; i++) {
            IrBlock *b = &ir->blocks[ir->order[i]];
            int d = -1;
            for (int p = 0; p < b->npred; p++) {
                int q = b->pred[p];
                if (ir->blocks[q].rpo < 0 || ir->blocks[q].idom < 0) continue;
                d = d < 0 ? q : common_dominator(ir, d, q);
            }
            if (d != b->idom) {
                b->idom = d;
                changed = true;
            }
        }
    }
    number_tree(ir);
    ir->blocks[0].idom = -1;
}

bool cfg_dominates(const Ir *ir, int a, int b) {
    return ir->blocks[a].dom_in <= ir->blocks[b].dom_in &&
        ir->blocks[b].dom_out <= ir->blocks[a].dom_out;
}

// ---- post-dominators: the same on the reversed graph; node nblocks is the exit ----

typedef struct Reverse {
    const Ir *ir;
    int *number;  // reverse postorder of the reversed graph, -1: not reached yet
    int *order, n;
    int *ipdom;
    bool *to_exit;  // leaves the kernel, or represents a loop without an exit
} Reverse;

static void reverse_visit(Reverse *r, int root, bool *seen, int *post, int *npost) {
    const Ir *ir = r->ir;
    int *stack = ARENA_ARRAY(ir->arena, int, ir->nblocks + 1),
        *next = ARENA_ARRAY(ir->arena, int, ir->nblocks + 1);
    int depth = 0;
    seen[root] = true;
    stack[depth++] = root;
    while (depth) {
        int b = stack[depth - 1];
        const IrBlock *k = &ir->blocks[b];
        if (next[b] == k->npred) {
            post[(*npost)++] = b;
            depth--;
            continue;
        }
        int p = k->pred[next[b]++];
        if (seen[p] || ir->blocks[p].rpo < 0) continue;
        seen[p] = true;
        stack[depth++] = p;
    }
}

static int common_post_dominator(const Reverse *r, int a, int b) {
    while (a != b) {
        while (r->number[a] > r->number[b]) a = r->ipdom[a];
        while (r->number[b] > r->number[a]) b = r->ipdom[b];
    }
    return a;
}

static void compute_post_dominators(Ir *ir) {
    int n = ir->nblocks, exit = n, npost = 0;
    Reverse r = {ir, ARENA_ARRAY(ir->arena, int, n + 1), ARENA_ARRAY(ir->arena, int, n + 1),
                 0,  ARENA_ARRAY(ir->arena, int, n + 1), ARENA_ARRAY(ir->arena, bool, n)};
    bool *seen = ARENA_ARRAY(ir->arena, bool, n);
    int *post = ARENA_ARRAY(ir->arena, int, n + 1);
    for (int i = ir->norder - 1; i >= 0; i--) {
        int b = ir->order[i];
        if (ir->blocks[b].nsucc || seen[b]) continue;
        r.to_exit[b] = true;
        reverse_visit(&r, b, seen, post, &npost);
    }
    for (int i = ir->norder - 1; i >= 0; i--) {  // loops that never end
        int b = ir->order[i];
        if (seen[b]) continue;
        r.to_exit[b] = true;
        reverse_visit(&r, b, seen, post, &npost);
    }
    post[npost++] = exit;
    for (int i = 0; i < npost; i++) r.number[post[i]] = npost - 1 - i;
    for (int i = 0; i <= n; i++) r.ipdom[i] = -1;
    r.ipdom[exit] = exit;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = npost - 2; i >= 0; i--) {
            int b = post[i], d = r.to_exit[b] ? exit : -1;
            for (int s = 0; s < ir->blocks[b].nsucc; s++) {
                int q = ir->blocks[b].succ[s];
                if (r.ipdom[q] >= 0) d = d < 0 ? q : common_post_dominator(&r, d, q);
            }
            if (d != r.ipdom[b]) {
                r.ipdom[b] = d;
                changed = true;
            }
        }
    }
    for (int b = 0; b < n; b++) ir->blocks[b].ipdom = r.ipdom[b] == exit ? -1 : r.ipdom[b];
}

bool cfg_depends(const Ir *ir, int b, int branch) {
    const IrBlock *k = &ir->blocks[branch];
    for (int s = 0; s < k->nsucc && k->nsucc > 1; s++)
        for (int r = k->succ[s]; r >= 0 && r != k->ipdom; r = ir->blocks[r].ipdom)
            if (r == b) return true;
    return false;
}

// ---- loops ----

static void compute_loops(Ir *ir) {
    bool *in_loop = ARENA_ARRAY(ir->arena, bool, ir->nblocks);
    int *work = ARENA_ARRAY(ir->arena, int, ir->nblocks + 1);
    for (int i = 0; i < ir->nblocks; i++) ir->blocks[i].loop_depth = 0;
    for (int h = 0; h < ir->nblocks; h++) {
        int nwork = 0;
        memset(in_loop, 0, sizeof(bool) * (size_t)ir->nblocks);
        const IrBlock *head = &ir->blocks[h];
        for (int p = 0; p < head->npred; p++) {
            int q = head->pred[p];
            if (ir->blocks[q].rpo < 0 || !cfg_dominates(ir, h, q) || in_loop[q]) continue;
            in_loop[q] = true;
            if (q != h) work[nwork++] = q;
        }
        if (!nwork && !in_loop[h]) continue;
        in_loop[h] = true;
        while (nwork) {
            const IrBlock *b = &ir->blocks[work[--nwork]];
            for (int p = 0; p < b->npred; p++)
                if (!in_loop[b->pred[p]] && ir->blocks[b->pred[p]].rpo >= 0) {
                    in_loop[b->pred[p]] = true;
                    work[nwork++] = b->pred[p];
                }
        }
        for (int b = 0; b < ir->nblocks; b++) ir->blocks[b].loop_depth += in_loop[b];
    }
}

void cfg_analyze(Ir *ir) {
    compute_order(ir);
    compute_preds(ir);
    compute_dominators(ir);
    compute_post_dominators(ir);
    compute_loops(ir);
}

// ---- cleaning (no phi instructions) ----

// The block that control reaches through empty blocks.
static int through_empty(const Ir *ir, int b) {
    for (int steps = 0; steps < ir->nblocks; steps++) {
        const IrBlock *k = &ir->blocks[b];
        if (k->ninsts || k->nsucc != 1 || k->succ[0] == b) break;
        b = k->succ[0];
    }
    return b;
}

int cfg_decided(const IrBlock *k) {
    const IrInst *end = k->ninsts ? k->insts[k->ninsts - 1] : NULL;
    if (!end || (end->op != ISA_BRA && end->op != ISA_BRX) || end->guard.reg != IR_PT) return -1;
    if (end->op == ISA_BRA) return k->nsucc == 2 ? end->guard.neg : -1;
    if (k->nsucc == 1) return 0;
    const IrSrc *index = &end->src[0];
    return index->kind == ISA_SRC_IMM && index->imm < (uint64_t)k->ntable ? k->table[index->imm]
                                                                          : -1;
}

static void decide_branch(IrBlock *k) {
    const int taken = cfg_decided(k);
    if (taken < 0) return;
    k->ninsts--;
    k->succ[0] = k->succ[taken];
    k->nsucc = 1;
    k->table = NULL;
    k->ntable = 0;
}

static void thread_edges(Ir *ir) {
    for (int b = 0; b < ir->nblocks; b++) {
        IrBlock *k = &ir->blocks[b];
        decide_branch(k);
        for (int s = 0; s < k->nsucc; s++) k->succ[s] = through_empty(ir, k->succ[s]);
        bool same = k->nsucc == 2 && k->succ[0] == k->succ[1];
        // both branches lead to the same block
        if (same && k->insts[k->ninsts - 1]->op == ISA_BRA) {
            k->ninsts--;
            k->nsucc = 1;
        }
        // a table with equal entries: keep successors distinct
        for (int s = 0; k->table && s < k->nsucc; s++)
            for (int t = s + 1; t < k->nsucc; t++) {
                if (k->succ[t] != k->succ[s]) continue;
                for (int i = 0; i < k->ntable; i++) {
                    if (k->table[i] == t) k->table[i] = s;
                    else if (k->table[i] > t) k->table[i]--;
                }
                memmove(k->succ + t, k->succ + t + 1, sizeof(int) * (size_t)(k->nsucc - 1 - t));
                k->nsucc--;
                t--;
            }
    }
}

static void merge_chains(Ir *ir) {
    compute_order(ir);
    compute_preds(ir);
    for (int i = 0; i < ir->norder; i++) {
        int b = ir->order[i];
        for (;;) {
            IrBlock *k = &ir->blocks[b];
            if (k->nsucc != 1 || ir_terminator(k) != k->ninsts) break;
            int s = k->succ[0];
            IrBlock *n = &ir->blocks[s];
            int real = 0;
            for (int p = 0; p < n->npred; p++) real += ir->blocks[n->pred[p]].rpo >= 0;
            if (real != 1 || s == b || s == 0) break;
            for (int q = 0; q < n->ninsts; q++)
                *ARENA_PUSH(ir->arena, k->insts, k->ninsts, k->cap_insts) = n->insts[q];
            k->succ = n->succ;
            k->nsucc = n->nsucc;
            k->table = n->table;
            k->ntable = n->ntable;
            n->ninsts = n->nsucc = 0;
            n->rpo = -1;
            for (int q = 0; q < k->nsucc; q++) {  // the successors' predecessor is b now
                IrBlock *t = &ir->blocks[k->succ[q]];
                for (int p = 0; p < t->npred; p++)
                    if (t->pred[p] == s) t->pred[p] = b;
            }
        }
    }
}

typedef struct Place {
    int seq, block;
} Place;
static int by_sequence(const void *x, const void *y) {
    const Place *a = x, *b = y;
    return a->seq != b->seq ? (a->seq < b->seq ? -1 : 1)
                            : (a->block > b->block) - (a->block < b->block);
}

// Drops unreachable blocks and sorts the others by the text.
static void compact_blocks(Ir *ir) {
    compute_order(ir);
    int n = 0, *to = ARENA_ARRAY(ir->arena, int, ir->nblocks);
    Place *keep = ARENA_ARRAY(ir->arena, Place, ir->nblocks);
    for (int b = 0; b < ir->nblocks; b++)
        if (ir->blocks[b].rpo >= 0) keep[n++] = (Place){b ? ir->blocks[b].seq : -1, b};
    qsort(keep, (size_t)n, sizeof *keep, by_sequence);
    IrBlock *blocks = ARENA_ARRAY(ir->arena, IrBlock, n);
    for (int i = 0; i < n; i++) {
        blocks[i] = ir->blocks[keep[i].block];
        to[keep[i].block] = i;
    }
    for (int i = 0; i < n; i++)
        for (int s = 0; s < blocks[i].nsucc; s++) blocks[i].succ[s] = to[blocks[i].succ[s]];
    ir->blocks = blocks;
    ir->nblocks = ir->cap_blocks = n;
}

void cfg_clean(Ir *ir) {
    thread_edges(ir);
    compact_blocks(ir);
    merge_chains(ir);
    compact_blocks(ir);
}

void cfg_split_edges(Ir *ir) {
    int n = ir->nblocks;
    for (int b = 0; b < n; b++) {
        if (ir->blocks[b].nsucc < 2) continue;
        for (int s = 0; s < ir->blocks[b].nsucc; s++) {
            int to = ir->blocks[b].succ[s];
            if (ir->blocks[to].npred < 2) continue;
            int e = ir_block(ir);
            ir_set_succ(ir, e, 1, &to);
            ir->blocks[e].seq = ir->blocks[b].seq;
            ir->blocks[e].loop_depth = ir->blocks[b].loop_depth < ir->blocks[to].loop_depth
                ? ir->blocks[b].loop_depth
                : ir->blocks[to].loop_depth;
            ir->blocks[b].succ[s] = e;
            ir->blocks[e].pred = ARENA_ARRAY(ir->arena, int, 1);
            ir->blocks[e].pred[0] = b;
            ir->blocks[e].npred = 1;
            IrBlock *t = &ir->blocks[to];
            for (int p = 0; p < t->npred; p++)
                if (t->pred[p] == b) {
                    t->pred[p] = e;
                    break;
                }
        }
    }
}
