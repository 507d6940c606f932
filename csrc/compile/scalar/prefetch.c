// SPDX-License-Identifier: Apache-2.0
// Prefetching: the scalar thread touches the lines that the CTA's loads will read (paper, section
// IV.A).
//
// requires  SSA of the SIMT program, which is not changed
//
// provides  a detached scalar program of touches
//
// A load can be prefetched if its address is affine in the thread's coordinates and one thread can
// compute the rest of it. Guards and barriers are omitted, because a touch cannot fault and moves
// no data.
// Loads outside loops: the thread touches lines for the CTA that starts %ncta_resident CTAs later.
// Loads in loops: the thread copies the loop for its own CTA, with its step multiplied by SKIP.
// SKIP starts at 2. SKIP grows by one whenever an iteration's lines arrived faster than
// scalar.threshold, so that the thread runs ahead until it sees misses.
// Loops are counted in 64 bits, so that SKIP x step cannot wrap.
#include "compile/scalar/prefetch.h"
#include "ptx/ptx.h"

#include <stdlib.h>
#include <string.h>

// ---- loops ----

static bool is_invariant(const Prefetch *p, const IrSrc *s, int loop) {
    return s->kind != ISA_SRC_REG || !p->v.loop[loop].in[p->v.def_block[s->reg]];
}

// Is reg = phi + a loop invariant?
static bool grows_from(const Prefetch *p, int reg, int phi, int loop) {
    if (reg == phi) return true;
    const IrInst *in = p->v.def[reg];
    if (!in || !p->v.loop[loop].in[p->v.def_block[reg]] || in->guard.reg != IR_PT ||
        in->mod.has_cin)
        return false;
    const IrSrc *from = NULL;
    switch (in->op) {
    case IR_COPY: from = &in->src[0]; break;
    case ISA_IADD:
    case IR_ADD64:
        from = &in->src[is_invariant(p, &in->src[0], loop)];
        if (!is_invariant(p, &in->src[from == &in->src[0]], loop)) return false;
        break;
    case ISA_LEA:
        from = &in->src[1];
        if (!is_invariant(p, &in->src[0], loop)) return false;
        break;
    case ISA_IMAD:
        from = &in->src[2];
        if (in->mod.part == ISA_HI) return false;
        if (!is_invariant(p, &in->src[0], loop) || !is_invariant(p, &in->src[1], loop))
            return false;
        break;
    default: return false;
    }
    return from->kind == ISA_SRC_REG && !from->neg && grows_from(p, from->reg, phi, loop);
}

static void find_inductions(Prefetch *p, int loop) {
    const Loop *l = &p->v.loop[loop];
    const IrBlock *h = &p->ir->blocks[l->header];
    if (h->npred != 2 || l->latch < 0) return;
    const int back = h->pred[0] == l->latch ? 0 : 1;
    for (int i = 0; i < h->ninsts && h->insts[i]->op == IR_PHI; i++) {
        const IrInst *phi = h->insts[i];
        const IrSrc *next = &phi->src[back];
        if (p->ir->width[phi->dst] == 0 || next->kind != ISA_SRC_REG) continue;
        if (p->v.value[phi->dst].kind == CTA_OTHER) continue;
        if (next->reg == phi->dst || !grows_from(p, next->reg, phi->dst, loop)) continue;
        *ARENA_PUSH(&p->arena, p->ind, p->ninds, p->cap_inds) =
            (Induction){phi->dst, next->reg, phi->src[1 - back]};
        const int n = p->ninds - 1;
        if (n >= p->cap_ind_loop) {
            int *more = ARENA_ARRAY(&p->arena, int, 2 * n + 16);
            if (n) memcpy(more, p->ind_loop, sizeof(int) * (size_t)n);
            p->ind_loop = more;
            p->cap_ind_loop = 2 * n + 16;
        }
        p->ind_loop[n] = loop;
    }
}

static int induction_of(const Prefetch *p, int phi) {
    for (int i = 0; i < p->ninds; i++)
        if (p->ind[i].phi == phi) return i;
    return -1;
}

static IsaCmp opposite_cmp(IsaCmp c) {
    switch (c) {
    case ISA_EQ: return ISA_NE;
    case ISA_NE: return ISA_EQ;
    case ISA_LT: return ISA_GE;
    case ISA_LE: return ISA_GT;
    case ISA_GT: return ISA_LE;
    default: return ISA_LT;
    }
}
// The step, if it is constant.
bool prefetch_constant_step(const Prefetch *p, const Induction *i, int64_t *step) {
    *step = 0;
    for (int reg = i->next; reg != i->phi;) {
        const IrInst *in = p->v.def[reg];
        if (in->op == IR_COPY) {
            reg = in->src[0].reg;
            continue;
        }
        if (in->op != ISA_IADD && in->op != IR_ADD64) return false;
        const int k = in->src[0].kind == ISA_SRC_REG ? 1 : 0;
        if (in->src[k].kind != ISA_SRC_IMM || in->src[1 - k].kind != ISA_SRC_REG) return false;
        const int64_t d = in->op == ISA_IADD ? (int32_t)in->src[k].imm : (int64_t)in->src[k].imm;
        *step += in->src[k].neg ? -d : d;
        reg = in->src[1 - k].reg;
    }
    return true;
}

