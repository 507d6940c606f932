// SPDX-License-Identifier: Apache-2.0
// Classifies values by their dependence on the thread of a CTA.
//
// requires  SSA, cfg_analyze
//
// provides  per value: affine in the thread's coordinates, another function of them, or neither.
//           Natural loops. Branches at which all threads of the CTA take the same target.
//
// csrc/compile/hints/uniform.c classifies values of the lanes of a warp. Here a value is uniform if
// all threads of the CTA have it; %warpid is not uniform. The result is the greatest fixed point:
// values start as uniform until a condition fails. If threads leave a loop at different times, a
// value that leaves the loop depends on the thread as the exit branch does. So does a PHI after a
// branch at which threads take different targets.
#include "compile/scalar/scalar_program.h"
#include "ptx/ptx.h"

#include <string.h>

bool cta_uniform(const CtaValue *v) {
    if (v->kind == CTA_OPEN) return true;
    return v->kind == CTA_AFFINE && !v->c[0].k && !v->c[1].k && !v->c[2].k;
}

static CtaValue value_of_kind(CtaKind kind) {
    CtaValue v = {.kind = kind};
    for (int i = 0; i < 3; i++) v.c[i].sym = CTA_SYM_NONE;
    return v;
}

// ---- loops ----

static void loop_body(const Ir *ir, Loop *l, int latch, int *work) {
    int n = 0;
    if (!l->in[latch]) {
        l->in[latch] = true;
        work[n++] = latch;
    }
    while (n) {
        const IrBlock *b = &ir->blocks[work[--n]];
        for (int p = 0; p < b->npred; p++)
            if (!l->in[b->pred[p]] && ir->blocks[b->pred[p]].rpo >= 0) {
                l->in[b->pred[p]] = true;
                work[n++] = b->pred[p];
            }
    }
}

static void find_loops(CtaValues *v, Arena *arena) {
    const Ir *ir = v->ir;
    int cap = 0, *work = ARENA_ARRAY(arena, int, ir->nblocks + 1);
    v->loop_of = ARENA_ARRAY(arena, int, ir->nblocks);
    for (int i = 0; i < ir->norder; i++) {  // headers in reverse postorder: outer loops first
        const int h = ir->order[i];
        Loop *l = NULL;
        for (int p = 0; p < ir->blocks[h].npred; p++) {
            const int latch = ir->blocks[h].pred[p];
            if (ir->blocks[latch].rpo < 0 || !cfg_dominates(ir, h, latch)) continue;
            if (!l) {
                l = ARENA_PUSH(arena, v->loop, v->nloops, cap);
                *l = (Loop){.header = h,
                            .latch = latch,
                            .parent = -1,
                            .in = ARENA_ARRAY(arena, bool, ir->nblocks)};
                l->in[h] = true;
            } else l->latch = -1;
            loop_body(ir, l, latch, work);
        }
    }
    for (int b = 0; b < ir->nblocks; b++) v->loop_of[b] = -1;
    for (int k = 0; k < v->nloops; k++) {
        Loop *l = &v->loop[k];
        l->parent = v->loop_of[l->header];
        l->depth = l->parent < 0 ? 1 : v->loop[l->parent].depth + 1;
        for (int b = 0; b < ir->nblocks; b++)
            if (l->in[b]) v->loop_of[b] = k;
    }
}

// ---- sources ----

// The worst dependence of the exits of loop `l`.
static CtaKind loop_exit_kind(const CtaValues *v, const Loop *l) {
    CtaKind worst = CTA_AFFINE;
    for (int b = 0; b < v->ir->nblocks; b++) {
        if (!l->in[b] || v->ir->blocks[b].rpo < 0) continue;
        bool leaves = false;
        for (int s = 0; s < v->ir->blocks[b].nsucc; s++) leaves |= !l->in[v->ir->blocks[b].succ[s]];
        if (leaves && v->branch[b] > worst) worst = v->branch[b];
    }
    return worst;
}

// The value as read in `block`, after the loops that it left.
static CtaValue read_register(const CtaValues *v, int reg, int block) {
    CtaValue x = v->value[reg];
    for (int k = v->def[reg] ? v->loop_of[v->def_block[reg]] : -1; k >= 0 && !v->loop[k].in[block];
         k = v->loop[k].parent) {
        const CtaKind exit = loop_exit_kind(v, &v->loop[k]);
        if (exit > CTA_AFFINE && x.kind != CTA_OPEN && exit > x.kind) x = value_of_kind(exit);
    }
    return x;
}

CtaValue cta_source(const CtaValues *v, const IrSrc *s, int block) {
    if (s->kind == ISA_SRC_REG) return read_register(v, s->reg, block);
    return value_of_kind(CTA_AFFINE);
}

