// SPDX-License-Identifier: Apache-2.0
// Lowering: operands of PTX instructions, emission of instructions, types.
#include "compile/lower/lower.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool lw_fail(Lower *l, const char *format, ...) {
    char text[1024];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    return diag_fail_at(l->d, &l->u->module->src, l->in->line, l->in->col, "%s", text);
}

// ---- types ----

bool lw_is64(PtxType t) { return ptx_type_bytes(t) == 8; }

IsaType lw_int_type(PtxType t) {
    bool s = ptx_type_is_signed(t);
    switch (ptx_type_bytes(t)) {
    case 1: return s ? ISA_S8 : ISA_U8;
    case 2: return s ? ISA_S16 : ISA_U16;
    case 8: return s ? ISA_S64 : ISA_U64;
    default: return s ? ISA_S32 : ISA_U32;
    }
}

IsaType lw_type(PtxType t) {
    switch (t) {
    case PTX_F16: return ISA_F16;
    case PTX_F16X2: return ISA_F16X2;
    case PTX_BF16: return ISA_BF16;
    case PTX_BF16X2: return ISA_BF16X2;
    case PTX_F32: return ISA_F32;
    case PTX_F64: return ISA_F64;
    case PTX_TF32: return ISA_TF32;
    case PTX_E4M3X2: return ISA_E4M3;  // an element
    case PTX_E5M2X2: return ISA_E5M2;
    default: return lw_int_type(t);
    }
}

IsaRound lw_round(PtxRound r) {
    switch (r) {
    case PTX_RZ: return ISA_RZ_;
    case PTX_RM: return ISA_RM;
    case PTX_RP: return ISA_RP;
    case PTX_RNI: return ISA_RNI;
    case PTX_RZI: return ISA_RZI;
    case PTX_RMI: return ISA_RMI;
    case PTX_RPI: return ISA_RPI;
    case PTX_RNA: return ISA_RNA;
    default: return ISA_RN;
    }
}

// ---- emission ----

IrInst *lw_emit(Lower *l, int op, int nsrc) {
    IrInst *in = ir_append(l->ir, l->block, op, nsrc);
    in->mod.ptx_line = l->in ? l->in->line : 0;
    return in;
}

IrInst *lw_last(Lower *l) {
    IrBlock *b = &l->ir->blocks[l->block];
    return b->insts[b->ninsts - 1];
}

IrSrc lw_op(Lower *l, int op, int width, int n, const IrSrc *src) {
    IrInst *in = lw_emit(l, op, n);
    memcpy(in->src, src, sizeof(IrSrc) * (size_t)n);
    in->dst = ir_vreg(l->ir, width);
    return ir_reg(l->ir, in->dst);
}
IrSrc lw_op1(Lower *l, int op, int width, IrSrc a) { return lw_op(l, op, width, 1, &a); }
IrSrc lw_op2(Lower *l, int op, int width, IrSrc a, IrSrc b) {
    return lw_op(l, op, width, 2, (IrSrc[]){a, b});
}
IrSrc lw_op3(Lower *l, int op, int width, IrSrc a, IrSrc b, IrSrc c) {
    return lw_op(l, op, width, 3, (IrSrc[]){a, b, c});
}

IrSrc lw_lop(Lower *l, int lut, IrSrc a, IrSrc b, IrSrc c) {
    IrSrc r = lw_op3(l, ISA_LOP3, 1, a, b, c);
    lw_last(l)->mod.lut = (uint8_t)lut;
    return r;
}

IrSrc lw_lop64(Lower *l, int lut, IrSrc a, IrSrc b) {
    IrSrc r = lw_op2(l, IR_LOP64, 2, a, b);
    lw_last(l)->mod.lut = (uint8_t)lut;
    return r;
}

IrSrc lw_neg(IrSrc s) {
    if (s.kind == ISA_SRC_IMM) s.imm = s.width == 2 ? 0 - s.imm : (uint32_t)(0 - s.imm);
    else s.neg = !s.neg;
    return s;
}