// Are all values available that a copy of `reg` needs in block b? These values must be pure, or
// inductions of the loops around b.
bool prefetch_can_copy(Prefetch *p, const IrSrc *s, int b, int depth) {
    if (s->kind != ISA_SRC_REG) return true;
    if (p->v.value[s->reg].kind == CTA_OTHER || depth > 8) return false;
    int phis[MOST_PHIS], n = slice_phis(&p->v, s->reg, phis, MOST_PHIS, &p->arena);
    for (int i = 0; i < n; i++) {
        const int k = induction_of(p, phis[i]);
        if (k < 0 || !p->v.loop[p->ind_loop[k]].in[b]) return false;
        const Loop *l = &p->v.loop[p->ind_loop[k]];
        if (!prefetch_can_copy(p, &p->ind[k].init, p->ir->blocks[l->header].idom, depth + 1))
            return false;
        const IrInst *in = p->v.def[p->ind[k].next];  // its invariant parts
        IR_FOR_USES(in, r)
            if (p->v.value[r].kind == CTA_OTHER) return false;
    }
    return n >= 0;
}

// The condition under which block e continues the loop, as a comparison of an induction with a
// bound.
static bool take_control(Prefetch *p, int loop, int e, IrPred stay, Control *c) {
    const IrInst *in = stay.reg == IR_PT ? NULL : p->v.def[stay.reg];
    c->block = e;
    c->why = "its end is not a comparison of a counter with a bound";
    if (!in || (in->op != ISA_ISETP && in->op != IR_SETP64) || in->guard.reg != IR_PT ||
        in->mod.mode)
        return false;
    c->line = in->mod.ptx_line;
    for (int i = 0; i < 3; i++)
        if (in->psrc[i].reg != IR_PT || in->psrc[i].neg) return false;
    if (in->src[0].neg || in->src[1].neg) return false;
    c->cmp = in->mod.cmp;
    if (stay.neg != (in->pdst[1] == stay.reg)) c->cmp = opposite_cmp(c->cmp);
    int var = -1;
    for (int s = 0; s < 2 && var < 0; s++)
        for (int i = 0; i < p->ninds && in->src[s].kind == ISA_SRC_REG; i++)
            if (p->ind_loop[i] == loop && grows_from(p, in->src[s].reg, p->ind[i].phi, loop) &&
                is_invariant(p, &in->src[1 - s], loop)) {
                c->ind = i;
                var = s;
                break;
            }
    if (var < 0) return false;
    if (var == 1) c->cmp = isa_cmp_swapped(c->cmp);
    c->var = in->src[var].reg;
    c->bound = in->src[1 - var];
    c->is_signed = in->mod.type == ISA_S32 || in->mod.type == ISA_S64;
    c->after = c->var == p->ind[c->ind].next;
    int64_t step;
    const bool is_constant = prefetch_constant_step(p, &p->ind[c->ind], &step);
    if (c->cmp == ISA_EQ) return false;
    if (c->cmp == ISA_NE) {
        if (!is_constant || !step)
            return c->why = "it ends at equality and its step is not a constant", false;
        c->cmp = step > 0 ? ISA_LT : ISA_GT;
        c->is_signed = true;
    }
    const bool up = c->cmp == ISA_LT || c->cmp == ISA_LE;
    if (is_constant && (up ? step <= 0 : step >= 0))
        return c->why = "its counter moves away from its bound", false;
    const CtaValue b = cta_source(&p->v, &c->bound, e), a = p->v.value[c->var];
    if (b.kind == CTA_OTHER) return c->why = "its bound depends on data", false;
    if (!cta_uniform(&b)) return c->why = "its bound depends on the thread", false;
    for (int d = 0; d < 3; d++)
        if (a.kind != CTA_AFFINE || (up ? a.c[d].k < 0 : a.c[d].k > 0))
            return c->why = "thread 0 does not execute the maximum number of its iterations", false;
    const int before = p->ir->blocks[p->v.loop[loop].header].idom;
    if (!prefetch_can_copy(p, &c->bound, before, 0) ||
        !prefetch_can_copy(p, &p->ind[c->ind].init, before, 0))
        return c->why = "one thread cannot compute its bound or start", false;
    return true;
}

