// SPDX-License-Identifier: Apache-2.0
// The control flow of the SIMT program that all threads of a CTA execute, as followed by the scalar
// thread. It consists of the loops and branches that lead to a position, and the inputs of their
// conditions.
//
// requires  the path chosen on SSA form; the copy uses the program out of SSA form, with the same
//           registers
//
// A branch that does not decide whether the positions are reached is omitted: the copy continues at
// its join.
#include "compile/scalar/scalar_program.h"
#include "ptx/ptx.h"

#include <string.h>

enum { MOST_PHIS = 16, MOST_DEPTH = 6 };

static bool can_compute(const CtaValues *v, int reg, int block, int depth, Arena *arena) {
    int phis[MOST_PHIS];
    if (v->value[reg].kind == CTA_OTHER || depth > MOST_DEPTH) return false;
    const int n = slice_phis(v, reg, phis, MOST_PHIS, arena);
    for (int i = 0; i < n; i++) {
        const IrInst *phi = v->def[phis[i]];
        const int at = phi ? v->def_block[phis[i]] : 0, loop = phi ? v->loop_of[at] : -1;
        if (!phi || loop < 0 || v->loop[loop].header != at || !v->loop[loop].in[block])
            return false;
        if (v->loop[loop].latch < 0 || v->ir->blocks[at].npred != 2) return false;
        for (int s = 0; s < phi->nsrc; s++) {
            if (phi->src[s].kind != ISA_SRC_REG || phi->src[s].reg == phis[i]) continue;
            if (v->value[phi->src[s].reg].kind == CTA_OTHER) return false;
            int more[MOST_PHIS], m = slice_phis(v, phi->src[s].reg, more, MOST_PHIS, arena);
            if (m < 0) return false;
            for (int q = 0; q < m; q++)
                if (more[q] != phis[i] && !can_compute(v, more[q], at, depth + 1, arena))
                    return false;
        }
    }
    return n >= 0;
}

bool path_computes(const CtaValues *v, int reg, int block, Arena *arena) {
    return can_compute(v, reg, block, 0, arena);
}

bool path_control(const CtaValues *v, int b, const bool *without, bool *needed, Arena *arena) {
    const Ir *ir = v->ir;
    bool *seen = ARENA_ARRAY(arena, bool, ir->nblocks);
    int n = 0, *work = ARENA_ARRAY(arena, int, ir->nblocks + 1);
    seen[work[n++] = b] = true;
    while (n) {
        const int y = work[--n];
        for (int i = 0; i < ir->norder; i++) {
            const int x = ir->order[i];
            const IrBlock *k = &ir->blocks[x];
            if ((without && without[x]) || !cfg_depends(ir, y, x)) continue;
            const IrInst *end = k->insts[k->ninsts - 1];
            if (end->op != ISA_BRA ||
                (end->guard.reg != IR_PT && !path_computes(v, end->guard.reg, x, arena)))
                return false;
            needed[x] = true;
            if (!seen[x]) seen[work[n++] = x] = true;
        }
    }
    return true;
}

static bool *grow_flags(const bool *old, int n, int now, Arena *arena) {
    bool *more = old ? ARENA_ARRAY(arena, bool, now + 1) : NULL;
    if (old) memcpy(more, old, sizeof *more * (size_t)n);
    return more;
}

void path_grow(ThreadPath *p, int nblocks, Arena *arena) {
    p->needed = grow_flags(p->needed, nblocks, p->ir->nblocks, arena);
    p->together = grow_flags(p->together, nblocks, p->ir->nblocks, arena);
}

// ---- the copy ----

Ir *path_copy(const Ir *ir) {
    Ir *t = thread_new(ir, "");
    for (int r = 0; r < ir->nvregs; r++) (void)ir_vreg(t, ir->width[r]);
    for (int b = 0; b < ir->nblocks; b++) {
        const int c = ir_block(t);
        t->blocks[c].seq = ir->blocks[b].seq;
        ir_set_succ(t, c, ir->blocks[b].nsucc, ir->blocks[b].succ);
        t->blocks[c].ipdom = ir->blocks[b].ipdom;
        t->blocks[c].rpo = ir->blocks[b].rpo;
    }
    return t;
}