IrSrc lw_word(Lower *l, IrSrc s, int word) {
    if (s.width == 1) return s;
    if (s.kind == ISA_SRC_IMM) return ir_imm((uint32_t)(s.imm >> (32 * word)));
    if (s.kind == ISA_SRC_CONST) return ir_const(s.cbank, s.imm + 4u * (unsigned)word, 1);
    IrSrc r = lw_op1(l, IR_SPLIT, 1, s);
    lw_last(l)->mod.mode = (uint8_t)word;
    return r;
}

IrSrc lw_join(Lower *l, IrSrc lo, IrSrc hi) { return lw_op2(l, IR_JOIN, 2, lo, hi); }

IrSrc lw_sel(Lower *l, IrPred p, IrSrc a, IrSrc b) {
    IrSrc r = lw_op2(l, ISA_SEL, a.width, a, b);
    lw_last(l)->psrc[0] = p;
    return r;
}

IrSrc lw_shift(Lower *l, int op, IsaType type, IrSrc a, IrSrc amount) {
    IrSrc r = lw_op2(l, op, op == IR_SHL64 || op == IR_SHR64 ? 2 : 1, a, amount);
    lw_last(l)->mod.type = type;
    return r;
}

IrPred lw_setp(Lower *l, int op, IsaType type, IsaCmp cmp, IrSrc a, IrSrc b) {
    IrInst *in = lw_emit(l, op, 2);
    in->src[0] = a;
    in->src[1] = b;
    in->mod.type = type;
    in->mod.cmp = cmp;
    in->pdst[0] = ir_vreg(l->ir, 0);
    return (IrPred){in->pdst[0], false};
}

IrPred lw_plop(Lower *l, int lut, IrPred a, IrPred b, IrPred c) {
    IrInst *in = lw_emit(l, ISA_PLOP3, 0);
    in->psrc[0] = a;
    in->psrc[1] = b;
    in->psrc[2] = c;
    in->mod.lut = (uint8_t)lut;
    in->pdst[0] = ir_vreg(l->ir, 0);
    return (IrPred){in->pdst[0], false};
}

IrPred lw_not(IrPred p) { return (IrPred){p.reg, !p.neg}; }
IrPred lw_true(void) { return (IrPred){IR_PT, false}; }

// ---- blocks ----

int lw_new_block(Lower *l) { return ir_block(l->ir); }

void lw_start(Lower *l, int block) {
    if (l->open) lw_goto(l, block);
    l->ir->blocks[block].seq = ++l->seq;
    l->block = block;
    l->open = true;
}

void lw_goto(Lower *l, int block) {
    if (!l->open) return;
    ir_set_succ(l->ir, l->block, 1, &block);
    l->open = false;
}

void lw_branch(Lower *l, IrPred p, int yes, int no) {
    if (!l->open) return;
    IrInst *in = lw_emit(l, ISA_BRA, 0);
    in->guard = p;
    ir_set_succ(l->ir, l->block, 2, (int[]){yes, no});
    l->open = false;
}

// ---- operands ----

static IrSrc special_register(Lower *l, int sreg) {
    bool wide = sreg == PTX_SREG_CLOCK64 || sreg == PTX_SREG_GLOBALTIMER;
    IrInst *in = lw_emit(l, ISA_S2R, 0);
    in->mod.sreg = (uint8_t)sreg;
    in->dst = ir_vreg(l->ir, wide ? 2 : 1);
    return ir_reg(l->ir, in->dst);
}

// The address of a variable inside its space (a local or shared offset, a device address).
static IrSrc variable_address(Lower *l, const PtxOperand *o) {
    const PtxFunc *f = l->fr->func;
    uint64_t at;
    const PtxVar *v = o->module_scope ? &l->u->module->vars[o->index] : &f->vars[o->index];
    LowerParam *p = o->module_scope ? NULL : l->fr->param[o->index];
    if (p) {
        if (p->frame < 0)
            lw_fail(l, "the address of %s, a parameter of a call sequence, is not supported",
                    v->name);
        at = (uint64_t)p->frame;
    } else if (o->module_scope) {
        at = v->space == PTX_SHARED ? l->u->shared->module_offset[o->index]
                                    : l->u->layout->var_addr[o->index];
    } else if (v->space == PTX_SHARED) {
        at = l->u->shared->func_offset[l->fr->func_index][o->index];
    } else if (v->space == PTX_LOCAL) {
        at = (uint64_t)(l->fr->local_base + v->offset);
    } else {
        at = (uint64_t)v->offset;
    }
    at += (uint64_t)o->offset;
    if (!lw_is_stacked(l, o)) return lw_is64(l->in->type) ? ir_imm64(at) : ir_imm((uint32_t)at);
    IrSrc place = lw_op2(l, ISA_IADD, 1, ir_reg(l->ir, l->sp), ir_imm((uint32_t)at));
    return lw_is64(l->in->type) ? lw_join(l, place, ir_imm(0)) : place;
}

