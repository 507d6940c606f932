// SPDX-License-Identifier: Apache-2.0
// Lowering of f32 and f64 arithmetic, comparisons and conversions.
#include "compile/lower/lower.h"

static bool is_f64(const Lower *l) { return l->in->type == PTX_F64; }
static IrSrc float_arg(Lower *l, int i) { return is_f64(l) ? lw_arg64(l, i) : lw_arg32(l, i); }

// Sets the modifiers that float instructions share on the instruction just emitted.
static IrSrc with_mods(Lower *l, IrSrc r) {
    IrInst *in = lw_last(l);
    in->mod.rnd = lw_round(l->in->rnd);
    in->mod.ftz = l->in->ftz;
    in->mod.sat = l->in->sat;
    in->mod.approx = l->in->approx || l->in->full;
    return r;
}
static bool put_result(Lower *l, IrSrc r) {
    lw_put(l, &l->in->opnd[0], r);
    return true;
}
static int float_width(const Lower *l) { return is_f64(l) ? 2 : 1; }

static bool binary_op(Lower *l, int op32, int op64, bool subtract) {
    IrSrc a = float_arg(l, 1), b = float_arg(l, 2);
    if (subtract) b.neg = true;
    return put_result(l, with_mods(l, lw_op2(l, is_f64(l) ? op64 : op32, float_width(l), a, b)));
}

static bool fused_op(Lower *l) {
    return put_result(l,
                      with_mods(l,
                                lw_op3(l, is_f64(l) ? ISA_DFMA : ISA_FFMA, float_width(l),
                                       float_arg(l, 1), float_arg(l, 2), float_arg(l, 3))));
}

static bool unary_op(Lower *l, int op) {
    return put_result(l, with_mods(l, lw_op1(l, op, float_width(l), float_arg(l, 1))));
}

static bool min_max(Lower *l, bool max) {
    IrSrc r = with_mods(l,
                        lw_op2(l, is_f64(l) ? ISA_DMNMX : ISA_FMNMX, float_width(l),
                               float_arg(l, 1), float_arg(l, 2)));
    lw_last(l)->mod.rnd = ISA_RN;
    lw_last(l)->mod.mode = (uint8_t)(max | l->in->nan << 1 | l->in->xorsign << 2);
    return put_result(l, r);
}

static bool sign_op(Lower *l, int op) {
    IrSrc r = lw_op1(l, op, float_width(l), float_arg(l, 1));
    lw_last(l)->mod.type = is_f64(l) ? ISA_F64 : ISA_F32;
    lw_last(l)->mod.ftz = l->in->ftz;
    return put_result(l, r);
}

static bool approximate_arg(Lower *l, IsaMufu f) {
    IrSrc r =
        with_mods(l, lw_op1(l, is_f64(l) ? ISA_DMUFU : ISA_MUFU, float_width(l), float_arg(l, 1)));
    lw_last(l)->mod.mufu = f;
    lw_last(l)->mod.approx = false;
    return put_result(l, r);
}

static bool divide_args(Lower *l) {
    IrSrc r = with_mods(l,
                        lw_op2(l, is_f64(l) ? ISA_DDIV : ISA_FDIV, float_width(l), float_arg(l, 1),
                               float_arg(l, 2)));
    lw_last(l)->mod.mode = l->in->full;
    return put_result(l, r);
}

// copysign d, a, b: the sign of a on b.
static bool copy_sign(Lower *l) {
    IrSrc a = float_arg(l, 1), b = float_arg(l, 2);
    IrSrc r = lw_lop(l, 0xe4, lw_word(l, a, float_width(l) - 1), lw_word(l, b, float_width(l) - 1),
                     ir_imm(0x80000000u));
    return put_result(l, is_f64(l) ? lw_join(l, lw_word(l, b, 0), r) : r);
}

static IrPred compare_const(Lower *l, IsaCmp cmp, IrSrc a, uint64_t with) {
    return lw_setp(l, is_f64(l) ? ISA_DSETP : ISA_FSETP, is_f64(l) ? ISA_F64 : ISA_F32, cmp, a,
                   is_f64(l) ? ir_imm64(with) : ir_imm((uint32_t)with));
}

