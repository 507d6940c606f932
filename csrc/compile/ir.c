// SPDX-License-Identifier: Apache-2.0
// Building and walking the compiler's instructions; properties of its opcodes.
#include "compile/ir.h"

#include <string.h>

int ir_vreg(Ir *ir, int width) {
    *ARENA_PUSH(ir->arena, ir->width, ir->nvregs, ir->cap_vregs) = (uint8_t)width;
    return ir->nvregs - 1;
}

int ir_block(Ir *ir) {
    IrBlock *b = ARENA_PUSH(ir->arena, ir->blocks, ir->nblocks, ir->cap_blocks);
    memset(b, 0, sizeof *b);
    b->idom = b->ipdom = b->rpo = -1;
    return ir->nblocks - 1;
}

IrInst *ir_inst(Ir *ir, int op, int nsrc) {
    IrInst *in = ARENA_NEW(ir->arena, IrInst);
    in->op = op;
    in->dst = in->pdst[0] = in->pdst[1] = IR_NONE;
    in->guard.reg = IR_PT;
    for (int i = 0; i < 3; i++) in->psrc[i].reg = IR_PT;
    in->nsrc = nsrc;
    in->src = nsrc ? ARENA_ARRAY(ir->arena, IrSrc, nsrc) : NULL;
    in->mod.op = op < ISA_OP_COUNT ? (IsaOp)op : ISA_NOP;
    in->mod.guard.reg = ISA_PT;
    in->mod.dst = ISA_RZ;
    for (int i = 0; i < 3; i++) in->mod.psrc[i].reg = ISA_PT;
    in->mod.pdst[0] = in->mod.pdst[1] = ISA_PT;
    return in;
}

void ir_insert(Ir *ir, int block, int at, IrInst *in) {
    IrBlock *b = &ir->blocks[block];
    (void)ARENA_PUSH(ir->arena, b->insts, b->ninsts, b->cap_insts);
    memmove(b->insts + at + 1, b->insts + at, sizeof(IrInst *) * (size_t)(b->ninsts - 1 - at));
    b->insts[at] = in;
}

IrInst *ir_append(Ir *ir, int block, int op, int nsrc) {
    IrInst *in = ir_inst(ir, op, nsrc);
    IrBlock *b = &ir->blocks[block];
    *ARENA_PUSH(ir->arena, b->insts, b->ninsts, b->cap_insts) = in;
    return in;
}

IrInst *ir_clone(Ir *ir, const IrInst *in) {
    IrInst *copy = ir_inst(ir, in->op, in->nsrc);
    IrSrc *src = copy->src;
    *copy = *in;
    copy->src = src;
    if (in->nsrc) memcpy(src, in->src, sizeof(IrSrc) * (size_t)in->nsrc);
    return copy;
}

void ir_set_succ(Ir *ir, int block, int n, const int *succ) {
    IrBlock *b = &ir->blocks[block];
    b->succ = n ? ARENA_ARRAY(ir->arena, int, n) : NULL;
    b->nsucc = n;
    if (n) memcpy(b->succ, succ, sizeof(int) * (size_t)n);
}

int ir_terminator(const IrBlock *b) {
    return b->ninsts && ir_is_terminator(b->insts[b->ninsts - 1]) ? b->ninsts - 1 : b->ninsts;
}

IrSrc ir_reg(const Ir *ir, int vreg) {
    return (IrSrc){.kind = ISA_SRC_REG, .width = ir->width[vreg], .reg = vreg};
}
IrSrc ir_imm(uint32_t value) {
    return (IrSrc){.kind = ISA_SRC_IMM, .width = 1, .imm = value, .reg = IR_NONE};
}
IrSrc ir_imm64(uint64_t value) {
    return (IrSrc){.kind = ISA_SRC_IMM, .width = 2, .imm = value, .reg = IR_NONE};
}
IrSrc ir_const(int bank, uint64_t offset, int width) {
    return (IrSrc){.kind = ISA_SRC_CONST,
                   .width = (uint8_t)width,
                   .cbank = (uint8_t)bank,
                   .imm = offset,
                   .reg = IR_NONE};
}
bool ir_is_imm(const IrSrc *s, uint64_t value) { return s->kind == ISA_SRC_IMM && s->imm == value; }

