// SPDX-License-Identifier: Apache-2.0
// The barriers k = 1 before and after a body, and their transfers through shared memory.
//
// requires  bodies found on SSA form; then the SIMT program out of SSA form
//
// provides  these parts in place of a body in the SIMT program.
//           Live-ins to shared memory by thread K and the first barrier, as early as possible.
//           The second barrier and live-outs back to thread K, as late as possible.
//
// The first barrier starts the body in the scalar thread. This barrier moves up to the last live-in
// and to the last access that the body must not overtake. If no instruction remains before it, the
// thread starts with the CTA, without a barrier. The second barrier reports the end of the body to
// the warps. This barrier moves down to the first reader of a live-out and to the first access that
// must not overtake the body. Only their space distinguishes accesses.
//
// Limits of moving a barrier:
//   * It does not pass a fence, an ordered access or an atomic.
//   * It does not pass a barrier of fewer than all warps, or another body.
//   * A barrier does not leave or enter a loop, but may pass whole loops and branches.
//   * A barrier stays in blocks that all warps execute if they execute the body.
//   * A barrier of the kernel next to it is merged with it. The barrier passes that barrier instead
//     if the body then overlaps with at least as much work as a barrier costs.
#include "compile/scalar/extract.h"
#include "ptx/ptx.h"

#include <string.h>

// instructions that a memory access counts as, because a body may overlap with its latency
enum { ACCESS = 20 };

static bool plain_bar(const IrInst *in) {
    return in->op == ISA_BAR && in->mod.mode == ISA_BAR_SYNC && !in->mod.with_scalar &&
        in->nsrc == 1;
}

// ---- what may be passed ----

typedef struct Walk {
    Extract *e;
    Body *b;
    Spaces body;
    bool down;  // the second barrier, which moves down
    int work;   // passed so far
    // work up to the first barrier of the kernel's own that was passed, -1: none
    int at_bar;
    int bar_block;  // the place before it
    const IrInst *bar_place;
} Walk;

static bool reads_one(const IrInst *in, const int *regs, int n) {
    if (in->op == IR_PHI) {
        for (int s = 0; s < in->nsrc; s++)
            for (int i = 0; i < n; i++)
                if (in->src[s].kind == ISA_SRC_REG && in->src[s].reg == regs[i]) return true;
        return false;
    }
    IR_FOR_USES(in, r)
        for (int i = 0; i < n; i++)
            if (regs[i] == r) return true;
    return false;
}

static bool writes_one(const IrInst *in, const Body *b) {
    int defs[3], k = ir_defs(in, defs);
    for (int d = 0; d < k && b->nins; d++) {
        if (defs[d] == b->is_k.reg) return true;
        for (int i = 0; i < b->nins; i++)
            if (b->ins[i] == defs[d]) return true;
    }
    return false;
}

static bool orders_memory(const IrInst *in) {
    switch (in->op) {
    case ISA_MEMBAR:
    case ISA_TRAP:
    case ISA_SYSCALL:
    case ISA_NANOSLEEP:
    case ISA_ATOM: return true;
    case ISA_BAR: return !plain_bar(in);
    case ISA_LD:
    case ISA_ST: return in->mod.ordered || in->mod.cache == ISA_CACHE_VOLATILE;
    default: return false;
    }
}

// Another body begins here, or its barrier is in front of this instruction.
static bool meets_another(const Walk *w, const IrInst *in) {
    for (int i = 0; i < w->e->nbodies; i++) {
        const Body *o = &w->e->body[i];
        if (o != w->b && (o->mark == in || (o->start == in && !o->no_start))) return true;
    }
    return false;
}

static bool stops_walk(const Walk *w, const IrInst *in) {
    Spaces s = {0};
    if (orders_memory(in) || meets_another(w, in)) return true;
    extract_accesses(in, &s);
    if (in->op == ISA_TEX) s.reads |= 1;
    if ((s.writes & (w->body.reads | w->body.writes)) || (s.reads & w->body.writes)) return true;
    return w->down ? reads_one(in, w->b->outs, w->b->nouts) : writes_one(in, w->b);
}

static void count_passed(Walk *w, const IrInst *in, int block) {
    const int n = ir_is_memory(in) ? ACCESS : 1;
    w->work +=
        in->op == IR_PHI ? 0 : n * extract_weight(w->e, block) / extract_weight(w->e, w->b->block);
}

