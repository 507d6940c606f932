// SPDX-License-Identifier: Apache-2.0
// Lowering of integer, logic and bit-field instructions.
#include "compile/lower/lower.h"

// Sign- or zero-extended operand for 8/16 bits, word or pair otherwise.
static IrSrc int_arg(Lower *l, int i) { return lw_argx(l, i, l->in->type); }
static bool is_wide(const Lower *l) { return lw_is64(l->in->type); }
static bool is_signed(const Lower *l) { return ptx_type_is_signed(l->in->type); }
static int type_bits(const Lower *l) { return 8 * ptx_type_bytes(l->in->type); }
static bool put_result(Lower *l, IrSrc v) {
    lw_put(l, &l->in->opnd[0], v);
    return true;
}
// 32- or 64-bit comparison type of the instruction, after extension of narrower operands.
static IsaType wide_type(const Lower *l) {
    if (is_wide(l)) return is_signed(l) ? ISA_S64 : ISA_U64;
    return is_signed(l) ? ISA_S32 : ISA_U32;
}

static IrSrc add_values(Lower *l, IrSrc a, IrSrc b) {
    return a.width == 2 ? lw_op2(l, IR_ADD64, 2, a, b) : lw_op2(l, ISA_IADD, 1, a, b);
}
static IrSrc zero_of(int width) { return width == 2 ? ir_imm64(0) : ir_imm(0); }
static IrSrc negate_value(Lower *l, IrSrc a) { return add_values(l, zero_of(a.width), lw_neg(a)); }
static IrSrc complement_value(Lower *l, IrSrc a) {
    return a.width == 2 ? lw_lop64(l, 0x0f, a, ir_imm64(0))
                        : lw_lop(l, 0x0f, a, ir_imm(0), ir_imm(0));
}
static IrSrc shift_left(Lower *l, IrSrc a, IrSrc n) {
    return lw_shift(l, a.width == 2 ? IR_SHL64 : ISA_SHL, a.width == 2 ? ISA_U64 : ISA_U32, a, n);
}
static IrSrc shift_right(Lower *l, IrSrc a, IrSrc n, bool sign) {
    IsaType t = a.width == 2 ? (sign ? ISA_S64 : ISA_U64) : sign ? ISA_S32 : ISA_U32;
    return lw_shift(l, a.width == 2 ? IR_SHR64 : ISA_SHR, t, a, n);
}
static IrSrc wide_mul(Lower *l, IrSrc a, IrSrc b, bool sign) {
    IrSrc r = lw_op2(l, ISA_IMUL, 2, a, b);
    lw_last(l)->mod.part = ISA_WIDE;
    lw_last(l)->mod.type = sign ? ISA_S32 : ISA_U32;
    return r;
}
static IrSrc wide_mad(Lower *l, IrSrc a, IrSrc b, IrSrc c) {
    IrSrc r = lw_op3(l, ISA_IMAD, 2, a, b, c);
    lw_last(l)->mod.part = ISA_WIDE;
    lw_last(l)->mod.type = ISA_U32;
    return r;
}

// ---- additions with carry ----

// One word of a carry chain: a + b, with optional carry in and out. `cin`, `cout` may be NULL.
static IrSrc carry_word(Lower *l, IrSrc a, IrSrc b, const IrPred *cin, IrPred *cout) {
    IrSrc r = lw_op2(l, ISA_IADD, 1, a, b);
    IrInst *in = lw_last(l);
    if (cin) {
        in->mod.has_cin = true;
        in->psrc[0] = *cin;
    }
    if (cout) {
        in->pdst[0] = ir_vreg(l->ir, 0);
        *cout = (IrPred){in->pdst[0], false};
    }
    return r;
}

