// SPDX-License-Identifier: Apache-2.0
// Simplification of word arithmetic: constants, neutral elements, fusing (multiply-add, shift-add),
// extensions.
#include "compile/opt/simplify.h"

#include <string.h>

// ---- constant folding: the instruction itself on one set of constant operands ----

static bool is_foldable(const IrInst *in) {
    if (ir_is_pseudo(in->op) || !ir_is_repeatable(in)) return false;
    IsaUnit unit = isa_op_info[in->op].unit;
    if (unit != ISA_UNIT_SP && unit != ISA_UNIT_SFU) return false;
    if (in->op == ISA_S2R || in->op == ISA_P2R || in->op == ISA_MUFU || in->op == ISA_DMUFU)
        return false;
    for (int i = 0; i < in->nsrc; i++)
        if (in->src[i].kind != ISA_SRC_IMM) return false;
    for (int i = 0; i < 3; i++)
        if (in->psrc[i].reg != IR_PT) return false;
    return true;
}

bool fold_constants(Simplifier *s, IrInst *in) {
    if (!is_foldable(in)) return false;
    uint32_t words[3][4][ISA_LANES];
    IsaExecIn x = {.active = ~0u, .present = ~0u};
    IsaExecOut out;
    IsaInst m = in->mod;
    memset(words, 0, sizeof words);
    memset(&out, 0, sizeof out);
    for (int i = 0; i < 3; i++) {
        x.psrc[i] = in->psrc[i].neg ? 0 : ~0u;
        for (int w = 0; w < 4; w++) x.src[i][w] = words[i][w];
        if (i >= in->nsrc) continue;
        for (int l = 0; l < ISA_LANES; l++) {
            words[i][0][l] = (uint32_t)in->src[i].imm;
            words[i][1][l] = (uint32_t)(in->src[i].imm >> 32);
        }
        m.src[i] = (IsaSrc){.kind = ISA_SRC_IMM,
                            .width = in->src[i].width,
                            .neg = in->src[i].neg,
                            .abs = in->src[i].abs,
                            .imm = in->src[i].imm};
    }
    m.op = (IsaOp)in->op;
    m.dst = 0;
    m.dst_width = in->dst == IR_NONE ? 0 : s->ir->width[in->dst];
    for (int i = 0; i < 2; i++) m.pdst[i] = in->pdst[i] == IR_NONE ? ISA_PT : (uint8_t)i;
    isa_exec(&m, &x, &out);
    if (in->dst != IR_NONE)
        si_replace(s, in->dst,
                   m.dst_width == 2 ? ir_imm64((uint64_t)out.dst[1][0] << 32 | out.dst[0][0])
                                    : ir_imm(out.dst[0][0]));
    for (int i = 0; i < 2; i++)
        if (in->pdst[i] != IR_NONE)
            si_replace_pred(s, in->pdst[i], (IrPred){IR_PT, !(out.pdst[i] & 1)});
    return true;
}

// ---- helpers ----

static bool plain_add(const IrInst *in) {
    return in->op == ISA_IADD && in->pdst[0] == IR_NONE && !in->mod.has_cin;
}
static bool is_power(uint64_t v) { return v && !(v & (v - 1)); }
static uint32_t log_of(uint64_t v) { return (uint32_t)__builtin_ctzll(v); }
static bool imm_of(const IrSrc *s, uint64_t *v) {
    if (s->kind != ISA_SRC_IMM) return false;
    *v = s->imm;
    return true;
}

static bool set_op2(Simplifier *s, IrInst *in, int op, IrSrc a, IrSrc b) {
    in->op = op;
    in->nsrc = 2;
    in->src = ARENA_ARRAY(s->ir->arena, IrSrc, 3);
    in->src[0] = a;
    in->src[1] = b;
    return s->changed = true;
}
static bool set_op3(Simplifier *s, IrInst *in, int op, IrSrc a, IrSrc b, IrSrc c) {
    set_op2(s, in, op, a, b);
    in->nsrc = 3;
    in->src[2] = c;
    return true;
}

// ---- IADD ----

