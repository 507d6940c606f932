// SPDX-License-Identifier: Apache-2.0
// Reasons against prefetching, from the dimensions of a launch and of L1; `auto` skips such loads
// (the paper uses a profiler).
//   `Reuse`: a load outside loops is touched for the CTA that starts %ncta_resident CTAs later. No
//     such CTA exists if all CTAs of the grid are resident at the same time.
//   `Capacity`: a touched line must stay in L1 until its warps load it. Until then the resident
//     CTAs load the lines of the SKIP (at least 2) iterations up to it. If they exceed L1, the
//     touched line is evicted and fetched twice.
//   `Sets`: with l1.hash=mod, CTAs whose addresses are a multiple of g lines apart (a power of two)
//     begin in only sets / g sets. Each CTA then fills g lines in each of these sets.
//     That distance is a value of the launch (the length of a vector). The thread computes
//     it, and ends immediately if the lines do not fit.
//   `Speed`: the thread issues one instruction after another. The estimate compares its time for
//     one touched iteration with the resident warps' time for SKIP iterations, each of which waits
//     for DRAM. If the thread takes longer, it is never ahead of the warps.
// Lines, sets, ways and latencies are those of the machine; no number is fitted to kernels.

#include "compile/scalar/prefetch.h"
#include "ptx/ptx.h"

#include <stdlib.h>
#include <string.h>

static bool rate_of(const Prefetch *p, const IrSrc *s, int loop, int64_t *by, int depth);

static bool rate_of_sum(const Prefetch *p, const IrSrc *a, int64_t scale, const IrSrc *b, int loop,
                        int64_t *by, int depth) {
    int64_t x, y;
    if (!rate_of(p, a, loop, &x, depth) || !rate_of(p, b, loop, &y, depth)) return false;
    *by = scale * x + y;
    return true;
}

// How much a value grows in an iteration of the loop; false: not by a constant.
static bool rate_of(const Prefetch *p, const IrSrc *s, int loop, int64_t *by, int depth) {
    *by = 0;
    if (s->kind != ISA_SRC_REG || !p->v.loop[loop].in[p->v.def_block[s->reg]]) return true;
    const IrInst *in = p->v.def[s->reg];
    if (!in || depth > 16 || in->guard.reg != IR_PT || in->mod.has_cin) return false;
    bool known = false;
    switch (in->op) {
    case IR_PHI:
        for (int i = 0; i < p->ninds && !known; i++)
            known = p->ind_loop[i] == loop && p->ind[i].phi == s->reg &&
                prefetch_constant_step(p, &p->ind[i], by);
        break;
    case IR_COPY:
    case ISA_MOV:
    case IR_SEXT64:
    case IR_JOIN: known = rate_of(p, &in->src[0], loop, by, depth + 1); break;
    case IR_SPLIT: known = in->mod.mode == 0 && rate_of(p, &in->src[0], loop, by, depth + 1); break;
    case ISA_IADD:
    case IR_ADD64: known = rate_of_sum(p, &in->src[0], 1, &in->src[1], loop, by, depth + 1); break;
    case ISA_LEA:
        known = rate_of_sum(p, &in->src[0], (int64_t)1 << in->mod.shift, &in->src[1], loop, by,
                            depth + 1);
        break;
    case ISA_SHL:
    case IR_SHL64:
        known = in->src[1].kind == ISA_SRC_IMM && in->src[1].imm < 32 &&
            rate_of(p, &in->src[0], loop, by, depth + 1);
        if (known) *by *= (int64_t)1 << in->src[1].imm;
        break;
    case ISA_IMAD:
        known = in->mod.part != ISA_HI && in->src[1].kind == ISA_SRC_IMM &&
            rate_of_sum(p, &in->src[0], (int32_t)in->src[1].imm, &in->src[2], loop, by, depth + 1);
        break;
    default: break;
    }
    if (known && s->neg) *by = -*by;
    return known;
}

int64_t prefetch_step(const Prefetch *p, const Target *t) {
    int64_t by;
    return t->loop >= 0 && rate_of(p, &t->base, t->loop, &by, 0) ? by : 0;
}

// ---- capacity ----

// CTAs that are resident at the same time; 0: unknown.
static int64_t resident_ctas(const Prefetch *p) {
    const uint32_t *g = p->j->o->grid;
    const int64_t all = (int64_t)g[0] * g[1] * g[2], most = p->j->o->resident;
    return all && all < most ? all : most;
}

