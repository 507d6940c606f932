// SPDX-License-Identifier: Apache-2.0
// Lowering of video instructions. Elements are exact signed numbers: words for bytes and halfwords,
// pairs for whole registers.
#include "compile/lower/lower.h"

static bool put_result(Lower *l, IrSrc v) {
    lw_put(l, &l->in->opnd[0], v);
    return true;
}
static bool is_signed(PtxType t) { return t == PTX_S32; }
static int part_digit(const PtxOperand *o, int i) { return o->parts >> (4 * i) & 15; }

// ---- numbers ----

static IrSrc add_values(Lower *l, IrSrc a, IrSrc b) {
    return lw_op2(l, a.width == 2 ? IR_ADD64 : ISA_IADD, a.width, a, b);
}

static IrPred compare_values(Lower *l, IsaCmp cmp, IrSrc a, IrSrc b) {
    return a.width == 2 ? lw_setp(l, IR_SETP64, ISA_S64, cmp, a, b)
                        : lw_setp(l, ISA_ISETP, ISA_S32, cmp, a, b);
}

static IrSrc widen_value(Lower *l, IrSrc a, bool sign) {
    if (a.width == 2) return a;
    return sign ? lw_op1(l, IR_SEXT64, 2, a) : lw_join(l, a, ir_imm(0));
}

static IrSrc min_max(Lower *l, IrSrc a, IrSrc b, bool max) {
    if (a.width == 2) return lw_sel(l, compare_values(l, max ? ISA_GT : ISA_LT, a, b), a, b);
    IrSrc r = lw_op2(l, ISA_IMNMX, 1, a, b);
    lw_last(l)->mod.type = ISA_S32;
    lw_last(l)->mod.mode = max;
    return r;
}

// The number clamped to 8, 16 or 32 bits.
static IrSrc clamp_value(Lower *l, IrSrc v, int bits, bool sign) {
    IrSrc r = lw_op1(l, ISA_CVT, 1, v);
    lw_last(l)->mod.type = bits == 8 ? (sign ? ISA_S8 : ISA_U8)
        : bits == 16                 ? (sign ? ISA_S16 : ISA_U16)
                                     : (sign ? ISA_S32 : ISA_U32);
    lw_last(l)->mod.stype = v.width == 2 ? ISA_S64 : ISA_S32;
    lw_last(l)->mod.sat = true;
    return r;
}

static IrSrc extract_field(Lower *l, IrSrc a, int at, int bits, bool sign) {
    IrSrc r = lw_op3(l, ISA_BFE, 1, a, ir_imm((uint32_t)at), ir_imm((uint32_t)bits));
    lw_last(l)->mod.type = sign ? ISA_S32 : ISA_U32;
    return r;
}

static IrSrc insert_field(Lower *l, IrSrc v, IrSrc into, int at, int bits) {
    return lw_op3(l, ISA_BFI, 1, v, into, ir_imm((uint32_t)(at | bits << 8)));
}

// Operand i without its sign.
static IrSrc operand_word(Lower *l, int i) {
    PtxOperand o = l->in->opnd[i];
    o.negated = false;
    IrSrc s = lw_arg(l, &o);
    return s.width == 2 ? lw_word(l, s, 0) : s;
}

// ---- what is done with an element ----

static IrSrc average_values(Lower *l, IrSrc x, IrSrc y) {
    // -1 below 0
    IrSrc s = add_values(l, x, y), below = lw_shift(l, ISA_SHR, ISA_S32, s, ir_imm(31));
    return lw_shift(l, ISA_SHR, ISA_S32, add_values(l, add_values(l, s, ir_imm(1)), below),
                    ir_imm(1));
}

static IrSrc absolute_difference(Lower *l, IrSrc x, IrSrc y) {
    IrSrc d = add_values(l, x, lw_neg(y));
    if (d.width == 1) return lw_op1(l, ISA_IABS, 1, d);
    return min_max(l, d, add_values(l, ir_imm64(0), lw_neg(d)), true);
}

static IrSrc primary_op(Lower *l, PtxVideoKind kind, IrSrc x, IrSrc y) {
    switch (kind) {
    case PTX_VIDEO_ADD: return add_values(l, x, y);
    case PTX_VIDEO_SUB: return add_values(l, x, lw_neg(y));
    case PTX_VIDEO_AVRG: return average_values(l, x, y);
    case PTX_VIDEO_ABSDIFF: return absolute_difference(l, x, y);
    case PTX_VIDEO_MIN: return min_max(l, x, y, false);
    case PTX_VIDEO_MAX: return min_max(l, x, y, true);
    default: return lw_sel(l, compare_values(l, lw_cmp(l->in->cmp), x, y), ir_imm(1), ir_imm(0));
    }
}

// ---- scalar ----

// Source i as the instruction selects it.
static IrSrc select_source(Lower *l, int i, PtxType type) {
    const PtxOperand *o = &l->in->opnd[i];
    IrSrc a = operand_word(l, i);
    if (!o->part) return widen_value(l, a, is_signed(type));
    const int bits = o->part == 'b' ? 8 : 16;
    return extract_field(l, a, bits * part_digit(o, 0), bits, is_signed(type));
}

