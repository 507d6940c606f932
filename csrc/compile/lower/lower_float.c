// SPDX-License-Identifier: Apache-2.0
// Lowering of f32 and f64 arithmetic, comparisons and conversions.
#include "compile/lower/lower.h"

static bool f64(const Lower *l) { return l->in->type == PTX_F64; }
static IrSrc arg(Lower *l, int i) { return f64(l) ? lw_arg64(l, i) : lw_arg32(l, i); }

// Sets the modifiers that float instructions share on the instruction just emitted.
static IrSrc with_mods(Lower *l, IrSrc r) {
    IrInst *in = lw_last(l);
    in->mod.rnd = lw_round(l->in->rnd);
    in->mod.ftz = l->in->ftz;
    in->mod.sat = l->in->sat;
    in->mod.approx = l->in->approx || l->in->full;
    return r;
}
static bool put(Lower *l, IrSrc r) {
    lw_put(l, &l->in->opnd[0], r);
    return true;
}
static int width(const Lower *l) { return f64(l) ? 2 : 1; }

static bool binary(Lower *l, int op32, int op64, bool subtract) {
    IrSrc a = arg(l, 1), b = arg(l, 2);
    if (subtract) b.neg = true;
    return put(l, with_mods(l, lw_op2(l, f64(l) ? op64 : op32, width(l), a, b)));
}

static bool fused(Lower *l) {
    return put(l, with_mods(l, lw_op3(l, f64(l) ? ISA_DFMA : ISA_FFMA, width(l), arg(l, 1),
                                      arg(l, 2), arg(l, 3))));
}

static bool unary(Lower *l, int op) {
    return put(l, with_mods(l, lw_op1(l, op, width(l), arg(l, 1))));
}

static bool min_max(Lower *l, bool max) {
    IrSrc r =
        with_mods(l, lw_op2(l, f64(l) ? ISA_DMNMX : ISA_FMNMX, width(l), arg(l, 1), arg(l, 2)));
    lw_last(l)->mod.rnd = ISA_RN;
    lw_last(l)->mod.mode = (uint8_t)(max | l->in->nan << 1 | l->in->xorsign << 2);
    return put(l, r);
}

static bool sign_op(Lower *l, int op) {
    IrSrc r = lw_op1(l, op, width(l), arg(l, 1));
    lw_last(l)->mod.type = f64(l) ? ISA_F64 : ISA_F32;
    lw_last(l)->mod.ftz = l->in->ftz;
    return put(l, r);
}

static bool approximate(Lower *l, IsaMufu f) {
    IrSrc r = with_mods(l, lw_op1(l, f64(l) ? ISA_DMUFU : ISA_MUFU, width(l), arg(l, 1)));
    lw_last(l)->mod.mufu = f;
    lw_last(l)->mod.approx = false;
    return put(l, r);
}

static bool divide(Lower *l) {
    IrSrc r = with_mods(l, lw_op2(l, f64(l) ? ISA_DDIV : ISA_FDIV, width(l), arg(l, 1), arg(l, 2)));
    lw_last(l)->mod.mode = l->in->full;
    return put(l, r);
}

// copysign d, a, b: the sign of a on b.
static bool copy_sign(Lower *l) {
    IrSrc a = arg(l, 1), b = arg(l, 2);
    IrSrc r = lw_lop(l, 0xe4, lw_word(l, a, width(l) - 1), lw_word(l, b, width(l) - 1),
                     ir_imm(0x80000000u));
    return put(l, f64(l) ? lw_join(l, lw_word(l, b, 0), r) : r);
}

static IrPred compare(Lower *l, IsaCmp cmp, IrSrc a, uint64_t with) {
    return lw_setp(l, f64(l) ? ISA_DSETP : ISA_FSETP, f64(l) ? ISA_F64 : ISA_F32, cmp, a,
                   f64(l) ? ir_imm64(with) : ir_imm((uint32_t)with));
}

