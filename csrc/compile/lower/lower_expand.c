// SPDX-License-Identifier: Apache-2.0
// 64-bit integer operations and sign operations become machine instructions on words.
//
// requires  SSA
//
// destroys  ADD64 MUL64 SHL64 SHR64 LOP64 SEXT64 SETP64 FNEG FABS
//
// provides  SPLIT and JOIN around word operations (simplify.c removes the pairs that meet)
#include "compile/ir.h"

#include <string.h>

typedef struct Expander {
    Ir *ir;
    IrInst **out;  // instructions of the block being rewritten
    int nout, cap_out;
    int line;
} Expander;

static IrInst *put_inst(Expander *e, int op, int nsrc) {
    IrInst *in = ir_inst(e->ir, op, nsrc);
    in->mod.ptx_line = e->line;
    *ARENA_PUSH(e->ir->arena, e->out, e->nout, e->cap_out) = in;
    return in;
}

static IrSrc new_result(Expander *e, IrInst *in, int width) {
    in->dst = ir_vreg(e->ir, width);
    return ir_reg(e->ir, in->dst);
}

static IrSrc word_of(Expander *e, IrSrc s, int w) {
    if (s.kind == ISA_SRC_IMM) return ir_imm((uint32_t)(s.imm >> (32 * w)));
    if (s.kind == ISA_SRC_CONST) {
        IrSrc c = ir_const(s.cbank, s.imm + 4u * (unsigned)w, 1);
        c.neg = s.neg;
        return c;
    }
    IrInst *in = put_inst(e, IR_SPLIT, 1);
    in->src[0] = s;
    in->src[0].neg = in->src[0].abs = false;
    in->mod.mode = (uint8_t)w;
    IrSrc r = new_result(e, in, 1);
    r.neg = s.neg;
    return r;
}

static IrSrc put_op2(Expander *e, int op, IrSrc a, IrSrc b) {
    IrInst *in = put_inst(e, op, 2);
    in->src[0] = a;
    in->src[1] = b;
    return new_result(e, in, 1);
}

static IrSrc put_op3(Expander *e, int op, IrSrc a, IrSrc b, IrSrc c) {
    IrInst *in = put_inst(e, op, 3);
    in->src[0] = a;
    in->src[1] = b;
    in->src[2] = c;
    return new_result(e, in, 1);
}

static IrInst *last_inst(Expander *e) { return e->out[e->nout - 1]; }

static void put_join(Expander *e, int dst, IrSrc lo, IrSrc hi) {
    IrInst *in = put_inst(e, IR_JOIN, 2);
    in->src[0] = lo;
    in->src[1] = hi;
    in->dst = dst;
}

static bool known_zero(const IrSrc *s) { return ir_is_imm(s, 0); }

static void expand_add64(Expander *e, const IrInst *in) {
    IrSrc a = in->src[0], b = in->src[1];
    IrSrc a0 = word_of(e, a, 0), b0 = word_of(e, b, 0);
    if ((known_zero(&a0) && !b0.neg) || (known_zero(&b0) && !a0.neg)) {  // no carry
        IrSrc lo = known_zero(&a0) ? b0 : a0;
        IrSrc hi = put_op2(e, ISA_IADD, word_of(e, a, 1), word_of(e, b, 1));
        put_join(e, in->dst, lo, hi);
        return;
    }
    IrSrc lo = put_op2(e, ISA_IADD, a0, b0);
    int carry = ir_vreg(e->ir, 0);
    last_inst(e)->pdst[0] = carry;
    IrSrc hi = put_op2(e, ISA_IADD, word_of(e, a, 1), word_of(e, b, 1));
    last_inst(e)->mod.has_cin = true;
    last_inst(e)->psrc[0].reg = carry;
    put_join(e, in->dst, lo, hi);
}