static PtxType source_type(const PtxInst *in, int i) {
    const bool set = ptx_video(in->op).kind == PTX_VIDEO_SET;
    return i == 1 ? (set ? in->type : in->type2) : set ? in->type2 : in->type3;
}

// A left shift by up to 32. As a number, an unsigned value beyond 63 bits becomes the maximum; its
// low word is unchanged.
static IrSrc shift_left(Lower *l, IrSrc x, IrSrc n, IrSrc *low) {
    IrSrc r = lw_shift(l, IR_SHL64, ISA_U64, x, n);
    *low = lw_word(l, r, 0);
    if (is_signed(l->in->type2)) return r;
    return lw_sel(l, compare_values(l, ISA_LT, r, ir_imm64(0)), ir_imm64(INT64_MAX), r);
}

static IrSrc shift_source(Lower *l, bool left, IrSrc *low) {
    IrSrc x = widen_value(l, select_source(l, 1, l->in->type2), true),
          n = select_source(l, 2, PTX_U32);
    if (n.width == 2) n = lw_word(l, n, 0);
    if (l->in->shf == PTX_SHF_WRAP) n = lw_lop(l, ISA_LUT_AND, n, ir_imm(31), ir_imm(0));
    else {
        n = lw_op2(l, ISA_IMNMX, 1, n, ir_imm(32));
        lw_last(l)->mod.type = ISA_U32;
    }
    if (left) return shift_left(l, x, n, low);
    IrSrc r = lw_shift(l, IR_SHR64, ISA_S64, x, n);
    *low = lw_word(l, r, 0);
    return r;
}

// The second operation, with the third operand. v: the number, of which low is the low word.
static IrSrc second_op(Lower *l, IrSrc v, IrSrc low, bool sign) {
    IrSrc c = operand_word(l, 3);
    if (l->in->atom == PTX_ATOM_ADD) return lw_op2(l, ISA_IADD, 1, low, c);
    const bool max = l->in->atom == PTX_ATOM_MAX;
    IrSrc x = widen_value(l, v, true), z = widen_value(l, c, sign);
    return lw_sel(l, compare_values(l, max ? ISA_GT : ISA_LT, x, z), low, c);
}

static bool lower_scalar(Lower *l, PtxVideoKind kind) {
    const PtxInst *in = l->in;
    const PtxOperand *d = &in->opnd[0];
    const bool set = kind == PTX_VIDEO_SET, sign = !set && is_signed(in->type);
    const int bits = d->part == 'b' ? 8 : d->part ? 16 : 32;
    IrSrc v, low;
    if (kind == PTX_VIDEO_SHL || kind == PTX_VIDEO_SHR)
        v = shift_source(l, kind == PTX_VIDEO_SHL, &low);
    else {
        IrSrc x = select_source(l, 1, source_type(in, 1)),
              y = select_source(l, 2, source_type(in, 2));
        if (x.width != y.width) x = widen_value(l, x, true), y = widen_value(l, y, true);
        v = primary_op(l, kind, x, y);
        low = v.width == 2 ? lw_word(l, v, 0) : v;
    }
    if (in->sat) {
        low = clamp_value(l, v, bits, sign);
        v = sign ? low : widen_value(l, low, false);
    }
    if (d->part)
        return put_result(l,
                          insert_field(l, low, operand_word(l, 3), bits * part_digit(d, 0), bits));
    return put_result(l, in->atom ? second_op(l, v, low, sign) : low);
}

// ---- vmad ----

typedef struct Sum {
    IrSrc word[3];
} Sum;

// p + c + one over three words.
static Sum three_words(Lower *l, const IrSrc p[3], const IrSrc c[3], bool one) {
    Sum s;
    IrPred carry = {IR_PT, !one};
    for (int i = 0; i < 3; i++) {
        s.word[i] = lw_op2(l, ISA_IADD, 1, p[i], c[i]);
        IrInst *in = lw_last(l);
        in->mod.has_cin = true;
        in->psrc[0] = carry;
        in->pdst[0] = ir_vreg(l->ir, 0);
        carry = (IrPred){in->pdst[0], false};
    }
    return s;
}

static IrSrc complement_value(Lower *l, IrSrc a) {
    return lw_lop(l, 0x0f, a, ir_imm(0), ir_imm(0));
}

// One word of the sum after a shift by less than 32.
static IrSrc shift_sum(Lower *l, const Sum *s, int word, int by) {
    if (!by) return s->word[word];
    if (word == 2) return lw_shift(l, ISA_SHR, ISA_S32, s->word[2], ir_imm((uint32_t)by));
    return lw_op3(l, ISA_SHF, 1, s->word[word], ir_imm((uint32_t)by), s->word[word + 1]);
}