// a + b over one or two words, with the carry handling of PTX. A negated b subtracts, as a + ~b + 1
// or a + ~b + CC.CF. CC.CF is the adder's carry in both cases: 0 after a borrow.
static IrSrc carry_sum(Lower *l, IrSrc a, IrSrc b, bool use_carry) {
    bool subtract = b.neg;
    IrPred cin = {IR_PT, false}, cout, *in = NULL;
    if (use_carry) {
        cin = (IrPred){lw_carry(l), false};
        in = &cin;
    }
    IrSrc r;
    if (a.width == 1) {
        r = carry_word(l, a, b, in, l->in->cc ? &cout : NULL);
    } else {
        IrSrc b0 = b, b1 = b;
        b0.neg = b1.neg = false;
        b0 = lw_word(l, b0, 0);
        b1 = lw_word(l, b1, 1);
        b0.neg = b1.neg = subtract;
        IrPred mid;
        IrSrc lo = carry_word(l, lw_word(l, a, 0), b0, in, &mid);
        r = lw_join(l, lo, carry_word(l, lw_word(l, a, 1), b1, &mid, l->in->cc ? &cout : NULL));
    }
    if (l->in->cc) lw_set_carry(l, cout);
    return r;
}

static IrSrc in_register(Lower *l, IrSrc s) {
    return s.kind == ISA_SRC_REG ? s : lw_op1(l, IR_COPY, s.width, s);
}

static bool lower_add(Lower *l, bool subtract, bool use_carry) {
    IrSrc a = is_wide(l) ? lw_arg64(l, 1) : lw_arg32(l, 1),
          b = is_wide(l) ? lw_arg64(l, 2) : lw_arg32(l, 2);
    if (l->in->sat) {  // s32 only: the 64-bit sum, clamped
        a = lw_op1(l, IR_SEXT64, 2, a);
        b = lw_op1(l, IR_SEXT64, 2, b);
        IrSrc s = add_values(l, a, subtract ? lw_neg(b) : b);
        IrSrc r = lw_op1(l, ISA_CVT, 1, s);
        lw_last(l)->mod.type = ISA_S32;
        lw_last(l)->mod.stype = ISA_S64;
        lw_last(l)->mod.sat = true;
        return put_result(l, r);
    }
    if (!use_carry && !l->in->cc) return put_result(l, add_values(l, a, subtract ? lw_neg(b) : b));
    if (subtract) {  // not folded into an immediate: -b + carry is not -(b) with a carry
        b = in_register(l, b);
        b.neg = true;
    }
    return put_result(l, carry_sum(l, a, b, use_carry));
}

// ---- multiplication ----

static IrSrc mul_hi64(Lower *l, IrSrc a, IrSrc b, bool sign) {
    IrSrc a0 = lw_word(l, a, 0), a1 = lw_word(l, a, 1), b0 = lw_word(l, b, 0),
          b1 = lw_word(l, b, 1);
    IrSrc low = wide_mul(l, a0, b0, false);
    IrSrc mid = wide_mad(l, a1, b0, lw_join(l, lw_word(l, low, 1), ir_imm(0)));
    IrSrc mid2 = wide_mad(l, a0, b1, lw_join(l, lw_word(l, mid, 0), ir_imm(0)));
    IrSrc r = wide_mad(l, a1, b1, lw_join(l, lw_word(l, mid, 1), ir_imm(0)));
    r = add_values(l, r, lw_join(l, lw_word(l, mid2, 1), ir_imm(0)));
    if (!sign) return r;
    // An unsigned product counts a negative factor 2^64 too much: subtract the other factor once
    // per negative factor.
    IrSrc ma = shift_right(l, a1, ir_imm(31), true), mb = shift_right(l, b1, ir_imm(31), true);
    r = add_values(l, r, lw_neg(lw_lop64(l, ISA_LUT_AND, lw_join(l, ma, ma), b)));
    return add_values(l, r, lw_neg(lw_lop64(l, ISA_LUT_AND, lw_join(l, mb, mb), a)));
}

static IrSrc mul_part(Lower *l, PtxMulPart part) {
    const PtxInst *in = l->in;
    bool sign = is_signed(l);
    IrSrc a = int_arg(l, 1), b = int_arg(l, 2);
    if (is_wide(l))
        return part == PTX_PART_HI ? mul_hi64(l, a, b, sign) : lw_op2(l, IR_MUL64, 2, a, b);
    if (type_bits(l) == 32 && part == PTX_PART_WIDE) return wide_mul(l, a, b, sign);
    if (part == PTX_PART_LO && type_bits(l) < 32) {  // the upper bits do not matter
        a = lw_arg32(l, 1);
        b = lw_arg32(l, 2);
    }
    IrSrc r = lw_op2(l, ISA_IMUL, 1, a, b);
    lw_last(l)->mod.type = sign ? ISA_S32 : ISA_U32;
    if (type_bits(l) == 32 && part == PTX_PART_HI) lw_last(l)->mod.part = ISA_HI;
    if (type_bits(l) == 16 && part == PTX_PART_HI) r = shift_right(l, r, ir_imm(16), false);
    (void)in;
    return r;
}

