// SPDX-License-Identifier: Apache-2.0
// Short branches become predication, as GPU compilers do: fewer branches, larger blocks to
// schedule.
//
// `exits_guarded`: a branch to a block that only ends the thread becomes a guarded EXIT.
//   requires  blocks without PHIs, cfg_clean
//
// `if_convert`: the sides of a short `if` (or if-else) move into the block before it. Memory
// instructions are guarded by the branch's predicate. Arithmetic does not, because it cannot fault
// and its other results are unread. PHIs become SEL.
//   requires  SSA, no 64-bit integer operations, cfg_analyze; destroys the analysis
//
// `merge_blocks`: a block and its only successor, if that has no other predecessor, become one.
//   requires  SSA with analysis
#include "compile/ir.h"

#include <string.h>

enum { SHORT = 8, MANY_PHIS = 3 };  // instructions of one side, PHIs after the if

// ---- exits ----

static bool only_exits(const IrBlock *b) {
    return b->ninsts == 1 && b->insts[0]->op == ISA_EXIT && ir_is_terminator(b->insts[0]);
}

void exits_guarded(Ir *ir) {
    for (int b = 0; b < ir->nblocks; b++) {
        IrBlock *k = &ir->blocks[b];
        IrInst *last = k->ninsts ? k->insts[k->ninsts - 1] : NULL;
        if (!last || last->op != ISA_BRA || k->nsucc != 2) continue;
        for (int side = 0; side < 2; side++) {
            if (!only_exits(&ir->blocks[k->succ[side]])) continue;
            IrInst *exit = ir_inst(ir, ISA_EXIT, 0);
            exit->guard = (IrPred){last->guard.reg, last->guard.neg != (side == 1)};
            exit->mod.ptx_line = last->mod.ptx_line;
            k->insts[k->ninsts - 1] = exit;
            int next = k->succ[1 - side];
            ir_set_succ(ir, b, 1, &next);
            break;
        }
    }
}

// ---- if conversion ----

static int count_insts(const IrBlock *b) {
    int n = 0;
    for (int i = 0; i < b->ninsts; i++)
        n += b->insts[i]->op != IR_JOIN && b->insts[i]->op != IR_SPLIT;
    return n;
}

static bool may_be_guarded(const IrInst *in) {
    if (in->guard.reg != IR_PT || in->guard.neg || ir_is_convergent(in)) return false;
    switch (in->op) {
    case IR_PHI:
    case ISA_MEMBAR:
    case ISA_SYSCALL:
    case ISA_NANOSLEEP:
    case ISA_EXIT:
    case ISA_TRAP:
    case ISA_BRX:
    case ISA_BRA:
    case ISA_IDIV:
    case ISA_DDIV:
    case ISA_DRCP:
    case ISA_DSQRT:
    case ISA_FNS: return false;
    case ISA_S2R: return ir_is_repeatable(in);
    default: return true;
    }
}

// A side: one predecessor, one successor, few instructions that can execute without the branch.
static bool is_side(const Ir *ir, int b, int from, int *to) {
    const IrBlock *k = &ir->blocks[b];
    if (k->npred != 1 || k->pred[0] != from || k->nsucc != 1 || count_insts(k) > SHORT)
        return false;
    if (ir_terminator(k) != k->ninsts) return false;
    for (int i = 0; i < k->ninsts; i++)
        if (!may_be_guarded(k->insts[i])) return false;
    *to = k->succ[0];
    return true;
}

static bool needs_guard(const IrInst *in) {
    return in->op == ISA_LD || in->op == ISA_ST || in->op == ISA_ATOM || in->op == ISA_PREFETCH ||
        in->op == ISA_TOUCH || in->op == ISA_LDC || in->op == ISA_TEX;
}

static void move_side(Ir *ir, int side, int into, IrPred guard) {
    IrBlock *k = &ir->blocks[side];
    for (int i = 0; i < k->ninsts; i++) {
        IrInst *in = k->insts[i];
        if (needs_guard(in)) in->guard = guard;
        ir_insert(ir, into, ir->blocks[into].ninsts, in);
    }
    k->ninsts = 0;
    k->nsucc = 0;
    k->npred = 0;
}

static int pred_index(const IrBlock *b, int pred) {
    for (int p = 0; p < b->npred; p++)
        if (b->pred[p] == pred) return p;
    panic("block is not a predecessor");
}

static int count_phis(const IrBlock *b, int p, int q) {
    int n = 0;
    for (int i = 0; i < b->ninsts && b->insts[i]->op == IR_PHI; i++)
        n += !ir_same_src(&b->insts[i]->src[p], &b->insts[i]->src[q]);
    return n;
}