static bool test_property(Lower *l) {
    uint64_t inf = is_f64(l) ? 0x7ff0000000000000ull : 0x7f800000u;
    uint64_t normal = is_f64(l) ? 0x0010000000000000ull : 0x00800000u;
    IrSrc a = float_arg(l, 1);
    a.abs = true;
    enum { FIRST_AND_OTHERS = 0xe0 };  // a and (b or c)
    IrPred p;
    switch (l->in->testp) {
    case PTX_TESTP_FINITE: p = compare_const(l, ISA_LT, a, inf); break;
    case PTX_TESTP_INFINITE: p = compare_const(l, ISA_EQ, a, inf); break;
    case PTX_TESTP_NUMBER: p = compare_const(l, ISA_LE, a, inf); break;
    case PTX_TESTP_NOTANUMBER: p = lw_not(compare_const(l, ISA_LE, a, inf)); break;
    case PTX_TESTP_NORMAL:  // finite and not subnormal: zeros are normal numbers, too
        p = lw_plop(l, FIRST_AND_OTHERS, compare_const(l, ISA_LT, a, inf),
                    compare_const(l, ISA_GE, a, normal), compare_const(l, ISA_EQ, a, 0));
        break;
    default:
        p = lw_plop(l, ISA_LUT_AND, compare_const(l, ISA_LT, a, normal),
                    compare_const(l, ISA_GT, a, 0), lw_true());
        break;
    }
    lw_put_pred(l, &l->in->opnd[0], p);
    return true;
}

bool lower_float(Lower *l) {
    switch (l->in->op) {
    case PTX_ADD: return binary_op(l, ISA_FADD, ISA_DADD, false);
    case PTX_SUB: return binary_op(l, ISA_FADD, ISA_DADD, true);
    case PTX_MUL: return binary_op(l, ISA_FMUL, ISA_DMUL, false);
    case PTX_FMA:
    case PTX_MAD: return fused_op(l);
    case PTX_MIN: return min_max(l, false);
    case PTX_MAX: return min_max(l, true);
    case PTX_NEG: return sign_op(l, IR_FNEG);
    case PTX_ABS: return sign_op(l, IR_FABS);
    case PTX_DIV: return divide_args(l);
    case PTX_RCP:
        return l->in->approx ? approximate_arg(l, ISA_MUFU_RCP)
                             : unary_op(l, is_f64(l) ? ISA_DRCP : ISA_FRCP);
    case PTX_SQRT:
        return l->in->approx ? approximate_arg(l, ISA_MUFU_SQRT)
                             : unary_op(l, is_f64(l) ? ISA_DSQRT : ISA_FSQRT);
    case PTX_RSQRT: return approximate_arg(l, ISA_MUFU_RSQ);
    case PTX_SIN: return approximate_arg(l, ISA_MUFU_SIN);
    case PTX_COS: return approximate_arg(l, ISA_MUFU_COS);
    case PTX_EX2: return approximate_arg(l, ISA_MUFU_EX2);
    case PTX_LG2: return approximate_arg(l, ISA_MUFU_LG2);
    case PTX_TANH: return approximate_arg(l, ISA_MUFU_TANH);
    case PTX_COPYSIGN: return copy_sign(l);
    case PTX_TESTP: return test_property(l);
    default:
        return lw_fail(l, "%s.%s is not supported by the compiler", ptx_op_name(l->in->op),
                       ptx_type_name(l->in->type));
    }
}

// ---- cvt ----

static IrSrc convert_value(Lower *l, IrSrc a, PtxType to, PtxType from) {
    IrSrc r = lw_op1(l, ISA_CVT, lw_is64(to) ? 2 : 1, a);
    IrInst *in = lw_last(l);
    in->mod.type = lw_type(to);
    in->mod.stype = lw_type(from);
    in->mod.rnd = lw_round(l->in->rnd);
    in->mod.ftz = l->in->ftz;
    in->mod.sat = l->in->sat;
    in->mod.mode =
        (uint8_t)((l->in->relu ? ISA_CVT_RELU : 0) | (l->in->satfinite ? ISA_CVT_SATFINITE : 0));
    return r;
}

