// SPDX-License-Identifier: Apache-2.0
// Lowering of f16, bf16 and pairs of them.
#include "compile/lower/lower.h"

static bool is_packed(PtxType t) { return t == PTX_F16X2 || t == PTX_BF16X2; }
static PtxType element_type(PtxType t) {
    return t == PTX_F16X2 ? PTX_F16 : t == PTX_BF16X2 ? PTX_BF16 : t;
}

static bool put_result(Lower *l, IrSrc r) {
    lw_put(l, &l->in->opnd[0], r);
    return true;
}

static IrSrc with_mods(Lower *l, IrSrc r, int mode) {
    IrInst *in = lw_last(l);
    in->mod.type = lw_type(l->in->type);
    in->mod.ftz = l->in->ftz;
    in->mod.sat = l->in->sat;
    in->mod.mode = (uint8_t)mode;
    return r;
}

static bool binary_op(Lower *l, int op, bool subtract, int mode) {
    IrSrc a = lw_arg32(l, 1), b = lw_arg32(l, 2);
    b.neg = subtract;
    return put_result(l, with_mods(l, lw_op2(l, op, 1, a, b), mode));
}

static bool min_max(Lower *l, bool max) {
    return binary_op(l, ISA_HMNMX, false, max | l->in->nan << 1 | l->in->xorsign << 2);
}

// neg, abs: change the bits; .ftz multiplies by one, which makes NaN canonical.
static bool sign_op(Lower *l, bool negate) {
    IrSrc a = lw_arg32(l, 1);
    if (l->in->ftz) {
        IrSrc one = ir_imm(is_packed(l->in->type) ? 0x3c003c00u : 0x3c00u);
        a = with_mods(l, lw_op2(l, ISA_HMUL, 1, a, one), 0);
    }
    const uint32_t sign = is_packed(l->in->type) ? 0x80008000u : 0x8000u;
    return put_result(
        l,
        lw_lop(l, negate ? ISA_LUT_XOR : ISA_LUT_AND, a, ir_imm(negate ? sign : ~sign), ir_imm(0)));
}

static IrSrc convert_value(Lower *l, IrSrc a, PtxType to, PtxType from) {
    IrSrc r = lw_op1(l, ISA_CVT, 1, a);
    lw_last(l)->mod.type = lw_type(to);
    lw_last(l)->mod.stype = lw_type(from);
    return r;
}

// A function of f32 on a half in the low bits of a.
static IrSrc function_of(Lower *l, IsaMufu f, IrSrc a) {
    const PtxType t = element_type(l->in->type);
    if (l->in->ftz && t == PTX_F16) {
        a = lw_op2(l, ISA_HMUL, 1, a, ir_imm(0x3c00u));
        lw_last(l)->mod.type = ISA_F16;
        lw_last(l)->mod.ftz = true;
    }
    IrSrc r = lw_op1(l, ISA_MUFU, 1, convert_value(l, a, PTX_F32, t));
    lw_last(l)->mod.mufu = f;
    lw_last(l)->mod.ftz = l->in->ftz && t == PTX_BF16;
    r = convert_value(l, r, t, PTX_F32);
    if (l->in->ftz && t == PTX_F16) {
        r = lw_op2(l, ISA_HMUL, 1, r, ir_imm(0x3c00u));
        lw_last(l)->mod.type = ISA_F16;
        lw_last(l)->mod.ftz = true;
    }
    return r;
}

static bool approximate_arg(Lower *l, IsaMufu f) {
    IrSrc a = lw_arg32(l, 1), low = function_of(l, f, a);
    if (!is_packed(l->in->type)) return put_result(l, low);
    IrSrc high = function_of(l, f, lw_shift(l, ISA_SHR, ISA_U32, a, ir_imm(16)));
    return put_result(l, lw_op3(l, ISA_PRMT, 1, low, ir_imm(0x5410), high));
}

// The comparison of operands 1 and 2; both results of pairs.
static IrInst *compare_args(Lower *l, PtxType t, bool second) {
    const PtxInst *in = l->in;
    IrSrc a = lw_arg32(l, 1), b = lw_arg32(l, 2);
    const bool has_c = in->nopnd > 3;
    IrPred c = has_c ? lw_argp(l, &in->opnd[3]) : lw_true();
    IrInst *s = lw_emit(l, ISA_HSETP, 2);
    s->src[0] = a;
    s->src[1] = b;
    s->mod.type = lw_type(t);
    s->mod.cmp = lw_cmp(in->cmp);
    s->mod.ftz = in->ftz;
    s->mod.boolop = has_c && in->boolop == PTX_BOOL_OR ? ISA_OR
        : has_c && in->boolop == PTX_BOOL_XOR          ? ISA_XOR
                                                       : ISA_AND;
    s->psrc[0] = c;
    s->pdst[0] = ir_vreg(l->ir, 0);
    if (second) s->pdst[1] = ir_vreg(l->ir, 0);
    return s;
}

static bool lower_half_setp(Lower *l) {
    const bool second = l->in->dst2.kind == PTX_OPND_REG;
    IrInst *s = compare_args(l, l->in->type, second);
    const int p = s->pdst[0], q = s->pdst[1];
    lw_put_pred(l, &l->in->opnd[0], (IrPred){p, false});
    if (second) lw_put_pred(l, &l->in->dst2, (IrPred){q, false});
    return true;
}

static bool lower_half_set(Lower *l) {
    const PtxInst *in = l->in;
    const bool pair = is_packed(in->type2);
    IrInst *s = compare_args(l, in->type2, pair);
    const int p = s->pdst[0], q = s->pdst[1];
    const uint32_t value =
        pair ? lw_set_value(element_type(in->type)) & 0xffff : lw_set_value(in->type);
    IrSrc low = lw_sel(l, (IrPred){p, false}, ir_imm(value), ir_imm(0));
    if (!pair) return put_result(l, low);
    IrSrc high = lw_sel(l, (IrPred){q, false}, ir_imm(value << 16), ir_imm(0));
    return put_result(l, lw_lop(l, ISA_LUT_OR, low, high, ir_imm(0)));
}

bool lower_half(Lower *l) {
    switch (l->in->op) {
    case PTX_ADD: return binary_op(l, ISA_HADD, false, 0);
    case PTX_SUB: return binary_op(l, ISA_HADD, true, 0);
    case PTX_MUL: return binary_op(l, ISA_HMUL, false, 0);
    case PTX_FMA:
        return put_result(
            l,
            with_mods(l, lw_op3(l, ISA_HFMA, 1, lw_arg32(l, 1), lw_arg32(l, 2), lw_arg32(l, 3)),
                      l->in->relu));
    case PTX_MIN: return min_max(l, false);
    case PTX_MAX: return min_max(l, true);
    case PTX_NEG: return sign_op(l, true);
    case PTX_ABS: return sign_op(l, false);
    case PTX_EX2: return approximate_arg(l, ISA_MUFU_EX2);
    case PTX_TANH: return approximate_arg(l, ISA_MUFU_TANH);
    case PTX_SETP: return lower_half_setp(l);
    case PTX_SET: return lower_half_set(l);
    default:
        return lw_fail(l, "%s.%s is not supported by the compiler", ptx_op_name(l->in->op),
                       ptx_type_name(l->in->type));
    }
}