// Does a value depend on the number of the CTA?
static bool of_cta(const Prefetch *p, int reg, bool *seen) {
    const IrInst *in = p->v.def[reg];
    if (!in || seen[reg]) return false;
    seen[reg] = true;
    if (in->op == ISA_S2R && in->mod.sreg >= PTX_SREG_CTAID_X && in->mod.sreg <= PTX_SREG_CTAID_Z)
        return true;
    IR_FOR_USES(in, r)
        if (of_cta(p, r, seen)) return true;
    return false;
}

// Rows a non-constant stride apart. Two such targets count as neighbors in one array, and
// the second adds one row.
static bool beside_another(const Prefetch *p, int i) {
    const CtaValue *v = &p->target[i].value;
    bool rows = false;
    for (int d = 0; d < 3; d++) rows |= v->c[d].k && v->c[d].sym != CTA_SYM_NONE;
    for (int k = 0; rows && k < i; k++)
        if (p->target[k].loop == p->target[i].loop &&
            !memcmp(p->target[k].value.c, v->c, sizeof v->c))
            return true;
    return false;
}

// Bytes that enter L1 for a target's line between its touch and its use. These are the bytes of the
// SKIP iterations in between, or the line and its new bytes.
static int64_t until_used(const Prefetch *p, const Target *t) {
    const int64_t line = p->cfg->l1_line, moves = FIRST_SKIP * llabs(t->step);
    if (t->loop < 0) return line;
    if (!t->step) return FIRST_SKIP * line;
    return line + (moves < line ? moves : line);
}

// Do the lines that the resident CTAs load in that time fit? Lines shared by several CTAs count
// once.
static bool has_room(Prefetch *p, int loop, int64_t *lines) {
    *lines = 0;
    for (int i = 0; i < p->ntargets; i++) {
        const Target *t = &p->target[i];
        if (t->loop != loop) continue;
        bool *seen = ARENA_ARRAY(&p->arena, bool, p->ir->nvregs + 1);
        const bool own = t->base.kind == ISA_SRC_REG && of_cta(p, t->base.reg, seen);
        const int64_t n = beside_another(p, i) ? 1 : prefetch_lines(p, t);
        *lines += until_used(p, t) * (own ? resident_ctas(p) * n : n);
    }
    *lines = (*lines + p->cfg->l1_line - 1) / p->cfg->l1_line;
    return *lines <= (int64_t)p->cfg->l1_sets * p->cfg->l1_ways;
}

static void drop_targets(Prefetch *p, int loop, const char *why) {
    int n = 0;
    for (int i = 0; i < p->ntargets; i++) {
        if (p->target[i].loop == loop) scalar_refuse(p->j, p->target[i].line, "load: %s", why);
        else p->target[n++] = p->target[i];
    }
    p->ntargets = n;
}

void prefetch_worth(Prefetch *p) {
    const int64_t ctas = resident_ctas(p),
                  all = (int64_t)p->j->o->grid[0] * p->j->o->grid[1] * p->j->o->grid[2];
    int64_t lines;
    if (!ctas) return;
    if (all && all <= ctas)
        drop_targets(p, -1,
                     arena_printf(p->ir->arena,
                                  "all %d CTAs are resident at once: none starts later", (int)all));
    for (int k = -1; k < p->v.nloops; k++)
        if (!has_room(p, k, &lines))
            drop_targets(p, k,
                         arena_printf(p->ir->arena, "%d CTAs would hold %d lines, L1 has %d",
                                      (int)ctas, (int)lines, p->cfg->l1_sets * p->cfg->l1_ways));
}

// ---- speed ----

static int slots_of(int op) {
    switch (op) {
    case IR_COPY:
    case IR_SPLIT:
    case IR_JOIN:
    case IR_PHI: return 0;
    case IR_ADD64:
    case IR_SEXT64:
    case IR_SETP64: return 2;
    case IR_MUL64: return 4;
    default: return 1;
    }
}

// Cycles of an iteration for all resident warps: their issue slots, a cycle of L1 for each access,
// and a wait for DRAM.
static int64_t warps_take(const Prefetch *p, int loop) {
    const uint32_t *n = p->j->o->block;
    const int64_t warps = resident_ctas(p) * ((n[0] * n[1] * n[2] + ISA_LANES - 1) / ISA_LANES);
    int64_t slots = 0, accesses = 0;
    for (int i = 0; i < p->ir->norder; i++) {
        const IrBlock *k = &p->ir->blocks[p->ir->order[i]];
        for (int j = 0; p->v.loop[loop].in[p->ir->order[i]] && j < k->ninsts; j++) {
            slots += slots_of(k->insts[j]->op);
            accesses += ir_is_memory(k->insts[j]);
        }
    }
    slots = (warps * slots + p->cfg->sm_schedulers - 1) / p->cfg->sm_schedulers;
    return slots + warps * accesses + p->cfg->dram_latency;
}

