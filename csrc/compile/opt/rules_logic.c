// SPDX-License-Identifier: Apache-2.0
// Simplification of LOP3: constant inputs are removed from the truth table, two functions become
// one. Truth tables index a, b, c as bits 4, 2, 1: a = 0xf0, b = 0xcc, c = 0xaa.
#include "compile/opt/simplify.h"

#include <string.h>

static const int input_table[3] = {ISA_LUT_A, ISA_LUT_B, ISA_LUT_C};

// The table with input i fixed to v.
static int restrict_input(int lut, int i, bool v) {
    int r = 0, bit = 4 >> i;
    for (int k = 0; k < 8; k++) {
        int from = v ? k | bit : k & ~bit;
        if (lut >> from & 1) r |= 1 << k;
    }
    return r;
}
static bool depends_on_input(int lut, int i) {
    return restrict_input(lut, i, false) != restrict_input(lut, i, true);
}

// The table of lut with input i replaced by the function `inner` of the same three inputs.
static int compose_lut(int lut, int i, int inner) {
    int r = 0, bit = 4 >> i;
    for (int k = 0; k < 8; k++) {
        int from = inner >> k & 1 ? k | bit : k & ~bit;
        if (lut >> from & 1) r |= 1 << k;
    }
    return r;
}

// lut with renamed inputs: new input j is old input from[j] (-1: unused).
static int rename_inputs(int lut, const int from[3]) {
    int r = 0;
    for (int k = 0; k < 8; k++) {
        int old = 0;
        for (int j = 0; j < 3; j++)
            if (from[j] >= 0 && k & (4 >> j)) old |= 4 >> from[j];
        if (lut >> old & 1) r |= 1 << k;
    }
    return r;
}

static bool is_constant(const IrSrc *a, uint32_t v) {
    return a->kind == ISA_SRC_IMM && (uint32_t)a->imm == v;
}

// Keeps the relevant inputs in order, without duplicates, immediates last.
static bool normalize_inputs(Simplifier *s, IrInst *in) {
    int lut = in->mod.lut, n = 0, from[3] = {-1, -1, -1};
    IrSrc kept[3];
    for (int i = 0; i < 3; i++) {
        if (is_constant(&in->src[i], 0)) lut = restrict_input(lut, i, false);
        else if (is_constant(&in->src[i], ~0u)) lut = restrict_input(lut, i, true);
        for (int j = 0; j < i; j++)
            if (depends_on_input(lut, i) && ir_same_src(&in->src[i], &in->src[j]))
                lut = compose_lut(lut, i, input_table[j]);
    }
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < 3; i++)
            if (depends_on_input(lut, i) && (in->src[i].kind == ISA_SRC_IMM) == pass) {
                from[n] = i;
                kept[n++] = in->src[i];
            }
    lut = rename_inputs(lut, from);
    bool same = lut == in->mod.lut;
    for (int i = 0; i < 3; i++) {
        IrSrc want = i < n ? kept[i] : ir_imm(0);
        same = same && ir_same_src(&want, &in->src[i]);
    }
    if (same) return false;
    in->src = ARENA_ARRAY(s->ir->arena, IrSrc, 3);
    for (int i = 0; i < 3; i++) in->src[i] = i < n ? kept[i] : ir_imm(0);
    in->mod.lut = (uint8_t)lut;
    return s->changed = true;
}

static bool merge_inner(Simplifier *s, IrInst *in) {
    for (int i = 0; i < 3; i++) {
        const IrInst *d = si_def(s, &in->src[i]);
        if (!d || d->op != ISA_LOP3 || !si_single_use(s, &in->src[i])) continue;
        // all inputs of both, each once
        IrSrc all[6];
        int n = 0, at_outer[3], at_inner[3], others = 0;
        for (int side = 0; side < 2; side++)
            for (int k = 0; k < 3; k++) {
                const IrSrc *src = side ? &d->src[k] : &in->src[k];
                int *at = side ? &at_inner[k] : &at_outer[k];
                *at = -1;
                if ((!side && k == i) || !depends_on_input(side ? d->mod.lut : in->mod.lut, k))
                    continue;
                int j = 0;
                while (j < n && !ir_same_src(&all[j], src)) j++;
                if (j == n) {
                    all[n++] = *src;
                    others += src->kind != ISA_SRC_REG;
                }
                *at = j;
            }
        if (n > 3 || others > 1) continue;
        int lut = 0;
        for (int k = 0; k < 8; k++) {
            int inner = 0, outer = 0;
            for (int j = 0; j < 3; j++) {
                if (at_inner[j] >= 0 && k & (4 >> at_inner[j])) inner |= 4 >> j;
                if (at_outer[j] >= 0 && k & (4 >> at_outer[j])) outer |= 4 >> j;
            }
            if (d->mod.lut >> inner & 1) outer |= 4 >> i;
            if (in->mod.lut >> outer & 1) lut |= 1 << k;
        }
        in->src = ARENA_ARRAY(s->ir->arena, IrSrc, 3);
        for (int k = 0; k < 3; k++) in->src[k] = k < n ? all[k] : ir_imm(0);
        in->mod.lut = (uint8_t)lut;
        return s->changed = true;
    }
    return false;
}

bool rules_logic(Simplifier *s, IrInst *in) {
    if (in->op != ISA_LOP3) return false;
    if (normalize_inputs(s, in)) return true;
    switch (in->mod.lut) {
    case 0x00: return si_becomes(s, in, ir_imm(0));
    case 0xff: return si_becomes(s, in, ir_imm(~0u));
    case ISA_LUT_A: return si_becomes(s, in, in->src[0]);
    default: break;
    }
    // (x & m1) & m2
    const IrInst *d = si_def(s, &in->src[0]);
    if (in->mod.lut == ISA_LUT_AND && in->src[1].kind == ISA_SRC_IMM && d && d->op == ISA_LOP3 &&
        d->mod.lut == ISA_LUT_AND && d->src[1].kind == ISA_SRC_IMM) {
        uint32_t m = (uint32_t)(in->src[1].imm & d->src[1].imm);
        in->src[0] = d->src[0];
        in->src[1] = ir_imm(m);
        return s->changed = true;
    }
    // and with a mask that covers an extension below it
    if (in->mod.lut == ISA_LUT_AND && in->src[1].kind == ISA_SRC_IMM && d && d->op == ISA_EXT) {
        uint32_t low = isa_type_bytes(d->mod.type) == 1 ? 0xff : 0xffff;
        if (in->src[1].imm <= low) {
            in->src[0] = d->src[0];
            return s->changed = true;
        }
    }
    return merge_inner(s, in);
}