static bool test_property(Lower *l) {
    uint64_t inf = f64(l) ? 0x7ff0000000000000ull : 0x7f800000u;
    uint64_t normal = f64(l) ? 0x0010000000000000ull : 0x00800000u;
    IrSrc a = arg(l, 1);
    a.abs = true;
    enum { FIRST_AND_OTHERS = 0xe0 };  // a and (b or c)
    IrPred p;
    switch (l->in->testp) {
    case PTX_TESTP_FINITE: p = compare(l, ISA_LT, a, inf); break;
    case PTX_TESTP_INFINITE: p = compare(l, ISA_EQ, a, inf); break;
    case PTX_TESTP_NUMBER: p = compare(l, ISA_LE, a, inf); break;
    case PTX_TESTP_NOTANUMBER: p = lw_not(compare(l, ISA_LE, a, inf)); break;
    case PTX_TESTP_NORMAL:  // finite and not subnormal: zeros are normal numbers, too
        p = lw_plop(l, FIRST_AND_OTHERS, compare(l, ISA_LT, a, inf), compare(l, ISA_GE, a, normal),
                    compare(l, ISA_EQ, a, 0));
        break;
    default:
        p = lw_plop(l, ISA_LUT_AND, compare(l, ISA_LT, a, normal), compare(l, ISA_GT, a, 0), lw_true());
        break;
    }
    lw_put_pred(l, &l->in->opnd[0], p);
    return true;
}

bool lower_float(Lower *l) {
    switch (l->in->op) {
    case PTX_ADD: return binary(l, ISA_FADD, ISA_DADD, false);
    case PTX_SUB: return binary(l, ISA_FADD, ISA_DADD, true);
    case PTX_MUL: return binary(l, ISA_FMUL, ISA_DMUL, false);
    case PTX_FMA: case PTX_MAD: return fused(l);
    case PTX_MIN: return min_max(l, false);
    case PTX_MAX: return min_max(l, true);
    case PTX_NEG: return sign_op(l, IR_FNEG);
    case PTX_ABS: return sign_op(l, IR_FABS);
    case PTX_DIV: return divide(l);
    case PTX_RCP:
        return l->in->approx ? approximate(l, ISA_MUFU_RCP)
                             : unary(l, f64(l) ? ISA_DRCP : ISA_FRCP);
    case PTX_SQRT:
        return l->in->approx ? approximate(l, ISA_MUFU_SQRT)
                             : unary(l, f64(l) ? ISA_DSQRT : ISA_FSQRT);
    case PTX_RSQRT: return approximate(l, ISA_MUFU_RSQ);
    case PTX_SIN: return approximate(l, ISA_MUFU_SIN);
    case PTX_COS: return approximate(l, ISA_MUFU_COS);
    case PTX_EX2: return approximate(l, ISA_MUFU_EX2);
    case PTX_LG2: return approximate(l, ISA_MUFU_LG2);
    case PTX_TANH: return approximate(l, ISA_MUFU_TANH);
    case PTX_COPYSIGN: return copy_sign(l);
    case PTX_TESTP: return test_property(l);
    default: return lw_fail(l, "%s.%s is not supported by the compiler", ptx_op_name(l->in->op),
                            ptx_type_name(l->in->type));
    }
}

// ---- cvt ----

static IrSrc convert(Lower *l, IrSrc a, PtxType to, PtxType from) {
    IrSrc r = lw_op1(l, ISA_CVT, lw_is64(to) ? 2 : 1, a);
    IrInst *in = lw_last(l);
    in->mod.type = lw_type(to);
    in->mod.stype = lw_type(from);
    in->mod.rnd = lw_round(l->in->rnd);
    in->mod.ftz = l->in->ftz;
    in->mod.sat = l->in->sat;
    in->mod.mode = (uint8_t)((l->in->relu ? ISA_CVT_RELU : 0) | (l->in->satfinite ? ISA_CVT_SATFINITE : 0));
    return r;
}

// Integer to integer without saturation: the low bits, extended as the source's type says.
static IrSrc resize(Lower *l, IrSrc a, PtxType to, PtxType from) {
    int nto = ptx_type_bytes(to), nfrom = ptx_type_bytes(from);
    if (nto == 8 && nfrom == 8) return a;
    if (nto < 8) {
        // The destination register may be wider than the type: keep it extended for the reader.
        const PtxOperand *d = &l->in->opnd[0];
        bool wider =
            d->kind == PTX_OPND_REG && ptx_type_bytes(l->fr->func->regs[d->index].type) > nto;
        if (nfrom <= nto)
            return lw_extend(l, lw_extend(l, a, from), wider || nfrom == nto ? to : from);
        IrSrc low = a.width == 2 ? lw_word(l, a, 0) : a;
        return nto < 4 ? lw_extend(l, low, to) : low;
    }
    IrSrc word = lw_extend(l, a.width == 2 ? lw_word(l, a, 0) : a, from);
    if (ptx_type_is_signed(from)) return lw_op1(l, IR_SEXT64, 2, word);
    return lw_join(l, word, ir_imm(0));
}