// Cycles of an iteration for the thread, whose instructions each wait for the previous one.
static int64_t thread_takes(const Prefetch *p, int loop) {
    const IrBlock *k = &p->t->blocks[p->control[loop].body];
    int64_t slots = 0;
    for (int i = 0; i < k->ninsts; i++) slots += slots_of(k->insts[i]->op);
    return slots * p->cfg->exec_int_latency * p->cfg->scalar_clock;
}

bool prefetch_too_slow(Prefetch *p) {
    for (int k = 0; k < p->v.nloops; k++) {
        bool any = false;
        for (int i = 0; i < p->ntargets; i++) any |= p->target[i].loop == k;
        if (!any || !resident_ctas(p) || thread_takes(p, k) <= FIRST_SKIP * warps_take(p, k))
            continue;
        drop_targets(
            p, k,
            arena_printf(p->ir->arena,
                         "the thread takes about %d cycles for an iteration, the warps about %d "
                         "for %d",
                         (int)thread_takes(p, k), (int)(FIRST_SKIP * warps_take(p, k)),
                         FIRST_SKIP));
        return true;
    }
    return false;
}

// ---- sets ----

// Binds the initial values of `loop` and the loops around it. Returns the slice in which a target's
// base is the base of its first iteration.
static Slice *first_iteration(Prefetch *p, Slice *outer, int loop) {
    if (loop < 0) return outer;
    Slice *around = first_iteration(p, outer, p->v.loop[loop].parent),
          *s = ARENA_NEW(&p->arena, Slice);
    int *vary = ARENA_ARRAY(&p->arena, int, p->ninds + 1), n = 0;
    for (int i = 0; i < p->ninds; i++)
        if (p->ind_loop[i] == loop) vary[n++] = p->ind[i].phi;
    slice_open_inner(s, around, outer->block, vary, n, &p->arena);
    for (int i = 0; i < p->ninds; i++) {
        if (p->ind_loop[i] != loop) continue;
        if (!prefetch_can_copy(p, &p->ind[i].init, p->ir->blocks[p->v.loop[loop].header].idom, 0))
            continue;
        IrInst *in = thread_op(p->t, outer->block, IR_COPY, p->ir->width[p->ind[i].phi], 1, 0);
        in->src[0] = slice_source(around, &p->ind[i].init);
        s->map[p->ind[i].phi] = in->dst;
    }
    return s;
}

static IrSrc low_word(Prefetch *p, int block, IrSrc a) {
    if (a.width == 1) return a;
    IrInst *in = thread_op(p->t, block, IR_SPLIT, 1, 1, 0);
    in->src[0] = a;
    return ir_reg(p->t, in->dst);
}

static IrSrc select_value(Prefetch *p, int block, IrPred which, IrSrc yes, IrSrc no) {
    IrInst *in = thread_op(p->t, block, ISA_SEL, 1, 2, 0);
    in->src[0] = yes;
    in->src[1] = no;
    in->psrc[0] = which;
    return ir_reg(p->t, in->dst);
}

// The array that an address points into: the parameter that sums add to; -1: not found.
static int array_of(const Prefetch *p, const IrSrc *s, int depth) {
    if (s->kind == ISA_SRC_CONST) return (int)(s->imm << 2 | (s->cbank & 3));
    const IrInst *in = s->kind == ISA_SRC_REG && depth < 16 ? p->v.def[s->reg] : NULL;
    int found = -1;
    if (!in) return -1;
    switch (in->op) {
    case IR_COPY:
    case ISA_MOV:
    case IR_SPLIT:
    case IR_JOIN:
    case IR_SEXT64: return array_of(p, &in->src[0], depth + 1);
    case ISA_IMAD: return array_of(p, &in->src[2], depth + 1);
    case ISA_LEA: return array_of(p, &in->src[1], depth + 1);
    case IR_PHI:
    case ISA_IADD:
    case IR_ADD64:
        for (int i = 0; i < in->nsrc && found < 0; i++) found = array_of(p, &in->src[i], depth + 1);
        return found;
    default: return -1;
    }
}

// Bytes of the sets that a CTA's touched lines of one array fill. These are the lines themselves,
// or a power of two for each run if runs and CTAs are that far apart.
typedef struct Filled {
    int array;
    IrSrc apart;  // distances of CTAs and of rows, or'ed together
    int64_t bytes, runs;
} Filled;

static IrSrc or_in(Prefetch *p, int block, IrSrc a, IrSrc b) {
    const IrSrc r = thread_op2(p->t, block, ISA_LOP3, 1, a, b);
    IrBlock *k = &p->t->blocks[block];
    k->insts[k->ninsts - 1]->mod.lut = ISA_LUT_OR;
    return r;
}