static void find_control(Prefetch *p, int loop) {
    const Loop *l = &p->v.loop[loop];
    Control *c = &p->control[loop];
    c->why = l->latch < 0 ? "it has several back edges"
                          : "no exit of it is evaluated in every iteration";
    c->line = p->ir->blocks[l->header].ninsts ? p->ir->blocks[l->header].insts[0]->mod.ptx_line : 0;
    for (int i = p->ir->norder - 1; i >= 0 && l->latch >= 0; i--) {
        const int e = p->ir->order[i];
        const IrBlock *k = &p->ir->blocks[e];
        if (!l->in[e] || !cfg_dominates(p->ir, e, l->latch)) continue;
        const IrInst *end = k->ninsts ? k->insts[k->ninsts - 1] : NULL;
        if (end && end->op == ISA_BRA && k->nsucc == 2 && l->in[k->succ[0]] != l->in[k->succ[1]]) {
            IrPred stay = end->guard;
            stay.neg ^= !l->in[k->succ[0]];
            if (take_control(p, loop, e, stay, c)) c->ok = true;
            if (c->ok) return;
        }
        for (int n = k->ninsts - 1; n >= 0; n--) {  // exits under a guard
            if (k->insts[n]->op != ISA_EXIT) continue;
            IrPred stay = k->insts[n]->guard;
            stay.neg = !stay.neg;
            if (take_control(p, loop, e, stay, c)) c->ok = true;
            if (c->ok) return;
        }
    }
}

// ---- candidates ----

static void add_span(Prefetch *p, Target *t, const IrInst *in) {
    *ARENA_PUSH(&p->arena, t->span, t->nspans, t->cap_spans) =
        (Span){in->mod.offset, in->mod.offset + in->mod.mem_bytes};
    t->loads++;
}

static int64_t count_points(const Prefetch *p, const CtaValue *v) {
    int64_t n = 1;
    for (int d = 0; d < 3; d++)
        if (v->c[d].k && v->c[d].sym != CTA_SYM_NONE)
            n *= p->j->o->block[d] ? p->j->o->block[d] : 1;
    return n;
}

static const char *load_refusal(Prefetch *p, const IrInst *in, int b, int *line) {
    const IrSrc *a = &in->src[0];
    const CtaValue v = cta_source(&p->v, a, b);
    *line = in->mod.ptx_line;
    if (in->mod.space == ISA_GENERIC) return "generic address: its memory may not be global";
    if (in->mod.ordered || in->mod.cache == ISA_CACHE_VOLATILE) return "volatile or ordered";
    if (in->mod.cache == ISA_CACHE_L2) return ".cg: it does not use L1";
    if (v.kind == CTA_OTHER) return "its address depends on data (a gather)";
    if (v.kind != CTA_AFFINE) return "its address is not affine in tid";
    for (int k = p->v.loop_of[b]; k >= 0; k = p->v.loop[k].parent)
        if (!p->control[k].ok) {
            *line = in->mod.ptx_line;
            return arena_printf(p->ir->arena, "in a loop (line %d): %s", p->control[k].line,
                                p->control[k].why);
        }
    if (a->kind != ISA_SRC_REG) return NULL;
    if (!prefetch_can_copy(p, a, b, 0)) return "its address depends on the control flow";
    for (int d = 0; d < 3; d++)
        if (v.c[d].k && v.c[d].sym >= 0) {
            const IrSrc s = {
                .kind = ISA_SRC_REG, .reg = v.c[d].sym, .width = p->ir->width[v.c[d].sym]};
            if (!prefetch_can_copy(p, &s, b, 0)) return "one thread cannot compute its stride";
        }
    if (count_points(p, &v) > MOST_TOUCHES) return "its footprint has too many rows";
    return NULL;
}

static void take_load(Prefetch *p, const IrInst *in, int b) {
    int line;
    const char *why = load_refusal(p, in, b, &line);
    if (why) {
        scalar_refuse(p->j, line, "load: %s", why);
        return;
    }
    const int loop = p->v.loop_of[b];
    for (int i = 0; i < p->ntargets; i++) {
        Target *t = &p->target[i];
        if (t->loop != loop || !ir_same_src(&t->base, &in->src[0])) continue;
        add_span(p, t, in);
        return;
    }
    Target *t = ARENA_PUSH(&p->arena, p->target, p->ntargets, p->cap_targets);
    *t = (Target){.base = in->src[0],
                  .value = cta_source(&p->v, &in->src[0], b),
                  .loop = loop,
                  .block = b,
                  .line = line};
    const int64_t step = prefetch_step(p, t);
    if (llabs(step) < p->cfg->l1_line) t->step = step;
    add_span(p, t, in);
}