CtaKind cta_predicate(const CtaValues *v, IrPred p, int block) {
    if (p.reg == IR_PT) return CTA_AFFINE;
    const CtaValue x = read_register(v, p.reg, block);
    if (x.kind == CTA_OPEN) return CTA_AFFINE;
    return x.kind == CTA_AFFINE && !cta_uniform(&x) ? CTA_TID : x.kind;
}

// ---- arithmetic on affine values ----

static bool coef_add(TidCoef *a, TidCoef b) {
    if (!b.k) return true;
    if (!a->k) {
        *a = b;
        return true;
    }
    if (a->sym != b.sym) return false;
    a->k += b.k;
    return true;
}

static bool affine_add(CtaValue *a, CtaValue b, bool minus) {
    for (int i = 0; i < 3; i++) {
        if (minus) b.c[i].k = -b.c[i].k;
        if (!coef_add(&a->c[i], b.c[i])) return false;
    }
    return true;
}

static void affine_scale(CtaValue *a, int64_t k) {
    for (int i = 0; i < 3; i++) a->c[i].k *= k;
}

// A value of the CTA as a factor: its register, or a constant's bank and offset.
static int symbol_of(const IrSrc *s) {
    if (s->kind == ISA_SRC_REG) return s->reg;
    return -2 - (int)(s->imm << 2 | (s->cbank & 3));
}

// a * s, with s equal in all threads.
static bool affine_multiply(CtaValue *a, const IrSrc *s) {
    if (s->kind == ISA_SRC_IMM) {
        affine_scale(a, s->width == 2 ? (int64_t)s->imm : (int32_t)s->imm);
        return true;
    }
    for (int i = 0; i < 3; i++) {
        if (!a->c[i].k) continue;
        if (a->c[i].sym != CTA_SYM_NONE) return false;
        a->c[i].sym = symbol_of(s);
        if (s->neg) a->c[i].k = -a->c[i].k;
    }
    return true;
}

static bool affine_product(CtaValue *out, const CtaValues *v, const IrInst *in, int block) {
    CtaValue a = cta_source(v, &in->src[0], block), b = cta_source(v, &in->src[1], block);
    if (cta_uniform(&b)) {
        if (in->src[0].neg) affine_scale(&a, -1);
        *out = a;
        return affine_multiply(out, &in->src[1]);
    }
    if (!cta_uniform(&a)) return false;
    if (in->src[1].neg) affine_scale(&b, -1);
    *out = b;
    return affine_multiply(out, &in->src[0]);
}

// Sums, products and moves of affine values; others are not affine.
static bool affine_result(CtaValue *out, const CtaValues *v, const IrInst *in, int block) {
    *out = in->nsrc ? cta_source(v, &in->src[0], block) : value_of_kind(CTA_AFFINE);
    if (in->guard.reg != IR_PT || in->pdst[0] != IR_NONE || in->pdst[1] != IR_NONE ||
        in->mod.has_cin)
        return false;
    switch (in->op) {
    case IR_COPY:
    case ISA_MOV:
    case IR_SEXT64: return !in->src[0].neg;
    case IR_SPLIT: return in->mod.mode == 0 && v->ir->width[in->dst] == 1;
    case IR_JOIN: return in->nsrc == 2 && in->src[1].kind == ISA_SRC_IMM && !in->src[1].imm;
    case ISA_IADD:
    case IR_ADD64:
        if (in->src[0].neg) affine_scale(out, -1);
        return affine_add(out, cta_source(v, &in->src[1], block), in->src[1].neg);
    case ISA_LEA:
        affine_scale(out, (int64_t)1 << in->mod.shift);
        if (in->src[0].neg) affine_scale(out, -1);
        return affine_add(out, cta_source(v, &in->src[1], block), in->src[1].neg);
    case ISA_SHL:
    case IR_SHL64:
        if (in->src[1].kind != ISA_SRC_IMM || in->src[1].imm > 31) return false;
        affine_scale(out, (int64_t)1 << in->src[1].imm);
        return true;
    case ISA_IMUL: return in->mod.part != ISA_HI && affine_product(out, v, in, block);
    case IR_MUL64: return affine_product(out, v, in, block);
    case ISA_IMAD:
        return in->mod.part != ISA_HI && affine_product(out, v, in, block) &&
            affine_add(out, cta_source(v, &in->src[2], block), in->src[2].neg);
    case ISA_SEL: {
        const CtaValue b = cta_source(v, &in->src[1], block);
        return cta_predicate(v, in->psrc[0], block) == CTA_AFFINE &&
            !memcmp(out->c, b.c, sizeof b.c);
    }
    default: return false;
    }
}