static bool fuse_shift_add(Simplifier *s, IrInst *in) {
    for (int i = 0; i < 2; i++) {
        const IrInst *d = si_def(s, &in->src[i]);
        IrSrc other = in->src[1 - i];
        uint64_t k;
        if (!d || other.neg || !si_single_use(s, &in->src[i])) continue;
        if (d->op == ISA_SHL && imm_of(&d->src[1], &k) && k < 32 && d->src[0].kind == ISA_SRC_REG) {
            in->mod.shift = (uint8_t)k;
            return set_op2(s, in, ISA_LEA, d->src[0], other);
        }
        if (d->op == ISA_IMUL && d->mod.part == ISA_LO && !d->src[0].neg && !d->src[1].neg) {
            in->mod.part = ISA_LO;
            in->mod.type = d->mod.type;
            return set_op3(s, in, ISA_IMAD, d->src[0], d->src[1], other);
        }
    }
    return false;
}

static bool rule_iadd(Simplifier *s, IrInst *in) {
    if (in->pdst[0] != IR_NONE) return false;
    if (in->mod.has_cin) {
        if (in->psrc[0].reg != IR_PT || in->src[0].neg || in->src[1].neg) return false;
        bool one = !in->psrc[0].neg;  // the carry is known
        in->mod.has_cin = false;
        in->psrc[0] = (IrPred){IR_PT, false};
        s->changed = true;
        if (!one) return true;
        IrInst *first = si_emit(s, ISA_IADD, 2, in->mod.ptx_line);
        first->src[0] = in->src[1];
        first->src[1] = ir_imm(1);
        first->dst = si_vreg(s, 1);
        in->src[1] = ir_reg(s->ir, first->dst);
        return true;
    }
    if (in->src[0].kind == ISA_SRC_IMM && in->src[1].kind != ISA_SRC_IMM) {
        IrSrc t = in->src[0];
        in->src[0] = in->src[1];
        in->src[1] = t;
        s->changed = true;
    }
    IrSrc *a = &in->src[0], *b = &in->src[1];
    if (b->kind == ISA_SRC_IMM && b->neg) {
        b->imm = (uint32_t)(0 - b->imm);
        b->neg = false;
    }
    if (ir_is_imm(b, 0) && !a->neg) return si_becomes(s, in, *a);
    if (a->kind == ISA_SRC_REG && b->kind == ISA_SRC_REG && a->reg == b->reg && a->neg != b->neg)
        return si_becomes(s, in, ir_imm(0));
    const IrInst *d = si_def(s, a);
    if (b->kind == ISA_SRC_IMM && d && plain_add(d) && d->src[1].kind == ISA_SRC_IMM &&
        !d->src[1].neg) {
        uint32_t sum = (uint32_t)(b->imm + d->src[1].imm);
        return set_op2(s, in, ISA_IADD, d->src[0], ir_imm(sum));
    }
    for (int i = 0; i < 2; i++) {  // x + (-y), the negation made elsewhere
        d = si_def(s, &in->src[i]);
        if (d && plain_add(d) && d->src[0].kind == ISA_SRC_REG && d->src[0].neg &&
            ir_is_imm(&d->src[1], 0)) {
            in->src[i] = d->src[0];
            return s->changed = true;
        }
    }
    return fuse_shift_add(s, in);
}

// ---- IMUL, IMAD, LEA ----

static void constant_second(IrInst *in) {
    if (in->src[0].kind != ISA_SRC_IMM || in->src[1].kind == ISA_SRC_IMM) return;
    IrSrc t = in->src[0];
    in->src[0] = in->src[1];
    in->src[1] = t;
}

static bool rule_imul(Simplifier *s, IrInst *in) {
    constant_second(in);
    uint64_t v;
    if (!imm_of(&in->src[1], &v) || in->src[0].neg) return false;
    if (v == 0) return si_becomes(s, in, in->mod.part == ISA_WIDE ? ir_imm64(0) : ir_imm(0));
    if (in->mod.part != ISA_LO) return false;
    if (v == 1) return si_becomes(s, in, in->src[0]);
    if (!is_power(v)) return false;
    in->mod.type = ISA_U32;
    return set_op2(s, in, ISA_SHL, in->src[0], ir_imm(log_of(v)));
}