// Integer to integer without saturation: the low bits, extended as the source's type says.
static IrSrc resize_integer(Lower *l, IrSrc a, PtxType to, PtxType from) {
    int nto = ptx_type_bytes(to), nfrom = ptx_type_bytes(from);
    if (nto == 8 && nfrom == 8) return a;
    if (nto < 8) {
        // The destination register may be wider than the type: extend the value for the reader.
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
static IrSrc permute_bytes(Lower *l, IrSrc lo, uint32_t selector, IrSrc hi) {
    return lw_op3(l, ISA_PRMT, 1, lo, ir_imm(selector), hi);
}

static IrSrc upper_bits(Lower *l, IrSrc a, uint32_t bits) {
    return lw_shift(l, ISA_SHR, ISA_U32, a, ir_imm(bits));
}

// Pairs of halves or of 8-bit numbers: each element for itself. Two operands: the first becomes the
// upper element.
static IrSrc convert_pair(Lower *l, IrSrc a, PtxType to, PtxType from) {
    const bool bytes = ptx_type_is_fp8(to), from_bytes = ptx_type_is_fp8(from);
    const PtxType each = to == PTX_F16X2 ? PTX_F16 : to == PTX_BF16X2 ? PTX_BF16 : to;
    const PtxType source = from == PTX_F16X2 ? PTX_F16 : from;
    const bool two = l->in->nopnd == 3;
    IrSrc high = two ? a : upper_bits(l, a, from_bytes ? 8 : 16), low = two ? lw_arg32(l, 2) : a;
    IrSrc hi = convert_value(l, high, each, source), lo = convert_value(l, low, each, source);
    return permute_bytes(l, lo, bytes ? 0x1140 : 0x5410, hi);
}

// cvt.pack: a and b, clamped, above each other, and c above them.
bool lower_cvt_pack(Lower *l) {
    static const uint8_t widths[PTX_TYPE_COUNT] = {
        [PTX_U2] = 2, [PTX_S2] = 2, [PTX_U4] = 4,   [PTX_S4] = 4,
        [PTX_U8] = 8, [PTX_S8] = 8, [PTX_U16] = 16, [PTX_S16] = 16};
    const PtxType to = l->in->type;
    const bool sign = ptx_type_is_signed(to) || to == PTX_S2 || to == PTX_S4;
    const int bits = widths[to], most = (1 << (sign ? bits - 1 : bits)) - 1,
              least = sign ? -most - 1 : 0;
    IrSrc part[2], r = ir_imm(0);
    for (int i = 0; i < 2; i++) {
        IrSrc v = lw_op2(l, ISA_IMNMX, 1, lw_arg32(l, i + 1), ir_imm((uint32_t)most));
        lw_last(l)->mod.type = ISA_S32;
        part[i] = lw_op2(l, ISA_IMNMX, 1, v, ir_imm((uint32_t)least));
        lw_last(l)->mod.type = ISA_S32;
        lw_last(l)->mod.mode = 1;
    }
    if (l->in->nopnd == 4)
        r = lw_shift(l, ISA_SHL, ISA_U32, lw_arg32(l, 3), ir_imm((uint32_t)(2 * bits)));
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
    else if (integers && !in->sat) r = resize_integer(l, a, to, from);
    else if (to == from && ptx_type_is_float(to) && in->rnd == PTX_RND_NONE && !in->sat && !in->ftz)
        r = a;
    else r = convert_value(l, a, to, from);
    // A signed result narrower than its register is sign-extended into it.
    const PtxOperand *d = &in->opnd[0];
    if (d->kind == PTX_OPND_REG && r.width == 1 && ptx_type_is_signed(to) &&
        l->ir->width[l->fr->vreg[d->index]] == 2)
        r = lw_op1(l, IR_SEXT64, 2, r);
    lw_put(l, d, r);
    return true;
}