// All blocks between `top` and `bottom`, where one block dominates and the other postdominates
// them. False: one of them blocks the move.
static bool passes_between(Walk *w, int top, int bottom) {
    const Ir *ir = w->e->ir;
    bool *seen = ARENA_ARRAY(&w->e->arena, bool, ir->nblocks + 1);
    seen[bottom] = true;
    for (int s = 0; s < ir->blocks[top].nsucc; s++)
        extract_reach(ir, ir->blocks[top].succ[s], seen);
    if (seen[top]) return false;
    Walk after = *w;
    for (int i = 0; i < ir->norder; i++) {
        const int k = ir->order[i];
        if (!seen[k] || k == bottom || !cfg_dominates(ir, top, k) || cfg_dominates(ir, bottom, k))
            continue;
        for (int n = 0; n < ir->blocks[k].ninsts; n++) {
            const IrInst *in = ir->blocks[k].insts[n];
            if (stops_walk(&after, in) || in->op == ISA_BAR || in->op == ISA_EXIT) return false;
            count_passed(&after, in, k);
        }
    }
    w->work = after.work;
    return true;
}

static bool block_postdominates(const Ir *ir, int low, int high) {
    while (high >= 0 && high != low) high = ir->blocks[high].ipdom;
    return high == low;
}

static void note_bar(Walk *w, const IrInst *in, int block, const IrInst *place) {
    if (!plain_bar(in) || w->at_bar >= 0) return;
    w->at_bar = w->work;
    w->bar_block = block;
    w->bar_place = place;
}

// ---- the first barrier ----

static void hoist_start(Walk *w) {
    const Extract *e = w->e;
    const Ir *ir = e->ir;
    Body *b = w->b;
    int cur = b->block, at = block_index_of(ir, cur, b->mark);
    for (;;) {
        const IrBlock *k = &ir->blocks[cur];
        for (; at > 0 && k->insts[at - 1]->op != IR_PHI && !stops_walk(w, k->insts[at - 1]); at--) {
            note_bar(w, k->insts[at - 1], cur, at < k->ninsts ? k->insts[at] : b->start);
            count_passed(w, k->insts[at - 1], cur);
        }
        // otherwise unchanged: a barrier requires an instruction at its position
        if (at < k->ninsts) b->start = k->insts[at];
        if (at > 0 && k->insts[at - 1]->op != IR_PHI) break;
        int up = k->idom;
        if (up < 0) {
            b->no_start = !b->nins && !k->npred;
            break;
        }
        // a whole loop between
        while (up >= 0 && e->v.loop_of[up] != e->v.loop_of[cur]) up = ir->blocks[up].idom;
        if (up < 0 || !block_postdominates(ir, cur, up) || !passes_between(w, up, cur)) break;
        at = ir_terminator(&ir->blocks[up]);
        if (at < ir->blocks[up].ninsts && stops_walk(w, ir->blocks[up].insts[at])) break;
        cur = up;
    }
    b->early = w->work;
    if (b->no_start || w->at_bar < 0 || w->work - w->at_bar > BARRIER) return;
    b->start = w->bar_place;
    b->early = w->at_bar;
}

// ---- the second barrier ----

// The next block that all unfinished warps reach.
static int next_block(const Extract *e, int cur) {
    const Ir *ir = e->ir;
    int down = ir->blocks[cur].ipdom;
    while (down >= 0 && e->v.loop_of[down] != e->v.loop_of[cur]) down = ir->blocks[down].ipdom;
    return down >= 0 && cfg_dominates(ir, cur, down) ? down : -1;
}

static int phis_of(const IrBlock *k) {
    int n = 0;
    while (n < k->ninsts && k->insts[n]->op == IR_PHI) n++;
    return n;
}

static void sink_wait(Walk *w) {
    const Ir *ir = w->e->ir;
    Body *b = w->b;
    int cur = b->join, at = phis_of(&ir->blocks[cur]);
    for (;;) {
        const IrBlock *k = &ir->blocks[cur];
        const int end = ir_terminator(k);
        for (; at < end && !stops_walk(w, k->insts[at]); at++) {
            note_bar(w, k->insts[at], cur, at > phis_of(k) ? k->insts[at - 1] : NULL);
            count_passed(w, k->insts[at], cur);
        }
        b->wait_block = cur;
        b->wait = at > phis_of(k) ? k->insts[at - 1] : NULL;
        if (at < end || (end < k->ninsts && stops_walk(w, k->insts[end]))) break;
        const int down = next_block(w->e, cur);
        if (down < 0 || !passes_between(w, cur, down)) break;
        at = phis_of(&ir->blocks[down]);
        bool used = false;
        for (int n = 0; n < at; n++)
            used |= reads_one(ir->blocks[down].insts[n], b->outs, b->nouts);
        if (used) break;
        cur = down;
    }
    b->late = w->work;
    if (w->at_bar >= 0 && w->work - w->at_bar <= BARRIER) {
        b->wait_block = w->bar_block;
        b->wait = w->bar_place;
        b->late = w->at_bar;
    }
    b->wait_phis = phis_of(&ir->blocks[b->wait_block]);
}

