// SPDX-License-Identifier: Apache-2.0
// Simplification of 64-bit operations, before lower_expand.c splits them: address arithmetic
// becomes IMAD.WIDE, constants gather at the end of sums, unread high words go.
#include "compile/opt/simplify.h"

#include <string.h>

// A pair that is a word extended: its word, and whether by sign.
static bool extended_word(const Simplifier *s, const IrSrc *a, IrSrc *word, bool *sign) {
    const IrInst *d = si_def(s, a);
    if (!d) return false;
    if (d->op == IR_SEXT64) {
        *word = d->src[0];
        *sign = true;
        return true;
    }
    if (d->op == IR_JOIN && d->nsrc == 2 && ir_is_imm(&d->src[1], 0) && d->src[0].width == 1) {
        *word = d->src[0];
        *sign = false;
        return true;
    }
    return false;
}

static bool make_product(Simplifier *s, IrInst *in, IrSrc a, IrSrc b, bool sign) {
    in->op = ISA_IMUL;
    in->src = ARENA_ARRAY(s->ir->arena, IrSrc, 3);
    in->nsrc = 2;
    in->src[0] = a;
    in->src[1] = b;
    in->mod.part = ISA_WIDE;
    in->mod.type = sign ? ISA_S32 : ISA_U32;
    return s->changed = true;
}

static bool rule_shl64(Simplifier *s, IrInst *in) {
    IrSrc word;
    bool sign;
    if (in->src[1].kind != ISA_SRC_IMM) return false;
    uint64_t k = in->src[1].imm;
    if (k == 0) return si_becomes(s, in, in->src[0]);
    if (in->src[0].kind == ISA_SRC_IMM)
        return si_becomes(s, in, ir_imm64(k > 63 ? 0 : in->src[0].imm << k));
    const IrInst *d = si_def(s, &in->src[0]);
    if (d && d->op == IR_SHL64 && d->src[1].kind == ISA_SRC_IMM && d->src[1].imm + k < 64) {
        in->src[0] = d->src[0];
        in->src[1].imm = (uint32_t)(d->src[1].imm + k);
        return s->changed = true;
    }
    if (k > 30 || !extended_word(s, &in->src[0], &word, &sign)) return false;
    return make_product(s, in, word, ir_imm(1u << k), sign);
}

static bool rule_mul64(Simplifier *s, IrInst *in) {
    if (in->src[0].kind == ISA_SRC_IMM && in->src[1].kind != ISA_SRC_IMM) {
        IrSrc t = in->src[0];
        in->src[0] = in->src[1];
        in->src[1] = t;
    }
    IrSrc a, b;
    bool sa, sb;
    if (in->src[1].kind == ISA_SRC_IMM) {
        uint64_t v = in->src[1].imm;
        if (in->src[0].kind == ISA_SRC_IMM) return si_becomes(s, in, ir_imm64(in->src[0].imm * v));
        if (v == 0) return si_becomes(s, in, ir_imm64(0));
        if (v == 1) return si_becomes(s, in, in->src[0]);
        if (!(v & (v - 1))) {
            in->op = IR_SHL64;
            in->mod.type = ISA_U64;
            in->src[1] = ir_imm((uint32_t)__builtin_ctzll(v));
            return s->changed = true;
        }
        if (!extended_word(s, &in->src[0], &a, &sa)) return false;
        if (sa && v == (uint64_t)(int64_t)(int32_t)v)
            return make_product(s, in, a, ir_imm((uint32_t)v), true);
        if (!sa && v <= 0xffffffffu) return make_product(s, in, a, ir_imm((uint32_t)v), false);
        return false;
    }
    if (!extended_word(s, &in->src[0], &a, &sa) || !extended_word(s, &in->src[1], &b, &sb) ||
        sa != sb)
        return false;
    return make_product(s, in, a, b, sa);
}

static IrSrc fold_negation(IrSrc a) {
    if (a.neg && a.kind == ISA_SRC_IMM) {
        a.imm = 0 - a.imm;
        a.neg = false;
    }
    return a;
}

