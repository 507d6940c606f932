// SPDX-License-Identifier: Apache-2.0
// Divergence elimination moves items of a divergent loop to full warps (paper, section IV.B).
//
// requires  SSA of the SIMT program
//
// provides  a loop in the SIMT program whose iterations run for the thread's current item.
//           After each iteration (or every scalar.remap_every) the status is stored in shared
//           memory. Two barriers k = 1 enclose the compaction by the scalar thread.
//           Then the items' registers move through shared memory to their new holders.
//
// An item is the work of one thread of the CTA. An item's registers are those that the loop reads
// or changes, except registers that all threads share. When an item ends, its lane stores the
// results that later code reads. The item's owner loads the results after the loop. Threads that
// ended before the loop are kept until after it, because a dead lane could not receive another
// thread's work. These threads have no item and make no accesses. Once at most 32 items are left,
// they are in one warp and do not move. The side of a divergent `if` is treated as a loop of one
// iteration, whose items are regrouped once at its start. A loop or `if` within other loops is
// regrouped whenever the CTA's threads, which run these loops together, reach it. The scalar
// thread runs a copy of the outer loops (loop_path.c).
#include "compile/scalar/diverge.h"
#include "diverge_texts.h"  // made of diverge.ir
#include "ptx/ptx.h"

#include <stdlib.h>
#include <string.h>

// Word `count` as scan and simt write it: the number of items, bit 31: moving them frees no warp.
static const uint32_t stays = 0x80000000u;

// ---- what can be done ----

// The item contains it: it is read before its thread stores the item.
static bool reads_tid(const IrInst *in) {
    const int dim = in->op == ISA_S2R ? in->mod.sreg - PTX_SREG_TID_X : -1;
    return dim >= 0 && dim < 3;
}

static const char *cannot_do(const Diverge *g, const IrInst *in) {
    if (ir_is_convergent(in)) return "it contains a barrier or an operation between lanes";
    switch (in->op) {
    case ISA_EXIT: return "threads end in it";
    case ISA_TRAP:
    case ISA_SYSCALL:
    case ISA_NANOSLEEP: return "it contains a trap or a system call";
    case ISA_TEX: return "a texture fetch in it";
    case ISA_MEMBAR: return "it contains a fence, which orders threads";
    case ISA_LD:
    case ISA_ST:
    case ISA_ATOM:
        if (in->mod.space == ISA_LOCAL) return "it contains a per-thread array";
        if (in->mod.space == ISA_GENERIC && g->ir->local_bytes)
            return "it contains an access that may be to local memory";
        return in->mod.ordered ? "it contains a volatile or ordered access, which orders threads"
                               : NULL;
    case ISA_S2R: {
        const CtaValue *v = &g->v.value[in->dst];
        return cta_uniform(v) || reads_tid(in) ? NULL : "it reads the lane or the time";
    }
    default: return NULL;
    }
}

static bool leads_to(const Ir *ir, int from, int to, int without) {
    bool *seen = ARENA_ARRAY(ir->arena, bool, ir->nblocks);
    int n = 0, *work = ARENA_ARRAY(ir->arena, int, ir->nblocks + 1);
    if (from == without) return false;
    seen[work[n++] = from] = true;
    while (n) {
        const int b = work[--n];
        if (b == to) return true;
        for (int s = 0; s < ir->blocks[b].nsucc; s++) {
            const int t = ir->blocks[b].succ[s];
            if (!seen[t] && t != without) seen[work[n++] = t] = true;
        }
    }
    return false;
}

static bool post_dominates(const Ir *ir, int x, int b) {
    for (int r = b; r >= 0; r = ir->blocks[r].ipdom)
        if (r == x) return true;
    return false;
}

// Can block b, outside the region, execute before the threads meet after the region or before they
// enter the region again?
static bool is_before(const Diverge *g, int b) {
    if (g->in[b]) return false;
    if (leads_to(g->ir, b, g->top, -1)) return true;
    return cfg_dominates(g->ir, g->top, b) && b != g->behind && !cfg_dominates(g->ir, g->behind, b);
}

// Do all threads end together at the guarded exits of block b? Then no thread must be kept.
static bool end_together(Diverge *g, int b) {
    for (int n = 0; n < g->ir->blocks[b].ninsts; n++) {
        const IrInst *in = g->ir->blocks[b].insts[n];
        if (in->op != ISA_EXIT || in->guard.reg == IR_PT) continue;
        if (cta_predicate(&g->v, in->guard, b) != CTA_AFFINE) return false;
        if (!path_computes(&g->v, in->guard.reg, b, &g->arena)) return false;
    }
    return cta_all_pass(&g->v, b, NULL, NULL, NULL);
}

// Threads that end before the loop are kept, without accesses, until after it.
static const char *check_ends(Diverge *g, int *line) {
    const Ir *ir = g->ir;
    for (int i = 0; i < ir->norder; i++) {
        const int b = ir->order[i];
        for (int n = 0; n < ir->blocks[b].ninsts; n++) {
            const IrInst *in = ir->blocks[b].insts[n];
            if (in->op != ISA_EXIT || !is_before(g, b)) continue;
            *line = in->mod.ptx_line;
            if (ir_is_terminator(in)) {
                if (!cta_all_pass(&g->v, b, NULL, NULL, NULL))
                    return "some threads end on a path of their own";
                continue;
            }
            g->path.together[b] = end_together(g, b);
            if (g->path.together[b]) continue;
            g->ends = true;
            if (!post_dominates(ir, g->behind, b))
                return "threads that end before it do not execute the code after it";
        }
    }
    if (!g->ends) return NULL;
    for (int i = 0; i < ir->norder; i++) {
        const int b = ir->order[i];
        if (!is_before(g, b)) continue;
        for (int n = 0; n < ir->blocks[b].ninsts; n++) {
            const IrInst *in = ir->blocks[b].insts[n];
            *line = in->mod.ptx_line;
            if (ir_is_convergent(in) && in->op != ISA_BAR)
                return "an operation between lanes precedes it, and threads may end";
            if (in->op == ISA_BAR) return "a barrier precedes it, and threads may end";
            if (in->op == ISA_LD && in->mod.readonly && cta_uniform(&g->v.value[in->dst]))
                return "a load of a shared value precedes it, and threads may end";
            if (ir_is_memory(in) && in->guard.reg != IR_PT)
                return "a guarded access precedes it, and threads may end";
        }
        if (g->v.loop_of[b] >= 0) return "a loop precedes it, and threads may end";
    }
    return NULL;
}

