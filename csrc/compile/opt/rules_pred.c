// SPDX-License-Identifier: Apache-2.0
// Simplification of comparisons, predicate logic and selection.
#include "compile/opt/simplify.h"

#include <string.h>

static bool is_known(IrPred p) { return p.reg == IR_PT; }

static bool same_pred(IrPred a, IrPred b) { return a.reg == b.reg && a.neg == b.neg; }

// ---- PLOP3 ----

static int fix_input(int lut, int i, bool v) {
    int r = 0, bit = 4 >> i;
    for (int k = 0; k < 8; k++)
        if (lut >> (v ? k | bit : k & ~bit) & 1) r |= 1 << k;
    return r;
}

static int flip_input(int lut, int i) {
    int r = 0, bit = 4 >> i;
    for (int k = 0; k < 8; k++)
        if (lut >> (k ^ bit) & 1) r |= 1 << k;
    return r;
}

static const IrInst *pred_def(const Simplifier *s, IrPred p) {
    return p.reg == IR_PT || p.reg >= s->cap ? NULL : s->def[p.reg];
}

// and/or/xor of a comparison made just for it: the comparison does it itself.
static bool merge_compare(Simplifier *s, IrInst *in) {
    int lut = in->mod.lut;
    IsaBool op = lut == ISA_LUT_AND ? ISA_AND : lut == ISA_LUT_OR ? ISA_OR : ISA_XOR;
    if ((lut != ISA_LUT_AND && lut != ISA_LUT_OR && lut != ISA_LUT_XOR) || in->pdst[1] != IR_NONE)
        return false;
    for (int i = 0; i < 2; i++) {
        IrPred p = in->psrc[i], other = in->psrc[1 - i];
        const IrInst *d = pred_def(s, p);
        if (!d || p.neg || s->uses[p.reg] != 1 || s->def_block[p.reg] != s->block ||
            is_known(other))
            continue;
        bool setp =
            d->op == ISA_ISETP || d->op == ISA_FSETP || d->op == ISA_DSETP || d->op == IR_SETP64;
        if (!setp || d->pdst[0] != p.reg || d->pdst[1] != IR_NONE) continue;
        if (d->mod.boolop != ISA_AND || !is_known(d->psrc[0]) || d->psrc[0].neg) continue;
        int dst = in->pdst[0], line = in->mod.ptx_line;
        in->op = d->op;
        in->mod = d->mod;
        in->mod.ptx_line = line;
        in->mod.boolop = op;
        in->nsrc = d->nsrc;
        in->src = ARENA_ARRAY(s->ir->arena, IrSrc, d->nsrc);
        memcpy(in->src, d->src, sizeof(IrSrc) * (size_t)d->nsrc);
        in->psrc[0] = other;
        in->psrc[1] = d->psrc[1];
        in->psrc[2] = d->psrc[2];
        in->pdst[0] = dst;
        return s->changed = true;
    }
    return false;
}

static bool rule_plop3(Simplifier *s, IrInst *in) {
    int lut = in->mod.lut;
    if (in->pdst[1] != IR_NONE) return false;
    for (int i = 0; i < 3; i++) {
        if (is_known(in->psrc[i])) lut = fix_input(lut, i, !in->psrc[i].neg);
        else if (in->psrc[i].neg) {
            lut = flip_input(lut, i);
            in->psrc[i].neg = false;
            s->changed = true;
        }
        if (fix_input(lut, i, false) == fix_input(lut, i, true) && !is_known(in->psrc[i])) {
            in->psrc[i] = (IrPred){IR_PT, false};
            s->changed = true;
        }
    }
    if (in->psrc[0].reg == in->psrc[1].reg && !is_known(in->psrc[0])) {
        int r = 0;  // both inputs are the same bit
        for (int k = 0; k < 8; k++) {
            int from = k & 4 ? k | 2 : k & ~2;
            if (lut >> from & 1) r |= 1 << k;
        }
        lut = r;
        in->psrc[1] = (IrPred){IR_PT, false};
        s->changed = true;
    }
    in->mod.lut = (uint8_t)lut;
    if (lut == 0 || lut == 0xff) {
        si_replace_pred(s, in->pdst[0], (IrPred){IR_PT, lut == 0});
        return true;
    }
    static const int input_table[3] = {ISA_LUT_A, ISA_LUT_B, ISA_LUT_C};
    for (int i = 0; i < 3; i++)
        if (lut == input_table[i] || lut == (0xff & ~input_table[i])) {
            si_replace_pred(s, in->pdst[0], (IrPred){in->psrc[i].reg, lut != input_table[i]});
            return true;
        }
    // negated inputs again, so that comparisons can be merged: a & !b ...
    for (int i = 0; i < 2; i++) {
        int f = flip_input(lut, i);
        if (f != ISA_LUT_AND && f != ISA_LUT_OR) continue;
        in->mod.lut = (uint8_t)f;
        in->psrc[i].neg = true;
        break;
    }
    int both = flip_input(flip_input(lut, 0), 1);
    if (lut != ISA_LUT_AND && lut != ISA_LUT_OR && (both == ISA_LUT_AND || both == ISA_LUT_OR) &&
        !in->psrc[0].neg && !in->psrc[1].neg) {
        in->mod.lut = (uint8_t)both;
        in->psrc[0].neg = in->psrc[1].neg = true;
    }
    return merge_compare(s, in);
}