static void expand_mul64(Expander *e, const IrInst *in) {
    IrSrc a0 = word_of(e, in->src[0], 0), a1 = word_of(e, in->src[0], 1);
    IrSrc b0 = word_of(e, in->src[1], 0), b1 = word_of(e, in->src[1], 1);
    IrInst *low = put_inst(e, ISA_IMUL, 2);
    low->src[0] = a0;
    low->src[1] = b0;
    low->mod.part = ISA_WIDE;
    low->mod.type = ISA_U32;
    IrSrc p = new_result(e, low, 2), hi = word_of(e, p, 1);
    if (!known_zero(&b1)) {
        hi = put_op3(e, ISA_IMAD, a0, b1, hi);
        last_inst(e)->mod.type = ISA_U32;
    }
    if (!known_zero(&a1)) {
        hi = put_op3(e, ISA_IMAD, a1, b0, hi);
        last_inst(e)->mod.type = ISA_U32;
    }
    put_join(e, in->dst, word_of(e, p, 0), hi);
}

static IrSrc put_shift(Expander *e, int op, IsaType type, IrSrc a, uint32_t n) {
    IrSrc r = put_op2(e, op, a, ir_imm(n));
    last_inst(e)->mod.type = type;
    return r;
}

static IrSrc put_shift64(Expander *e, bool left, IsaType type, IrSrc lo, IrSrc hi, IrSrc n) {
    IrSrc r = put_op3(e, ISA_SHF64, lo, n, hi);
    last_inst(e)->mod.mode = left;
    last_inst(e)->mod.type = left ? ISA_U64 : type;
    return r;
}

static void expand_shl64(Expander *e, const IrInst *in) {
    IrSrc lo = word_of(e, in->src[0], 0), hi = word_of(e, in->src[0], 1), n = in->src[1];
    if (n.kind != ISA_SRC_IMM) {
        IrSrc h = put_shift64(e, true, ISA_U64, lo, hi, n);
        put_join(e, in->dst, put_op2(e, ISA_SHL, lo, n), h);
        return;
    }
    uint32_t k = (uint32_t)n.imm;
    if (k >= 64) put_join(e, in->dst, ir_imm(0), ir_imm(0));
    else if (k == 0) put_join(e, in->dst, lo, hi);
    else if (k >= 32)
        put_join(e, in->dst, ir_imm(0), k == 32 ? lo : put_shift(e, ISA_SHL, ISA_U32, lo, k - 32));
    else {
        IrSrc h = put_shift64(e, true, ISA_U64, lo, hi, n);
        put_join(e, in->dst, put_shift(e, ISA_SHL, ISA_U32, lo, k), h);
    }
}

static void expand_shr64(Expander *e, const IrInst *in) {
    IrSrc lo = word_of(e, in->src[0], 0), hi = word_of(e, in->src[0], 1), n = in->src[1];
    bool sign = in->mod.type == ISA_S64;
    IsaType t = sign ? ISA_S32 : ISA_U32;
    if (n.kind != ISA_SRC_IMM) {
        IrSrc low = put_shift64(e, false, in->mod.type, lo, hi, n);
        IrSrc h = put_op2(e, ISA_SHR, hi, n);
        last_inst(e)->mod.type = t;
        put_join(e, in->dst, low, h);
        return;
    }
    uint32_t k = n.imm > 64 ? 64 : (uint32_t)n.imm;
    if (k == 0) {
        put_join(e, in->dst, lo, hi);
        return;
    }
    IrSrc fill = sign ? put_shift(e, ISA_SHR, ISA_S32, hi, 31) : ir_imm(0);
    if (k == 64) put_join(e, in->dst, fill, fill);
    else if (k >= 32)
        put_join(e, in->dst, k == 32 ? hi : put_shift(e, ISA_SHR, t, hi, k - 32), fill);
    else {
        IrSrc low = put_shift64(e, false, in->mod.type, lo, hi, n);
        put_join(e, in->dst, low, put_shift(e, ISA_SHR, t, hi, k));
    }
}

static void expand_lop64(Expander *e, const IrInst *in) {
    IrSrc w[2];
    for (int i = 0; i < 2; i++) {
        IrSrc a = word_of(e, in->src[0], i), b = word_of(e, in->src[1], i);
        w[i] = put_op3(e, ISA_LOP3, a, b, ir_imm(0));
        last_inst(e)->mod.lut = in->mod.lut;
    }
    put_join(e, in->dst, w[0], w[1]);
}