static void find_targets(Prefetch *p) {
    for (int i = 0; i < p->ir->norder; i++) {
        const IrBlock *k = &p->ir->blocks[p->ir->order[i]];
        for (int n = 0; n < k->ninsts; n++) {
            const IrInst *in = k->insts[n];
            if (in->op != ISA_LD || in->mod.space == ISA_SHARED || in->mod.space == ISA_LOCAL)
                continue;
            take_load(p, in, p->ir->order[i]);
        }
    }
}

// ---- touches ----

static int by_start(const void *x, const void *y) {
    const Span *a = x, *b = y;
    return (a->at > b->at) - (a->at < b->at);
}

// Bytes that the CTA reads relative to the address of thread 0, as runs without a whole line
// between their parts.
static int runs_of(Prefetch *p, const Target *t, int line_bytes, Span **runs) {
    int64_t k[3];
    uint32_t n[3];
    size_t total = (size_t)t->nspans;
    for (int d = 0; d < 3; d++) {
        const TidCoef c = t->value.c[d];
        k[d] = c.k && c.sym == CTA_SYM_NONE ? c.k : 0;
        n[d] = k[d] ? p->j->o->block[d] : 1;
        total *= n[d];
    }
    Span *s = ARENA_ARRAY(&p->arena, Span, total);
    size_t m = 0;
    for (uint32_t z = 0; z < n[2]; z++)
        for (uint32_t y = 0; y < n[1]; y++)
            for (uint32_t x = 0; x < n[0]; x++)
                for (int i = 0; i < t->nspans; i++) {
                    const int64_t at = k[0] * x + k[1] * y + k[2] * z;
                    s[m++] = (Span){at + t->span[i].at, at + t->span[i].end};
                }
    qsort(s, m, sizeof *s, by_start);
    int out = 0;
    for (size_t i = 1; i < m; i++) {
        if (s[i].at - s[out].end < line_bytes) {
            if (s[i].end > s[out].end) s[out].end = s[i].end;
        } else s[++out] = s[i];
    }
    *runs = s;
    return m ? out + 1 : 0;
}

static void emit_touch(Prefetch *p, int block, IrSrc base, int64_t offset, IrPred guard, int line) {
    IrInst *in = thread_op(p->t, block, ISA_TOUCH, -1, 1, line);
    in->src[0] = base;
    in->mod.space = ISA_GLOBAL;
    in->mod.offset = (int32_t)offset;
    in->guard = guard;
    p->touches++;
    if (p->cfg->scalar_touch == TOUCH_SERIAL) (void)thread_op(p->t, block, ISA_MEMBAR, -1, 0, line);
}

static IrSrc place_in_line(Prefetch *p, int block, IrSrc base, int64_t offset) {
    IrSrc low = base;
    if (low.width == 2) {
        IrInst *w = thread_op(p->t, block, IR_SPLIT, 1, 1, 0);
        w->src[0] = base;
        low = ir_reg(p->t, w->dst);
    }
    const IrSrc at = thread_op2(p->t, block, ISA_IADD, 1, low, ir_imm((uint32_t)offset));
    return thread_op2(p->t, block, ISA_LOP3, 1, at, ir_imm((uint32_t)p->cfg->l1_line - 1));
}

// One run of bytes: a touch per line, and another touch if the run begins inside a line and so ends
// in another line. A run may be shorter than a line and move by less than a line in an iteration.
// Then only its new lines are touched.
static void touch_run(Prefetch *p, int block, IrSrc base, Span run, const Target *t, IrPred first) {
    const int64_t bytes = p->cfg->l1_line, span = run.end - run.at, n = (span + bytes - 1) / bytes;
    // otherwise one byte more than whole lines: never
    const bool crosses = n * bytes - span < bytes - 1;
    const IrPred always = {IR_PT, false};
    // the lines that it entered since the last touches, the line ahead first
    if (t->step > 0 && n == 1) {
        const IrSrc last = place_in_line(p, block, base, run.end - 1);
        const IrPred came = thread_setp(p->t, block, ISA_LT, ISA_U32, last, ir_reg(p->t, t->moved));
        emit_touch(p, block, base, run.end - 1, came, t->line);
        p->came = came;
        if (!crosses) return;
        emit_touch(p, block, base, run.at, first, t->line);
        return;
    }
    p->always = true;
    for (int64_t i = 0; i < n; i++) emit_touch(p, block, base, run.at + i * bytes, always, t->line);
    if (!crosses) return;
    const IrSrc in_line = place_in_line(p, block, base, run.at);
    const IrPred over =
        thread_setp(p->t, block, ISA_GT, ISA_U32, in_line, ir_imm((uint32_t)(n * bytes - span)));
    emit_touch(p, block, base, run.end - 1, over, t->line);
}

// base + by, both as wide as base.
static IrSrc add_offset(Prefetch *p, int block, IrSrc base, IrSrc by) {
    return thread_op2(p->t, block, base.width == 1 ? ISA_IADD : IR_ADD64, base.width, base, by);
}