// The bytes of the words lo and hi that the selector of PRMT names.
static IrSrc permute(Lower *l, IrSrc lo, uint32_t selector, IrSrc hi) {
    return lw_op3(l, ISA_PRMT, 1, lo, ir_imm(selector), hi);
}

static IrSrc upper(Lower *l, IrSrc a, uint32_t bits) {
    return lw_shift(l, ISA_SHR, ISA_U32, a, ir_imm(bits));
}

// Pairs of halves or of 8-bit numbers: each element for itself. Two operands: the first becomes the upper element.
static IrSrc convert_pair(Lower *l, IrSrc a, PtxType to, PtxType from) {
    const bool bytes = ptx_type_is_fp8(to), from_bytes = ptx_type_is_fp8(from);
    const PtxType each = to == PTX_F16X2 ? PTX_F16 : to == PTX_BF16X2 ? PTX_BF16 : to;
    const PtxType source = from == PTX_F16X2 ? PTX_F16 : from;
    const bool two = l->in->nopnd == 3;
    IrSrc high = two ? a : upper(l, a, from_bytes ? 8 : 16), low = two ? lw_arg32(l, 2) : a;
    IrSrc hi = convert(l, high, each, source), lo = convert(l, low, each, source);
    return permute(l, lo, bytes ? 0x1140 : 0x5410, hi);
}

// cvt.pack: a and b, clamped, above each other, and c above them.
bool lower_cvt_pack(Lower *l) {
    static const uint8_t widths[PTX_TYPE_COUNT] = {[PTX_U2] = 2, [PTX_S2] = 2, [PTX_U4] = 4, [PTX_S4] = 4, [PTX_U8] = 8,
                                                   [PTX_S8] = 8, [PTX_U16] = 16, [PTX_S16] = 16};
    const PtxType to = l->in->type;
    const bool sign = ptx_type_is_signed(to) || to == PTX_S2 || to == PTX_S4;
    const int bits = widths[to], most = (1 << (sign ? bits - 1 : bits)) - 1, least = sign ? -most - 1 : 0;
    IrSrc part[2], r = ir_imm(0);
    for (int i = 0; i < 2; i++) {
        IrSrc v = lw_op2(l, ISA_IMNMX, 1, lw_arg32(l, i + 1), ir_imm((uint32_t)most));
        lw_last(l)->mod.type = ISA_S32;
        part[i] = lw_op2(l, ISA_IMNMX, 1, v, ir_imm((uint32_t)least));
        lw_last(l)->mod.type = ISA_S32;
        lw_last(l)->mod.mode = 1;
    }
    if (l->in->nopnd == 4) r = lw_shift(l, ISA_SHL, ISA_U32, lw_arg32(l, 3), ir_imm((uint32_t)(2 * bits)));
    for (int i = 0; i < 2; i++)
        r = lw_op3(l, ISA_BFI, 1, part[1 - i], r, ir_imm((uint32_t)(i * bits | bits << 8)));
    lw_put(l, &l->in->opnd[0], r);
    return true;
}

bool lower_cvt(Lower *l) {
    const PtxInst *in = l->in;
    PtxType to = in->type, from = in->type2;
    bool integers = ptx_type_is_int(to) && ptx_type_is_int(from);
    IrSrc a = lw_arg(l, &in->opnd[1]);
    if (a.kind == ISA_SRC_IMM)
        a = lw_is64(from) ? ir_imm64(in->opnd[1].bits) : ir_imm((uint32_t)in->opnd[1].bits);
    if (lw_is64(from) && a.width == 1) a = lw_join(l, a, ir_imm(0));
    if (!lw_is64(from) && a.width == 2) a = lw_word(l, a, 0);
    IrSrc r;
    if (in->nopnd == 3 || to == PTX_F16X2 || ptx_type_is_fp8(to)) r = convert_pair(l, a, to, from);
    else if (integers && !in->sat) r = resize(l, a, to, from);
    else if (to == from && ptx_type_is_float(to) && in->rnd == PTX_RND_NONE && !in->sat && !in->ftz)
        r = a;
    else r = convert(l, a, to, from);
    // A signed result narrower than its register is sign-extended into it.
    const PtxOperand *d = &in->opnd[0];
    if (d->kind == PTX_OPND_REG && r.width == 1 && ptx_type_is_signed(to) &&
        l->ir->width[l->fr->vreg[d->index]] == 2)
        r = lw_op1(l, IR_SEXT64, 2, r);
    lw_put(l, d, r);
    return true;
}