// ---- instructions ----

static CtaKind special_kind(const CtaValues *v, int sreg) {
    switch (sreg) {
    case PTX_SREG_TID_X:
    case PTX_SREG_TID_Y:
    case PTX_SREG_TID_Z:
    case PTX_SREG_NTID_X:
    case PTX_SREG_NTID_Y:
    case PTX_SREG_NTID_Z:
    case PTX_SREG_CTAID_X:
    case PTX_SREG_CTAID_Y:
    case PTX_SREG_CTAID_Z:
    case PTX_SREG_NCTAID_X:
    case PTX_SREG_NCTAID_Y:
    case PTX_SREG_NCTAID_Z:
    case PTX_SREG_DYNAMIC_SMEM_SIZE: return CTA_AFFINE;
    default: (void)v; return CTA_OTHER;
    }
}

static CtaValue special_value(const CtaValues *v, int sreg) {
    CtaValue x = value_of_kind(special_kind(v, sreg));
    const int dim = sreg - PTX_SREG_TID_X;
    if (dim >= 0 && dim < 3 && v->block[dim] != 1) x.c[dim].k = 1;
    return x;
}

static CtaKind sources_kind(const CtaValues *v, const IrInst *in, int block) {
    CtaKind worst = CTA_AFFINE;
    for (int i = 0; i < in->nsrc; i++) {
        const CtaValue x = cta_source(v, &in->src[i], block);
        const CtaKind k = x.kind == CTA_OPEN ? CTA_AFFINE
            : cta_uniform(&x)                ? CTA_AFFINE
            : x.kind == CTA_AFFINE           ? CTA_TID
                                             : x.kind;
        if (k > worst) worst = k;
    }
    for (int i = 0; i < 3; i++) {
        const CtaKind k = cta_predicate(v, in->psrc[i], block);
        if (k > worst) worst = k;
    }
    const CtaKind g = cta_predicate(v, in->guard, block);
    return g > worst ? g : worst;
}

static bool is_header(const CtaValues *v, int b) {
    return v->loop_of[b] >= 0 && v->loop[v->loop_of[b]].header == b;
}

// The worst branch between the immediate dominator of `b` and `b`: it decides over which edge `b`
// is reached.
static CtaKind merge_kind(const CtaValues *v, int b, Arena *scratch) {
    const Ir *ir = v->ir;
    const int top = ir->blocks[b].idom;
    bool *seen = ARENA_ARRAY(scratch, bool, ir->nblocks);
    int n = 0, *work = ARENA_ARRAY(scratch, int, ir->nblocks + 1);
    CtaKind worst = v->branch[top];
    seen[b] = seen[top] = true;
    for (int p = 0; p < ir->blocks[b].npred; p++)
        if (!seen[ir->blocks[b].pred[p]]) seen[work[n++] = ir->blocks[b].pred[p]] = true;
    while (n) {
        const IrBlock *k = &ir->blocks[work[--n]];
        if (v->branch[k - ir->blocks] > worst) worst = v->branch[k - ir->blocks];
        for (int p = 0; p < k->npred; p++)
            if (!seen[k->pred[p]] && ir->blocks[k->pred[p]].rpo >= 0)
                seen[work[n++] = k->pred[p]] = true;
    }
    return worst;
}

static CtaValue phi_value(const CtaValues *v, const IrInst *in, int block, Arena *scratch) {
    CtaValue x = value_of_kind(CTA_OPEN);
    const IrBlock *b = &v->ir->blocks[block];
    for (int p = 0; p < in->nsrc; p++) {
        const CtaValue y = cta_source(v, &in->src[p], b->pred[p]);
        if (y.kind == CTA_OPEN) continue;
        if (x.kind == CTA_OPEN) x = y;
        else if (y.kind > x.kind) x = value_of_kind(y.kind);
        else if (x.kind == CTA_AFFINE && y.kind == CTA_AFFINE && memcmp(x.c, y.c, sizeof x.c))
            x = value_of_kind(CTA_TID);
    }
    CtaKind control;
    if (is_header(v, block) && b->npred == 2) control = CTA_AFFINE;
    else if (is_header(v, block)) control = CTA_OTHER;
    else control = merge_kind(v, block, scratch);
    return control > CTA_AFFINE && x.kind != CTA_OPEN && control > x.kind ? value_of_kind(control)
                                                                          : x;
}