static void expand_setp64(Expander *e, const IrInst *in) {
    IrSrc a0 = word_of(e, in->src[0], 0), b0 = word_of(e, in->src[1], 0);
    IrSrc a1 = word_of(e, in->src[0], 1), b1 = word_of(e, in->src[1], 1);
    IrInst *lo = put_inst(e, ISA_ISETP, 2);
    lo->src[0] = a0;
    lo->src[1] = b0;
    lo->mod.type = ISA_U32;
    lo->mod.cmp = in->mod.cmp;
    lo->pdst[0] = ir_vreg(e->ir, 0);
    IrInst *hi = put_inst(e, ISA_ISETP, 2);
    hi->src[0] = a1;
    hi->src[1] = b1;
    hi->mod.type = in->mod.type == ISA_S64 ? ISA_S32 : ISA_U32;
    hi->mod.cmp = in->mod.cmp;
    hi->mod.boolop = in->mod.boolop;
    hi->mod.mode = 1;
    hi->psrc[0] = in->psrc[0];
    hi->psrc[1] = (IrPred){lo->pdst[0], false};
    hi->pdst[0] = in->pdst[0];
    hi->pdst[1] = in->pdst[1];
}

// -x and |x|: the sign bit alone, or arithmetic when subnormals are flushed.
static void expand_sign(Expander *e, const IrInst *in) {
    bool neg = in->op == IR_FNEG, wide = in->mod.type == ISA_F64;
    if (in->mod.ftz && !wide) {
        IrInst *add = put_inst(e, ISA_FADD, 2);
        add->src[0] = in->src[0];
        if (neg) add->src[0].neg = !add->src[0].neg;
        else add->src[0].abs = true, add->src[0].neg = false;
        add->src[1] = ir_imm(0x80000000u);
        add->mod.ftz = true;
        add->dst = in->dst;
        return;
    }
    IrInst *lop = NULL;
    IrSrc top = word_of(e, in->src[0], wide), lo = wide ? word_of(e, in->src[0], 0) : top;
    lop = put_inst(e, ISA_LOP3, 3);
    lop->src[0] = top;
    lop->src[1] = ir_imm(neg ? 0x80000000u : 0x7fffffffu);
    lop->src[2] = ir_imm(0);
    lop->mod.lut = neg ? ISA_LUT_XOR : ISA_LUT_AND;
    if (!wide) {
        lop->dst = in->dst;
        return;
    }
    IrSrc hi = new_result(e, lop, 1);
    put_join(e, in->dst, lo, hi);
}

static void expand_sext64(Expander *e, const IrInst *in) {
    IrSrc hi = put_shift(e, ISA_SHR, ISA_S32, in->src[0], 31);
    put_join(e, in->dst, in->src[0], hi);
}

void ir_expand(Ir *ir) {
    for (int b = 0; b < ir->nblocks; b++) {
        Expander e = {.ir = ir};
        IrBlock *k = &ir->blocks[b];
        for (int i = 0; i < k->ninsts; i++) {
            IrInst *in = k->insts[i];
            e.line = in->mod.ptx_line;
            switch (in->op) {
            case IR_ADD64: expand_add64(&e, in); break;
            case IR_MUL64: expand_mul64(&e, in); break;
            case IR_SHL64: expand_shl64(&e, in); break;
            case IR_SHR64: expand_shr64(&e, in); break;
            case IR_LOP64: expand_lop64(&e, in); break;
            case IR_SETP64: expand_setp64(&e, in); break;
            case IR_SEXT64: expand_sext64(&e, in); break;
            case IR_FNEG:
            case IR_FABS: expand_sign(&e, in); break;
            default: *ARENA_PUSH(ir->arena, e.out, e.nout, e.cap_out) = in;
            }
        }
        k->insts = e.out;
        k->ninsts = e.nout;
        k->cap_insts = e.cap_out;
    }
}
