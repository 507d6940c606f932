// SPDX-License-Identifier: Apache-2.0
// Simplification of floating point: signs become source modifiers, memory addresses absorb
// constants. Operations are never reordered, fused or re-rounded.
#include "compile/opt/simplify.h"

#include <string.h>

static bool takes_modifiers(const IrInst *in) {
    switch (in->op) {
    case ISA_FADD:
    case ISA_FMUL:
    case ISA_FFMA:
    case ISA_FMNMX:
    case ISA_FSETP:
    case ISA_FDIV:
    case ISA_FRCP:
    case ISA_FSQRT:
    case ISA_MUFU:
    case ISA_DADD:
    case ISA_DMUL:
    case ISA_DFMA:
    case ISA_DMNMX:
    case ISA_DSETP:
    case ISA_DDIV:
    case ISA_DRCP:
    case ISA_DSQRT:
    case ISA_DMUFU: return true;
    default: return false;
    }
}

bool rules_float(Simplifier *s, IrInst *in) {
    if (!takes_modifiers(in)) return false;
    for (int i = 0; i < in->nsrc; i++) {
        IrSrc *a = &in->src[i];
        if (a->kind == ISA_SRC_IMM && (a->neg || a->abs)) {
            uint64_t sign = a->width == 2 ? 1ull << 63 : 1ull << 31;
            if (a->abs) a->imm &= ~sign;
            if (a->neg) a->imm ^= sign;
            a->neg = a->abs = false;
            return s->changed = true;
        }
        if (a->kind != ISA_SRC_REG || a->reg >= s->cap) continue;
        const IrInst *d = s->def[a->reg];
        if (!d || (d->op != IR_FNEG && d->op != IR_FABS)) continue;
        // A flushing sign operation only where the reader flushes too.
        if (d->mod.ftz && d->mod.type == ISA_F32 && !in->mod.ftz) continue;
        const IrSrc *x = &d->src[0];
        if (x->kind == ISA_SRC_IMM) continue;
        IrSrc n = *x;
        bool inner_abs = x->abs || d->op == IR_FABS, inner_neg = d->op == IR_FABS ? false : !x->neg;
        n.abs = a->abs || inner_abs;
        n.neg = a->abs ? a->neg : a->neg != inner_neg;
        *a = n;
        return s->changed = true;
    }
    return false;
}

// ---- addresses ----

static bool has_address(const IrInst *in) {
    switch (in->op) {
    case ISA_LD:
    case ISA_ST:
    case ISA_ATOM:
    case ISA_LDC:
    case ISA_PREFETCH:
    case ISA_TOUCH: return true;
    default: return false;
    }
}

static bool move_offset(Simplifier *s, IrInst *in, IrSrc base, int64_t add) {
    int64_t sum = (int64_t)in->mod.offset + add;
    if (sum != (int32_t)sum) return false;
    in->mod.offset = (int32_t)sum;
    IrSrc *src = ARENA_ARRAY(s->ir->arena, IrSrc, in->nsrc);
    memcpy(src, in->src, sizeof(IrSrc) * (size_t)in->nsrc);
    src[0] = base;
    in->src = src;
    return s->changed = true;
}

bool rules_address(Simplifier *s, IrInst *in) {
    if (!has_address(in)) return false;
    IrSrc *a = &in->src[0];
    if (a->kind == ISA_SRC_IMM && a->imm != 0) {
        int64_t v = a->width == 2 ? (int64_t)a->imm : (int64_t)(int32_t)a->imm;
        if (a->width == 2 && (v < 0 || v + in->mod.offset > INT32_MAX || v + in->mod.offset < 0))
            return false;
        return move_offset(s, in, ir_imm(0), v);
    }
    const IrInst *d = si_def(s, a);
    if (!d) {
        // sub-word stores read only the low bits
        return false;
    }
    if (d->op == IR_ADD64 && d->src[1].kind == ISA_SRC_IMM && !d->src[0].neg &&
        d->src[0].kind != ISA_SRC_IMM)
        return move_offset(s, in, d->src[0], (int64_t)d->src[1].imm);
    if (d->op == ISA_IADD && d->pdst[0] == IR_NONE && !d->mod.has_cin &&
        d->src[1].kind == ISA_SRC_IMM && !d->src[1].neg && !d->src[0].neg)
        return move_offset(s, in, d->src[0], (int64_t)(int32_t)d->src[1].imm);
    if (d->op == ISA_LEA && d->src[1].kind == ISA_SRC_IMM && d->src[1].imm && si_single_use(s, a)) {
        IrInst *shl = si_emit(s, ISA_SHL, 2, in->mod.ptx_line);
        shl->src[0] = d->src[0];
        shl->src[1] = ir_imm(d->mod.shift);
        shl->mod.type = ISA_U32;
        shl->dst = si_vreg(s, 1);
        return move_offset(s, in, ir_reg(s->ir, shl->dst), (int64_t)(int32_t)d->src[1].imm);
    }
    return false;
}