// All threads load the same value from one address before the loop, and the kernel neither stores
// nor synchronizes before that load. The value is common because a store of another CTA between two
// such loads would race with them. Items need not carry it.
static bool is_common_load(const Diverge *g, int reg) {
    const IrInst *in = g->v.def[reg];
    const int b = g->v.def_block[reg];
    if (!in || in->guard.reg != IR_PT || g->v.loop_of[b] >= 0 || !cfg_dominates(g->ir, b, g->top))
        return false;
    if (in->op == IR_SPLIT || in->op == IR_COPY)
        return in->src[0].kind == ISA_SRC_REG && !in->src[0].neg &&
            is_common_load(g, in->src[0].reg);
    if (in->op != ISA_LD || in->mod.space != ISA_GLOBAL || in->mod.ordered) return false;
    if (in->mod.cache == ISA_CACHE_VOLATILE) return false;
    const CtaValue a = cta_source(&g->v, &in->src[0], b);
    return cta_uniform(&a);
}

static void find_common(Diverge *g) {
    const Ir *ir = g->ir;
    g->common = ARENA_ARRAY(&g->arena, bool, ir->nvregs + 1);
    for (int i = 0; i < ir->norder; i++) {
        const int b = ir->order[i];
        if (g->in[b] || !leads_to(ir, b, g->top, -1)) continue;
        for (int n = 0; n < ir->blocks[b].ninsts; n++) {
            const IrInst *in = ir->blocks[b].insts[n];
            const bool stores =
                in->op == ISA_ATOM || (in->op == ISA_ST && in->mod.space != ISA_SHARED);
            if (stores || in->op == ISA_BAR || in->op == ISA_MEMBAR || in->op == ISA_SYSCALL)
                return;
        }
    }
    for (int r = 0; r < ir->nvregs; r++) g->common[r] = is_common_load(g, r);
}

// Do all threads of the CTA have this value, including those that bypass the loop?
static bool is_common_value(const Diverge *g, int reg) {
    if (g->common[reg]) return true;
    return cta_uniform(&g->v.value[reg]) && cfg_dominates(g->ir, g->v.def_block[reg], g->top);
}

// Words that an item carries in and out, before PHIs become copies: at least as many as find_state
// finds later.
static const char *check_size(Diverge *g, int *words_moved, int *words_out) {
    const Ir *ir = g->ir;
    int state = 0, out = 0, regs = 0;
    bool *in = ARENA_ARRAY(&g->arena, bool, ir->nvregs + 1),
         *behind = ARENA_ARRAY(&g->arena, bool, ir->nvregs + 1);
    // read by copies for PHIs after the region, which may be inside it
    bool *through = ARENA_ARRAY(&g->arena, bool, ir->nvregs + 1);
    for (int i = 0; i < ir->norder; i++) {
        const int b = ir->order[i];
        for (int n = 0; n < ir->blocks[b].ninsts; n++) {
            const IrInst *inst = ir->blocks[b].insts[n];
            const bool phi = inst->op == IR_PHI;
            if (phi && (b == g->header || b == g->behind)) {
                const int words = ir->width[inst->dst] ? ir->width[inst->dst] : 1;
                regs++;
                *(b == g->header ? &state : &out) += words;
            }
            IR_FOR_USES(inst, r) {
                const int at = g->v.def_block[r];
                if (g->in[b] && (!g->in[at] || reads_tid(g->v.def[r])) && !is_common_value(g, r))
                    in[r] = true;
                if (!g->in[b] && g->in[at] && !(phi && b == g->behind)) behind[r] = true;
                if (phi && b == g->behind && !g->in[at] && !is_common_value(g, r))
                    through[r] = true;
            }
        }
    }
    int fetched = 0, copied = 0;
    for (int r = 0; r < ir->nvregs; r++) {
        const int words = ir->width[r] ? ir->width[r] : 1;
        fetched += g->ends && g->common[r];
        state += in[r] ? words : 0;
        out += behind[r] ? words : 0;
        copied += through[r] && !in[r] ? words : 0;
        regs += in[r] + behind[r] + (through[r] && !in[r]);
    }
    *words_moved = state;
    *words_out = out;
    if (regs >= MOST_STATE) return "its items have too many registers";
    if (fetched > MOST_COMMON)
        return "threads may end before it, and it reads too many values that all threads have "
               "loaded";
    if (4 * (state + copied + out + 1) * g->threads > MOST_SCRATCH)
        return arena_printf(ir->arena, "its items require more than %d bytes of shared memory",
                            MOST_SCRATCH);
    return NULL;
}

// Do all threads of the CTA reach `top`? A loop's own exits decide only how often they reach its
// header.
static bool all_pass_top(const Diverge *g, int *line, const char **why) {
    return cta_all_pass(&g->v, g->top, g->top == g->header ? g->body->in : NULL, line, why);
}

// The regrouped region extends from `header` to `behind`; `why` names the reason against it. Is it
// a gain, too?
static const char *check_region(Diverge *g, int *line) {
    const Ir *ir = g->ir;
    const char *why;
    int state, out;
    if (!g->in[g->header]) return "its exit paths join only at the head of an enclosing loop";
    for (int i = 0; i < ir->norder; i++) {
        const int b = ir->order[i];
        for (int n = 0; g->in[b] && n < ir->blocks[b].ninsts; n++) {
            *line = ir->blocks[b].insts[n]->mod.ptx_line;
            if ((why = cannot_do(g, ir->blocks[b].insts[n]))) return why;
            if (ir->blocks[b].insts[n]->guard.reg != IR_PT &&
                ir->blocks[b].insts[n]->dst != IR_NONE)
                return "it contains a guarded instruction with a result";
        }
        for (int s = 0; g->in[b] && s < ir->blocks[b].nsucc; s++)
            if (!g->in[ir->blocks[b].succ[s]] && ir->blocks[b].succ[s] != g->behind)
                return "its exit paths do not join";
    }
    *line = g->line;
    if (!all_pass_top(g, line, &why))
        return arena_printf(ir->arena, "not all threads of the CTA reach it: a branch %s", why);
    *line = g->line;
    g->path = (ThreadPath){.ir = ir, .alive = IR_PT};
    g->path.needed = ARENA_ARRAY(&g->arena, bool, ir->nblocks + 1);
    g->path.together = ARENA_ARRAY(&g->arena, bool, ir->nblocks + 1);
    if (!path_control(&g->v, g->top, g->in, g->path.needed, &g->arena))
        return "one thread cannot follow the loop or branch around it";
    find_common(g);
    if ((why = check_ends(g, line)) || (why = check_size(g, &state, &out))) return why;
    *line = g->line;
    return g->once ? diverge_worth_if(g, state, out) : diverge_worth_loop(g, state);
}

