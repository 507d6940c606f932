// SPDX-License-Identifier: Apache-2.0
// Lowering of moves, comparisons, selection, warp-wide operations, barriers.
#include "compile/lower/lower.h"
#include "isa/mma.h"

#include <string.h>

// ---- mov ----

bool lower_mov(Lower *l) {
    const PtxInst *in = l->in;
    const PtxOperand *d = &in->opnd[0], *s = &in->opnd[1];
    if (in->type == PTX_PRED) {
        lw_put_pred(l, d, lw_argp(l, s));
        return true;
    }
    if (s->kind == PTX_OPND_FUNC)
        return lw_fail(l, "the address of a function is not supported: no calls through pointers");
    IrSrc v = lw_arg(l, s);
    if (s->kind == PTX_OPND_REG && d->kind == PTX_OPND_REG && v.width == 1 && lw_is64(in->type))
        v = lw_join(l, v, ir_imm(0));
    lw_put(l, d, v);
    return true;
}

// ---- setp, set, selp, slct ----

IsaCmp lw_cmp(PtxCmp c) {
    switch (c) {
    case PTX_EQ: return ISA_EQ;
    case PTX_NE: return ISA_NE;
    case PTX_LT:
    case PTX_LO: return ISA_LT;
    case PTX_LE:
    case PTX_LS: return ISA_LE;
    case PTX_GT:
    case PTX_HI_CMP: return ISA_GT;
    case PTX_GE:
    case PTX_HS: return ISA_GE;
    case PTX_EQU: return ISA_EQU;
    case PTX_NEU: return ISA_NEU;
    case PTX_LTU: return ISA_LTU;
    case PTX_LEU: return ISA_LEU;
    case PTX_GTU: return ISA_GTU;
    case PTX_GEU: return ISA_GEU;
    case PTX_NUM: return ISA_NUM;
    default: return ISA_NAN;
    }
}

static bool is_unsigned_word(PtxCmp c) {
    return c == PTX_LO || c == PTX_LS || c == PTX_HI_CMP || c == PTX_HS;
}

// Emits the comparison of operands 1 and 2 of type t; with q, both results are computed. The
// boolean operation with c (operand 3) is applied as the instruction specifies.
static IrInst *emit_compare(Lower *l, PtxType t, bool has_c) {
    const PtxInst *in = l->in;
    int op = t == PTX_F32 ? ISA_FSETP
        : t == PTX_F64    ? ISA_DSETP
        : lw_is64(t)      ? IR_SETP64
                          : ISA_ISETP;
    PtxType ext = is_unsigned_word(in->cmp) ? (ptx_type_bytes(t) == 2 ? PTX_U16 : t) : t;
    IrSrc a = lw_argx(l, 1, ext), b = lw_argx(l, 2, ext);
    IrPred c = has_c ? lw_argp(l, &in->opnd[3]) : lw_true();
    IrInst *s = lw_emit(l, op, 2);
    s->src[0] = a;
    s->src[1] = b;
    bool sign = ptx_type_is_signed(t) && !is_unsigned_word(in->cmp);
    s->mod.type = t == PTX_F32 ? ISA_F32
        : t == PTX_F64         ? ISA_F64
        : lw_is64(t)           ? (sign ? ISA_S64 : ISA_U64)
        : sign                 ? ISA_S32
                               : ISA_U32;
    s->mod.cmp = lw_cmp(in->cmp);
    s->mod.ftz = in->ftz;
    s->mod.boolop = in->boolop == PTX_BOOL_OR ? ISA_OR
        : in->boolop == PTX_BOOL_XOR          ? ISA_XOR
                                              : ISA_AND;
    s->psrc[0] = c;
    if (!has_c) s->mod.boolop = ISA_AND;
    s->pdst[0] = ir_vreg(l->ir, 0);
    return s;
}

