// SPDX-License-Identifier: Apache-2.0
// Copies computations of the SIMT program into the scalar program, each once per position.
//
// requires  SSA of the SIMT program; values that can be computed (no CTA_OTHER among them)
//
// A PHI that is not bound in the map of the slice cannot be copied: slice_phis finds them first.
#include "compile/scalar/scalar_program.h"
#include "ptx/ptx.h"

#include <string.h>

void slice_open(Slice *s, const CtaValues *v, Ir *to, int block, Arena *arena) {
    *s = (Slice){
        .v = v, .to = to, .block = block, .map = ARENA_ARRAY(arena, int, v->ir->nvregs + 1)};
    for (int r = 0; r < v->ir->nvregs; r++) s->map[r] = -1;
}

void slice_open_inner(Slice *s, Slice *outer, int block, const int *vary, int nvary, Arena *arena) {
    slice_open(s, outer->v, outer->to, block, arena);
    memcpy(s->tid, outer->tid, sizeof s->tid);
    memcpy(s->ctaid, outer->ctaid, sizeof s->ctaid);
    s->outer = outer;
    s->vary = vary;
    s->nvary = nvary;
}

static bool is_bound(const Slice *s, int reg) {
    for (int i = 0; i < s->nvary; i++)
        if (s->vary[i] == reg) return true;
    return false;
}

// Does the computation of `reg` use a register that is bound here and not farther out?
static bool uses_bound(const Slice *s, int reg, bool *seen) {
    if (is_bound(s, reg)) return true;
    if (seen[reg]) return false;
    seen[reg] = true;
    const IrInst *in = s->v->def[reg];
    if (!in || in->op == IR_PHI) return false;
    IR_FOR_USES(in, r)
        if (uses_bound(s, r, seen)) return true;
    return false;
}

static bool is_inner(const Slice *s, int reg) {
    Arena scratch = {0};
    bool *seen = ARENA_ARRAY(&scratch, bool, s->v->ir->nvregs + 1);
    const bool r = uses_bound(s, reg, seen);
    arena_free(&scratch);
    return r;
}

static void put_inst(Slice *s, IrInst *in) {
    IrBlock *b = &s->to->blocks[s->block];
    ir_insert(s->to, s->block, ir_terminator(b), in);
}

// Coordinates to which the slice assigns another value.
static const IrSrc *substitute_of(const Slice *s, int sreg) {
    const int t = sreg - PTX_SREG_TID_X, c = sreg - PTX_SREG_CTAID_X;
    if (t >= 0 && t < 3 && s->tid[t].kind != ISA_SRC_NONE) return &s->tid[t];
    if (c >= 0 && c < 3 && s->ctaid[c].kind != ISA_SRC_NONE) return &s->ctaid[c];
    return NULL;
}

static IrPred slice_pred(Slice *s, IrPred p) {
    if (p.reg != IR_PT) p.reg = slice_register(s, p.reg);
    return p;
}

int slice_register(Slice *s, int reg) {
    if (s->map[reg] >= 0) return s->map[reg];
    if (s->outer && !is_inner(s, reg)) return s->map[reg] = slice_register(s->outer, reg);
    const IrInst *in = s->v->def[reg];
    panic_if(!in || in->op == IR_PHI, "a value that cannot be copied");
    IrInst *copy = ir_clone(s->to, in);
    for (int i = 0; i < copy->nsrc; i++) copy->src[i] = slice_source(s, &copy->src[i]);
    for (int i = 0; i < 3; i++) copy->psrc[i] = slice_pred(s, copy->psrc[i]);
    copy->guard = slice_pred(s, copy->guard);
    int defs[3], n = ir_defs(in, defs);
    for (int i = 0; i < n; i++) s->map[defs[i]] = ir_vreg(s->to, s->v->ir->width[defs[i]]);
    if (copy->dst != IR_NONE) copy->dst = s->map[copy->dst];
    for (int i = 0; i < 2; i++)
        if (copy->pdst[i] != IR_NONE) copy->pdst[i] = s->map[copy->pdst[i]];
    const IrSrc *other = in->op == ISA_S2R ? substitute_of(s, in->mod.sreg) : NULL;
    if (other) {
        const int dst = copy->dst;
        copy = ir_inst(s->to, IR_COPY, 1);
        copy->dst = dst;
        copy->src[0] = *other;
        copy->mod.ptx_line = in->mod.ptx_line;
    }
    put_inst(s, copy);
    return s->map[reg];
}

IrSrc slice_source(Slice *s, const IrSrc *src) {
    IrSrc r = *src;
    if (r.kind == ISA_SRC_REG) r.reg = slice_register(s, r.reg);
    return r;
}

static bool collect_phis(const CtaValues *v, int reg, int *phis, int most, int *n, bool *seen) {
    if (seen[reg]) return true;
    seen[reg] = true;
    const IrInst *in = v->def[reg];
    if (!in || in->op == IR_PHI) {
        if (*n == most) return false;
        phis[(*n)++] = reg;
        return true;
    }
    IR_FOR_USES(in, r)
        if (!collect_phis(v, r, phis, most, n, seen)) return false;
    return true;
}

int slice_phis(const CtaValues *v, int reg, int *phis, int most, Arena *arena) {
    int n = 0;
    bool *seen = ARENA_ARRAY(arena, bool, v->ir->nvregs + 1);
    return collect_phis(v, reg, phis, most, &n, seen) ? n : -1;
}