static IrSrc clamp_sum(Lower *l, IrSrc a, IrSrc b) {
    IrSrc s = add_values(l, lw_op1(l, IR_SEXT64, 2, a), lw_op1(l, IR_SEXT64, 2, b));
    IrSrc r = lw_op1(l, ISA_CVT, 1, s);
    lw_last(l)->mod.type = ISA_S32;
    lw_last(l)->mod.stype = ISA_S64;
    lw_last(l)->mod.sat = true;
    return r;
}

static bool lower_mad(Lower *l, bool use_carry) {
    const PtxInst *in = l->in;
    if (in->cc || use_carry) {
        IrSrc p = mul_part(l, in->part);
        return put_result(l,
                          carry_sum(l, p, is_wide(l) ? lw_arg64(l, 3) : lw_arg32(l, 3), use_carry));
    }
    if (in->sat) return put_result(l, clamp_sum(l, mul_part(l, in->part), lw_arg32(l, 3)));
    if (type_bits(l) == 32) {
        bool wide = in->part == PTX_PART_WIDE;
        IrSrc r = lw_op3(l, ISA_IMAD, wide ? 2 : 1, lw_arg32(l, 1), lw_arg32(l, 2),
                         wide ? lw_arg64(l, 3) : lw_arg32(l, 3));
        lw_last(l)->mod.part = wide ? ISA_WIDE : in->part == PTX_PART_HI ? ISA_HI : ISA_LO;
        lw_last(l)->mod.type = is_signed(l) ? ISA_S32 : ISA_U32;
        return put_result(l, r);
    }
    return put_result(
        l, add_values(l, mul_part(l, in->part), is_wide(l) ? lw_arg64(l, 3) : lw_arg32(l, 3)));
}

// mul24: 24-bit factors; lo and hi are bits 31..0 and 47..16 of the product.
static bool lower_mul24(Lower *l, bool mad) {
    IrSrc f[2];
    for (int i = 0; i < 2; i++) {
        f[i] = lw_op3(l, ISA_BFE, 1, lw_arg32(l, i + 1), ir_imm(0), ir_imm(24));
        lw_last(l)->mod.type = is_signed(l) ? ISA_S32 : ISA_U32;
    }
    IrSrc p = wide_mul(l, f[0], f[1], is_signed(l));
    IrSrc r = l->in->part == PTX_PART_HI ? lw_word(l, shift_right(l, p, ir_imm(16), false), 0)
                                         : lw_word(l, p, 0);
    if (mad && l->in->sat) return put_result(l, clamp_sum(l, r, lw_arg32(l, 3)));
    return put_result(l, mad ? add_values(l, r, lw_arg32(l, 3)) : r);
}

// ---- division, minimum, absolute value ----

static bool lower_div(Lower *l, bool remainder) {
    IrSrc r = lw_op2(l, ISA_IDIV, is_wide(l) ? 2 : 1, int_arg(l, 1), int_arg(l, 2));
    lw_last(l)->mod.type = wide_type(l);
    lw_last(l)->mod.mode = remainder;
    return put_result(l, r);
}

static IrSrc min_max(Lower *l, IrSrc a, IrSrc b, bool max) {
    if (a.width == 2)
        return lw_sel(l, lw_setp(l, IR_SETP64, wide_type(l), max ? ISA_GT : ISA_LT, a, b), a, b);
    IrSrc r = lw_op2(l, ISA_IMNMX, 1, a, b);
    lw_last(l)->mod.type = wide_type(l);
    lw_last(l)->mod.mode = max;
    return r;
}

static IrSrc absolute_value(Lower *l, IrSrc a) {
    if (a.width == 1) return lw_op1(l, ISA_IABS, 1, a);
    return lw_sel(l, lw_setp(l, ISA_ISETP, ISA_S32, ISA_LT, lw_word(l, a, 1), ir_imm(0)),
                  negate_value(l, a), a);
}