bool lower_setp(Lower *l) {
    const PtxInst *in = l->in;
    IrInst *s = emit_compare(l, in->type, in->nopnd > 3);
    bool q = in->dst2.kind == PTX_OPND_REG;
    if (q) s->pdst[1] = ir_vreg(l->ir, 0);
    int p0 = s->pdst[0], p1 = s->pdst[1];
    lw_put_pred(l, &in->opnd[0], (IrPred){p0, false});
    if (q) lw_put_pred(l, &in->dst2, (IrPred){p1, false});
    return true;
}

uint32_t lw_set_value(PtxType t) {
    return t == PTX_F32 ? 0x3f800000u : t == PTX_F16 ? 0x3c00u : t == PTX_BF16 ? 0x3f80u : ~0u;
}

static bool lower_set(Lower *l) {
    const PtxInst *in = l->in;
    IrInst *s = emit_compare(l, in->type2, in->nopnd > 3);
    IrPred p = {s->pdst[0], false};
    lw_put(l, &in->opnd[0], lw_sel(l, p, ir_imm(lw_set_value(in->type)), ir_imm(0)));
    return true;
}

static bool lower_selp(Lower *l) {
    const PtxInst *in = l->in;
    bool wide = lw_is64(in->type);
    IrSrc a = wide ? lw_arg64(l, 1) : lw_arg32(l, 1), b = wide ? lw_arg64(l, 2) : lw_arg32(l, 2);
    lw_put(l, &in->opnd[0], lw_sel(l, lw_argp(l, &in->opnd[3]), a, b));
    return true;
}

// slct: c >= 0 ? a : b
static bool lower_slct(Lower *l) {
    const PtxInst *in = l->in;
    bool wide = lw_is64(in->type), real = in->type2 == PTX_F32;
    IrPred p = lw_setp(l, real ? ISA_FSETP : ISA_ISETP, real ? ISA_F32 : ISA_S32, ISA_GE,
                       lw_arg32(l, 3), ir_imm(0));
    lw_last(l)->mod.ftz = in->ftz;
    IrSrc a = wide ? lw_arg64(l, 1) : lw_arg32(l, 1), b = wide ? lw_arg64(l, 2) : lw_arg32(l, 2);
    lw_put(l, &in->opnd[0], lw_sel(l, p, a, b));
    return true;
}

// ---- warp-wide operations ----

static void set_guard(Lower *l, IrInst *in) {
    if (l->guarded) in->guard = l->guard;
}

static bool lower_shfl(Lower *l) {
    const PtxInst *in = l->in;
    IrSrc a = lw_arg32(l, 1), b = lw_arg32(l, 2), c = lw_arg32(l, 3);
    IrInst *s = lw_emit(l, ISA_SHFL, 3);
    s->src[0] = a;
    s->src[1] = b;
    s->src[2] = c;
    s->mod.mode = (uint8_t)in->shfl;
    s->dst = ir_vreg(l->ir, 1);
    set_guard(l, s);
    bool p = in->dst2.kind == PTX_OPND_REG;
    if (p) s->pdst[0] = ir_vreg(l->ir, 0);
    int pd = s->pdst[0];
    lw_put(l, &in->opnd[0], ir_reg(l->ir, s->dst));
    if (p) lw_put_pred(l, &in->dst2, (IrPred){pd, false});
    return true;
}

static bool lower_vote(Lower *l) {
    const PtxInst *in = l->in;
    bool active = in->op == PTX_ACTIVEMASK;
    bool ballot = active || in->vote == PTX_VOTE_BALLOT;
    IrPred p = active ? lw_true() : lw_argp(l, &in->opnd[1]);
    IrSrc members = in->nopnd > 2 ? lw_arg32(l, 2) : ir_imm(~0u);
    IrInst *v = lw_emit(l, ISA_VOTE, 1);
    v->src[0] = members;
    v->psrc[0] = p;
    v->mod.mode = (uint8_t)(ballot ? PTX_VOTE_BALLOT : in->vote);
    set_guard(l, v);
    if (ballot) {
        v->dst = ir_vreg(l->ir, 1);
        lw_put(l, &in->opnd[0], ir_reg(l->ir, v->dst));
    } else {
        v->pdst[0] = ir_vreg(l->ir, 0);
        lw_put_pred(l, &in->opnd[0], (IrPred){v->pdst[0], false});
    }
    return true;
}

