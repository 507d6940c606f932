// SPDX-License-Identifier: Apache-2.0
// Out of SSA form.
//
// requires  SSA; destroys it
//
// provides  no PHIs.
//
// For d = phi(a, b), a fresh c is copied from a and b at the ends of the predecessors. Then d is
// copied from c at the start of the block. Since only such copies write c, their order does not
// matter. Register allocation removes most copies.
#include "compile/ir.h"

static void copy_before_end(Ir *ir, int block, int dst, IrSrc src, int line) {
    IrInst *in = ir_inst(ir, IR_COPY, 1);
    in->dst = dst;
    in->src[0] = src;
    in->mod.ptx_line = line;
    ir_insert(ir, block, ir_terminator(&ir->blocks[block]), in);
}

void ssa_destruct(Ir *ir) {
    cfg_split_edges(ir);
    for (int b = 0; b < ir->nblocks; b++) {
        IrBlock *k = &ir->blocks[b];
        for (int i = 0; i < k->ninsts && k->insts[i]->op == IR_PHI; i++) {
            IrInst *phi = k->insts[i];
            int c = ir_vreg(ir, ir->width[phi->dst]);
            for (int p = 0; p < k->npred; p++)
                copy_before_end(ir, k->pred[p], c, phi->src[p], phi->mod.ptx_line);
            k = &ir->blocks[b];
            IrInst *copy = ir_inst(ir, IR_COPY, 1);
            copy->dst = phi->dst;
            copy->src[0] = ir_reg(ir, c);
            copy->mod.ptx_line = phi->mod.ptx_line;
            k->insts[i] = copy;
        }
    }
    cfg_analyze(ir);
}