static bool lower_sad(Lower *l) {
    IrSrc a = int_arg(l, 1), b = int_arg(l, 2);
    if (is_wide(l)) {
        IrSrc d = add_values(l, min_max(l, a, b, true), lw_neg(min_max(l, a, b, false)));
        return put_result(l, add_values(l, d, lw_arg64(l, 3)));
    }
    IrSrc r = lw_op3(l, ISA_SAD, 1, a, b, lw_arg32(l, 3));
    lw_last(l)->mod.type = wide_type(l);
    return put_result(l, r);
}

// ---- logic and shifts ----

static bool lower_logic(Lower *l, int lut) {
    const PtxInst *in = l->in;
    if (in->type == PTX_PRED) {
        bool one = in->nopnd == 2;
        IrPred a = lw_argp(l, &in->opnd[1]), b = one ? lw_true() : lw_argp(l, &in->opnd[2]);
        lw_put_pred(l, &in->opnd[0], one ? lw_not(a) : lw_plop(l, lut, a, b, lw_true()));
        return true;
    }
    if (is_wide(l))
        return put_result(
            l, lw_lop64(l, lut, lw_arg64(l, 1), in->nopnd == 2 ? ir_imm64(0) : lw_arg64(l, 2)));
    return put_result(
        l, lw_lop(l, lut, lw_arg32(l, 1), in->nopnd == 2 ? ir_imm(0) : lw_arg32(l, 2), ir_imm(0)));
}

static bool lower_lop3(Lower *l) {
    const PtxInst *in = l->in;
    // lop3.b32 d, a, b, c, lut
    IrSrc r = lw_lop(l, (int)in->opnd[4].bits, lw_arg32(l, 1), lw_arg32(l, 2), lw_arg32(l, 3));
    if (in->boolop == PTX_BOOL_NONE) return put_result(l, r);
    // lop3.and.b32 d|p, a, b, c, lut, q: p = (d != 0) and q
    IrPred q = lw_argp(l, &in->opnd[5]), p = lw_setp(l, ISA_ISETP, ISA_U32, ISA_NE, r, ir_imm(0));
    p = lw_plop(l, in->boolop == PTX_BOOL_AND ? ISA_LUT_AND : ISA_LUT_OR, p, q,
                (IrPred){IR_PT, false});
    put_result(l, r);
    lw_put_pred(l, &in->dst2, p);
    return true;
}

static bool lower_cnot(Lower *l) {
    IrSrc a = lw_extend(l, is_wide(l) ? lw_arg64(l, 1) : lw_arg32(l, 1),
                        type_bits(l) == 16 ? PTX_U16 : l->in->type);
    IrPred p = lw_setp(l, is_wide(l) ? IR_SETP64 : ISA_ISETP, is_wide(l) ? ISA_U64 : ISA_U32,
                       ISA_EQ, a, zero_of(a.width));
    return put_result(l,
                      is_wide(l) ? lw_sel(l, p, ir_imm64(1), ir_imm64(0))
                                 : lw_sel(l, p, ir_imm(1), ir_imm(0)));
}

static bool lower_shift(Lower *l, bool left) {
    IrSrc amount = lw_arg32(l, 2);
    if (left)
        return put_result(l, shift_left(l, is_wide(l) ? lw_arg64(l, 1) : lw_arg32(l, 1), amount));
    return put_result(l, shift_right(l, int_arg(l, 1), amount, is_signed(l)));
}

static bool lower_shf(Lower *l) {
    IrSrc r = lw_op3(l, ISA_SHF, 1, lw_arg32(l, 1), lw_arg32(l, 3), lw_arg32(l, 2));
    lw_last(l)->mod.mode = (uint8_t)((l->in->left ? 1 : 0) | (l->in->shf == PTX_SHF_WRAP ? 2 : 0));
    return put_result(l, r);
}

static bool lower_prmt(Lower *l) {
    IrSrc r = lw_op3(l, ISA_PRMT, 1, lw_arg32(l, 1), lw_arg32(l, 3), lw_arg32(l, 2));
    lw_last(l)->mod.mode = (uint8_t)l->in->prmt;
    return put_result(l, r);
}

// ---- bit fields and counts ----

static IrSrc low_byte(Lower *l, IrSrc s) {
    return s.kind == ISA_SRC_IMM ? ir_imm((uint32_t)s.imm & 255) : lw_extend(l, s, PTX_U8);
}