// ---- comparisons ----

// (p ? x : y) compared for (in)equality with a constant, x and y constants: p, !p or known.
static bool rule_test_of_select(Simplifier *s, IrInst *in) {
    if (in->mod.mode || in->mod.boolop != ISA_AND || !is_known(in->psrc[0]) || in->psrc[0].neg)
        return false;
    if (in->mod.cmp != ISA_EQ && in->mod.cmp != ISA_NE) return false;
    const IrInst *d = si_def(s, &in->src[0]);
    IrSrc c = in->src[1];
    if (d && d->op == ISA_EXT) {
        const IrInst *e = si_def(s, &d->src[0]);
        if (e && e->op == ISA_SEL && e->src[0].kind == ISA_SRC_IMM && e->src[0].imm < 128 &&
            e->src[1].kind == ISA_SRC_IMM && e->src[1].imm < 128)
            d = e;
    }
    if (!d || d->op != ISA_SEL || c.kind != ISA_SRC_IMM || d->src[0].kind != ISA_SRC_IMM ||
        d->src[1].kind != ISA_SRC_IMM)
        return false;
    bool yes = ((uint32_t)d->src[0].imm == (uint32_t)c.imm) == (in->mod.cmp == ISA_EQ);
    bool no = ((uint32_t)d->src[1].imm == (uint32_t)c.imm) == (in->mod.cmp == ISA_EQ);
    IrPred p = d->psrc[0], r = yes == no ? (IrPred){IR_PT, !yes} : (IrPred){p.reg, p.neg != no};
    if (in->pdst[0] != IR_NONE) si_replace_pred(s, in->pdst[0], r);
    if (in->pdst[1] != IR_NONE) si_replace_pred(s, in->pdst[1], (IrPred){r.reg, !r.neg});
    return true;
}

static bool rule_isetp(Simplifier *s, IrInst *in) {
    if (in->src[0].kind == ISA_SRC_IMM && in->src[1].kind == ISA_SRC_REG && !in->mod.mode) {
        IrSrc t = in->src[0];
        in->src[0] = in->src[1];
        in->src[1] = t;
        in->mod.cmp = isa_cmp_swapped(in->mod.cmp);
        return s->changed = true;
    }
    if (in->op == ISA_ISETP && rule_test_of_select(s, in)) return true;
    // equality requires no sign extension that both sides have
    const IrInst *a = si_def(s, &in->src[0]), *b = si_def(s, &in->src[1]);
    bool equality = in->mod.cmp == ISA_EQ || in->mod.cmp == ISA_NE;
    if (in->op == IR_SETP64 && equality && a && a->op == IR_SEXT64 && b && b->op == IR_SEXT64) {
        in->op = ISA_ISETP;
        in->mod.type = ISA_U32;
        in->src[0] = a->src[0];
        in->src[1] = b->src[0];
        return s->changed = true;
    }
    return false;
}

static bool rule_boolop(Simplifier *s, IrInst *in) {  // r or true, r and false: known
    if (!is_known(in->psrc[0]) || in->pdst[1] != IR_NONE || in->pdst[0] == IR_NONE) return false;
    bool c = !in->psrc[0].neg;
    if ((in->mod.boolop == ISA_OR && c) || (in->mod.boolop == ISA_AND && !c)) {
        si_replace_pred(s, in->pdst[0], (IrPred){IR_PT, !c});
        return true;
    }
    if (in->mod.boolop == ISA_OR && !c) {  // r or false
        in->mod.boolop = ISA_AND;
        in->psrc[0] = (IrPred){IR_PT, false};
        return s->changed = true;
    }
    return false;
}

// ---- SEL ----

static bool rule_sel(Simplifier *s, IrInst *in) {
    IrPred *p = &in->psrc[0];
    if (is_known(*p)) return si_becomes(s, in, in->src[p->neg]);
    if (ir_same_src(&in->src[0], &in->src[1])) return si_becomes(s, in, in->src[0]);
    for (int i = 0; i < 2; i++) {  // the operand is a selection by the same predicate
        const IrInst *d = si_def(s, &in->src[i]);
        if (!d || d->op != ISA_SEL || d->psrc[0].reg != p->reg) continue;
        in->src[i] = d->src[same_pred(d->psrc[0], *p) ? i : 1 - i];
        return s->changed = true;
    }
    return false;
}

bool rules_pred(Simplifier *s, IrInst *in) {
    switch (in->op) {
    case ISA_PLOP3: return rule_plop3(s, in);
    case ISA_ISETP:
    case IR_SETP64: return rule_isetp(s, in) || rule_boolop(s, in);
    case ISA_FSETP:
    case ISA_DSETP: return rule_boolop(s, in);
    case ISA_SEL: return rule_sel(s, in);
    default: return false;
    }
}