static void take_region(Diverge *g) {
    const Ir *ir = g->ir;
    g->in = ARENA_ARRAY(&g->arena, bool, ir->nblocks + 1);
    for (int i = 0; i < ir->norder; i++) {
        const int b = ir->order[i];
        g->in[b] =
            cfg_dominates(ir, g->header, b) && !cfg_dominates(ir, g->behind, b) && b != g->behind;
    }
}

static const char *check_loop(Diverge *g, const Loop *l, int *line) {
    const Ir *ir = g->ir;
    g->body = l;
    g->header = g->top = l->header;
    for (int d = ir->blocks[l->header].idom; d >= 0 && !all_pass_top(g, NULL, NULL);
         d = d ? ir->blocks[d].idom : -1)
        if (g->v.branch[d] != CTA_AFFINE && !post_dominates(ir, g->top, d)) g->top = d;
    g->behind = ir->blocks[g->top].ipdom;
    while (g->behind >= 0 && l->in[g->behind]) g->behind = ir->blocks[g->behind].ipdom;
    if (g->behind < 0) return "threads end on its exit paths";
    if (l->latch < 0) return "several back edges";
    take_region(g);
    return check_region(g, line);
}

// ---- building in the SIMT program ----

static IrInst *put_op(Diverge *g, int block, int what, int width, int nsrc) {
    return thread_op(g->ir, block, what, width, nsrc, g->line);
}

static void assign_reg(Ir *t, int block, int reg, IrSrc value) {
    IrInst *in = thread_op(t, block, IR_COPY, -1, 1, 0);
    in->dst = reg;
    in->src[0] = value;
}

static IrSrc zero_of(int width) {
    return (IrSrc){.kind = ISA_SRC_IMM, .width = (uint8_t)width, .reg = IR_NONE};
}
static IrSrc truth_source(bool value) {
    return (IrSrc){.kind = ISA_SRC_IMM, .width = 0, .imm = value, .reg = IR_NONE};
}

static IrInst *shared_store(Ir *t, int block, IrSrc base, int64_t at, IrSrc value) {
    IrInst *st = thread_op(t, block, ISA_ST, -1, 2, 0);
    st->src[0] = base;
    st->src[1] = value;
    st->mod.space = ISA_SHARED;
    st->mod.mem_bytes = (uint8_t)(4 * value.width);
    st->mod.offset = (int32_t)at;
    return st;
}

static IrSrc shared_load(Ir *t, int block, IrSrc base, int64_t at, int width) {
    IrInst *ld = thread_op(t, block, ISA_LD, width, 1, 0);
    ld->src[0] = base;
    ld->mod.space = ISA_SHARED;
    ld->mod.type = width == 2 ? ISA_U64 : ISA_U32;
    ld->mod.mem_bytes = (uint8_t)(4 * width);
    ld->mod.offset = (int32_t)at;
    return ir_reg(t, ld->dst);
}

static void put_bar(Diverge *g, Ir *t, int block, bool with_thread) {
    IrInst *in = thread_bar(t, with_thread ? g->cfg->scalar_barrier : 0);
    in->mod.with_scalar = with_thread;
    ir_insert(t, block, t->blocks[block].ninsts, in);
}

static int words_of(const Ir *ir, int reg) { return ir->width[reg] ? ir->width[reg] : 1; }

// Offset of element `at` in the array of register `reg`: index times its bytes. `at` is a register
// of the index times 4.
static IrSrc scale_index(Ir *t, int block, IrSrc index, int words) {
    int shift = 2;
    while ((1 << (shift - 2)) < words) shift++;
    return thread_op2(t, block, ISA_SHL, 1, index, ir_imm((uint32_t)shift));
}

static void save_register(Ir *t, int block, IrSrc index, int64_t array, int reg) {
    IrSrc value = ir_reg(t, reg);
    if (!t->width[reg]) {
        IrInst *word = thread_op(t, block, ISA_P2R, 1, 1, 0);
        word->src[0] = ir_imm(1);
        word->psrc[0] = (IrPred){reg, false};
        value = ir_reg(t, word->dst);
    }
    (void)shared_store(t, block, scale_index(t, block, index, value.width), array, value);
}

static void fetch_register(Ir *t, int block, IrSrc index, int64_t array, int reg) {
    const IrSrc value = shared_load(t, block, scale_index(t, block, index, words_of(t, reg)), array,
                                    words_of(t, reg));
    if (t->width[reg]) {
        assign_reg(t, block, reg, value);
        return;
    }
    const IrPred p = thread_setp(t, block, ISA_NE, ISA_U32, value, ir_imm(0));
    assign_reg(t, block, reg, (IrSrc){.kind = ISA_SRC_REG, .reg = p.reg});
}

// Number of the thread in its CTA.
static IrSrc linear_tid(Diverge *g, int block) {
    const uint32_t *n = g->j->o->block;
    IrSrc t = thread_sreg(g->ir, block, PTX_SREG_TID_X);
    uint32_t row = n[0];
    for (int d = 1; d < 3; d++) {
        if (n[d] == 1) continue;
        const IrSrc place = thread_sreg(g->ir, block, PTX_SREG_TID_X + d);
        IrInst *m = put_op(g, block, ISA_IMAD, 1, 3);
        m->src[0] = place;
        m->src[1] = ir_imm(row);
        m->src[2] = t;
        m->mod.part = ISA_LO;
        m->mod.type = ISA_S32;
        t = ir_reg(g->ir, m->dst);
        row *= n[d];
    }
    return t;
}

// ---- what an item has ----

static bool add_state(Diverge *g, int reg) {
    for (int i = 0; i < g->nstate; i++)
        if (g->state[i] == reg) return true;
    if (g->nstate == MOST_STATE) return false;
    g->state[g->nstate++] = reg;
    return true;
}

