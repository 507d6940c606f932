// SPDX-License-Identifier: Apache-2.0
// Moves operands that the machine does not accept into registers.
//
// requires  SSA, no 64-bit integer operations
//
// provides  at most one immediate or constant operand per instruction (RZ replaces zero words) and
//           memory addresses and data in registers
//
// A value in a register serves the rest of its block. For a loop, the move precedes the loop.
#include "compile/ir.h"

#include <string.h>

typedef struct Cached {
    IrSrc value;
    int reg;
} Cached;

typedef struct BlockCache {
    Cached *value;
    int n, cap;
} BlockCache;

typedef struct Legalizer {
    Ir *ir;
    BlockCache *cache;  // per block
    IrInst **out;
    int nout, cap_out;
    int block, line;
} Legalizer;

// Block that defines a value used in `block`: the nearest preceding block outside all loops.
static int home_of(const Ir *ir, int block) {
    while (ir->blocks[block].loop_depth && ir->blocks[block].idom >= 0)
        block = ir->blocks[block].idom;
    return block;
}

static void in_register(Legalizer *l, IrSrc *s) {
    Ir *ir = l->ir;
    IrSrc plain = *s;
    plain.neg = plain.abs = false;
    int home = home_of(ir, l->block);
    BlockCache *c = &l->cache[home];
    for (int i = 0; i < c->n; i++)
        if (ir_same_src(&c->value[i].value, &plain)) {
            s->kind = ISA_SRC_REG;
            s->reg = c->value[i].reg;
            return;
        }
    IrInst *in = ir_inst(ir, IR_COPY, 1);
    in->src[0] = plain;
    in->dst = ir_vreg(ir, plain.width);
    in->mod.ptx_line = l->line;
    if (home == l->block) *ARENA_PUSH(ir->arena, l->out, l->nout, l->cap_out) = in;
    else ir_insert(ir, home, ir_terminator(&ir->blocks[home]), in);
    *ARENA_PUSH(ir->arena, c->value, c->n, c->cap) = (Cached){plain, in->dst};
    s->kind = ISA_SRC_REG;
    s->reg = in->dst;
}

static bool is_free(const IrSrc *s) {  // costs neither a register nor the immediate field
    return s->kind == ISA_SRC_REG || s->kind == ISA_SRC_NONE ||
        (s->kind == ISA_SRC_IMM && s->imm == 0);
}

// The source that keeps its immediate or constant: the widest constant saves most registers.
static int keep_which(const IrInst *in) {
    int best = -1, score = 0;
    for (int i = 0; i < in->nsrc; i++) {
        const IrSrc *s = &in->src[i];
        if (is_free(s)) continue;
        int v = 4 * s->width + (s->kind == ISA_SRC_CONST) + 1;
        if (v > score) {
            score = v;
            best = i;
        }
    }
    return best;
}

static bool memory_operands(const IrInst *in) {
    switch (in->op) {
    case ISA_LD:
    case ISA_ST:
    case ISA_ATOM:
    case ISA_LDC:
    case ISA_PREFETCH:
    case ISA_TOUCH:
    case ISA_TEX:
    case ISA_MMA:
    case ISA_SYSCALL:
    case IR_SAVE: return true;
    default: return false;
    }
}

static bool is_misaligned(const IrSrc *s) {
    return s->kind == ISA_SRC_CONST && s->imm % (4u * s->width);
}

static void legalize_inst(Legalizer *l, IrInst *in) {
    if (in->op == IR_PHI) return;
    if (in->op == IR_JOIN || in->op == IR_COPY) return;  // each part is moved by itself
    if (in->op == IR_SPLIT) {
        if (!is_free(&in->src[0]) || in->src[0].kind == ISA_SRC_IMM) in_register(l, &in->src[0]);
        return;
    }
    bool memory = memory_operands(in);
    int keep = memory ? -1 : keep_which(in);
    for (int i = 0; i < in->nsrc; i++) {
        IrSrc *s = &in->src[i];
        if (is_free(s) && !(s->kind == ISA_SRC_IMM && s->width == 4)) continue;
        if (i != keep || is_misaligned(s)) in_register(l, s);
    }
}

void ir_legalize(Ir *ir) {
    Legalizer l = {.ir = ir, .cache = ARENA_ARRAY(ir->arena, BlockCache, ir->nblocks)};
    for (int o = 0; o < ir->norder; o++) {  // a block follows its dominators
        l.block = ir->order[o];
        l.out = NULL;
        l.nout = l.cap_out = 0;
        for (int i = 0; i < ir->blocks[l.block].ninsts; i++) {
            IrInst *in = ir->blocks[l.block].insts[i];
            l.line = in->mod.ptx_line;
            legalize_inst(&l, in);
            *ARENA_PUSH(ir->arena, l.out, l.nout, l.cap_out) = in;
        }
        IrBlock *k = &ir->blocks[l.block];
        k->insts = l.out;
        k->ninsts = l.nout;
        k->cap_insts = l.cap_out;
    }
}