static bool rule_imad(Simplifier *s, IrInst *in) {
    constant_second(in);
    uint64_t v;
    bool narrow = in->mod.part == ISA_LO && !in->mod.has_cin && in->pdst[0] == IR_NONE;
    bool wide = in->mod.part == ISA_WIDE;
    if (!narrow && !wide) return false;
    if (ir_is_imm(&in->src[2], 0)) {
        in->nsrc = 2;
        in->op = ISA_IMUL;
        return s->changed = true;
    }
    if (!imm_of(&in->src[1], &v) || in->src[0].neg || in->src[2].neg) return false;
    if (v == 0) return si_becomes(s, in, in->src[2]);
    if (!narrow) return false;
    in->mod.part = ISA_LO;
    if (v == 1) return set_op2(s, in, ISA_IADD, in->src[0], in->src[2]);
    if (!is_power(v) || in->src[0].kind != ISA_SRC_REG) return false;
    in->mod.shift = (uint8_t)log_of(v);
    return set_op2(s, in, ISA_LEA, in->src[0], in->src[2]);
}

static bool rule_lea(Simplifier *s, IrInst *in) {
    if (in->mod.shift == 0) return set_op2(s, in, ISA_IADD, in->src[0], in->src[1]);
    if (ir_is_imm(&in->src[1], 0)) {
        uint32_t k = in->mod.shift;
        in->mod.shift = 0;
        in->mod.type = ISA_U32;
        return set_op2(s, in, ISA_SHL, in->src[0], ir_imm(k));
    }
    const IrInst *d = si_def(s, &in->src[0]);
    uint64_t c;
    if (d && plain_add(d) && imm_of(&d->src[1], &c) && !d->src[1].neg && !d->src[0].neg &&
        in->src[1].kind == ISA_SRC_IMM) {  // ((x + c) << k) + b
        in->src[0] = d->src[0];
        in->src[1].imm = (uint32_t)(in->src[1].imm + (c << in->mod.shift));
        return s->changed = true;
    }
    return false;
}

// ---- shifts, extensions, minimum ----

static bool rule_shift(Simplifier *s, IrInst *in) {
    uint64_t k, k2;
    if (!imm_of(&in->src[1], &k)) return false;
    if (k == 0) return si_becomes(s, in, in->src[0]);
    const IrInst *d = si_def(s, &in->src[0]);
    bool logical = in->op == ISA_SHL || in->mod.type == ISA_U32;
    if (k >= 32 && logical) return si_becomes(s, in, ir_imm(0));
    if (d && d->op == in->op && d->mod.type == in->mod.type && imm_of(&d->src[1], &k2) && k2 < 32) {
        uint64_t sum = k + k2;
        if (sum >= 32 && logical) return si_becomes(s, in, ir_imm(0));
        return set_op2(s, in, in->op, d->src[0], ir_imm((uint32_t)(sum > 31 ? 31 : sum)));
    }
    // (x + c) << k = (x << k) + (c << k): the sum can go into an address
    uint64_t c;
    if (in->op == ISA_SHL && d && plain_add(d) && imm_of(&d->src[1], &c) && !d->src[1].neg &&
        !d->src[0].neg && d->src[0].kind == ISA_SRC_REG && si_single_use(s, &in->src[0])) {
        in->mod.shift = (uint8_t)k;
        return set_op2(s, in, ISA_LEA, d->src[0], ir_imm((uint32_t)(c << k)));
    }
    return false;
}

