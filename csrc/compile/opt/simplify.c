// SPDX-License-Identifier: Apache-2.0
// One round of simplification: copies and constants propagate, rules rewrite single instructions,
// equal computations are shared.
//
// requires  SSA, cfg_analyze
//
// provides  the same values, fewer instructions; floating-point operations keep order and rounding
#include "compile/opt/simplify.h"

#include <string.h>

static void note_defs(Simplifier *s, IrInst *in, int block) {
    int defs[3], n = ir_defs(in, defs);
    for (int i = 0; i < n; i++) {
        s->def[defs[i]] = in;
        s->def_block[defs[i]] = block;
    }
}

// ---- propagation ----

static void use_value(Simplifier *s, IrSrc *src) {
    while (src->kind == ISA_SRC_REG && src->width == 0 && src->reg < s->cap &&
           s->preplaced[src->reg]) {
        IrPred p = s->pvalue[src->reg];
        if (p.reg == IR_PT) {
            *src = (IrSrc){.kind = ISA_SRC_IMM, .reg = IR_NONE, .imm = p.neg == src->neg};
            return;
        }
        src->reg = p.reg;
        src->neg ^= p.neg;
    }
    while (src->kind == ISA_SRC_REG && src->width && src->reg < s->cap &&
           s->value[src->reg].kind != ISA_SRC_NONE) {
        IrSrc v = s->value[src->reg];
        v.neg = src->neg;
        v.abs = src->abs;
        *src = v;
    }
}

static void use_pred(Simplifier *s, IrPred *p) {
    while (p->reg != IR_PT && p->reg < s->cap && s->preplaced[p->reg]) {
        IrPred v = s->pvalue[p->reg];
        *p = (IrPred){v.reg, v.neg != p->neg};
    }
}

static void propagate_values(Simplifier *s, IrInst *in) {
    for (int i = 0; i < in->nsrc; i++) use_value(s, &in->src[i]);
    for (int i = 0; i < 3; i++) use_pred(s, &in->psrc[i]);
    use_pred(s, &in->guard);
}

// ---- PHI, COPY, JOIN, SPLIT ----

static bool rule_phi(Simplifier *s, IrInst *in) {
    const IrSrc *same = NULL;
    for (int i = 0; i < in->nsrc; i++) {
        const IrSrc *a = &in->src[i];
        if (a->kind == ISA_SRC_REG && a->reg == in->dst && !a->neg) continue;
        if (same && !ir_same_src(same, a)) return false;
        same = a;
    }
    if (!same) return false;
    if (s->ir->width[in->dst]) return si_becomes(s, in, *same);
    IrPred p = same->kind == ISA_SRC_REG ? (IrPred){same->reg, same->neg}
                                         : (IrPred){IR_PT, same->imm == 0};
    si_replace_pred(s, in->dst, p);
    return true;
}

static bool rule_copy(Simplifier *s, IrInst *in) {
    IrSrc *a = &in->src[0];
    if (s->ir->width[in->dst]) {
        if (a->neg || a->abs) return false;
        return si_becomes(s, in, *a);
    }
    si_replace_pred(s, in->dst,
                    a->kind == ISA_SRC_REG ? (IrPred){a->reg, a->neg}
                                           : (IrPred){IR_PT, a->imm == 0});
    return true;
}

// All parts are consecutive words of one register, from its first to its last.
static bool join_of_splits(Simplifier *s, IrInst *in) {
    int whole = -1, at = 0;
    for (int i = 0; i < in->nsrc; i++) {
        const IrInst *d = si_def(s, &in->src[i]);
        if (!d || d->op != IR_SPLIT || d->src[0].kind != ISA_SRC_REG || d->mod.mode != at)
            return false;
        if (whole >= 0 && d->src[0].reg != whole) return false;
        whole = d->src[0].reg;
        at += in->src[i].width;
    }
    if (whole < 0 || s->ir->width[whole] != at) return false;
    return si_becomes(s, in, ir_reg(s->ir, whole));
}

static bool rule_join(Simplifier *s, IrInst *in) {
    bool imm = true, bank = true;
    uint64_t value = 0;
    int at = 0;
    for (int i = 0; i < in->nsrc; i++) {
        const IrSrc *a = &in->src[i];
        imm = imm && a->kind == ISA_SRC_IMM && at < 2;
        if (imm) value |= a->imm << (32 * at);
        bank = bank && a->kind == ISA_SRC_CONST && a->cbank == in->src[0].cbank &&
            a->imm == in->src[0].imm + 4u * (unsigned)at;
        at += a->width;
    }
    if (imm && at == 2) return si_becomes(s, in, ir_imm64(value));
    if (bank && at == 2 && in->src[0].imm % 8 == 0)
        return si_becomes(s, in, ir_const(in->src[0].cbank, in->src[0].imm, 2));
    if (join_of_splits(s, in)) return true;
    for (int i = 0; i < in->nsrc; i++) {  // a JOIN of a JOIN becomes one JOIN
        const IrInst *d = si_def(s, &in->src[i]);
        if (!d || d->op != IR_JOIN || in->nsrc + d->nsrc > 5) continue;
        IrSrc *src = ARENA_ARRAY(s->ir->arena, IrSrc, in->nsrc + d->nsrc);
        int n = 0;
        for (int k = 0; k < in->nsrc; k++) {
            if (k != i) src[n++] = in->src[k];
            else
                for (int j = 0; j < d->nsrc; j++) src[n++] = d->src[j];
        }
        in->src = src;
        in->nsrc = n;
        return s->changed = true;
    }
    return false;
}