IrSrc prefetch_symbol(Slice *s, int sym) {
    if (sym < 0) return ir_const((-2 - sym) & 3, (uint64_t)((-2 - sym) >> 2), 1);
    IrSrc r = ir_reg(s->to, slice_register(s, sym));
    if (r.width == 1) return r;
    IrInst *low = thread_op(s->to, s->block, IR_SPLIT, 1, 1, 0);
    low->src[0] = r;
    return ir_reg(s->to, low->dst);
}

// The runs of all rows: rows of x, of y and of z in sequence, each a stride after the previous one.
static void touch_rows(Prefetch *p, Slice *s, const Target *t, int dim, IrSrc base,
                       const IrSrc *stride, const Span *runs, int nruns, IrPred first) {
    if (dim < 0) {
        for (int r = 0; r < nruns; r++) touch_run(p, s->block, base, runs[r], t, first);
        return;
    }
    const bool rows = t->value.c[dim].k && t->value.c[dim].sym != CTA_SYM_NONE;
    const uint32_t n = rows ? p->j->o->block[dim] : 1;
    for (uint32_t i = 0; i < n; i++) {
        if (i) base = add_offset(p, s->block, base, stride[dim]);
        touch_rows(p, s, t, dim - 1, base, stride, runs, nruns, first);
    }
}

static void touch_target(Prefetch *p, Slice *s, const Target *t) {
    Span *runs;
    const int nruns = runs_of(p, t, p->cfg->l1_line, &runs);
    const IrSrc base = slice_source(s, &t->base);
    IrSrc stride[3] = {{0}};
    IrPred first = {IR_PT, false};
    for (int d = 0; d < 3; d++) {
        const TidCoef c = t->value.c[d];
        if (!c.k || c.sym == CTA_SYM_NONE) continue;
        const IrSrc by = thread_op2(p->t, s->block, ISA_IMUL, 1, prefetch_symbol(s, c.sym),
                                    ir_imm((uint32_t)c.k));
        stride[d] = by;
        if (base.width == 1) continue;
        IrInst *wide = thread_op(p->t, s->block, IR_SEXT64, 2, 1, 0);
        wide->src[0] = by;
        stride[d] = ir_reg(p->t, wide->dst);
    }
    if (t->step > 0)
        first = thread_setp(p->t, s->block, ISA_GE, ISA_U32, ir_reg(p->t, t->moved),
                            ir_imm((uint32_t)p->cfg->l1_line));
    touch_rows(p, s, t, 2, base, stride, runs, nruns, first);
}

int64_t prefetch_lines(Prefetch *p, const Target *t) {
    const int64_t line = p->cfg->l1_line;
    Span *runs;
    int64_t n = 0;
    const int nruns = runs_of(p, t, p->cfg->l1_line, &runs);
    for (int r = 0; r < nruns; r++) n += (runs[r].end - runs[r].at + line - 1) / line;
    return n * count_points(p, &t->value);
}

static int64_t most_touches(Prefetch *p, const Target *t) {
    Span *runs;
    int64_t n = 0;
    const int nruns = runs_of(p, t, p->cfg->l1_line, &runs);
    for (int r = 0; r < nruns; r++) n += (runs[r].end - runs[r].at) / p->cfg->l1_line + 2;
    return n * count_points(p, &t->value);
}

// ---- loops of the thread ----

static IrSrc widen_source(Prefetch *p, int block, IrSrc s, bool is_signed) {
    if (s.width == 2) return s;
    IrInst *in = thread_op(p->t, block, is_signed ? IR_SEXT64 : IR_JOIN, 2, is_signed ? 1 : 2, 0);
    in->src[0] = s;
    if (!is_signed) in->src[1] = ir_imm(0);
    return ir_reg(p->t, in->dst);
}

static void assign_reg(Prefetch *p, int block, int reg, IrSrc value) {
    IrInst *in = thread_op(p->t, block, IR_COPY, -1, 1, 0);
    in->dst = reg;
    in->src[0] = value;
}

// How much an induction grows per iteration: its next value when it is 0.
static IrSrc step_of(Prefetch *p, Slice *outer, const Induction *i) {
    Slice s;
    slice_open_inner(&s, outer, outer->block, &i->phi, 1, &p->arena);
    s.map[i->phi] = ir_vreg(p->t, p->ir->width[i->phi]);
    assign_reg(p, outer->block, s.map[i->phi], p->ir->width[i->phi] == 2 ? ir_imm64(0) : ir_imm(0));
    return ir_reg(p->t, slice_register(&s, i->next));
}

static bool is_wanted(const Prefetch *p, int loop) {
    for (int i = 0; i < p->ntargets; i++)
        for (int k = p->target[i].loop; k >= 0; k = p->v.loop[k].parent)
            if (k == loop) return true;
    return false;
}