// product + addend, or extended word + addend: one IMAD.WIDE
static bool fuse_product(Simplifier *s, IrInst *in) {
    for (int i = 0; i < 2; i++) {
        const IrInst *d = si_def(s, &in->src[i]);
        IrSrc other = in->src[1 - i], word;
        bool sign;
        if (!d || other.neg) continue;
        if (d->op == ISA_IMUL && d->mod.part == ISA_WIDE) {
            IrSrc a = d->src[0], b = d->src[1];
            make_product(s, in, a, b, d->mod.type == ISA_S32);
        } else if (extended_word(s, &in->src[i], &word, &sign) && other.kind != ISA_SRC_IMM) {
            make_product(s, in, word, ir_imm(1), sign);
        } else continue;
        in->op = ISA_IMAD;
        in->nsrc = 3;
        in->src[2] = other;
        return true;
    }
    return false;
}

static bool is_sum(const IrInst *d) {
    return d && d->op == IR_ADD64 && d->src[1].kind == ISA_SRC_IMM;
}

static bool rule_add64(Simplifier *s, IrInst *in) {
    for (int i = 0; i < 2; i++) in->src[i] = fold_negation(in->src[i]);
    if (in->src[0].kind == ISA_SRC_IMM && in->src[1].kind != ISA_SRC_IMM) {
        IrSrc t = in->src[0];
        in->src[0] = in->src[1];
        in->src[1] = t;
    }
    IrSrc *a = &in->src[0], *b = &in->src[1];
    if (b->kind == ISA_SRC_IMM) {
        if (a->kind == ISA_SRC_IMM) return si_becomes(s, in, ir_imm64(a->imm + b->imm));
        if (b->imm == 0 && !a->neg) return si_becomes(s, in, *a);
        const IrInst *d = si_def(s, a);
        if (is_sum(d)) {
            uint64_t sum = b->imm + d->src[1].imm;
            *a = d->src[0];
            *b = ir_imm64(sum);
            return s->changed = true;
        }
        return false;
    }
    // (x + c) + y = (x + y) + c when the first sum has no other use
    for (int i = 0; i < 2; i++) {
        const IrInst *d = si_def(s, &in->src[i]);
        if (!is_sum(d) || !si_single_use(s, &in->src[i]) || in->src[1 - i].neg || d->src[0].neg)
            continue;
        IrInst *first = si_emit(s, IR_ADD64, 2, in->mod.ptx_line);
        first->src[0] = d->src[0];
        first->src[1] = in->src[1 - i];
        first->dst = si_vreg(s, 2);
        s->def[first->dst] = first;
        s->def_block[first->dst] = s->block;
        s->uses[first->dst] = 1;
        IrSrc c = d->src[1];
        *a = ir_reg(s->ir, first->dst);
        *b = c;
        rules_wide(s, first);
        return s->changed = true;
    }
    return fuse_product(s, in);
}

// a * b + (c + k) = (a * b + c) + k: the address absorbs the constant
static bool rule_imad(Simplifier *s, IrInst *in) {
    if (in->mod.part != ISA_WIDE || in->src[2].neg) return false;
    const IrInst *d = si_def(s, &in->src[2]);
    if (is_sum(d) && !d->src[0].neg) {
        IrInst *first = ir_clone(s->ir, in);
        first->src[2] = d->src[0];
        first->dst = si_vreg(s, 2);
        *ARENA_PUSH(s->ir->arena, s->out, s->nout, s->cap_out) = first;
        s->def[first->dst] = first;
        s->def_block[first->dst] = s->block;
        s->uses[first->dst] = 1;
        IrSrc k = d->src[1];
        in->op = IR_ADD64;
        in->nsrc = 2;
        in->mod.part = 0;
        in->mod.type = 0;
        in->src = ARENA_ARRAY(s->ir->arena, IrSrc, 2);
        in->src[0] = ir_reg(s->ir, first->dst);
        in->src[1] = k;
        return s->changed = true;
    }
    // (x + c) * k + addend, all exact in 64 bits only when x + c cannot wrap: not done
    return false;
}

static bool rule_shr64(Simplifier *s, IrInst *in) {
    if (in->src[1].kind != ISA_SRC_IMM) return false;
    if (in->src[1].imm == 0) return si_becomes(s, in, in->src[0]);
    if (in->src[0].kind != ISA_SRC_IMM) return false;
    uint64_t k = in->src[1].imm > 63 ? 63 : in->src[1].imm, v = in->src[0].imm;
    if (in->mod.type == ISA_S64) return si_becomes(s, in, ir_imm64((uint64_t)((int64_t)v >> k)));
    return si_becomes(s, in, ir_imm64(in->src[1].imm > 63 ? 0 : v >> k));
}

