// SPDX-License-Identifier: Apache-2.0
// Shared functions of the simplification rules: they find a register's definition and readers, and
// replace it.
#include "compile/opt/simplify.h"

#include <string.h>

IrInst *si_def(const Simplifier *s, const IrSrc *src) {
    if (src->kind != ISA_SRC_REG || src->neg || src->abs || src->reg >= s->cap) return NULL;
    return s->def[src->reg];
}

bool si_single_use(const Simplifier *s, const IrSrc *src) {
    return src->kind == ISA_SRC_REG && src->reg < s->cap && s->uses[src->reg] == 1;
}

void si_replace(Simplifier *s, int reg, IrSrc by) {
    s->value[reg] = by;
    s->changed = true;
}

void si_replace_pred(Simplifier *s, int reg, IrPred by) {
    s->pvalue[reg] = by;
    s->preplaced[reg] = true;
    s->changed = true;
}

bool si_becomes(Simplifier *s, IrInst *in, IrSrc src) {
    si_replace(s, in->dst, src);
    return true;
}

int si_vreg(Simplifier *s, int width) {
    int v = ir_vreg(s->ir, width);
    if (v >= s->cap) {
        int cap = s->cap * 2 + 64;
#define GROW(field, T) \
    do { \
        T *now = ARENA_ARRAY(s->scratch, T, cap); \
        memcpy(now, s->field, sizeof(T) * (size_t)s->cap); \
        s->field = now; \
    } while (0)
        GROW(def, IrInst *);
        GROW(def_block, int);
        GROW(uses, int);
        GROW(value, IrSrc);
        GROW(pvalue, IrPred);
        GROW(preplaced, bool);
#undef GROW
        s->cap = cap;
    }
    return v;
}

void si_put(Simplifier *s, IrInst *in) {
    *ARENA_PUSH(s->ir->arena, s->out, s->nout, s->cap_out) = in;
}

IrInst *si_emit(Simplifier *s, int op, int nsrc, int line) {
    IrInst *in = ir_inst(s->ir, op, nsrc);
    in->mod.ptx_line = line;
    si_put(s, in);
    return in;
}