typedef struct Counter {
    IrSrc value, step, bound, skip;  // pairs, but the last
    int reg, skip_reg;
} Counter;

// Registers of the loop's inductions in the thread, set to their first values in the block of
// `outer`.
static void start_inductions(Prefetch *p, Slice *outer, int loop, int *reg, IrSrc *step) {
    for (int i = 0; i < p->ninds; i++) {
        if (p->ind_loop[i] != loop) continue;
        if (!prefetch_can_copy(p, &p->ind[i].init, p->ir->blocks[p->v.loop[loop].header].idom, 0)) {
            reg[i] = -1;
            continue;
        }
        reg[i] = ir_vreg(p->t, p->ir->width[p->ind[i].phi]);
        assign_reg(p, outer->block, reg[i], slice_source(outer, &p->ind[i].init));
        step[i] = step_of(p, outer, &p->ind[i]);
    }
}

static void start_counter(Prefetch *p, Slice *outer, const Control *c, const int *reg,
                          const IrSrc *step, Counter *n) {
    const Induction *i = &p->ind[c->ind];
    Slice s;
    slice_open_inner(&s, outer, outer->block, &i->phi, 1, &p->arena);
    s.map[i->phi] = reg[c->ind];
    const int b = outer->block;
    n->step = widen_source(p, b, step[c->ind], true);
    n->bound = widen_source(p, b, slice_source(outer, &c->bound), c->is_signed);
    IrSrc first = widen_source(p, b, ir_reg(p->t, slice_register(&s, c->var)), c->is_signed);
    if (c->after) {
        IrSrc minus = n->step;
        minus.neg = true;
        first = thread_op2(p->t, b, IR_ADD64, 2, first, minus);
    }
    n->reg = ir_vreg(p->t, 2);
    assign_reg(p, b, n->reg, first);
    n->value = ir_reg(p->t, n->reg);
    n->skip_reg = ir_vreg(p->t, 1);
    n->skip = ir_reg(p->t, n->skip_reg);
}

// reg += skip * step for each induction and for the counter.
static void advance_inductions(Prefetch *p, int b, int loop, const int *reg, const IrSrc *step,
                               const Counter *n) {
    for (int i = 0; i <= p->ninds; i++) {
        const bool last = i == p->ninds;
        if (!last && (p->ind_loop[i] != loop || reg[i] < 0)) continue;
        const IrSrc old = last ? n->value : ir_reg(p->t, reg[i]), by = last ? n->step : step[i];
        IrSrc sum;
        if (old.width == 2) {
            const IrSrc skip = widen_source(p, b, n->skip, false);
            const IrSrc product =
                thread_op2(p->t, b, IR_MUL64, 2, skip, widen_source(p, b, by, true));
            sum = thread_op2(p->t, b, IR_ADD64, 2, old, product);
        } else {
            IrInst *m = thread_op(p->t, b, ISA_IMAD, 1, 3, 0);
            m->src[0] = n->skip;
            m->src[1] = by;
            m->src[2] = old;
            m->mod.part = ISA_LO;
            m->mod.type = ISA_S32;
            sum = ir_reg(p->t, m->dst);
        }
        assign_reg(p, b, last ? n->reg : reg[i], sum);
    }
    for (int i = 0; i < p->ntargets; i++) {
        const Target *t = &p->target[i];
        if (t->loop != loop || t->step <= 0) continue;
        const IrSrc by = thread_op2(p->t, b, ISA_IMUL, 1, n->skip, ir_imm((uint32_t)t->step));
        assign_reg(p, b, t->moved, by);
    }
}

static IrPred and_preds(Prefetch *p, int block, IrPred a, IrPred b) {
    IrInst *in = thread_op(p->t, block, ISA_PLOP3, -1, 0, 0);
    in->mod.lut = ISA_LUT_AND;
    in->psrc[0] = a;
    in->psrc[1] = b;
    in->pdst[0] = ir_vreg(p->t, 0);
    return (IrPred){in->pdst[0], false};
}