static bool lower_match(Lower *l) {
    const PtxInst *in = l->in;
    IrSrc a = lw_is64(in->type) ? lw_arg64(l, 1) : lw_arg32(l, 1), members = lw_arg32(l, 2);
    IrInst *m = lw_emit(l, ISA_MATCH, 2);
    m->src[0] = a;
    m->src[1] = members;
    m->mod.mode = (uint8_t)in->vote;
    m->dst = ir_vreg(l->ir, 1);
    set_guard(l, m);
    bool p = in->dst2.kind == PTX_OPND_REG;
    if (p) m->pdst[0] = ir_vreg(l->ir, 0);
    int pd = m->pdst[0];
    lw_put(l, &in->opnd[0], ir_reg(l->ir, m->dst));
    if (p) lw_put_pred(l, &in->dst2, (IrPred){pd, false});
    return true;
}

static bool lower_redux(Lower *l) {
    const PtxInst *in = l->in;
    IrSrc a = lw_arg32(l, 1), members = lw_arg32(l, 2);
    IrInst *r = lw_emit(l, ISA_REDUX, 2);
    r->src[0] = a;
    r->src[1] = members;
    r->mod.mode = (uint8_t)in->atom;
    r->mod.type = ptx_type_is_signed(in->type) ? ISA_S32 : ISA_U32;
    r->dst = ir_vreg(l->ir, 1);
    set_guard(l, r);
    lw_put(l, &in->opnd[0], ir_reg(l->ir, r->dst));
    return true;
}

// ---- matrices ----

static IrSrc join_elements(Lower *l, const PtxOperand *o) {
    if (o->kind != PTX_OPND_VEC) return lw_arg(l, o);
    IrSrc e[4];
    int words = 0;
    for (int i = 0; i < o->nelements; i++) words += (e[i] = lw_arg(l, &o->elements[i])).width;
    return lw_op(l, IR_JOIN, words, o->nelements, e);
}

static bool lower_matrix(Lower *l) {
    static const MmaKind kinds[] = {0,      MMA_F16, MMA_BF16, MMA_TF32, MMA_I8,
                                    MMA_I4, MMA_XOR, MMA_AND,  MMA_F64};
    const PtxInst *in = l->in;
    const PtxOperand *d = &in->opnd[0];
    const int mode = (int)kinds[in->matrix] | (in->tall ? MMA_TALL : 0) |
        (in->half_sum ? MMA_HALF_SUM : 0) | (in->a_signed ? MMA_A_SIGNED : 0) |
        (in->b_signed ? MMA_B_SIGNED : 0) | (in->sat ? MMA_CLAMP : 0);
    IrSrc a = join_elements(l, &in->opnd[1]), b = lw_arg(l, &in->opnd[2]),
          c = join_elements(l, &in->opnd[3]);
    IrInst *m = lw_emit(l, ISA_MMA, 3);
    m->src[0] = a;
    m->src[1] = b;
    m->src[2] = c;
    m->mod.mode = (uint8_t)mode;
    m->dst = ir_vreg(l->ir, mma_words(mode, 3));
    set_guard(l, m);
    const IrSrc whole = ir_reg(l->ir, m->dst);
    const int n = d->kind == PTX_OPND_VEC ? d->nelements : 1, each = whole.width / n;
    IrSrc part[4];
    for (int i = 0; i < n; i++)
        part[i] = n == 1 ? whole
            : each == 1  ? lw_word(l, whole, i)
                         : lw_join(l, lw_word(l, whole, 2 * i), lw_word(l, whole, 2 * i + 1));
    for (int i = 0; i < n; i++) lw_put(l, d->kind == PTX_OPND_VEC ? &d->elements[i] : d, part[i]);
    return true;
}

