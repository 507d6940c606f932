// SPDX-License-Identifier: Apache-2.0
// Removal of unread results.
//
// requires  SSA
//
// provides  only instructions with an effect or a reader; unread secondary results dropped.
//           A wide product becomes narrow if only its low word is read.
#include "compile/ir.h"

#include <string.h>

typedef struct Dce {
    Ir *ir;
    IrInst **def;
    bool *live;  // per register
    bool *high;  // per register: more than its low word is read
    int *work, nwork, cap_work;
} Dce;

static void mark_reg(Dce *d, int reg) {
    if (d->live[reg]) return;
    d->live[reg] = true;
    *ARENA_PUSH(d->ir->arena, d->work, d->nwork, d->cap_work) = reg;
}

static void mark_uses(Dce *d, const IrInst *in) {
    IR_FOR_USES(in, r) {
        if (in->op != IR_SPLIT || in->mod.mode || d->ir->width[in->dst] != 1) d->high[r] = true;
        mark_reg(d, r);
    }
}

static void narrow_product(Dce *d, IrInst *in) {
    bool product = in->op == ISA_IMUL || in->op == ISA_IMAD;
    if (!product || in->mod.part != ISA_WIDE || d->high[in->dst]) return;
    // d = low word; the reader is SPLIT 0: give it a pair with an undefined high word
    Ir *ir = d->ir;
    if (in->op == ISA_IMAD && in->src[2].kind == ISA_SRC_REG)
        return;  // simplify.c splits its addend first
    int low = ir_vreg(ir, 1), wide = in->dst;
    in->mod.part = ISA_LO;
    if (in->op == ISA_IMAD) {
        IrSrc *c = &in->src[2];
        if (c->kind == ISA_SRC_IMM) *c = ir_imm((uint32_t)c->imm);
        else c->width = 1;
    }
    in->dst = low;
    in->id = wide;  // the sweep inserts the JOIN after it
}

void ir_remove_dead(Ir *ir) {
    Arena scratch = {0};
    Dce d = {.ir = ir};
    d.def = ARENA_ARRAY(&scratch, IrInst *, ir->nvregs + 1);
    d.live = ARENA_ARRAY(&scratch, bool, ir->nvregs + 1);
    d.high = ARENA_ARRAY(&scratch, bool, ir->nvregs + 1);
    for (int b = 0; b < ir->nblocks; b++)
        for (int i = 0; i < ir->blocks[b].ninsts; i++) {
            IrInst *in = ir->blocks[b].insts[i];
            int defs[3], n = ir_defs(in, defs);
            for (int k = 0; k < n; k++) d.def[defs[k]] = in;
            in->id = -1;
            if (!ir_is_pure(in)) mark_uses(&d, in);
        }
    while (d.nwork) {
        int reg = d.work[--d.nwork];
        if (d.def[reg] && ir_is_pure(d.def[reg])) mark_uses(&d, d.def[reg]);
    }
    for (int b = 0; b < ir->nblocks; b++) {
        IrBlock *k = &ir->blocks[b];
        IrInst **out = NULL;
        int n = 0, cap = 0;
        for (int i = 0; i < k->ninsts; i++) {
            IrInst *in = k->insts[i];
            bool keep = !ir_is_pure(in);
            if (in->dst != IR_NONE) keep |= d.live[in->dst];
            for (int p = 0; p < 2; p++)
                if (in->pdst[p] != IR_NONE) keep |= d.live[in->pdst[p]];
            if (!keep) continue;
            for (int p = 0; p < 2; p++)
                if (in->pdst[p] != IR_NONE && !d.live[in->pdst[p]]) in->pdst[p] = IR_NONE;
            bool optional = in->op == ISA_ATOM || in->op == ISA_SYSCALL || in->op == ISA_BAR ||
                in->op == ISA_SHFL;
            if (in->dst != IR_NONE && !d.live[in->dst] && optional) in->dst = IR_NONE;
            if (in->dst != IR_NONE && d.live[in->dst]) narrow_product(&d, in);
            *ARENA_PUSH(ir->arena, out, n, cap) = in;
            if (in->id < 0) continue;
            IrInst *join = ir_inst(ir, IR_JOIN, 2);
            join->dst = in->id;
            join->src[0] = ir_reg(ir, in->dst);
            join->src[1] = ir_imm(0);
            join->mod.ptx_line = in->mod.ptx_line;
            *ARENA_PUSH(ir->arena, out, n, cap) = join;
        }
        k->insts = out;
        k->ninsts = n;
        k->cap_insts = cap;
    }
    arena_free(&scratch);
}