// The touches of one iteration, timed. SKIP grows if they completed fast. An iteration that entered
// no line (its last row represents all rows) does not count.
static int touch_iteration(Prefetch *p, Slice *s, int loop, const Counter *n) {
    const bool adapts = p->cfg->scalar_skip == 0;
    IrSrc before = {0}, after;
    if (adapts) before = thread_sreg(p->t, s->block, PTX_SREG_CLOCK);
    p->always = false;
    int targets = 0;
    for (int i = 0; i < p->ntargets; i++)
        if (p->target[i].loop == loop) touch_target(p, s, &p->target[i]), targets++;
    if (p->cfg->scalar_touch != TOUCH_SERIAL) (void)thread_op(p->t, s->block, ISA_MEMBAR, -1, 0, 0);
    if (!adapts) return targets;
    after = thread_sreg(p->t, s->block, PTX_SREG_CLOCK);
    before.neg = true;
    const IrSrc time = thread_op2(p->t, s->block, ISA_IADD, 1, after, before);
    IrPred fast = thread_setp(p->t, s->block, ISA_LT, ISA_U32, time,
                              ir_imm((uint32_t)p->cfg->scalar_threshold));
    if (!p->always) fast = and_preds(p, s->block, fast, p->came);
    const IrSrc more = thread_op2(p->t, s->block, ISA_IADD, 1, n->skip, ir_imm(1));
    IrInst *sel = thread_op(p->t, s->block, ISA_SEL, 1, 2, 0);
    sel->src[0] = more;
    sel->src[1] = n->skip;
    sel->psrc[0] = fast;
    assign_reg(p, s->block, n->skip_reg, ir_reg(p->t, sel->dst));
    return targets;
}

static bool has_targets(const Prefetch *p, int loop) {
    for (int i = 0; i < p->ntargets; i++)
        if (p->target[i].loop == loop) return true;
    return false;
}

// A counter that does not move towards its bound would never end: such a loop is not entered.
static int refuse_standing(Prefetch *p, int block, int after, const Control *c, const Counter *n) {
    int64_t step;
    if (prefetch_constant_step(p, &p->ind[c->ind], &step)) return block;
    const bool up = c->cmp == ISA_LT || c->cmp == ISA_LE;
    IrInst *in = thread_op(p->t, block, IR_SETP64, -1, 2, 0);
    in->src[0] = n->step;
    in->src[1] = ir_imm64(0);
    in->mod.cmp = up ? ISA_GT : ISA_LT;
    in->mod.type = ISA_S64;
    in->pdst[0] = ir_vreg(p->t, 0);
    const int go = ir_block(p->t);
    thread_branch(p->t, block, (IrPred){in->pdst[0], false}, go, after);
    return go;
}

static int emit_loops(Prefetch *p, Slice *s, int parent);

// Emits the loop after the code in the block of `outer`. Sets that block to the loop's successor.
static void emit_loop(Prefetch *p, Slice *outer, int loop) {
    const Control *c = &p->control[loop];
    int *reg = ARENA_ARRAY(&p->arena, int, p->ninds + 1),
        *vary = ARENA_ARRAY(&p->arena, int, p->ninds + 1), nvary = 0;
    IrSrc *step = ARENA_ARRAY(&p->arena, IrSrc, p->ninds + 1);
    Counter n;
    start_inductions(p, outer, loop, reg, step);
    start_counter(p, outer, c, reg, step, &n);
    const bool touches = has_targets(p, loop);
    const int first = p->cfg->scalar_skip ? p->cfg->scalar_skip : FIRST_SKIP;
    assign_reg(p, outer->block, n.skip_reg, ir_imm(touches ? (uint32_t)first : 1));
    for (int i = 0; i < p->ntargets; i++) {
        Target *t = &p->target[i];
        if (t->loop != loop || t->step <= 0) continue;
        t->moved = ir_vreg(p->t, 1);
        assign_reg(p, outer->block, t->moved, ir_imm((uint32_t)p->cfg->l1_line));
    }
    const int after = ir_block(p->t), head = ir_block(p->t), body = ir_block(p->t);
    const int before = outer->block;
    IrInst *stay = thread_op(p->t, head, IR_SETP64, -1, 2, c->line);
    stay->src[0] = n.value;
    stay->src[1] = n.bound;
    stay->mod.cmp = c->cmp;
    stay->mod.type = c->is_signed ? ISA_S64 : ISA_U64;
    stay->pdst[0] = ir_vreg(p->t, 0);
    thread_branch(p->t, head, (IrPred){stay->pdst[0], false}, body, after);
    Slice s;
    for (int i = 0; i < p->ninds; i++)
        if (p->ind_loop[i] == loop && reg[i] >= 0) vary[nvary++] = p->ind[i].phi;
    slice_open_inner(&s, outer, body, vary, nvary, &p->arena);
    for (int i = 0; i < p->ninds; i++)
        if (p->ind_loop[i] == loop && reg[i] >= 0) s.map[p->ind[i].phi] = reg[i];
    if (touches) (void)touch_iteration(p, &s, loop, &n), p->loops++;
    p->control[loop].body = body;
    const int last = emit_loops(p, &s, loop);
    advance_inductions(p, last, loop, reg, step, &n);
    thread_goto(p->t, last, head);
    const int entry = refuse_standing(p, before, after, c, &n);
    thread_goto(p->t, entry, head);
    outer->block = after;
}