// ---- barriers ----

// Records the highest barrier used; an unknown number counts as the last one.
static void note_barrier(Lower *l, const IrSrc *number) {
    int n = number->kind == ISA_SRC_IMM ? (int)number->imm + 1 : 16;
    if (n > l->ir->max_barrier) l->ir->max_barrier = n;
}

static bool lower_bar(Lower *l) {
    const PtxInst *in = l->in;
    bool red = in->op == PTX_BAR_RED;
    int first = red ? 1 : 0, last = in->nopnd - (red ? 1 : 0);
    IrSrc number = lw_arg32(l, first), count = {0};
    bool counted = last - first > 1;
    if (counted) count = lw_arg32(l, first + 1);
    if (number.kind == ISA_SRC_IMM && number.imm > 15)
        return lw_fail(l, "barrier %u does not exist: a CTA has barriers 0 to 15",
                       (unsigned)number.imm);
    IrPred p = red ? lw_argp(l, &in->opnd[in->nopnd - 1]) : lw_true();
    note_barrier(l, &number);
    IrInst *b = lw_emit(l, ISA_BAR, counted ? 2 : 1);
    b->src[0] = number;
    if (counted) b->src[1] = count;
    b->mod.mode = red ? ISA_BAR_RED : in->op == PTX_BAR_ARRIVE ? ISA_BAR_ARRIVE : ISA_BAR_SYNC;
    if (!red) return true;
    b->psrc[0] = p;
    b->mod.atom = (uint8_t)in->atom;
    if (in->atom == PTX_ATOM_ADD) {
        b->dst = ir_vreg(l->ir, 1);
        lw_put(l, &in->opnd[0], ir_reg(l->ir, b->dst));
    } else {
        b->pdst[0] = ir_vreg(l->ir, 0);
        lw_put_pred(l, &in->opnd[0], (IrPred){b->pdst[0], false});
    }
    return true;
}

static bool lower_one_source(Lower *l, int op) {
    IrSrc a = lw_arg32(l, 0);
    IrInst *in = lw_emit(l, op, 1);
    in->src[0] = a;
    set_guard(l, in);
    return true;
}

static bool lower_fence(Lower *l) {
    IrInst *in = lw_emit(l, ISA_MEMBAR, 0);
    in->mod.mode = l->in->scope == PTX_SCOPE_SYS ? 2 : l->in->scope == PTX_SCOPE_GPU ? 1 : 0;
    return true;
}

static bool lower_fns(Lower *l) {
    lw_put(l, &l->in->opnd[0],
           lw_op3(l, ISA_FNS, 1, lw_arg32(l, 1), lw_arg32(l, 2), lw_arg32(l, 3)));
    return true;
}

bool lower_misc(Lower *l) {
    switch (l->in->op) {
    case PTX_SET: return lower_set(l);
    case PTX_SELP: return lower_selp(l);
    case PTX_SLCT: return lower_slct(l);
    case PTX_SHFL: return lower_shfl(l);
    case PTX_VOTE:
    case PTX_ACTIVEMASK: return lower_vote(l);
    case PTX_MATCH: return lower_match(l);
    case PTX_REDUX: return lower_redux(l);
    case PTX_MMA: return lower_matrix(l);
    case PTX_BAR:
    case PTX_BAR_ARRIVE:
    case PTX_BAR_RED: return lower_bar(l);
    case PTX_BAR_WARP_SYNC: return lower_one_source(l, ISA_WARPSYNC);
    case PTX_NANOSLEEP: return lower_one_source(l, ISA_NANOSLEEP);
    case PTX_MEMBAR:
    case PTX_FENCE: return lower_fence(l);
    case PTX_FNS: return lower_fns(l);
    default: return lw_fail(l, "%s is not supported by the compiler", ptx_op_name(l->in->op));
    }
}
