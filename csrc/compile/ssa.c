// SPDX-License-Identifier: Apache-2.0
// Static single assignment form.
//
// requires  cfg_clean
//
// provides  one definition per register, before all its uses; PHIs only where the value is live
//
// A register that is read before any write reads zero (PTX leaves its value undefined).
#include "compile/ir.h"

#include <string.h>

typedef struct Builder {
    Ir *ir;
    Live live;
    int nold;      // registers before construction
    int *ndefs;    // per old register
    int *current;  // per old register: its current name, IR_NONE: undefined
    int **front;   // dominance frontier
    int *nfront, *cap_front;
    struct {
        int reg, old;
    } * undo;
    int nundo, cap_undo;
} Builder;

static void compute_frontiers(Builder *b) {
    Ir *ir = b->ir;
    b->front = ARENA_ARRAY(ir->arena, int *, ir->nblocks);
    b->nfront = ARENA_ARRAY(ir->arena, int, ir->nblocks);
    b->cap_front = ARENA_ARRAY(ir->arena, int, ir->nblocks);
    for (int i = 0; i < ir->nblocks; i++) {
        const IrBlock *k = &ir->blocks[i];
        if (k->npred < 2 && !(i == 0 && k->npred)) continue;
        for (int p = 0; p < k->npred; p++)
            for (int r = k->pred[p]; r >= 0 && r != k->idom; r = ir->blocks[r].idom) {
                int n = b->nfront[r];
                if (n && b->front[r][n - 1] == i) continue;
                *ARENA_PUSH(ir->arena, b->front[r], b->nfront[r], b->cap_front[r]) = i;
            }
    }
}

static bool is_live_in(const Builder *b, int block, int reg) {
    const uint64_t *set = b->live.in + (size_t)b->live.words * (size_t)block;
    for (int w = 0; w < ir_units(b->ir->width[reg]); w++)
        if (bit_get(set, b->live.unit[reg] + w)) return true;
    return false;
}

static void add_phi(Builder *b, int block, int reg) {
    Ir *ir = b->ir;
    IrInst *phi = ir_inst(ir, IR_PHI, ir->blocks[block].npred);
    phi->dst = reg;
    phi->id = reg;  // the register before renaming
    for (int p = 0; p < phi->nsrc; p++) phi->src[p] = ir_reg(ir, reg);
    ir_insert(ir, block, 0, phi);
}

// Places PHIs for one register at the iterated frontier of its definitions.
static void place_phis(Builder *b, int reg, const int *defs, int ndefs, int *has, int *work) {
    int n = 0;
    for (int i = 0; i < ndefs; i++) work[n++] = defs[i];
    while (n) {
        int x = work[--n];
        for (int i = 0; i < b->nfront[x]; i++) {
            int y = b->front[x][i];
            if (has[y] == reg + 1 || !is_live_in(b, y, reg)) continue;
            has[y] = reg + 1;
            add_phi(b, y, reg);
            work[n++] = y;
        }
    }
}

static void insert_phis(Builder *b) {
    Ir *ir = b->ir;
    int **defs = ARENA_ARRAY(ir->arena, int *, ir->nvregs),
        *cap = ARENA_ARRAY(ir->arena, int, ir->nvregs);
    for (int k = 0; k < ir->nblocks; k++)
        for (int i = 0; i < ir->blocks[k].ninsts; i++) {
            int d[3], nd = ir_defs(ir->blocks[k].insts[i], d);
            for (int j = 0; j < nd; j++)
                *ARENA_PUSH(ir->arena, defs[d[j]], b->ndefs[d[j]], cap[d[j]]) = k;
        }
    int *has = ARENA_ARRAY(ir->arena, int, ir->nblocks);
    int nregs = ir->nvregs;
    for (int r = 0; r < nregs; r++) {
        if (b->ndefs[r] == 0 || (b->ndefs[r] == 1 && !is_live_in(b, 0, r))) continue;
        int *work = ARENA_ARRAY(ir->arena, int, b->ndefs[r] + ir->nblocks + 1);
        place_phis(b, r, defs[r], b->ndefs[r], has, work);
    }
}

static void define_reg(Builder *b, int *reg) {
    int old = *reg, fresh = ir_vreg(b->ir, b->ir->width[old]);
    *ARENA_PUSH(b->ir->arena, b->undo, b->nundo, b->cap_undo) =
        (__typeof__(*b->undo)){old, b->current[old]};
    b->current[old] = fresh;
    *reg = fresh;
}