static bool lower_bfe(Lower *l) {
    IrSrc pos = low_byte(l, lw_arg32(l, 2)), len = low_byte(l, lw_arg32(l, 3));
    if (!is_wide(l)) {
        IrSrc r = lw_op3(l, ISA_BFE, 1, lw_arg32(l, 1), pos, len);
        lw_last(l)->mod.type = is_signed(l) ? ISA_S32 : ISA_U32;
        return put_result(l, r);
    }
    // Shift the field's top bit to bit 63, then shift it down with the correct filling.
    IrSrc t = shift_right(l, lw_arg64(l, 1), pos, is_signed(l));
    IrSrc n = lw_op2(l, ISA_IMNMX, 1, len, ir_imm(64));
    lw_last(l)->mod.type = ISA_U32;
    n = add_values(l, ir_imm(64), lw_neg(n));
    return put_result(l, shift_right(l, shift_left(l, t, n), n, is_signed(l)));
}

static bool lower_bfi(Lower *l) {
    IrSrc pos = low_byte(l, lw_arg32(l, 3)), len = low_byte(l, lw_arg32(l, 4));
    if (!is_wide(l)) {
        IrSrc field = lw_op3(l, ISA_BFI, 1, len, pos, ir_imm(8 | 8 << 8));  // start | length << 8
        if (pos.kind == ISA_SRC_IMM && len.kind == ISA_SRC_IMM)
            field = ir_imm((uint32_t)(pos.imm | len.imm << 8));
        return put_result(l, lw_op3(l, ISA_BFI, 1, lw_arg32(l, 1), lw_arg32(l, 2), field));
    }
    IrSrc mask = shift_left(l, complement_value(l, shift_left(l, ir_imm64(~0ull), len)), pos);
    IrSrc a = lw_lop64(l, ISA_LUT_AND, shift_left(l, lw_arg64(l, 1), pos), mask);
    return put_result(l,
                      lw_lop64(l, ISA_LUT_OR, a, lw_lop64(l, ISA_LUT_ANDN, lw_arg64(l, 2), mask)));
}

static IrSrc find_leading(Lower *l, IrSrc a, bool sign, bool shiftamt) {
    IrSrc r = lw_op1(l, ISA_FLO, 1, a);
    lw_last(l)->mod.type = sign ? ISA_S32 : ISA_U32;
    lw_last(l)->mod.mode = shiftamt;
    return r;
}

static bool lower_bfind(Lower *l) {
    if (!is_wide(l))
        return put_result(l, find_leading(l, lw_arg32(l, 1), is_signed(l), l->in->shiftamt));
    IrSrc a = lw_arg64(l, 1);
    if (is_signed(l)) {
        IrSrc s = shift_right(l, lw_word(l, a, 1), ir_imm(31), true);
        a = lw_lop64(l, ISA_LUT_XOR, a, lw_join(l, s, s));
    }
    IrSrc hi = lw_word(l, a, 1), lo = find_leading(l, lw_word(l, a, 0), false, false);
    IrPred high = lw_setp(l, ISA_ISETP, ISA_U32, ISA_NE, hi, ir_imm(0));
    IrSrc r = lw_sel(l, high, add_values(l, find_leading(l, hi, false, false), ir_imm(32)), lo);
    if (!l->in->shiftamt) return put_result(l, r);
    IrPred none = lw_setp(l, ISA_ISETP, ISA_U32, ISA_EQ, r, ir_imm(~0u));
    return put_result(l, lw_sel(l, none, ir_imm(~0u), add_values(l, ir_imm(63), lw_neg(r))));
}

static bool lower_count(Lower *l, int op) {
    if (!is_wide(l)) return put_result(l, lw_op1(l, op, 1, lw_arg32(l, 1)));
    IrSrc a = lw_arg64(l, 1), lo = lw_op1(l, op, 1, lw_word(l, a, 0)),
          hi = lw_op1(l, op, 1, lw_word(l, a, 1));
    if (op == ISA_BREV) return put_result(l, lw_join(l, hi, lo));
    if (op == ISA_POPC) return put_result(l, add_values(l, lo, hi));
    IrPred none = lw_setp(l, ISA_ISETP, ISA_U32, ISA_EQ, lw_word(l, a, 1), ir_imm(0));
    return put_result(l, lw_sel(l, none, add_values(l, lo, ir_imm(32)), hi));
}