// Does the variable lie in the frame of a recursive function?
bool lw_is_stacked(const Lower *l, const PtxOperand *o) {
    if (o->module_scope || !l->fr->stacked) return false;
    return l->fr->param[o->index] || l->fr->func->vars[o->index].space == PTX_LOCAL;
}

IrSrc lw_arg(Lower *l, const PtxOperand *o) {
    switch (o->kind) {
    case PTX_OPND_REG: {
        IrSrc s = ir_reg(l->ir, l->fr->vreg[o->index]);
        if (!o->negated) return s;
        return s.width == 2 ? lw_op2(l, IR_ADD64, 2, ir_imm64(0), lw_neg(s))
                            : lw_op2(l, ISA_IADD, 1, ir_imm(0), lw_neg(s));
    }
    case PTX_OPND_SREG: return special_register(l, o->index);
    case PTX_OPND_VAR: return variable_address(l, o);
    case PTX_OPND_VEC: {
        // {a, b}: put together; elements of two bytes share a word
        IrSrc e[4];
        int n = o->nelements;
        int bytes = ptx_type_bytes(l->in->type) / n;
        for (int i = 0; i < n; i++) {
            e[i] = lw_arg(l, &o->elements[i]);
            if (bytes < 8 && e[i].kind == ISA_SRC_IMM) e[i] = ir_imm((uint32_t)e[i].imm);
        }
        if (bytes >= 4) return lw_op(l, IR_JOIN, n * bytes / 4, n, e);
        IrSrc word[2];
        int per = 4 / bytes;
        for (int w = 0; w < (n + per - 1) / per; w++) {
            word[w] = lw_extend(l, e[w * per], bytes == 2 ? PTX_U16 : PTX_U8);
            for (int k = 1; k < per && w * per + k < n; k++)
                word[w] = lw_op3(l, ISA_BFI, 1, e[w * per + k], word[w],
                                 ir_imm((uint32_t)(8 * bytes * k | 8 * bytes << 8)));
        }
        return n > per ? lw_join(l, word[0], word[1]) : word[0];
    }
    default: return lw_is64(l->in->type) ? ir_imm64(o->bits) : ir_imm((uint32_t)o->bits);
    }
}

IrSrc lw_arg32(Lower *l, int i) {
    IrSrc s = lw_arg(l, &l->in->opnd[i]);
    return s.width == 2 ? lw_word(l, s, 0) : s;
}

IrSrc lw_arg64(Lower *l, int i) {
    IrSrc s = lw_arg(l, &l->in->opnd[i]);
    if (s.width == 2) return s;
    const PtxOperand *o = &l->in->opnd[i];
    if (s.kind != ISA_SRC_IMM) return lw_join(l, s, ir_imm(0));
    return ir_imm64(o->kind == PTX_OPND_VAR ? (uint32_t)s.imm : o->bits);
}

IrSrc lw_extend(Lower *l, IrSrc s, PtxType t) {
    int bytes = ptx_type_bytes(t);
    if (bytes >= 4) return s;
    if (s.width == 2) s = lw_word(l, s, 0);
    if (s.kind == ISA_SRC_IMM) {
        uint32_t v = (uint32_t)s.imm;
        if (ptx_type_is_signed(t)) v = bytes == 1 ? (uint32_t)(int8_t)v : (uint32_t)(int16_t)v;
        else v &= bytes == 1 ? 0xffu : 0xffffu;
        return ir_imm(v);
    }
    IrSrc r = lw_op1(l, ISA_EXT, 1, s);
    lw_last(l)->mod.type = lw_int_type(t);
    return r;
}