static void rename_src(Builder *b, IrSrc *s) {
    if (s->kind != ISA_SRC_REG || s->reg >= b->nold) return;
    int now = b->current[s->reg];
    if (now != IR_NONE) {
        s->reg = now;
        return;
    }
    bool set = s->width == 0 && s->neg;  // the complement of an undefined predicate
    *s = (IrSrc){.kind = ISA_SRC_IMM, .width = s->width, .imm = set, .reg = IR_NONE};
}

static void rename_pred(Builder *b, IrPred *p) {
    if (p->reg == IR_PT || p->reg >= b->nold) return;
    int now = b->current[p->reg];
    if (now != IR_NONE) p->reg = now;
    else *p = (IrPred){IR_PT, !p->neg};
}

static void rename_block(Builder *b, int block) {
    Ir *ir = b->ir;
    IrBlock *k = &ir->blocks[block];
    for (int i = 0; i < k->ninsts; i++) {
        IrInst *in = k->insts[i];
        if (in->op != IR_PHI) {
            for (int s = 0; s < in->nsrc; s++) rename_src(b, &in->src[s]);
            for (int s = 0; s < 3; s++) rename_pred(b, &in->psrc[s]);
            rename_pred(b, &in->guard);
        }
        if (in->dst != IR_NONE) define_reg(b, &in->dst);
        for (int s = 0; s < 2; s++)
            if (in->pdst[s] != IR_NONE) define_reg(b, &in->pdst[s]);
    }
    for (int s = 0; s < k->nsucc; s++) {
        IrBlock *t = &ir->blocks[k->succ[s]];
        for (int i = 0; i < t->ninsts && t->insts[i]->op == IR_PHI; i++)
            for (int p = 0; p < t->npred; p++)
                if (t->pred[p] == block) {
                    t->insts[i]->src[p].reg = t->insts[i]->id;
                    rename_src(b, &t->insts[i]->src[p]);
                }
    }
}

// Walks the dominator tree; names defined in a subtree end with it.
static void rename_all(Builder *b) {
    Ir *ir = b->ir;
    int n = ir->nblocks, depth = 0;
    int *first = ARENA_ARRAY(ir->arena, int, n), *sibling = ARENA_ARRAY(ir->arena, int, n);
    int *stack = ARENA_ARRAY(ir->arena, int, n + 1), *mark = ARENA_ARRAY(ir->arena, int, n + 1);
    for (int i = 0; i < n; i++) first[i] = sibling[i] = -1;
    for (int i = ir->norder - 1; i > 0; i--) {
        int x = ir->order[i], d = ir->blocks[x].idom;
        sibling[x] = first[d];
        first[d] = x;
    }
    stack[depth++] = 0;
    rename_block(b, 0);
    while (depth) {
        int x = stack[depth - 1], c = first[x];
        if (c >= 0) {
            first[x] = sibling[c];
            mark[depth] = b->nundo;
            stack[depth++] = c;
            rename_block(b, c);
            continue;
        }
        depth--;
        while (b->nundo > (depth ? mark[depth] : 0)) {
            b->nundo--;
            b->current[b->undo[b->nundo].reg] = b->undo[b->nundo].old;
        }
    }
}

void ssa_build(Ir *ir) {
    Builder b = {.ir = ir, .nold = ir->nvregs};
    Arena scratch = {0};
    // a loop to the first instruction: the entry requires a separate block
    if (ir->blocks[0].npred) {
        IrBlock *first = &ir->blocks[0];
        int body = ir_block(ir);
        first = &ir->blocks[0];
        ir->blocks[body] = *first;
        *first = (IrBlock){.seq = -1};
        for (int k = 0; k < ir->nblocks; k++)
            for (int s = 0; s < ir->blocks[k].nsucc; s++)
                if (ir->blocks[k].succ[s] == 0) ir->blocks[k].succ[s] = body;
        ir_set_succ(ir, 0, 1, &body);
        cfg_analyze(ir);
    }
    live_compute(&b.live, ir, &scratch);
    b.ndefs = ARENA_ARRAY(ir->arena, int, ir->nvregs);
    b.current = ARENA_ARRAY(ir->arena, int, ir->nvregs);
    for (int i = 0; i < ir->nvregs; i++) b.current[i] = IR_NONE;
    compute_frontiers(&b);
    insert_phis(&b);
    rename_all(&b);
    ir_cut_decided(ir, &scratch);  // a guard that is never defined is a constant now
    arena_free(&scratch);
}