// The three words clamped to 32 bits.
static IrSrc clamp_sum(Lower *l, const IrSrc w[3], bool sign) {
    IrSrc r = clamp_value(l, lw_join(l, w[0], w[1]), 32, sign);
    if (!sign) {  // no number of 64 bits is below 0
        lw_last(l)->mod.stype = ISA_U64;
        return r;
    }
    IrSrc top = lw_shift(l, ISA_SHR, ISA_S32, w[1], ir_imm(31));
    IrSrc limit = lw_lop(l, ISA_LUT_XOR, lw_shift(l, ISA_SHR, ISA_S32, w[2], ir_imm(31)),
                         ir_imm(INT32_MAX), ir_imm(0));
    return lw_sel(l, lw_setp(l, ISA_ISETP, ISA_U32, ISA_EQ, top, w[2]), r, limit);
}

static bool lower_mad(Lower *l) {
    const PtxInst *in = l->in;
    const bool product = in->opnd[1].negated != in->opnd[2].negated, addend = in->opnd[3].negated;
    const bool factors = is_signed(in->type2) || is_signed(in->type3),
               sign = factors || product || addend;
    IrSrc x = select_source(l, 1, in->type2), y = select_source(l, 2, in->type3);
    IrSrc m = lw_op2(l, IR_MUL64, 2, widen_value(l, x, true), widen_value(l, y, true)),
          c = operand_word(l, 3);
    IrSrc p[3] = {lw_word(l, m, 0), lw_word(l, m, 1), ir_imm(0)}, z[3] = {c, ir_imm(0), ir_imm(0)};
    if (factors) p[2] = lw_shift(l, ISA_SHR, ISA_S32, p[1], ir_imm(31));
    if (addend) z[0] = complement_value(l, c);
    if (sign) z[1] = z[2] = lw_shift(l, ISA_SHR, ISA_S32, z[0], ir_imm(31));
    for (int i = 0; i < 3 && product; i++) p[i] = complement_value(l, p[i]);
    const Sum s = three_words(l, p, z, in->po || product || addend);
    IrSrc w[3] = {shift_sum(l, &s, 0, in->scale), shift_sum(l, &s, 1, in->scale),
                  shift_sum(l, &s, 2, in->scale)};
    return put_result(l, in->sat ? clamp_sum(l, w, sign) : w[0]);
}

// ---- SIMD ----

// Lane i of source number `which`: the selector picks lanes of both registers.
static IrSrc read_lane(Lower *l, const IrSrc ab[2], int which, int i, int lanes) {
    const PtxOperand *o = &l->in->opnd[which];
    const int n = o->part ? part_digit(o, i) : which == 1 ? i : i + lanes, bits = 32 / lanes;
    return extract_field(l, ab[n / lanes], bits * (n % lanes), bits,
                         is_signed(source_type(l->in, which)));
}

static bool writes_lane(const PtxOperand *d, int lane) {
    for (int i = 0; i < d->nparts; i++)
        if (part_digit(d, i) == lane) return true;
    return !d->part;
}

static bool lower_simd(Lower *l, PtxVideo v) {
    const PtxInst *in = l->in;
    const bool sum = in->atom == PTX_ATOM_ADD,
               sign = v.kind != PTX_VIDEO_SET && is_signed(in->type);
    const int bits = 32 / v.lanes;
    const IrSrc ab[2] = {operand_word(l, 1), operand_word(l, 2)};
    IrSrc r = operand_word(l, 3);
    for (int i = 0; i < v.lanes; i++) {
        if (!writes_lane(&in->opnd[0], i)) continue;
        IrSrc e =
            primary_op(l, v.kind, read_lane(l, ab, 1, i, v.lanes), read_lane(l, ab, 2, i, v.lanes));
        if (in->sat) e = clamp_value(l, e, bits, sign);
        r = sum ? lw_op2(l, ISA_IADD, 1, r, e) : insert_field(l, e, r, i * bits, bits);
    }
    return put_result(l, r);
}

// vabsdiff2 and vabsdiff4 of whole registers have an instruction.
static bool has_instruction(const PtxInst *in, PtxVideo v) {
    return v.kind == PTX_VIDEO_ABSDIFF && !in->opnd[0].part && !in->opnd[1].part &&
        !in->opnd[2].part;
}

static bool lower_differences(Lower *l, int lanes) {
    const PtxInst *in = l->in;
    IrSrc r =
        lw_op3(l, ISA_VABSDIFF4, 1, operand_word(l, 1), operand_word(l, 2), operand_word(l, 3));
    lw_last(l)->mod.mode =
        (uint8_t)((is_signed(in->type2) ? 1 : 0) | (is_signed(in->type3) ? 2 : 0) |
                  (in->atom == PTX_ATOM_ADD ? 4 : 0) | (lanes == 2 ? 8 : 0) | (in->sat ? 16 : 0));
    lw_last(l)->mod.type = is_signed(in->type) ? ISA_S32 : ISA_U32;
    return put_result(l, r);
}

bool lower_video(Lower *l) {
    const PtxVideo v = ptx_video(l->in->op);
    if (v.kind == PTX_VIDEO_MAD) return lower_mad(l);
    if (v.lanes == 1) return lower_scalar(l, v.kind);
    return has_instruction(l->in, v) ? lower_differences(l, v.lanes) : lower_simd(l, v);
}