IrSrc lw_argx(Lower *l, int i, PtxType t) {
    return lw_extend(l, lw_is64(t) ? lw_arg64(l, i) : lw_arg32(l, i), t);
}

IrPred lw_argp(Lower *l, const PtxOperand *o) {
    if (o->kind != PTX_OPND_REG) return (IrPred){IR_PT, (o->bits != 0) == o->negated};
    return (IrPred){l->fr->vreg[o->index], o->negated};
}

static void put_reg(Lower *l, int vreg, IrSrc value) {
    if (l->guarded) value = lw_sel(l, l->guard, value, ir_reg(l->ir, vreg));
    IrInst *in = lw_emit(l, IR_COPY, 1);
    in->dst = vreg;
    in->src[0] = value;
}

// Spreads a value over {a, b, ...}.
static void put_vector(Lower *l, const PtxOperand *o, IrSrc value) {
    int n = o->nelements, bytes = ptx_type_bytes(l->in->type) / n;
    IrSrc part[4];
    for (int i = 0; i < n; i++) {
        if (bytes >= 4) {
            part[i] = value;
            if (value.width != bytes / 4) {
                part[i] = lw_op1(l, IR_SPLIT, bytes / 4, value);
                lw_last(l)->mod.mode = (uint8_t)(i * bytes / 4);
            }
            continue;
        }
        IrSrc word = lw_word(l, value, i * bytes / 4);
        int shift = i * bytes * 8 % 32;
        part[i] = shift ? lw_shift(l, ISA_SHR, ISA_U32, word, ir_imm((uint32_t)shift)) : word;
    }
    for (int i = 0; i < n; i++) lw_put(l, &o->elements[i], part[i]);
}

void lw_put(Lower *l, const PtxOperand *o, IrSrc value) {
    if (o->kind == PTX_OPND_VEC) {
        put_vector(l, o, value);
        return;
    }
    if (o->kind != PTX_OPND_REG) return;  // sink
    int vreg = l->fr->vreg[o->index], width = l->ir->width[vreg];
    if (width == 2 && value.width == 1)
        value = value.kind == ISA_SRC_IMM ? ir_imm64(value.imm) : lw_join(l, value, ir_imm(0));
    if (width == 1 && value.width == 2) value = lw_word(l, value, 0);
    put_reg(l, vreg, value);
}

void lw_put_pred(Lower *l, const PtxOperand *o, IrPred value) {
    if (o->kind != PTX_OPND_REG) return;
    int vreg = l->fr->vreg[o->index];
    // (guard & value) | (!guard & old)
    if (l->guarded) value = lw_plop(l, 0xca, l->guard, value, (IrPred){vreg, false});
    IrInst *in = lw_emit(l, IR_COPY, 1);
    in->dst = vreg;
    in->src[0] = value.reg == IR_PT
        ? (IrSrc){.kind = ISA_SRC_IMM, .imm = !value.neg, .reg = IR_NONE}
        : (IrSrc){.kind = ISA_SRC_REG, .reg = value.reg, .neg = value.neg};
}

int lw_carry(Lower *l) {
    if (l->fr->carry == IR_NONE) l->fr->carry = ir_vreg(l->ir, 0);
    return l->fr->carry;
}

void lw_set_carry(Lower *l, IrPred value) {
    int cf = lw_carry(l);
    if (l->guarded) value = lw_plop(l, 0xca, l->guard, value, (IrPred){cf, false});
    IrInst *in = lw_emit(l, IR_COPY, 1);
    in->dst = cf;
    in->src[0] = (IrSrc){.kind = ISA_SRC_REG, .reg = value.reg, .neg = value.neg};
}

int64_t lw_local(Lower *l, int64_t bytes, int align) {
    int64_t a = align > 0 ? align : 1;
    int64_t at = (l->ir->local_bytes + a - 1) / a * a;
    l->ir->local_bytes = at + bytes;
    return at;
}