// szext: BFE from bit 0; the length is b mod 32 (wrap) or at most 32 (clamp).
static bool lower_szext(Lower *l) {
    IrSrc n = lw_arg32(l, 2);
    if (l->in->shf == PTX_SHF_WRAP) n = lw_lop(l, ISA_LUT_AND, n, ir_imm(31), ir_imm(0));
    else {
        n = lw_op2(l, ISA_IMNMX, 1, n, ir_imm(32));
        lw_last(l)->mod.type = ISA_U32;
    }
    IrSrc r = lw_op3(l, ISA_BFE, 1, lw_arg32(l, 1), ir_imm(0), n);
    lw_last(l)->mod.type = is_signed(l) ? ISA_S32 : ISA_U32;
    return put_result(l, r);
}

static bool lower_bmsk(Lower *l) {
    IrSrc r = lw_op2(l, ISA_BMSK, 1, lw_arg32(l, 1), lw_arg32(l, 2));
    lw_last(l)->mod.mode = l->in->shf == PTX_SHF_WRAP;
    return put_result(l, r);
}

// ---- dot products ----

static bool lower_dot(Lower *l, int op) {
    const PtxInst *in = l->in;
    IrSrc r = lw_op3(l, op, 1, lw_arg32(l, 1), lw_arg32(l, 2), lw_arg32(l, 3));
    lw_last(l)->mod.mode =
        (uint8_t)((ptx_type_is_signed(in->type) ? 1 : 0) | (ptx_type_is_signed(in->type2) ? 2 : 0) |
                  (op == ISA_DP2A && in->part == PTX_PART_HI ? 4 : 0));
    return put_result(l, r);
}

bool lower_int(Lower *l) {
    switch (l->in->op) {
    case PTX_ADD: return lower_add(l, false, false);
    case PTX_ADDC: return lower_add(l, false, true);
    case PTX_SUB: return lower_add(l, true, false);
    case PTX_SUBC: return lower_add(l, true, true);
    case PTX_MUL: return put_result(l, mul_part(l, l->in->part));
    case PTX_MAD: return lower_mad(l, false);
    case PTX_MADC: return lower_mad(l, true);
    case PTX_MUL24: return lower_mul24(l, false);
    case PTX_MAD24: return lower_mul24(l, true);
    case PTX_DIV: return lower_div(l, false);
    case PTX_REM: return lower_div(l, true);
    case PTX_MIN: return put_result(l, min_max(l, int_arg(l, 1), int_arg(l, 2), false));
    case PTX_MAX: return put_result(l, min_max(l, int_arg(l, 1), int_arg(l, 2), true));
    case PTX_ABS: return put_result(l, absolute_value(l, int_arg(l, 1)));
    case PTX_NEG:
        return put_result(l, negate_value(l, is_wide(l) ? lw_arg64(l, 1) : lw_arg32(l, 1)));
    case PTX_SAD: return lower_sad(l);
    case PTX_AND: return lower_logic(l, ISA_LUT_AND);
    case PTX_OR: return lower_logic(l, ISA_LUT_OR);
    case PTX_XOR: return lower_logic(l, ISA_LUT_XOR);
    case PTX_NOT: return lower_logic(l, 0x0f);
    case PTX_CNOT: return lower_cnot(l);
    case PTX_LOP3: return lower_lop3(l);
    case PTX_SHL: return lower_shift(l, true);
    case PTX_SHR: return lower_shift(l, false);
    case PTX_SHF: return lower_shf(l);
    case PTX_PRMT: return lower_prmt(l);
    case PTX_BFE: return lower_bfe(l);
    case PTX_BFI: return lower_bfi(l);
    case PTX_BFIND: return lower_bfind(l);
    case PTX_POPC: return lower_count(l, ISA_POPC);
    case PTX_CLZ: return lower_count(l, ISA_CLZ);
    case PTX_BREV: return lower_count(l, ISA_BREV);
    case PTX_SZEXT: return lower_szext(l);
    case PTX_BMSK: return lower_bmsk(l);
    case PTX_DP4A: return lower_dot(l, ISA_DP4A);
    case PTX_DP2A: return lower_dot(l, ISA_DP2A);
    default: return lw_fail(l, "%s is not supported by the compiler", ptx_op_name(l->in->op));
    }
}