static IrSrc filled_bytes(Prefetch *p, int block, const Filled *g) {
    const uint32_t all = (uint32_t)(p->cfg->l1_sets & -p->cfg->l1_sets) * (uint32_t)p->cfg->l1_line;
    const uint32_t run = (uint32_t)(g->bytes / g->runs);
    IrSrc minus = g->apart;
    minus.neg = true;
    const IrSrc other = thread_op2(p->t, block, ISA_IADD, 1, minus, ir_imm(0));
    const IrSrc lowest = thread_op2(p->t, block, ISA_LOP3, 1, g->apart, other);
    const IrPred far = thread_setp(p->t, block, ISA_GE, ISA_U32, lowest, ir_imm(all));
    const IrSrc most = select_value(p, block, far, ir_imm(all), lowest);
    const IrPred near = thread_setp(p->t, block, ISA_LT, ISA_U32, most, ir_imm(run));
    const IrSrc each = select_value(p, block, near, ir_imm(run), most);
    return g->runs == 1 ? each
                        : thread_op2(p->t, block, ISA_IMUL, 1, each, ir_imm((uint32_t)g->runs));
}

// Targets of one array without rows continue each other.
static void add_target(Prefetch *p, int block, Filled *g, Slice *here, Slice *next,
                       const Target *t) {
    Slice *a = first_iteration(p, here, t->loop), *b = first_iteration(p, next, t->loop);
    IrSrc x = low_word(p, block, slice_source(a, &t->base));
    const IrSrc y = low_word(p, block, slice_source(b, &t->base));
    x.neg = true;
    g->apart = thread_op2(p->t, block, ISA_IADD, 1, y, x);
    g->runs = 1;
    for (int d = 0; d < 3; d++) {
        const TidCoef c = t->value.c[d];
        if (!c.k || c.sym == CTA_SYM_NONE) continue;
        const IrSrc stride =
            thread_op2(p->t, block, ISA_IMUL, 1, prefetch_symbol(a, c.sym), ir_imm((uint32_t)c.k));
        g->apart = or_in(p, block, g->apart, stride);
        g->runs *= p->j->o->block[d];
    }
}

int prefetch_set_check(Prefetch *p, int block, int leave) {
    const uint32_t *grid = p->j->o->grid;
    const int64_t ctas = resident_ctas(p),
                  room = (int64_t)p->cfg->l1_sets * p->cfg->l1_ways * p->cfg->l1_line;
    int dim = 0, n = 0;
    while (dim < 3 && grid[dim] == 1) dim++;
    if (p->j->o->scalar != COMPILE_SCALAR_AUTO || p->cfg->l1_hash != L1_HASH_MOD || ctas < 2 ||
        dim == 3)
        return block;
    Slice here, next;
    slice_open(&here, &p->v, p->t, block, &p->arena);
    for (int d = 0; d < 3; d++) here.tid[d] = ir_imm(0);
    for (int d = 0; d < 3; d++) here.ctaid[d] = thread_sreg(p->t, block, PTX_SREG_CTAID_X + d);
    slice_open(&next, &p->v, p->t, block, &p->arena);
    memcpy(next.tid, here.tid, sizeof next.tid);
    memcpy(next.ctaid, here.ctaid, sizeof next.ctaid);
    next.ctaid[dim] = thread_op2(p->t, block, ISA_IADD, 1, here.ctaid[dim], ir_imm(1));
    Filled *g = ARENA_ARRAY(&p->arena, Filled, p->ntargets + 1);
    for (int i = 0; i < p->ntargets; i++) {
        const Target *t = &p->target[i];
        bool *seen = ARENA_ARRAY(&p->arena, bool, p->ir->nvregs + 1);
        if (t->loop < 0 || t->base.kind != ISA_SRC_REG || !of_cta(p, t->base.reg, seen)) continue;
        const int array = array_of(p, &t->base, 0);
        int k = 0;
        while (k < n && (array < 0 || g[k].array != array)) k++;
        if (k == n) {
            g[n++].array = array;
            add_target(p, block, &g[k], &here, &next, t);
        }
        if (!beside_another(p, i)) g[k].bytes += prefetch_lines(p, t) * until_used(p, t);
    }
    if (!n) return block;
    IrSrc sum = ir_imm(0);
    for (int k = 0; k < n; k++)
        sum = thread_op2(p->t, block, ISA_IADD, 1, sum, filled_bytes(p, block, &g[k]));
    const int go = ir_block(p->t);
    const IrPred full =
        thread_setp(p->t, block, ISA_GT, ISA_U32, sum, ir_imm((uint32_t)(room / ctas)));
    thread_branch(p->t, block, full, leave, go);
    return go;
}