static Spaces body_spaces(const Extract *e, const Body *b, bool *is_ordered) {
    Spaces s = {0};
    for (int i = 0; i < e->ir->norder; i++) {
        const int k = e->ir->order[i];
        for (int n = 0; n < e->ir->blocks[k].ninsts; n++) {
            const IrInst *in = e->ir->blocks[k].insts[n];
            if (!extract_inside(e, b, in, k)) continue;
            extract_accesses(in, &s);
            *is_ordered |= orders_memory(in);
        }
    }
    return s;
}

static void as_written(Extract *e, Body *b) {
    b->start = b->mark;
    b->wait_block = b->join;
    if (b->join < 0) return;
    b->wait_phis = phis_of(&e->ir->blocks[b->join]);
    b->waits_at_once =
        !cfg_dominates(e->ir, b->block, b->join) || e->v.loop_of[b->block] != e->v.loop_of[b->join];
}

void extract_place_bars(Extract *e) {
    for (int i = 0; i < e->nbodies; i++) as_written(e, &e->body[i]);
    for (int down = 0; e->j->o->cfg->scalar_hoist && down < 2; down++)
        for (int i = 0; i < e->nbodies; i++) {
            Body *b = &e->body[i];
            bool is_ordered = false;
            Walk w = {
                .e = e, .b = b, .body = body_spaces(e, b, &is_ordered), .down = down, .at_bar = -1};
            if (is_ordered) continue;
            if (!down) hoist_start(&w);
            else if (b->second && !b->waits_at_once) sink_wait(&w);
        }
}

int extract_bars(const Body *b) { return !b->no_start + b->second; }

// ---- transfers through shared memory ----

void extract_store(Ir *t, int block, int *pos, int reg, int64_t at, IrPred guard) {
    IrSrc value = ir_reg(t, reg);
    if (!t->width[reg]) {
        IrInst *word = ir_inst(t, ISA_P2R, 1);
        word->src[0] = ir_imm(1);
        word->psrc[0] = (IrPred){reg, false};
        word->dst = ir_vreg(t, 1);
        value = ir_reg(t, word->dst);
        ir_insert(t, block, (*pos)++, word);
    }
    IrInst *st = ir_inst(t, ISA_ST, 2);
    st->src[0] = ir_imm(0);
    st->src[1] = value;
    st->guard = guard;
    st->mod.space = ISA_SHARED;
    st->mod.mem_bytes = (uint8_t)(4 * value.width);
    st->mod.offset = (int32_t)at;
    ir_insert(t, block, (*pos)++, st);
}

void extract_load(Ir *t, int block, int *pos, int reg, int64_t at) {
    IrInst *ld = ir_inst(t, ISA_LD, 1);
    const int width = t->width[reg];
    ld->src[0] = ir_imm(0);
    ld->dst = width ? reg : ir_vreg(t, 1);
    ld->mod.space = ISA_SHARED;
    ld->mod.type = width == 2 ? ISA_U64 : ISA_U32;
    ld->mod.mem_bytes = (uint8_t)(width ? 4 * width : 4);
    ld->mod.offset = (int32_t)at;
    ir_insert(t, block, (*pos)++, ld);
    if (width) return;
    IrInst *p = ir_inst(t, ISA_ISETP, 2);
    p->src[0] = ir_reg(t, ld->dst);
    p->src[1] = ir_imm(0);
    p->mod.cmp = ISA_NE;
    p->mod.type = ISA_U32;
    p->pdst[0] = reg;
    ir_insert(t, block, (*pos)++, p);
}

void extract_bar(Ir *t, int block, int *pos, const Extract *e) {
    ir_insert(t, block, (*pos)++, thread_bar(t, e->j->o->cfg->scalar_barrier));
}

// ---- the SIMT program ----