// Registers that the loop reads or changes and that differ between threads (out of SSA form).
static bool find_state(Diverge *g) {
    const Ir *ir = g->ir;
    Arena scratch = {0};
    Live live;
    bool ok = true, *written = ARENA_ARRAY(&scratch, bool, ir->nvregs + 1);
    bool *read = ARENA_ARRAY(&scratch, bool, ir->nvregs + 1);
    live_compute(&live, ir, &scratch);
    for (int b = 0; b < ir->nblocks; b++)
        for (int n = 0; g->in[b] && n < ir->blocks[b].ninsts; n++) {
            const IrInst *in = ir->blocks[b].insts[n];
            int defs[3], k = ir_defs(in, defs);
            for (int d = 0; d < k; d++) written[defs[d]] = true;
            IR_FOR_USES(in, r) read[r] = true;
        }
    const uint64_t *at_head = live.in + (size_t)live.words * (size_t)g->header;
    const uint64_t *behind = live.in + (size_t)live.words * (size_t)g->behind;
    for (int r = 0; r < ir->nvregs; r++) {
        bool head = false, later = false;
        for (int w = 0; w < ir_units(ir->width[r]); w++) {
            head |= bit_get(at_head, live.unit[r] + w);
            later |= bit_get(behind, live.unit[r] + w);
        }
        const bool shared = r < g->known && !written[r] && g->v.def[r] && is_common_value(g, r);
        if (head && (read[r] || written[r]) && !shared) ok &= add_state(g, r);
        if (head && shared && g->ends && g->common[r]) g->fetched[g->nfetched++] = r;
        if (later && written[r]) {
            if (g->nout == MOST_STATE) ok = false;
            else g->out[g->nout++] = r;
        }
    }
    arena_free(&scratch);
    return ok;
}

static void rename_in_loop(Diverge *g, int old, int fresh) {
    for (int b = 0; b < g->nold; b++)
        for (int n = 0; g->in[b] && n < g->ir->blocks[b].ninsts; n++) {
            IrInst *in = g->ir->blocks[b].insts[n];
            for (int s = 0; s < in->nsrc; s++)
                if (in->src[s].kind == ISA_SRC_REG && in->src[s].reg == old) in->src[s].reg = fresh;
            for (int s = 0; s < 3; s++)
                if (in->psrc[s].reg == old) in->psrc[s].reg = fresh;
            if (in->guard.reg == old) in->guard.reg = fresh;
            if (in->dst == old) in->dst = fresh;
            for (int s = 0; s < 2; s++)
                if (in->pdst[s] == old) in->pdst[s] = fresh;
        }
}

// The loop gets separate registers, `inner` for those that later code reads, because a lane that
// works for another thread keeps its own values.
static void rename_registers(Diverge *g, int before, int *inner) {
    Ir *ir = g->ir;
    for (int i = 0; i < g->nout; i++) {
        inner[i] = ir_vreg(ir, ir->width[g->out[i]]);
        rename_in_loop(g, g->out[i], inner[i]);
        for (int k = 0; k < g->nstate; k++)
            if (g->state[k] == g->out[i]) {
                assign_reg(ir, before, inner[i], ir_reg(ir, g->out[i]));
                g->state[k] = inner[i];
            }
    }
    for (int i = 0; i < g->nstate; i++) {
        bool done = false;
        for (int k = 0; k < g->nout; k++) done |= inner[k] == g->state[i];
        if (done) continue;
        const int fresh = ir_vreg(ir, ir->width[g->state[i]]);
        assign_reg(ir, before, fresh, ir_reg(ir, g->state[i]));
        rename_in_loop(g, g->state[i], fresh);
        g->state[i] = fresh;
    }
}

static bool written_in_loop(const Diverge *g, int reg) {
    bool written = false;
    for (int b = 0; b < g->nold; b++)
        for (int n = 0; g->in[b] && n < g->ir->blocks[b].ninsts; n++) {
            int defs[3], k = ir_defs(g->ir->blocks[b].insts[n], defs);
            for (int d = 0; d < k; d++) written |= defs[d] == reg;
        }
    return written;
}

static int64_t array_of(Diverge *g, int words) {
    const int64_t size = 4 * words;
    g->bytes = (g->bytes + size - 1) / size * size;
    const int64_t at = g->j->scratch_at + g->bytes;
    g->bytes += size * g->threads;
    return at;
}

// ---- threads that had ended ----

static void keep_ended(Diverge *g) {
    Ir *ir = g->ir;
    for (int b = 0; b < ir->nblocks; b++) {
        if (ir->blocks[b].rpo < 0 || !is_before(g, b)) continue;
        for (int n = 0; n < ir->blocks[b].ninsts; n++) {
            IrInst *in = ir->blocks[b].insts[n];
            if (in->op == ISA_EXIT && g->path.together[b]) continue;
            if (in->op == ISA_EXIT && !ir_is_terminator(in)) {
                IrInst *a = ir_inst(ir, ISA_PLOP3, 0);
                a->mod.lut = ISA_LUT_AND;
                a->psrc[0] = (IrPred){g->own, false};
                a->psrc[1] = (IrPred){in->guard.reg, !in->guard.neg};
                a->pdst[0] = g->own;
                a->mod.ptx_line = in->mod.ptx_line;
                ir->blocks[b].insts[n] = a;
            } else if (in->op == ISA_LD || in->op == ISA_ST || in->op == ISA_ATOM ||
                       in->op == ISA_PREFETCH)
                in->guard = (IrPred){g->own, false};
        }
    }
    IrInst *first = ir_inst(ir, IR_COPY, 1);
    first->dst = g->own;
    first->src[0] = truth_source(true);
    ir_insert(ir, 0, 0, first);
    IrInst *leave = ir_inst(ir, ISA_EXIT, 0);
    leave->guard = (IrPred){g->own, true};
    leave->mod.ptx_line = g->line;
    ir_insert(ir, g->behind, 0, leave);
}

// ---- the loop of the SIMT program: places ----

static IrSrc count_bits(Ir *t, int block, IrSrc of) {
    IrInst *in = thread_op(t, block, ISA_POPC, 1, 1, 0);
    in->src[0] = of;
    return ir_reg(t, in->dst);
}

static IrSrc select_value(Ir *t, int block, IrPred p, IrSrc yes, IrSrc no) {
    IrInst *in = thread_op(t, block, ISA_SEL, 1, 2, 0);
    in->src[0] = yes;
    in->src[1] = no;
    in->psrc[0] = p;
    return ir_reg(t, in->dst);
}

static IrSrc shift_right(Ir *t, int block, IrSrc a, uint32_t by) {
    IrInst *in = thread_op(t, block, ISA_SHR, 1, 2, 0);
    in->src[0] = a;
    in->src[1] = ir_imm(by);
    in->mod.type = ISA_U32;
    return ir_reg(t, in->dst);
}