// value = p ? yes : no at the end of `block`.
static IrSrc select_value(Ir *ir, int block, IrPred p, IrSrc yes, IrSrc no, const IrInst *phi) {
    if (ir_same_src(&yes, &no)) return yes;
    int width = ir->width[phi->dst];
    if (width) {
        IrInst *sel = ir_append(ir, block, ISA_SEL, 2);
        sel->src[0] = yes;
        sel->src[1] = no;
        sel->psrc[0] = p;
        sel->dst = ir_vreg(ir, width);
        sel->mod.ptx_line = phi->mod.ptx_line;
        return ir_reg(ir, sel->dst);
    }
    IrInst *mux = ir_append(ir, block, ISA_PLOP3, 0);
    const IrSrc *side[2] = {&yes, &no};
    mux->psrc[0] = p;
    for (int i = 0; i < 2; i++)
        mux->psrc[i + 1] = side[i]->kind == ISA_SRC_REG ? (IrPred){side[i]->reg, side[i]->neg}
                                                        : (IrPred){IR_PT, side[i]->imm == 0};
    mux->mod.lut = 0xca;
    mux->mod.ptx_line = phi->mod.ptx_line;
    mux->pdst[0] = ir_vreg(ir, 0);
    return ir_reg(ir, mux->pdst[0]);
}

// PHIs of `join`: the sources of edges p and q are merged, on edge p from `block`.
static void merge_edges(Ir *ir, int join, int p, int q, int block, IrPred guard) {
    IrBlock *k = &ir->blocks[join];
    for (int i = 0; i < k->ninsts && k->insts[i]->op == IR_PHI; i++) {
        IrInst *phi = k->insts[i];
        phi->src[p] = select_value(ir, block, guard, phi->src[p], phi->src[q], phi);
        memmove(phi->src + q, phi->src + q + 1, sizeof(IrSrc) * (size_t)(phi->nsrc - 1 - q));
        phi->nsrc--;
    }
    k->pred[p] = block;
    memmove(k->pred + q, k->pred + q + 1, sizeof(int) * (size_t)(k->npred - 1 - q));
    k->npred--;
}

static bool convert_branch(Ir *ir, int b) {
    IrBlock *k = &ir->blocks[b];
    if (k->nsucc != 2 || !k->ninsts || k->insts[k->ninsts - 1]->op != ISA_BRA) return false;
    IrPred p = k->insts[k->ninsts - 1]->guard;
    int yes = k->succ[0], no = k->succ[1], join[2] = {-1, -1};
    bool side[2] = {is_side(ir, yes, b, &join[0]), is_side(ir, no, b, &join[1])};
    int to;
    if (side[0] && side[1] && join[0] == join[1]) to = join[0];
    else if (side[0] && join[0] == no) side[1] = false, to = no;
    else if (side[1] && join[1] == yes) side[0] = false, to = yes;
    else return false;
    if (to == b || p.reg == IR_PT) return false;
    const IrBlock *t = &ir->blocks[to];
    int from_yes = pred_index(t, side[0] ? yes : b), from_no = pred_index(t, side[1] ? no : b);
    if (count_phis(t, from_yes, from_no) > MANY_PHIS) return false;
    k->ninsts--;
    if (side[0]) move_side(ir, yes, b, p);
    if (side[1]) move_side(ir, no, b, (IrPred){p.reg, !p.neg});
    merge_edges(ir, to, from_yes, from_no, b, p);
    ir_set_succ(ir, b, 1, &to);
    return true;
}

bool if_convert(Ir *ir) {
    bool changed = false;
    for (int i = ir->norder - 1; i >= 0; i--)  // inner ones first
        if (convert_branch(ir, ir->order[i])) changed = true;
    return changed;
}

void merge_blocks(Ir *ir) {
    for (int i = 0; i < ir->norder; i++) {
        int b = ir->order[i];
        for (;;) {
            IrBlock *k = &ir->blocks[b];
            if (k->rpo < 0 || k->nsucc != 1 || ir_terminator(k) != k->ninsts) break;
            int s = k->succ[0];
            IrBlock *n = &ir->blocks[s];
            if (s == b || s == 0 || n->npred != 1 || (n->ninsts && n->insts[0]->op == IR_PHI))
                break;
            for (int q = 0; q < n->ninsts; q++)
                *ARENA_PUSH(ir->arena, k->insts, k->ninsts, k->cap_insts) = n->insts[q];
            k->succ = n->succ;
            k->nsucc = n->nsucc;
            k->table = n->table;
            k->ntable = n->ntable;
            n->ninsts = n->nsucc = n->npred = n->ntable = 0;
            n->rpo = -1;
            for (int q = 0; q < k->nsucc; q++) {
                IrBlock *t = &ir->blocks[k->succ[q]];
                for (int p = 0; p < t->npred; p++)
                    if (t->pred[p] == s) t->pred[p] = b;
            }
        }
    }
}