static void remove_at(IrBlock *k, int at) {
    memmove(k->insts + at, k->insts + at + 1, sizeof *k->insts * (size_t)(k->ninsts - 1 - at));
    k->ninsts--;
}

// Was a position beside this instruction chosen for one of the barriers?
static bool is_place(const Extract *e, const IrInst *in) {
    for (int i = 0; i < e->nbodies; i++)
        if (e->body[i].start == in || e->body[i].wait == in) return true;
    return false;
}

// Merges a barrier of the warps alone right before position `pos` with the barrier k = 1 there.
static void merge_before(const Extract *e, IrBlock *k, int *pos) {
    for (int i = *pos - 1; i >= 0; i--) {
        if (plain_bar(k->insts[i]) && !is_place(e, k->insts[i])) {
            remove_at(k, i);
            (*pos)--;
            return;
        }
        if (ir_is_memory(k->insts[i]) || !ir_is_pure(k->insts[i])) return;
    }
}

// Merges such a barrier right after it.
static void merge_behind(const Extract *e, IrBlock *k, int pos) {
    for (int i = pos; i < k->ninsts; i++) {
        if (plain_bar(k->insts[i]) && !is_place(e, k->insts[i])) {
            remove_at(k, i);
            return;
        }
        if (ir_is_memory(k->insts[i]) || !ir_is_pure(k->insts[i])) return;
    }
}

// The block of the instruction after blocks were cut.
static int block_of(const Ir *ir, const IrInst *in) {
    for (int b = 0; b < ir->nblocks; b++)
        for (int i = 0; i < ir->blocks[b].ninsts; i++)
            if (ir->blocks[b].insts[i] == in) return b;
    panic("an instruction at a barrier has been removed");
}

static void put_loads(Ir *ir, int block, const Body *b, const int *regs, const int64_t *at_out) {
    int pos = 0;
    for (int i = 0; i < b->nouts; i++) extract_load(ir, block, &pos, regs[i], at_out[i]);
}

// The second barrier, after which thread K loads the body's results.
static void put_wait(Extract *e, Ir *ir, const Body *b, const int64_t *at_out) {
    const int block = b->wait ? block_of(ir, b->wait) : b->wait_block;
    int pos = b->wait ? block_index_of(ir, block, b->wait) + 1 : b->wait_phis;
    if (!b->nouts) merge_behind(e, &ir->blocks[block], pos);
    extract_bar(ir, block, &pos, e);
    if (!b->nouts) return;
    const int rest = thread_cut(ir, block, pos), fetch = ir_block(ir);
    thread_branch(ir, block, b->is_k, fetch, rest);
    put_loads(ir, fetch, b, b->outs, at_out);
    thread_goto(ir, fetch, rest);
}

// Inserts the second barrier on the branch of the body.
static void wait_at_once(Extract *e, Ir *ir, const Body *b, int block, const int64_t *at_out,
                         const int *out_reg) {
    int pos = ir->blocks[block].ninsts - 1;
    extract_bar(ir, block, &pos, e);
    ir->blocks[b->first].ninsts = 0;
    put_loads(ir, b->first, b, out_reg, at_out);
    ir_set_succ(ir, b->first, 1, &b->join);
}

void extract_rewrite_simt(Extract *e, Ir *ir, const Body *b, const int64_t *at_in,
                          const int64_t *at_out, const int *out_reg) {
    if (!b->no_start) {
        const int start = block_of(ir, b->start);
        int pos = block_index_of(ir, start, b->start);
        if (!b->nins) merge_before(e, &ir->blocks[start], &pos);
        for (int i = 0; i < b->nins; i++)
            extract_store(ir, start, &pos, b->ins[i], at_in[i], b->is_k);
        extract_bar(ir, start, &pos, e);
    }
    const int block = block_of(ir, b->mark);
    IrBlock *k = &ir->blocks[block];
    if (b->at >= 0) {
        IrInst *exit = ir_inst(ir, ISA_EXIT, 0);
        const int pos = block_index_of(ir, block, b->mark);
        exit->mod.ptx_line = b->line;
        k->insts[pos] = exit;
        k->ninsts = pos + 1;
        k->nsucc = 0;
        return;
    }
    if (b->second && b->waits_at_once) {
        wait_at_once(e, ir, b, block, at_out, out_reg);
        return;
    }
    // all threads go the way around the body
    const int around = k->succ[k->succ[0] == b->first];
    k->ninsts--;
    ir_set_succ(ir, block, 1, &around);
    if (b->second) put_wait(e, ir, b, at_out);
}