// ---- the loop of the SIMT program ----

static void redirect_edge(Ir *ir, int from, int old, int to) {
    for (int s = 0; s < ir->blocks[from].nsucc; s++)
        if (ir->blocks[from].succ[s] == old) ir->blocks[from].succ[s] = to;
}

// Threads that ended early load the values that the others loaded.
static void fetch_common(Diverge *g, int start, int head) {
    Ir *ir = g->ir;
    const int give = ir_block(ir), all = ir_block(ir);
    int64_t at = g->fetched_at;
    thread_branch(ir, start, (IrPred){g->own, false}, give, all);
    for (int i = 0; i < g->nfetched; i++) {
        (void)shared_store(ir, give, ir_imm(0), at, ir_reg(ir, g->fetched[i]));
        at += 4 * words_of(ir, g->fetched[i]);
    }
    thread_goto(ir, give, all);
    put_bar(g, ir, all, false);
    at = g->fetched_at;
    for (int i = 0; i < g->nfetched; i++) {
        const int words = words_of(ir, g->fetched[i]);
        assign_reg(ir, all, g->fetched[i], shared_load(ir, all, ir_imm(0), at, words));
        at += 4 * words;
    }
    thread_goto(ir, all, head);
}

static void redirect_loop(Diverge *g, const IrPiece *p) {
    Ir *ir = g->ir;
    for (int b = 0; b < g->nold; b++) {
        if (!g->in[b]) {
            redirect_edge(ir, b, g->header, ir_named(p, "enter"));
            if (g->top != g->header && g->beside[b])
                redirect_edge(ir, b, g->behind, ir_named(p, "pass"));
        } else {
            redirect_edge(ir, b, g->header, ir_named(p, "again"));
            redirect_edge(ir, b, g->behind, ir_named(p, "done"));
        }
    }
}

// Registers of the item with the number in register `of`, in arrays from `at` on.
static void save_registers(Diverge *g, int block, int of, int64_t at, const int *regs, int n) {
    for (int i = 0; i < n; i++) {
        save_register(g->ir, block, ir_reg(g->ir, of), at, regs[i]);
        at += 4 * words_of(g->ir, regs[i]) * g->threads;
    }
}

static void fetch_registers(Diverge *g, int block, int of, int64_t at, const int *regs, int n) {
    for (int i = 0; i < n; i++) {
        fetch_register(g->ir, block, ir_reg(g->ir, of), at, regs[i]);
        at += 4 * words_of(g->ir, regs[i]) * g->threads;
    }
}

// Clears the registers of an ended item: they are useless, and would otherwise block registers for
// new values.
static void clear_state(Diverge *g, int block) {
    for (int i = 0; i < g->nstate; i++) {
        const int reg = g->state[i];
        if (g->changes[i] && !g->once) assign_reg(g->ir, block, reg, zero_of(g->ir->width[reg]));
    }
}

static void take_registers(Diverge *g, int block) {
    rename_registers(g, block, g->inner);
    for (int i = 0; i < g->nstate; i++) g->changes[i] = written_in_loop(g, g->state[i]);
}

static void name_ways(const Diverge *g, IrPiece *p) {
    ir_name(p, "first", ir_named(p, g->once ? "report" : "head"));
    ir_name(p, "ended", ir_named(p, g->once ? "leave" : "meet"));
}

// Holes of diverge.ir.
static void fill_simt(IrPiece *p, void *ctx, const char *hole, int block) {
    Diverge *g = ctx;
#define HOLE(name) !strcmp(hole, name)
    if (HOLE("ways")) name_ways(g, p), redirect_loop(g, p);
    else if (HOLE("me")) ir_name(p, "me", linear_tid(g, block).reg);
    else if (HOLE("rename")) take_registers(g, block);
    else if (HOLE("common")) fetch_common(g, block, ir_named(p, "first"));
    else if (HOLE("clear_state")) clear_state(g, block);
    else if (HOLE("left_is_word")) ir_name(p, "left", ir_named(p, "word"));
    else if (HOLE("save_results"))
        save_registers(g, block, ir_named(p, "item"), g->results, g->inner, g->nout);
    else if (HOLE("save_state"))
        save_registers(g, block, ir_named(p, "item"), g->moved, g->state, g->nstate);
    else if (HOLE("fetch_state"))
        fetch_registers(g, block, ir_named(p, "item"), g->moved, g->state, g->nstate);
    else if (HOLE("fetch_results"))
        fetch_registers(g, block, ir_named(p, "me"), g->results, g->out, g->nout);
    else panic("diverge.ir has a hole %s", hole);
#undef HOLE
}

static void write_simt(Diverge *g) {
    const int barrier = g->cfg->scalar_barrier;
    const IrName names[] = {{"header", g->header},
                            {"behind", g->behind},
                            {"own", g->own},
                            {"had", g->had},
                            {"line", g->line},
                            {"ends", g->ends},
                            {"simt", g->simt},
                            {"scan", g->scan},
                            {"common", g->nfetched},
                            {"array", !g->scan && g->cfg->scalar_compact == COMPACT_ARRAY},
                            {"threads", g->threads},
                            {"every", g->every},
                            {"barrier", barrier},
                            {"stays", stays},
                            {"last_items", LAST_ITEMS},
                            {"left_at", g->count},
                            {"actives", g->actives},
                            {"masks", g->masks},
                            {"bases", g->bases},
                            {"lanemask_lt", PTX_SREG_LANEMASK_LT}};
    IrPiece p = {.ir = g->ir, .fill = fill_simt, .ctx = g};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        ir_name(&p, names[i].name, names[i].value);
    ir_add(&p, TEXT_DIVERGE_SIMT);
    if (g->ir->max_barrier <= barrier) g->ir->max_barrier = barrier + 1;
}

// ---- the thread ----