// The loops directly inside `parent` (-1: outermost ones), in sequence. Returns the block after
// them.
static int emit_loops(Prefetch *p, Slice *s, int parent) {
    for (int k = 0; k < p->v.nloops; k++)
        if (p->v.loop[k].parent == parent && is_wanted(p, k)) emit_loop(p, s, k);
    return s->block;
}

// ---- the next CTA ----

// The CTA that starts when a resident CTA ends, in the coordinates of the grid.
static void emit_next_cta(Prefetch *p, int block, int leave) {
    Slice s;
    const IrSrc x = thread_grid(p->j, p->t, block, 0), y = thread_grid(p->j, p->t, block, 1),
                z = thread_grid(p->j, p->t, block, 2);
    const IrSrc own = thread_sreg(p->t, block, ISA_SREG_CTA_LINEAR);
    const IrSrc ahead = thread_sreg(p->t, block, ISA_SREG_NCTA_RESIDENT);
    const IrSrc next = thread_op2(p->t, block, ISA_IADD, 1, own, ahead);
    const IrSrc xy = thread_op2(p->t, block, ISA_IMUL, 1, x, y),
                all = thread_op2(p->t, block, ISA_IMUL, 1, xy, z);
    const IrPred beyond = thread_setp(p->t, block, ISA_GE, ISA_U32, next, all);
    const int go = ir_block(p->t);
    thread_branch(p->t, block, beyond, leave, go);
    slice_open(&s, &p->v, p->t, go, &p->arena);
    for (int d = 0; d < 3; d++) s.tid[d] = ir_imm(0);
    thread_cta(p->j, p->t, go, next, s.ctaid);
    for (int i = 0; i < p->ntargets; i++)
        if (p->target[i].loop < 0) touch_target(p, &s, &p->target[i]);
    thread_goto(p->t, s.block, leave);
}

// ---- the paradigm ----

static void drop_large(Prefetch *p) {
    int n = 0;
    for (int i = 0; i < p->ntargets; i++) {
        if (most_touches(p, &p->target[i]) > MOST_TOUCHES)
            scalar_refuse(p->j, p->target[i].line, "load: its footprint has more than %d lines",
                          MOST_TOUCHES);
        else p->target[n++] = p->target[i];
    }
    p->ntargets = n;
}

static void emit_thread(Prefetch *p) {
    p->t = p->j->thread = thread_new(p->ir, "");
    const int entry = ir_block(p->t), leave = ir_block(p->t);
    bool once = false;
    p->touches = p->loops = 0;
    Slice s;
    slice_open(&s, &p->v, p->t, prefetch_set_check(p, entry, leave), &p->arena);
    for (int d = 0; d < 3; d++) s.tid[d] = ir_imm(0);
    const int last = emit_loops(p, &s, -1);
    for (int i = 0; i < p->ntargets; i++) once |= p->target[i].loop < 0;
    if (once) emit_next_cta(p, last, leave);
    else thread_goto(p->t, last, leave);
    (void)thread_op(p->t, leave, ISA_EXIT, -1, 0, 0);
}

bool scalar_prefetch(ScalarJob *j) {
    Prefetch p = {.j = j, .cfg = j->o->cfg, .ir = j->ir};
    if (!j->o->block[0]) {
        scalar_refuse(j, 0, "the dimensions of a CTA are unknown");
        return false;
    }
    cta_values(&p.v, j->ir, j->o->block, &p.arena);
    p.control = ARENA_ARRAY(&p.arena, Control, p.v.nloops + 1);
    for (int k = 0; k < p.v.nloops; k++) find_inductions(&p, k);
    for (int k = 0; k < p.v.nloops; k++) find_control(&p, k);
    find_targets(&p);
    drop_large(&p);
    if (j->o->scalar == COMPILE_SCALAR_AUTO) prefetch_worth(&p);
    if (p.ntargets) emit_thread(&p);
    while (j->o->scalar == COMPILE_SCALAR_AUTO && prefetch_too_slow(&p)) {
        j->thread = NULL;
        if (p.ntargets) emit_thread(&p);
    }
    int loads = 0, looped = 0;
    for (int i = 0; i < p.ntargets; i++) {
        loads += p.target[i].loads;
        if (p.target[i].loop >= 0) looped += p.target[i].loads;
        scalar_done(j, p.target[i].line, "%d load%s of one address, %s", p.target[i].loads,
                    p.target[i].loads == 1 ? "" : "s",
                    p.target[i].loop >= 0 ? "in a loop" : "in no loop");
    }
    if (p.ntargets) {
        j->summary = arena_printf(
            j->ir->arena, "prefetch: %d load%s in no loop, %d in %d loop%s, %d touches written",
            loads - looped, loads - looped == 1 ? "" : "s", looped, p.loops,
            p.loops == 1 ? "" : "s", p.touches);
    }
    const bool done = p.ntargets > 0;
    arena_free(&p.arena);
    return done;
}