bool ir_same_src(const IrSrc *a, const IrSrc *b) {
    if (a->kind != b->kind || a->width != b->width || a->neg != b->neg || a->abs != b->abs)
        return false;
    switch (a->kind) {
    case ISA_SRC_NONE: return true;
    case ISA_SRC_REG: return a->reg == b->reg;
    case ISA_SRC_IMM: return a->imm == b->imm;
    case ISA_SRC_CONST: return a->imm == b->imm && a->cbank == b->cbank;
    }
    return false;
}

static const char *const pseudo_names[] = {"phi",    "copy",  "join",  "split",  "add64",
                                           "mul64",  "shl64", "shr64", "lop64",  "sext64",
                                           "setp64", "fneg",  "fabs",  "reload", "save"};

const char *ir_op_name(int op) {
    return op < ISA_OP_COUNT ? isa_op_info[op].name : pseudo_names[op - ISA_OP_COUNT];
}

bool ir_is_pseudo(int op) { return op >= ISA_OP_COUNT; }

bool ir_is_terminator(const IrInst *in) {
    switch (in->op) {
    case ISA_BRA:
    case ISA_BRX: return true;
    case ISA_EXIT:
    case ISA_TRAP: return in->guard.reg == IR_PT && !in->guard.neg;
    default: return false;
    }
}

bool ir_is_memory(const IrInst *in) {
    switch (in->op) {
    case ISA_LD:
    case ISA_ST:
    case ISA_ATOM:
    case ISA_PREFETCH:
    case ISA_TOUCH:
    case ISA_MEMBAR:
    case ISA_BAR:
    case ISA_SYSCALL:
    case ISA_WARPSYNC:
    case ISA_TEX:
    case IR_RELOAD:
    case IR_SAVE: return true;
    default: return false;
    }
}

bool ir_is_convergent(const IrInst *in) {
    switch (in->op) {
    case ISA_SHFL:
    case ISA_VOTE:
    case ISA_MATCH:
    case ISA_REDUX:
    case ISA_MMA:
    case ISA_BAR:
    case ISA_WARPSYNC: return true;
    default: return false;
    }
}

bool ir_is_clock(int sreg) {
    switch (sreg) {
    case PTX_SREG_CLOCK:
    case PTX_SREG_CLOCK_HI:
    case PTX_SREG_CLOCK64:
    case PTX_SREG_GLOBALTIMER:
    case PTX_SREG_GLOBALTIMER_LO:
    case PTX_SREG_GLOBALTIMER_HI: return true;
    default: return false;
    }
}

bool ir_is_pure(const IrInst *in) {
    switch (in->op) {
    case ISA_LD: return !in->mod.ordered;
    case ISA_ST:
    case ISA_ATOM:
    case ISA_PREFETCH:
    case ISA_TOUCH:
    case ISA_MEMBAR:
    case ISA_BAR:
    case ISA_SYSCALL:
    case ISA_WARPSYNC:
    case ISA_NANOSLEEP:
    case ISA_BRA:
    case ISA_BRX:
    case ISA_TRAP:
    case ISA_EXIT:
    case IR_SAVE: return false;
    default: return true;
    }
}

bool ir_is_repeatable(const IrInst *in) {
    if (!ir_is_pure(in) || ir_is_convergent(in) || in->guard.reg != IR_PT) return false;
    switch (in->op) {
    case ISA_LD:
    case ISA_TEX:
    case IR_PHI:
    case IR_RELOAD: return false;
    case ISA_S2R: return !ir_is_clock(in->mod.sreg);
    default: return true;
    }
}

IsaTiming ir_timing(int op) {
    if (op < ISA_OP_COUNT) return isa_op_info[op].timing;
    return op == IR_RELOAD || op == IR_SAVE ? ISA_TIME_MEM : ISA_TIME_INT;
}

bool ir_next_use(IrUseIter *it) {
    const IrInst *in = it->in;
    while (it->at < in->nsrc + 4) {
        int i = it->at++;
        if (i < in->nsrc) {
            if (in->src[i].kind != ISA_SRC_REG) continue;
            it->reg = in->src[i].reg;
            return true;
        }
        const IrPred *p = i - in->nsrc < 3 ? &in->psrc[i - in->nsrc] : &in->guard;
        if (p->reg == IR_PT) continue;
        it->reg = p->reg;
        return true;
    }
    return false;
}

int ir_defs(const IrInst *in, int defs[3]) {
    int n = 0;
    if (in->dst != IR_NONE) defs[n++] = in->dst;
    for (int i = 0; i < 2; i++)
        if (in->pdst[i] != IR_NONE) defs[n++] = in->pdst[i];
    return n;
}

int ir_units(int width) { return width ? width : 1; }