// Ids of live items to the front, in order. `from`: the number of places in use before.
static int compact_masks(Diverge *g, Ir *t, int block, IrSrc from, int k) {
    const int word = ir_vreg(t, 1), mask = ir_vreg(t, 1);
    const int words = ir_block(t), load = ir_block(t), bits = ir_block(t), bit = ir_block(t),
              next = ir_block(t), end = ir_block(t);
    assign_reg(t, block, word, ir_imm(0));
    thread_goto(t, block, words);
    const IrSrc base = thread_op2(t, words, ISA_SHL, 1, ir_reg(t, word), ir_imm(5));
    thread_branch(t, words, thread_setp(t, words, ISA_LT, ISA_U32, base, from), load, end);
    const IrSrc at = thread_op2(t, load, ISA_SHL, 1, ir_reg(t, word), ir_imm(2));
    assign_reg(t, load, mask, shared_load(t, load, at, g->masks, 1));
    thread_goto(t, load, bits);
    thread_branch(t, bits, thread_setp(t, bits, ISA_NE, ISA_U32, ir_reg(t, mask), ir_imm(0)), bit,
                  next);
    IrSrc minus = ir_reg(t, mask);
    minus.neg = true;
    const IrSrc negative = thread_op2(t, bit, ISA_IADD, 1, minus, ir_imm(0));
    const IrSrc lowest = thread_op2(t, bit, ISA_LOP3, 1, ir_reg(t, mask), negative);
    IrInst *flo = thread_op(t, bit, ISA_FLO, 1, 1, 0);
    flo->src[0] = lowest;
    flo->mod.type = ISA_U32;
    const IrSrc place = thread_op2(t, bit, ISA_IADD, 1, base, ir_reg(t, flo->dst));
    const IrSrc id =
        shared_load(t, bit, thread_op2(t, bit, ISA_SHL, 1, place, ir_imm(2)), g->actives, 1);
    const IrSrc to = thread_op2(t, bit, ISA_SHL, 1, ir_reg(t, k), ir_imm(2));
    (void)shared_store(t, bit, to, g->actives, id);
    assign_reg(t, bit, k, thread_op2(t, bit, ISA_IADD, 1, ir_reg(t, k), ir_imm(1)));
    const IrSrc less = thread_op2(t, bit, ISA_IADD, 1, ir_reg(t, mask), ir_imm(UINT32_MAX));
    assign_reg(t, bit, mask, thread_op2(t, bit, ISA_LOP3, 1, ir_reg(t, mask), less));
    thread_goto(t, bit, bits);
    assign_reg(t, next, word, thread_op2(t, next, ISA_IADD, 1, ir_reg(t, word), ir_imm(1)));
    thread_goto(t, next, words);
    return end;
}

static int compact_array(Diverge *g, Ir *t, int block, IrSrc from, int k) {
    const int i = ir_vreg(t, 1), loop = ir_block(t), load = ir_block(t), keep = ir_block(t),
              next = ir_block(t), end = ir_block(t);
    assign_reg(t, block, i, ir_imm(0));
    thread_goto(t, block, loop);
    thread_branch(t, loop, thread_setp(t, loop, ISA_LT, ISA_U32, ir_reg(t, i), from), load, end);
    const IrSrc at = thread_op2(t, load, ISA_SHL, 1, ir_reg(t, i), ir_imm(2));
    const IrSrc id = shared_load(t, load, at, g->actives, 1);
    thread_branch(t, load, thread_setp(t, load, ISA_GE, ISA_S32, id, ir_imm(0)), keep, next);
    const IrSrc to = thread_op2(t, keep, ISA_SHL, 1, ir_reg(t, k), ir_imm(2));
    (void)shared_store(t, keep, to, g->actives, id);
    assign_reg(t, keep, k, thread_op2(t, keep, ISA_IADD, 1, ir_reg(t, k), ir_imm(1)));
    thread_goto(t, keep, next);
    assign_reg(t, next, i, thread_op2(t, next, ISA_IADD, 1, ir_reg(t, i), ir_imm(1)));
    thread_goto(t, next, loop);
    return end;
}

// Where each warp's items go, and whether moving them frees a warp. Returns the number of items.
static IrSrc add_up(Diverge *g, Ir *t, int block) {
    IrSrc mask[ISA_LANES], sum = ir_imm(0), used = ir_imm(0);
    for (int w = 0; w < g->warps; w++)
        mask[w] = shared_load(t, block, ir_imm(0), g->masks + 4 * w, 1);
    for (int w = 0; w < g->warps; w++) {
        (void)shared_store(t, block, ir_imm(0), g->bases + 4 * w, sum);
        sum = thread_op2(t, block, ISA_IADD, 1, count_bits(t, block, mask[w]), sum);
        const IrPred some = thread_setp(t, block, ISA_NE, ISA_U32, mask[w], ir_imm(0));
        used = thread_op2(t, block, ISA_IADD, 1, select_value(t, block, some, ir_imm(1), ir_imm(0)),
                          used);
    }
    const IrSrc full = shift_right(t, block, thread_op2(t, block, ISA_IADD, 1, sum, ir_imm(31)), 5);
    const IrPred stay = thread_setp(t, block, ISA_GE, ISA_U32, full, used);
    const IrSrc flag = select_value(t, block, stay, ir_imm(stays), ir_imm(0));
    (void)shared_store(t, block, ir_imm(0), g->count, thread_op2(t, block, ISA_IADD, 1, sum, flag));
    return sum;
}

// The next round follows while items are in several warps; an `if` has one round.
static void next_round(const Diverge *g, Ir *t, int block, IrSrc left, int round) {
    if (g->once) thread_goto(t, block, g->behind);
    else
        thread_branch(t, block, thread_setp(t, block, ISA_GT, ISA_U32, left, ir_imm(LAST_ITEMS)),
                      round, g->behind);
}

// The way to the region; it starts in the block that it returns, and leads on from `behind`, or
// ends there.
static int copy_way(Diverge *g) {
    Ir *t = g->j->thread = path_copy(g->ir);
    for (int b = 0; b < g->nold; b++) {
        if (g->in[b]) continue;
        const IrBlock *k = &g->ir->blocks[b];
        const bool leaves = g->top != g->header && b == g->top;
        if (!leads_to(g->ir, b, g->top, -1)) {  // no work left
            thread_put(t, b, ir_inst(t, ISA_EXIT, 0));
            t->blocks[b].nsucc = 0;
            continue;
        }
        path_block(&g->path, t, b, leaves ? k->insts[k->ninsts - 1] : NULL);
        if (leaves) thread_goto(t, b, g->header);
    }
    for (int b = 0; b < g->nold; b++)
        if (g->in[b]) t->blocks[b].nsucc = 0;
    return g->header;
}

