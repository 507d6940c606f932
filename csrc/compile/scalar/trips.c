// SPDX-License-Identifier: Apache-2.0
// Maximum trip count of a loop whose counter starts, steps and ends at constants or launch
// parameters.
//
// requires  SSA of the SIMT program
//
// A counter is a PHI of the loop's header to which each iteration adds a constant. An end is a
// comparison of the counter that every iteration passes. Of several ends the nearest one counts.
// Only estimates use the result.
#include "compile/scalar/scalar_program.h"

// limit of the reported count; additions between two iterations
enum { MOST_TRIPS = 4096, MOST_STEPS = 8 };

// reg = PHI of block `header` + sum: follows additions of constants.
static int find_counter(const CtaValues *v, int reg, int header, int64_t *sum) {
    *sum = 0;
    for (int n = 0; n < MOST_STEPS; n++) {
        const IrInst *in = v->def[reg];
        if (!in || in->guard.reg != IR_PT || v->ir->width[reg] != 1) return -1;
        if (in->op == IR_PHI) return v->def_block[reg] == header ? reg : -1;
        if (in->op == IR_COPY && in->src[0].kind == ISA_SRC_REG && !in->src[0].neg) {
            reg = in->src[0].reg;
            continue;
        }
        const int k = in->op == ISA_IADD && in->src[0].kind == ISA_SRC_IMM ? 0 : 1;
        if (in->op != ISA_IADD || in->mod.has_cin || in->src[k].kind != ISA_SRC_IMM) return -1;
        if (in->src[1 - k].kind != ISA_SRC_REG || in->src[1 - k].neg) return -1;
        *sum += in->src[k].neg ? -(int64_t)(int32_t)in->src[k].imm : (int32_t)in->src[k].imm;
        reg = in->src[1 - k].reg;
    }
    return -1;
}

static bool compare_holds(IsaCmp cmp, int64_t a, int64_t b) {
    switch (cmp) {
    case ISA_EQ: return a == b;
    case ISA_NE: return a != b;
    case ISA_LT: return a < b;
    case ISA_LE: return a <= b;
    case ISA_GT: return a > b;
    case ISA_GE: return a >= b;
    default: return false;
    }
}

static int64_t word_value(uint32_t word, bool is_signed) {
    return is_signed ? (int64_t)(int32_t)word : (int64_t)word;
}

// Iterations up to the end at block e, where the loop continues while `stay` is true; 0: unknown.
static int64_t trips_to(const CtaLanes *c, const Loop *l, int e, IrPred stay) {
    const CtaValues *v = c->v;
    const IrInst *in = stay.reg == IR_PT ? NULL : v->def[stay.reg];
    const IrBlock *h = &v->ir->blocks[l->header];
    if (!in || in->op != ISA_ISETP || in->guard.reg != IR_PT || in->mod.mode ||
        in->psrc[0].reg != IR_PT)
        return 0;
    const bool holds_to_stay = stay.neg == (in->pdst[1] == stay.reg),
               is_signed = in->mod.type == ISA_S32;
    for (int s = 0; s < 2; s++) {
        const IrSrc *var = &in->src[s];
        uint32_t first, bound;
        int64_t ahead, step;
        const int phi = var->kind == ISA_SRC_REG && !var->neg
            ? find_counter(v, var->reg, l->header, &ahead)
            : -1;
        const int back = h->npred == 2 && h->pred[1] == l->latch;
        if (phi < 0 || h->npred != 2) continue;
        const IrSrc *next = &v->def[phi]->src[back];
        if (next->kind != ISA_SRC_REG || next->neg ||
            find_counter(v, next->reg, l->header, &step) != phi || !step)
            continue;
        if (!cta_word(c, &v->def[phi]->src[1 - back], &first) ||
            !cta_word(c, &in->src[1 - s], &bound))
            continue;
        const int64_t from = word_value(first, is_signed) + ahead,
                      to = word_value(bound, is_signed);
        int64_t n = 0;
        while (n < MOST_TRIPS) {
            const int64_t at = from + n * step;
            if (compare_holds(in->mod.cmp, s ? to : at, s ? at : to) != holds_to_stay) break;
            n++;
        }
        return e == l->header && l->header != l->latch ? n : n + 1;
    }
    return 0;
}

int64_t cta_trips(const CtaLanes *c, const Loop *l) {
    const Ir *ir = c->v->ir;
    int64_t least = 0;
    for (int i = 0; i < ir->norder && l->latch >= 0; i++) {
        const int e = ir->order[i];
        const IrBlock *k = &ir->blocks[e];
        if (!l->in[e] || k->nsucc != 2 || !cfg_dominates(ir, e, l->latch) ||
            l->in[k->succ[0]] == l->in[k->succ[1]])
            continue;
        IrPred stay = k->insts[k->ninsts - 1]->guard;
        stay.neg ^= !l->in[k->succ[0]];
        const int64_t n = trips_to(c, l, e, stay);
        if (n && (!least || n < least)) least = n;
    }
    return least;
}
