// SPDX-License-Identifier: Apache-2.0
// Private to csrc/ptx: expands one written instruction into others, which follow the function's
// previous instructions.
#ifndef SMCOSIM_PTX_EXPAND_H
#define SMCOSIM_PTX_EXPAND_H

#include "ptx/front.h"

#include <string.h>

typedef struct Expansion {
    Parser *p;
    const PtxInst *in;  // the instruction that is expanded
} Expansion;

static inline PtxOperand expand_locate(const Expansion *e, PtxOperand o) {
    o.line = e->in->line;
    o.col = e->in->col;
    return o;
}
static inline PtxOperand expand_reg(const Expansion *e, int index) {
    return expand_locate(e, (PtxOperand){.kind = PTX_OPND_REG, .index = index});
}
static inline PtxOperand expand_temporary(const Expansion *e, PtxType type) {
    return expand_reg(e, decl_temporary(e->p, type));
}
static inline PtxOperand expand_number(const Expansion *e, uint64_t bits) {
    return expand_locate(e, (PtxOperand){.kind = PTX_OPND_IMM, .bits = bits});
}
static inline PtxOperand expand_displace(PtxOperand memory, int64_t by) {
    memory.offset += by;
    return memory;
}
// A vector of words, or one word.
static inline PtxOperand expand_vector(const Expansion *e, const PtxOperand *word, int words) {
    if (words == 1) return word[0];
    PtxOperand v = expand_locate(e, (PtxOperand){.kind = PTX_OPND_VEC, .nelements = words});
    v.elements = ARENA_ARRAY(e->p->arena, PtxOperand, words);
    memcpy(v.elements, word, (size_t)words * sizeof *word);
    return v;
}

// The new instruction gets the guard of the expanded instruction.
static inline PtxInst *expand_emit(const Expansion *e, PtxOp op, PtxType type, int n,
                                   const PtxOperand *opnd) {
    PtxFunc *f = e->p->f;
    PtxInst *to = ARENA_PUSH(e->p->arena, f->insts, f->ninsts, f->cap_insts);
    *to = (PtxInst){.op = op,
                    .type = type,
                    .guard = e->in->guard,
                    .guard_negated = e->in->guard_negated,
                    .vec = 1,
                    .nopnd = n,
                    .line = e->in->line,
                    .col = e->in->col,
                    .src_line = e->in->src_line};
    memcpy(to->opnd, opnd, (size_t)n * sizeof *opnd);
    return to;
}
#define PUT(e, op, type, ...) \
    expand_emit(e, op, type, (int)(sizeof((PtxOperand[]){__VA_ARGS__}) / sizeof(PtxOperand)), \
                (PtxOperand[]){__VA_ARGS__})

#endif
