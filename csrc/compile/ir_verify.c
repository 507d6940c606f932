// SPDX-License-Identifier: Apache-2.0
// The verifier runs between passes, so it names the pass that introduced a fault.
// requires  cfg_analyze
#include "compile/ir.h"

#include <string.h>

typedef struct Verifier {
    const Ir *ir;
    const char *after;
    int block, index;
} Verifier;

static _Noreturn void report_broken(const Verifier *v, const char *what) {
    const IrBlock *b = &v->ir->blocks[v->block];
    char text[512] = "(block)";
    if (v->index >= 0 && v->index < b->ninsts)
        ir_print_inst(text, sizeof text, v->ir, b->insts[v->index]);
    panic("after %s: kernel %s, block %d, instruction %d `%s`: %s", v->after, v->ir->name, v->block,
          v->index, text, what);
}

static void check_src(const Verifier *v, const IrInst *in, const IrSrc *s) {
    const Ir *ir = v->ir;
    if (s->kind == ISA_SRC_REG) {
        if (s->reg < 0 || s->reg >= ir->nvregs) report_broken(v, "source register does not exist");
        if (s->width != ir->width[s->reg])
            report_broken(v, "width of a source is not its register's");
        if (s->width == 0 && in->op != IR_COPY && in->op != IR_PHI)
            report_broken(v, "predicate among the sources");
    }
    if (s->kind == ISA_SRC_IMM && s->width == 1 && s->imm >> 32)
        report_broken(v, "immediate does not fit its width");
    if (s->kind == ISA_SRC_CONST && s->cbank != 0 && s->cbank != 3)
        report_broken(v, "no such constant bank");
}

static void check_pred(const Verifier *v, IrPred p) {
    if (p.reg == IR_PT) return;
    if (p.reg < 0 || p.reg >= v->ir->nvregs || v->ir->width[p.reg] != 0)
        report_broken(v, "not a predicate");
}

static int words_of(const IrInst *in) {
    int n = 0;
    for (int i = 0; i < in->nsrc; i++) n += in->src[i].width;
    return n;
}

static void check_inst(const Verifier *v, const IrInst *in) {
    const Ir *ir = v->ir;
    int dw = in->dst == IR_NONE ? -1 : ir->width[in->dst];
    if (in->op < 0 || in->op >= IR_OP_COUNT) report_broken(v, "no such opcode");
    for (int i = 0; i < in->nsrc; i++) check_src(v, in, &in->src[i]);
    for (int i = 0; i < 3; i++) check_pred(v, in->psrc[i]);
    check_pred(v, in->guard);
    for (int i = 0; i < 2; i++)
        if (in->pdst[i] != IR_NONE && (in->pdst[i] >= ir->nvregs || ir->width[in->pdst[i]] != 0))
            report_broken(v, "predicate result is not a predicate");
    if (dw == 0 && in->op != IR_COPY && in->op != IR_PHI)
        report_broken(v, "predicate as a general result");
    switch (in->op) {
    case IR_JOIN:
        if (words_of(in) != dw) report_broken(v, "parts do not fill the result");
        break;
    case IR_SPLIT:
        if (in->nsrc != 1 || in->mod.mode + dw > in->src[0].width || in->mod.mode % dw)
            report_broken(v, "words outside the source");
        break;
    case IR_COPY:
        if (in->nsrc != 1 || in->src[0].width != dw)
            report_broken(v, "copy between different widths");
        break;
    case IR_PHI:
        if (in->nsrc != ir->blocks[v->block].npred)
            report_broken(v, "not one source per predecessor");
        for (int i = 0; i < in->nsrc; i++)
            if (in->src[i].width != dw) report_broken(v, "sources of different widths");
        break;
    default: break;
    }
}

static void check_blocks(Verifier *v) {
    const Ir *ir = v->ir;
    for (int b = 0; b < ir->nblocks; b++) {
        const IrBlock *k = &ir->blocks[b];
        v->block = b;
        v->index = -1;
        for (int s = 0; s < k->nsucc; s++)
            if (k->succ[s] < 0 || k->succ[s] >= ir->nblocks)
                report_broken(v, "successor does not exist");
        int end = ir_terminator(k);
        for (int i = 0; i < k->ninsts; i++) {
            v->index = i;
            check_inst(v, k->insts[i]);
            if (ir_is_terminator(k->insts[i]) && i != k->ninsts - 1)
                report_broken(v, "control leaves before the end of the block");
            if (k->insts[i]->op == IR_PHI && i && k->insts[i - 1]->op != IR_PHI)
                report_broken(v, "PHI behind other instructions");
        }
        v->index = k->ninsts - 1;
        const IrInst *last = end < k->ninsts ? k->insts[end] : NULL;
        int want = !last ? 1 : last->op == ISA_BRA ? 2 : last->op == ISA_BRX ? k->nsucc : 0;
        if (k->rpo >= 0 && k->nsucc != want)
            report_broken(v, "number of successors does not suit the last instruction");
    }
}

static void check_ssa(Verifier *v) {
    const Ir *ir = v->ir;
    Arena scratch = {0};
    int *block = ARENA_ARRAY(&scratch, int, ir->nvregs + 1),
        *place = ARENA_ARRAY(&scratch, int, ir->nvregs + 1);
    for (int i = 0; i < ir->nvregs; i++) block[i] = -1;
    for (int b = 0; b < ir->nblocks; b++)
        for (int i = 0; i < ir->blocks[b].ninsts; i++) {
            int defs[3], n = ir_defs(ir->blocks[b].insts[i], defs);
            v->block = b;
            v->index = i;
            for (int d = 0; d < n; d++) {
                if (block[defs[d]] >= 0) report_broken(v, "second definition of a register");
                block[defs[d]] = b;
                place[defs[d]] = i;
            }
        }
    for (int b = 0; b < ir->nblocks; b++)
        for (int i = 0; i < ir->blocks[b].ninsts; i++) {
            const IrInst *in = ir->blocks[b].insts[i];
            v->block = b;
            v->index = i;
            for (int p = 0; in->op == IR_PHI && p < in->nsrc; p++) {
                const IrSrc *s = &in->src[p];
                if (s->kind != ISA_SRC_REG) continue;
                if (block[s->reg] < 0 || !cfg_dominates(ir, block[s->reg], ir->blocks[b].pred[p]))
                    report_broken(v, "source of a PHI is not defined on its edge");
            }
            if (in->op == IR_PHI) continue;
            IR_FOR_USES(in, r) {
                if (block[r] < 0) report_broken(v, "register without a definition");
                if (block[r] == b ? place[r] >= i : !cfg_dominates(ir, block[r], b))
                    report_broken(v, "use that the definition does not dominate");
            }
        }
    arena_free(&scratch);
}

void ir_verify(const Ir *ir, bool ssa, const char *after) {
    Verifier v = {.ir = ir, .after = after};
    check_blocks(&v);
    if (ssa) check_ssa(&v);
}