static bool rule_sext64(Simplifier *s, IrInst *in) {
    if (in->src[0].kind != ISA_SRC_IMM) return false;
    return si_becomes(s, in, ir_imm64((uint64_t)(int64_t)(int32_t)in->src[0].imm));
}

static uint64_t apply_lut(int lut, uint64_t a, uint64_t b) {
    uint64_t r = 0;
    if (lut & 0x80) r |= a & b;
    if (lut & 0x20) r |= a & ~b;
    if (lut & 0x08) r |= ~a & b;
    if (lut & 0x02) r |= ~a & ~b;
    return r;
}

static bool rule_lop64(Simplifier *s, IrInst *in) {
    IrSrc *a = &in->src[0], *b = &in->src[1];
    int lut = in->mod.lut;
    if (a->kind == ISA_SRC_IMM && b->kind == ISA_SRC_IMM)
        return si_becomes(s, in, ir_imm64(apply_lut(lut, a->imm, b->imm)));
    if (b->kind == ISA_SRC_IMM && (b->imm == 0 || b->imm == ~0ull)) {
        uint64_t zero = apply_lut(lut, 0, b->imm), ones = apply_lut(lut, ~0ull, b->imm);
        if (zero == ones) return si_becomes(s, in, ir_imm64(zero));
        if (zero == 0 && ones == ~0ull) return si_becomes(s, in, *a);
    }
    return false;
}

// The low word of a wide product or sum with one reader becomes a narrow operation.
static bool rule_low_word(Simplifier *s, IrInst *in) {
    if (in->mod.mode != 0 || s->ir->width[in->dst] != 1) return false;
    const IrInst *d = si_def(s, &in->src[0]);
    if (!d || !si_single_use(s, &in->src[0])) return false;
    bool product = (d->op == ISA_IMUL || d->op == ISA_IMAD) && d->mod.part == ISA_WIDE;
    if (!product && d->op != IR_ADD64 && d->op != IR_SEXT64 && d->op != IR_LOP64) return false;
    int n = d->nsrc;
    IrSrc src[3];  // other operations have at most three sources; a PHI has one per predecessor
    for (int i = 0; i < n; i++) src[i] = d->src[i];
    for (int i = 0; i < n; i++) {
        if (src[i].width != 2) continue;
        if (src[i].kind == ISA_SRC_IMM) src[i].imm = (uint32_t)src[i].imm;
        else if (src[i].kind == ISA_SRC_REG) {
            IrInst *low = si_emit(s, IR_SPLIT, 1, in->mod.ptx_line);
            low->src[0] = src[i];
            low->src[0].neg = false;
            low->dst = si_vreg(s, 1);
            s->def[low->dst] = low;
            s->def_block[low->dst] = s->block;
            s->uses[low->dst] = 1;
            bool neg = src[i].neg;
            src[i] = ir_reg(s->ir, low->dst);
            src[i].neg = neg;
        }
        src[i].width = 1;
    }
    if (d->op == IR_SEXT64) return si_becomes(s, in, src[0]);
    in->mod = d->mod;
    in->op = product ? d->op : d->op == IR_ADD64 ? ISA_IADD : ISA_LOP3;
    in->mod.part = ISA_LO;
    in->mod.mode = 0;
    if (in->op == ISA_LOP3) src[n++] = ir_imm(0);
    in->src = ARENA_ARRAY(s->ir->arena, IrSrc, n);
    in->nsrc = n;
    memcpy(in->src, src, sizeof(IrSrc) * (size_t)n);
    return s->changed = true;
}

bool rules_wide(Simplifier *s, IrInst *in) {
    switch (in->op) {
    case IR_ADD64: return rule_add64(s, in);
    case IR_SHL64: return rule_shl64(s, in);
    case IR_SHR64: return rule_shr64(s, in);
    case IR_MUL64: return rule_mul64(s, in);
    case IR_SEXT64: return rule_sext64(s, in);
    case IR_LOP64: return rule_lop64(s, in);
    case ISA_IMAD: return rule_imad(s, in);
    case IR_SPLIT: return rule_low_word(s, in);
    default: return false;
    }
}