static CtaValue result_value(const CtaValues *v, const IrInst *in, int block) {
    CtaValue x;
    const CtaKind k = sources_kind(v, in, block);
    if (in->op == ISA_S2R) return special_value(v, in->mod.sreg);
    if (in->op == ISA_TEX || (in->op == ISA_LD && !in->mod.readonly))
        return value_of_kind(CTA_OTHER);
    if (!ir_is_pure(in) || ir_is_convergent(in) || in->guard.reg != IR_PT || in->op == IR_RELOAD)
        return value_of_kind(CTA_OTHER);
    if (k == CTA_OTHER) return value_of_kind(k);
    for (int i = 0; i < in->nsrc; i++) {
        const CtaValue s = cta_source(v, &in->src[i], block);
        if (s.kind == CTA_OPEN) return s;
    }
    if (k == CTA_AFFINE) return value_of_kind(CTA_AFFINE);
    bool of_affine = true;
    for (int i = 0; i < in->nsrc; i++)
        of_affine &= cta_source(v, &in->src[i], block).kind == CTA_AFFINE;
    return of_affine && in->dst != IR_NONE && affine_result(&x, v, in, block)
        ? x
        : value_of_kind(CTA_TID);
}

static bool settle_inst(CtaValues *v, const IrInst *in, int block, Arena *scratch) {
    int defs[3], n = ir_defs(in, defs);
    if (!n) return false;
    const CtaValue x =
        in->op == IR_PHI ? phi_value(v, in, block, scratch) : result_value(v, in, block);
    bool changed = false;
    for (int i = 0; i < n; i++) {
        CtaValue *old = &v->value[defs[i]], now = x;
        // falls only
        if (old->kind == x.kind && memcmp(old->c, x.c, sizeof x.c)) now = value_of_kind(CTA_TID);
        if (now.kind <= old->kind && old->kind != CTA_OPEN) continue;
        changed |= now.kind != old->kind;
        *old = now;
    }
    return changed;
}

void cta_values(CtaValues *v, const Ir *ir, const uint32_t block[3], Arena *arena) {
    *v = (CtaValues){.ir = ir};
    memcpy(v->block, block, sizeof v->block);
    v->value = ARENA_ARRAY(arena, CtaValue, ir->nvregs + 1);
    v->def = ARENA_ARRAY(arena, IrInst *, ir->nvregs + 1);
    v->def_block = ARENA_ARRAY(arena, int, ir->nvregs + 1);
    v->branch = ARENA_ARRAY(arena, CtaKind, ir->nblocks);
    for (int r = 0; r < ir->nvregs; r++) v->value[r] = value_of_kind(CTA_OPEN);
    for (int b = 0; b < ir->nblocks; b++) v->branch[b] = CTA_AFFINE;
    find_loops(v, arena);
    for (int i = 0; i < ir->norder; i++) {
        const int b = ir->order[i];
        for (int k = 0; k < ir->blocks[b].ninsts; k++) {
            int defs[3], n = ir_defs(ir->blocks[b].insts[k], defs);
            for (int d = 0; d < n; d++)
                v->def[defs[d]] = ir->blocks[b].insts[k], v->def_block[defs[d]] = b;
        }
    }
    for (bool changed = true; changed;) {
        changed = false;
        Arena scratch = {0};
        for (int i = 0; i < ir->norder; i++) {
            const int b = ir->order[i];
            const IrBlock *k = &ir->blocks[b];
            for (int n = 0; n < k->ninsts; n++) changed |= settle_inst(v, k->insts[n], b, &scratch);
            const int end = ir_terminator(k);
            if (k->nsucc < 2) continue;
            CtaKind now = sources_kind(v, k->insts[end], b);
            if (now > v->branch[b]) v->branch[b] = now, changed = true;
        }
        arena_free(&scratch);
    }
}

// ---- who passes where ----

bool cta_all_pass(const CtaValues *v, int b, const bool *without, int *line, const char **reason) {
    const Ir *ir = v->ir;
    bool *seen = ARENA_ARRAY(ir->arena, bool, ir->nblocks);
    int n = 0, *work = ARENA_ARRAY(ir->arena, int, ir->nblocks + 1);
    seen[work[n++] = b] = true;
    while (n) {
        const int y = work[--n];
        for (int i = 0; i < ir->norder; i++) {
            const int x = ir->order[i];
            const IrBlock *k = &ir->blocks[x];
            if ((without && without[x]) || !cfg_depends(ir, y, x)) continue;
            if (v->branch[x] != CTA_AFFINE) {
                if (line) *line = k->insts[ir_terminator(k)]->mod.ptx_line;
                const bool tid = v->branch[x] == CTA_TID;
                if (reason)
                    *reason = tid ? "which threads take differently" : "which depends on data";
                return false;
            }
            if (!seen[x]) seen[work[n++] = x] = true;
        }
    }
    return true;
}