// Does the word already equal the result of EXT with this type?
static bool is_extended(const Simplifier *s, const IrSrc *a, IsaType t, int depth) {
    if (a->kind == ISA_SRC_IMM) {
        uint32_t v = (uint32_t)a->imm;
        switch (t) {
        case ISA_U8: return v <= 0xff;
        case ISA_S8: return v == (uint32_t)(int8_t)v;
        case ISA_U16: return v <= 0xffff;
        default: return v == (uint32_t)(int16_t)v;
        }
    }
    const IrInst *d = si_def(s, a);
    if (!d || depth > 6) return false;
    bool sign = t == ISA_S8 || t == ISA_S16, byte = t == ISA_U8 || t == ISA_S8;
    switch (d->op) {
    case ISA_EXT:
    case ISA_LD:
    case ISA_LDC: {
        IsaType f = d->mod.type;
        if (d->op != ISA_EXT && d->mod.mem_bytes > 2) return false;
        if (f == t) return true;
        if (!byte) return f == ISA_U8 || (f == ISA_S8 && sign);
        return false;
    }
    case ISA_SHR:
        return !sign && d->mod.type == ISA_U32 && d->src[1].kind == ISA_SRC_IMM &&
            d->src[1].imm >= (byte ? 24u : 16u);
    case ISA_LOP3:  // and with a small mask
        return !sign && d->mod.lut == ISA_LUT_AND && d->src[1].kind == ISA_SRC_IMM &&
            d->src[1].imm <= (byte ? 0xffu : 0xffffu);
    case ISA_SEL:
        return is_extended(s, &d->src[0], t, depth + 1) && is_extended(s, &d->src[1], t, depth + 1);
    case ISA_POPC:
    case ISA_CLZ: return true;
    case IR_PHI:
        for (int i = 0; i < d->nsrc; i++) {
            if (d->src[i].kind == ISA_SRC_REG && d->src[i].reg == a->reg) continue;
            if (!is_extended(s, &d->src[i], t, depth + 3)) return false;
        }
        return true;
    default: return false;
    }
}

static bool rule_ext(Simplifier *s, IrInst *in) {
    if (is_extended(s, &in->src[0], in->mod.type, 0)) return si_becomes(s, in, in->src[0]);
    const IrInst *d = si_def(s, &in->src[0]);
    if (d && d->op == ISA_EXT && isa_type_bytes(d->mod.type) >= isa_type_bytes(in->mod.type)) {
        in->src[0] = d->src[0];  // only bits that both masks keep
        return s->changed = true;
    }
    // an AND with a mask that keeps all bits that are read
    if (d && d->op == ISA_LOP3 && d->mod.lut == ISA_LUT_AND && d->src[1].kind == ISA_SRC_IMM) {
        uint32_t need = isa_type_bytes(in->mod.type) == 1 ? 0xff : 0xffff;
        if ((d->src[1].imm & need) == need) {
            in->src[0] = d->src[0];
            return s->changed = true;
        }
    }
    return false;
}

static bool rule_bfe(Simplifier *s, IrInst *in) {
    uint64_t pos, len;
    if (!imm_of(&in->src[1], &pos) || !imm_of(&in->src[2], &len)) return false;
    bool sign = in->mod.type == ISA_S32;
    if (len == 0) return si_becomes(s, in, ir_imm(0));
    if (pos >= 32 && !sign) return si_becomes(s, in, ir_imm(0));
    if (pos + len >= 32)
        return set_op2(s, in, ISA_SHR, in->src[0], ir_imm(pos > 31 ? 31 : (uint32_t)pos));
    IrSrc a = in->src[0];
    if (sign) {  // up to the top, then down
        IrInst *up = si_emit(s, ISA_SHL, 2, in->mod.ptx_line);
        up->src[0] = a;
        up->src[1] = ir_imm((uint32_t)(32 - pos - len));
        up->mod.type = ISA_U32;
        up->dst = si_vreg(s, 1);
        return set_op2(s, in, ISA_SHR, ir_reg(s->ir, up->dst), ir_imm((uint32_t)(32 - len)));
    }
    if (pos) {
        IrInst *down = si_emit(s, ISA_SHR, 2, in->mod.ptx_line);
        down->src[0] = a;
        down->src[1] = ir_imm((uint32_t)pos);
        down->mod.type = ISA_U32;
        down->dst = si_vreg(s, 1);
        a = ir_reg(s->ir, down->dst);
    }
    in->mod.lut = ISA_LUT_AND;
    in->mod.type = 0;
    return set_op3(s, in, ISA_LOP3, a, ir_imm((1u << len) - 1), ir_imm(0));
}

bool rules_int(Simplifier *s, IrInst *in) {
    switch (in->op) {
    case ISA_IADD: return rule_iadd(s, in);
    case ISA_IMUL: return rule_imul(s, in);
    case ISA_IMAD: return rule_imad(s, in);
    case ISA_LEA: return rule_lea(s, in);
    case ISA_SHL:
    case ISA_SHR: return rule_shift(s, in);
    case ISA_EXT: return rule_ext(s, in);
    case ISA_BFE: return rule_bfe(s, in);
    default: return false;
    }
}