static bool rule_split(Simplifier *s, IrInst *in) {
    IrSrc *a = &in->src[0];
    int width = s->ir->width[in->dst], mode = in->mod.mode;
    if (a->kind == ISA_SRC_IMM)
        return si_becomes(s, in,
                          width == 1 ? ir_imm((uint32_t)(mode < 2 ? a->imm >> (32 * mode) : 0))
                                     : ir_imm64(a->imm));
    if (a->kind == ISA_SRC_CONST)
        return si_becomes(s, in, ir_const(a->cbank, a->imm + 4u * (unsigned)mode, width));
    const IrInst *d = si_def(s, a);
    if (!d) return false;
    if (d->op == IR_SPLIT) {
        in->mod.mode = (uint8_t)(mode + d->mod.mode);
        *a = d->src[0];
        return s->changed = true;
    }
    if (d->op != IR_JOIN) return false;
    for (int i = 0, at = 0; i < d->nsrc; at += d->src[i].width, i++) {
        int w = d->src[i].width;
        if (mode < at || mode + width > at + w) continue;
        if (w == width) return si_becomes(s, in, d->src[i]);
        in->mod.mode = (uint8_t)(mode - at);
        *a = d->src[i];
        return s->changed = true;
    }
    // several whole parts: a JOIN of them
    IrSrc part[4];
    int n = 0;
    for (int i = 0, at = 0; i < d->nsrc; at += d->src[i].width, i++)
        if (at >= mode && at + d->src[i].width <= mode + width) part[n++] = d->src[i];
    int total = 0;
    for (int i = 0; i < n; i++) total += part[i].width;
    if (total != width) return false;
    in->op = IR_JOIN;
    in->mod.mode = 0;
    in->src = ARENA_ARRAY(s->ir->arena, IrSrc, n);
    in->nsrc = n;
    memcpy(in->src, part, sizeof(IrSrc) * (size_t)n);
    return s->changed = true;
}

static bool apply_rules(Simplifier *s, IrInst *in) {
    switch (in->op) {
    case IR_PHI: return rule_phi(s, in);
    case IR_COPY: return rule_copy(s, in);
    case IR_JOIN: return rule_join(s, in);
    case IR_SPLIT: return rule_split(s, in) || rules_wide(s, in);
    default: break;
    }
    return fold_constants(s, in) || rules_int(s, in) || rules_wide(s, in) || rules_logic(s, in) ||
        rules_pred(s, in) || rules_float(s, in) || rules_address(s, in);
}

static bool is_replaced(const Simplifier *s, const IrInst *in) {
    int defs[3], n = ir_defs(in, defs);
    if (!n || !ir_is_pure(in)) return false;
    for (int i = 0; i < n; i++) {
        bool done =
            s->ir->width[defs[i]] ? s->value[defs[i]].kind != ISA_SRC_NONE : s->preplaced[defs[i]];
        if (!done && s->uses[defs[i]]) return false;
    }
    return true;
}

static void simplify_block(Simplifier *s, int b) {
    IrBlock *k = &s->ir->blocks[b];
    s->block = b;
    s->out = NULL;
    s->nout = s->cap_out = 0;
    for (int i = 0; i < k->ninsts; i++) {
        IrInst *in = k->insts[i];
        propagate_values(s, in);
        for (int tries = 0; tries < 8 && !is_replaced(s, in) && apply_rules(s, in); tries++)
            propagate_values(s, in);
        if (!is_replaced(s, in) && ir_is_repeatable(in)) number_value(s, in);
        if (is_replaced(s, in)) continue;
        note_defs(s, in, b);
        si_put(s, in);
    }
    k->insts = s->out;
    k->ninsts = s->nout;
    k->cap_insts = s->cap_out;
}

static void collect_defs(Simplifier *s) {
    Ir *ir = s->ir;
    s->cap = ir->nvregs + 64;
    s->def = ARENA_ARRAY(s->scratch, IrInst *, s->cap);
    s->def_block = ARENA_ARRAY(s->scratch, int, s->cap);
    s->uses = ARENA_ARRAY(s->scratch, int, s->cap);
    s->value = ARENA_ARRAY(s->scratch, IrSrc, s->cap);
    s->pvalue = ARENA_ARRAY(s->scratch, IrPred, s->cap);
    s->preplaced = ARENA_ARRAY(s->scratch, bool, s->cap);
    int count = 0;
    for (int b = 0; b < ir->nblocks; b++)
        for (int i = 0; i < ir->blocks[b].ninsts; i++, count++) {
            IrInst *in = ir->blocks[b].insts[i];
            note_defs(s, in, b);
            IR_FOR_USES(in, r) s->uses[r]++;
        }
    s->nbuckets = count + 16;
    s->bucket = ARENA_ARRAY(s->scratch, int, s->nbuckets);
}