static void write_thread(Diverge *g) {
    const int start = copy_way(g);
    Ir *t = g->j->thread;
    const int round = ir_block(t);
    const int fill = g->scan ? 0 : ir_block(t), pad = g->scan ? 0 : ir_block(t),
              report = g->scan ? 0 : ir_block(t);
    const int count = ir_vreg(t, 1), k = ir_vreg(t, 1), place = ir_vreg(t, 1);
    assign_reg(t, start, count, ir_imm((uint32_t)g->threads));
    thread_goto(t, start, round);
    put_bar(g, t, round, true);
    if (g->scan) {
        const IrSrc left = add_up(g, t, round);
        put_bar(g, t, round, true);
        next_round(g, t, round, left, round);
        return;
    }
    assign_reg(t, round, k, ir_imm(0));
    const bool array = g->cfg->scalar_compact == COMPACT_ARRAY;
    const IrSrc from = ir_reg(t, count);
    const int end =
        array ? compact_array(g, t, round, from, k) : compact_masks(g, t, round, from, k);
    assign_reg(t, end, place, ir_reg(t, k));
    thread_goto(t, end, fill);
    thread_branch(t, fill,
                  thread_setp(t, fill, ISA_LT, ISA_U32, ir_reg(t, place), ir_reg(t, count)), pad,
                  report);
    const IrSrc at = thread_op2(t, pad, ISA_SHL, 1, ir_reg(t, place), ir_imm(2));
    (void)shared_store(t, pad, at, g->actives, ir_imm(UINT32_MAX));
    assign_reg(t, pad, place, thread_op2(t, pad, ISA_IADD, 1, ir_reg(t, place), ir_imm(1)));
    thread_goto(t, pad, fill);
    (void)shared_store(t, report, ir_imm(0), g->count, ir_reg(t, k));
    assign_reg(t, report, count, ir_reg(t, k));
    put_bar(g, t, report, true);
    next_round(g, t, report, ir_reg(t, k), round);
}

// ---- the paradigm ----

static bool place_arrays(Diverge *g) {
    int64_t state = 0, result = 0;
    for (int i = 0; i < g->nstate; i++) state += words_of(g->ir, g->state[i]);
    for (int i = 0; i < g->nout; i++) result += words_of(g->ir, g->out[i]);
    if (4 * (state + result + 1) * g->threads > MOST_SCRATCH) return false;
    g->bytes = 0;
    g->actives = array_of(g, 1);
    g->count = g->j->scratch_at + g->bytes;
    g->masks = g->count + 12;
    g->bases = g->masks + 4 * g->warps;
    g->bytes += 12 + 8 * g->warps;
    g->bytes = (g->bytes + 15) / 16 * 16;
    g->moved = g->j->scratch_at + g->bytes;
    g->bytes += 4 * state * g->threads;
    g->bytes = (g->bytes + 15) / 16 * 16;
    g->results = g->j->scratch_at + g->bytes;
    g->bytes += 4 * result * g->threads;
    g->bytes = (g->bytes + 15) / 16 * 16;
    g->fetched_at = g->j->scratch_at + g->bytes;
    for (int i = 0; i < g->nfetched; i++) g->bytes += 4 * words_of(g->ir, g->fetched[i]);
    return true;
}

// Sorts wide registers first, so that arrays are aligned for any number of threads.
static void sort_by_width(const Ir *ir, int *regs, int n) {
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && words_of(ir, regs[k]) > words_of(ir, regs[k - 1]); k--) {
            const int r = regs[k];
            regs[k] = regs[k - 1];
            regs[k - 1] = r;
        }
}

// Coordinates of threads that are read in the region are read before it.
static void hoist_tid(Diverge *g) {
    Ir *ir = g->ir;
    const int to = ir->blocks[g->header].idom;
    for (int i = 0; i < ir->norder; i++) {
        IrBlock *k = &ir->blocks[ir->order[i]];
        int kept = 0;
        for (int n = 0; g->in[ir->order[i]] && n < k->ninsts; n++) {
            if (reads_tid(k->insts[n]))
                ir_insert(ir, to, ir_terminator(&ir->blocks[to]), k->insts[n]);
            else k->insts[kept++] = k->insts[n];
        }
        if (g->in[ir->order[i]]) k->ninsts = kept;
    }
}

static void transform_region(Diverge *g) {
    const int old_blocks = g->ir->nblocks;
    hoist_tid(g);
    ssa_destruct(g->ir);
    bool *in = ARENA_ARRAY(&g->arena, bool, g->ir->nblocks + 1);
    memcpy(in, g->in, sizeof *in * (size_t)old_blocks);
    for (int k = old_blocks; k < g->ir->nblocks; k++) in[k] = in[g->ir->blocks[k].pred[0]];
    g->in = in;
    path_grow(&g->path, old_blocks, &g->arena);
    g->had = ir_vreg(g->ir, 0);
    // blocks of the branch `top` outside the loop: their edges to the block after it bypass the
    // loop
    g->nold = g->ir->nblocks;
    g->beside = ARENA_ARRAY(&g->arena, bool, g->nold + 1);
    for (int k = 0; k < g->nold; k++)
        g->beside[k] =
            !in[k] && cfg_dominates(g->ir, g->top, k) && !cfg_dominates(g->ir, g->behind, k);
    if (g->ends) {
        g->own = ir_vreg(g->ir, 0);
        keep_ended(g);
        cfg_analyze(g->ir);
    }
    const bool ok = find_state(g);
    sort_by_width(g->ir, g->state, g->nstate);
    sort_by_width(g->ir, g->out, g->nout);
    sort_by_width(g->ir, g->fetched, g->nfetched);
    panic_if(!ok || !place_arrays(g), "%s: more state than was counted", g->ir->name);
    if (!g->simt) write_thread(g);
    write_simt(g);
}

static bool is_divergent(const Diverge *g, const Loop *l) {
    for (int b = 0; b < g->ir->nblocks; b++) {
        if (!l->in[b] || g->ir->blocks[b].rpo < 0) continue;
        bool leaves = false;
        for (int s = 0; s < g->ir->blocks[b].nsucc; s++) leaves |= !l->in[g->ir->blocks[b].succ[s]];
        if (leaves && g->v.branch[b] != CTA_AFFINE) return true;
    }
    return false;
}

// The PTX line of the loop: line of its back edge, otherwise of its first instruction.
static int line_of(const Diverge *g, const Loop *l) {
    const IrBlock *k = &g->ir->blocks[l->latch >= 0 ? l->latch : l->header];
    for (int n = k->ninsts - 1; n >= 0; n--)
        if (k->insts[n]->mod.ptx_line) return k->insts[n]->mod.ptx_line;
    return 0;
}

// A loop that threads leave at different times, or a side of a divergent branch that leaves no
// loop.
typedef struct Candidate {
    bool once;
    int line;
    const Loop *body;
    int block, cost;  // of a side: block of the branch, its issue slots
} Candidate;