void thread_put(Ir *t, int block, IrInst *in) { ir_insert(t, block, t->blocks[block].ninsts, in); }

IrInst *path_inst(const ThreadPath *p, Ir *t, const IrInst *in) {
    const int dim = in->op == ISA_S2R ? in->mod.sreg - PTX_SREG_TID_X : -1;
    if (dim < 0 || dim > 2) return ir_clone(t, in);
    IrInst *copy = ir_inst(t, IR_COPY, 1);
    copy->dst = in->dst;
    copy->src[0] = ir_imm(p->tid[dim]);
    copy->mod.ptx_line = in->mod.ptx_line;
    return copy;
}

static const char *explain_private(const IrInst *in) {
    if (in->op != ISA_S2R) return NULL;
    switch (in->mod.sreg) {
    case PTX_SREG_LANEID:
    case PTX_SREG_WARPID:
    case PTX_SREG_NWARPID:
    case PTX_SREG_LANEMASK_EQ:
    case PTX_SREG_LANEMASK_LT:
    case PTX_SREG_LANEMASK_LE:
    case PTX_SREG_LANEMASK_GT:
    case PTX_SREG_LANEMASK_GE:
    case PTX_SREG_TOTAL_SMEM_SIZE: return "a register of its warp or of the machine";
    default: return NULL;
    }
}

const char *path_refuses(const IrInst *in, const Ir *ir) {
    if (ir_is_convergent(in)) return "a barrier or an operation between lanes";
    switch (in->op) {
    case ISA_SYSCALL: return "a system call";
    case ISA_NANOSLEEP: return "nanosleep";
    case ISA_TEX: return "a texture fetch";
    case ISA_BRX: return "an indexed branch";
    case ISA_LD:
    case ISA_ST:
    case ISA_ATOM:
        if (in->mod.space == ISA_LOCAL) return "an array of its own thread";
        return in->mod.space == ISA_GENERIC && ir->local_bytes
            ? "an access that may be to local memory"
            : NULL;
    case ISA_S2R: return explain_private(in);
    default: return NULL;
    }
}

// Values and ends, and no accesses but to read-only memory.
static bool keeps_inst(const IrInst *in) {
    if (ir_is_terminator(in) || in->op == ISA_LD) return in->op == ISA_LD && in->mod.readonly;
    return ir_is_pure(in) && in->op != ISA_TEX && !ir_is_convergent(in) && !explain_private(in);
}

// alive = alive and not p
static void still_alive(Ir *t, int block, int alive, IrPred p) {
    IrInst *in = ir_inst(t, ISA_PLOP3, 0);
    in->mod.lut = ISA_LUT_AND;
    in->psrc[0] = (IrPred){alive, false};
    in->psrc[1] = (IrPred){p.reg, !p.neg};
    in->pdst[0] = alive;
    thread_put(t, block, in);
}

void path_block(const ThreadPath *p, Ir *t, int block, const IrInst *until) {
    const IrBlock *k = &p->ir->blocks[block];
    for (int n = 0; n < k->ninsts; n++) {
        const IrInst *in = k->insts[n];
        if (in == until) return;
        if (in->op == ISA_EXIT && in->guard.reg != IR_PT) {
            if (p->alive != IR_PT) still_alive(t, block, p->alive, in->guard);
            if (p->together && p->together[block]) thread_put(t, block, ir_clone(t, in));
            continue;
        }
        if ((in->op == ISA_EXIT && ir_is_terminator(in)) ||
            (in->op == ISA_BRA && p->needed[block])) {
            thread_put(t, block, ir_clone(t, in));
            return;
        }
        if (ir_is_terminator(in)) {  // no action of the thread depends on the path
            if (k->ipdom >= 0) {
                const int to = k->ipdom;
                ir_set_succ(t, block, 1, &to);
                return;
            }
            thread_put(t, block, ir_inst(t, ISA_EXIT, 0));
            t->blocks[block].nsucc = 0;
            return;
        }
        if (keeps_inst(in)) thread_put(t, block, path_inst(p, t, in));
    }
}