// ---- ends and branches that are decided ----

// Removes the k-th edge of b.
static void drop_edge(Ir *ir, int b, int k) {
    const int *succ = ir->blocks[b].succ, t = succ[k];
    IrBlock *to = &ir->blocks[t];
    int before = 0, at = 0;  // edges from b to one block have the order of its successors
    for (int i = 0; i < k; i++) before += succ[i] == t;
    for (; at < to->npred; at++)
        if (to->pred[at] == b && !before--) break;
    if (at == to->npred) return;
    memmove(to->pred + at, to->pred + at + 1, sizeof *to->pred * (size_t)(to->npred - 1 - at));
    to->npred--;
    for (int i = 0; i < to->ninsts && to->insts[i]->op == IR_PHI; i++) {
        IrInst *phi = to->insts[i];
        memmove(phi->src + at, phi->src + at + 1, sizeof *phi->src * (size_t)(phi->nsrc - 1 - at));
        phi->nsrc--;
    }
}

// All edges of b but the k-th (-1: all of them).
static void drop_edges(Ir *ir, int b, int k) {
    IrBlock *from = &ir->blocks[b];
    for (int i = from->nsucc - 1; i >= 0; i--)
        if (i != k) drop_edge(ir, b, i);
    if (k >= 0) from->succ[0] = from->succ[k];
    from->nsucc = k >= 0;
    from->table = NULL;
    from->ntable = 0;
}

static void find_reached(const Ir *ir, int b, bool *seen, int *work) {
    int n = 0;
    seen[b] = true;
    for (work[n++] = b; n;) {
        const IrBlock *k = &ir->blocks[work[--n]];
        for (int i = 0; i < k->nsucc; i++)
            if (!seen[k->succ[i]]) seen[work[n++] = k->succ[i]] = true;
    }
}

static bool is_end(const IrInst *in) { return in->op == ISA_EXIT || in->op == ISA_TRAP; }

// An EXIT or TRAP that all lanes execute ends its block; one that no lane executes is removed.
static bool cut_at_end(Ir *ir, int b) {
    IrBlock *k = &ir->blocks[b];
    int left = 0;
    for (int i = 0; i < k->ninsts; i++) {
        const IrPred guard = k->insts[i]->guard;
        if (!is_end(k->insts[i]) || guard.reg != IR_PT || !guard.neg)
            k->insts[left++] = k->insts[i];
    }
    k->ninsts = left;
    for (int i = 0; i < k->ninsts; i++) {
        if (!is_end(k->insts[i]) || !ir_is_terminator(k->insts[i])) continue;
        if (i == k->ninsts - 1 && !k->nsucc) return false;
        k->ninsts = i + 1;
        drop_edges(ir, b, -1);
        return true;
    }
    return false;
}

static bool decide_branch(Ir *ir, int b) {
    IrBlock *k = &ir->blocks[b];
    const int taken = cfg_decided(k);
    if (taken < 0) return false;
    k->ninsts--;
    drop_edges(ir, b, taken);
    return true;
}

// Removes decided edges, then empties the blocks that no path reaches.
bool ir_cut_decided(Ir *ir, Arena *scratch) {
    bool cut = false;
    for (int b = 0; b < ir->nblocks; b++) {
        cut |= cut_at_end(ir, b);
        cut |= decide_branch(ir, b);
    }
    if (!cut) return false;
    bool *seen = ARENA_ARRAY(scratch, bool, ir->nblocks);
    find_reached(ir, 0, seen, ARENA_ARRAY(scratch, int, ir->nblocks + 1));
    for (int b = 0; b < ir->nblocks; b++)
        if (!seen[b]) drop_edges(ir, b, -1);
    for (int b = 0; b < ir->nblocks; b++)
        if (!seen[b]) ir->blocks[b].ninsts = ir->blocks[b].npred = 0;
    cfg_analyze(ir);
    return true;
}

bool ir_simplify(Ir *ir) {
    Arena scratch = {0};
    Simplifier s = {.ir = ir, .scratch = &scratch};
    collect_defs(&s);
    for (int i = 0; i < ir->norder; i++) simplify_block(&s, ir->order[i]);
    // Sources of PHIs that later blocks define.
    for (int b = 0; b < ir->nblocks; b++)
        for (int i = 0; i < ir->blocks[b].ninsts; i++) propagate_values(&s, ir->blocks[b].insts[i]);
    const bool cut = ir_cut_decided(ir, &scratch);
    arena_free(&scratch);
    ir_remove_dead(ir);
    return s.changed || cut;
}