// The heavier side of the branch at the end of block b that the branch alone leads into.
static const char *take_side(Diverge *g, int b, Candidate *c) {
    const Ir *ir = g->ir;
    const IrBlock *k = &ir->blocks[b];
    *c = (Candidate){
        .once = true, .line = k->insts[k->ninsts - 1]->mod.ptx_line, .block = b, .cost = -1};
    if (k->ipdom < 0) return "threads end in it";
    g->behind = k->ipdom;
    for (int i = 0; i < 2; i++) {
        const int around = g->v.loop_of[b];
        g->header = k->succ[i];
        if (g->header == k->ipdom || ir->blocks[g->header].npred != 1) continue;
        take_region(g);
        Loop *l = ARENA_NEW(&g->arena, Loop);
        *l = (Loop){.header = g->header, .latch = -1, .parent = around, .in = g->in};
        l->depth = around < 0 ? 0 : g->v.loop[around].depth;
        g->body = l;
        const int cost = diverge_cost(g);
        if (cost > c->cost) c->cost = cost, c->body = l;
    }
    return c->body ? NULL : "it has other entries";
}

static int by_cost(const void *x, const void *y) {
    const Candidate *a = x, *b = y;
    if (a->cost != b->cost) return (a->cost < b->cost) - (a->cost > b->cost);
    return (a->block > b->block) - (a->block < b->block);
}

static bool leaves_loop(const Diverge *g, int b) {
    const int loop = g->v.loop_of[b];
    for (int s = 0; loop >= 0 && s < g->ir->blocks[b].nsucc; s++)
        if (!g->v.loop[loop].in[g->ir->blocks[b].succ[s]]) return true;
    return false;
}

// Loops, then sides, the heaviest first.
static const Candidate *find_candidates(Diverge *g, int *n) {
    const Ir *ir = g->ir;
    Candidate *c = ARENA_ARRAY(&g->arena, Candidate, g->v.nloops + ir->nblocks + 1);
    *n = 0;
    for (int k = 0; k < g->v.nloops; k++)
        if (is_divergent(g, &g->v.loop[k]))
            c[(*n)++] = (Candidate){.line = line_of(g, &g->v.loop[k]), .body = &g->v.loop[k]};
    const int loops = *n;
    for (int i = 0; i < ir->norder; i++) {
        const int b = ir->order[i];
        if (ir->blocks[b].nsucc != 2 || leaves_loop(g, b) || g->v.branch[b] == CTA_AFFINE) continue;
        const char *why = take_side(g, b, &c[*n]);
        if (why) scalar_refuse(g->j, c[*n].line, "if: %s", why);
        else (*n)++;
    }
    qsort(c + loops, (size_t)(*n - loops), sizeof *c, by_cost);
    return c;
}

static const char *check_if(Diverge *g, const Candidate *c, int *line) {
    g->body = c->body;
    g->in = c->body->in;
    g->header = c->body->header;
    g->top = c->block;
    g->behind = g->ir->blocks[c->block].ipdom;
    return check_region(g, line);
}

// ---- choice ----

static void report_done(Diverge *g) {
    ScalarJob *j = g->j;
    const char *what = g->once ? "if" : "loop";
    scalar_done(j, g->line,
                "%s: items of %d registers, %d returned to their owner, %d loaded by all threads",
                what, g->nstate, g->nout, g->nfetched);
    j->changed = true;
    j->scratch = g->bytes;
    j->summary =
        arena_printf(j->ir->arena,
                     "divergence%s: the %s of line %d, items of %d registers, %d bytes of "
                     "shared memory, regrouped %s",
                     g->simt ? " without a unit" : "", what, g->line, g->nstate, (int)g->bytes,
                     g->once ? "once"
                             : arena_printf(j->ir->arena, "every %d iteration%s", g->every,
                                            g->every == 1 ? "" : "s"));
}

static const char *check_candidate(Diverge *g, const Candidate *c, int *line) {
    g->once = c->once;
    g->ends = false;
    *line = g->line;
    return c->once ? check_if(g, c, line) : check_loop(g, c->body, line);
}

// Transforms the first possible loop, otherwise the `if` with the most instructions.
static bool transform_first(Diverge *g) {
    int n, done = -1;
    const Candidate *c = find_candidates(g, &n);
    for (int i = 0; i < n; i++) {
        const char *const what = c[i].once ? "if" : "loop", *why;
        int line;
        g->line = c[i].line;
        if (done >= 0)
            scalar_refuse(g->j, g->line, "%s: the %s of line %d is transformed", what,
                          c[done].once ? "if" : "loop", c[done].line);
        else if ((why = check_candidate(g, &c[i], &line)))
            scalar_refuse(g->j, g->line, "%s: %s (line %d)", what, why, line);
        else {
            done = i;
            transform_region(g);
            report_done(g);
        }
    }
    return done >= 0;
}

bool scalar_diverge(ScalarJob *j) {
    Diverge g = {.j = j, .cfg = j->o->cfg, .ir = j->ir, .known = j->ir->nvregs};
    const uint32_t *n = j->o->block;
    if (!n[0] || !n[1] || !n[2]) {
        scalar_refuse(j, 0, "the dimensions of a CTA are unknown");
        return false;
    }
    g.threads = (int)(n[0] * n[1] * n[2]);
    g.warps = (g.threads + ISA_LANES - 1) / ISA_LANES;
    if (g.warps == 1 || g.warps > ISA_LANES) {
        scalar_refuse(j, 0, "a CTA has %d warp%s: nothing to regroup", g.warps,
                      g.warps == 1 ? "" : "s");
        return false;
    }
    g.simt = g.cfg->scalar_helper == HELPER_SIMT;
    g.scan = g.simt || g.cfg->scalar_compact == COMPACT_SCAN;
    for (int b = 0; b < j->ir->nblocks; b++)
        for (int i = 0; i < j->ir->blocks[b].ninsts; i++) {
            const IrInst *in = j->ir->blocks[b].insts[i];
            if (in->op != ISA_S2R || in->mod.sreg != PTX_SREG_TOTAL_SMEM_SIZE) continue;
            scalar_refuse(j, in->mod.ptx_line, "the kernel reads the size of its shared memory");
            return false;
        }
    cta_values(&g.v, j->ir, j->o->block, &g.arena);
    const bool done = transform_first(&g);
    arena_free(&g.arena);
    return done;
}
