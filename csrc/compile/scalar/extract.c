// SPDX-License-Identifier: Apache-2.0
// Scalar extraction: the scalar thread executes `if (tid == K)` bodies instead of one lane of a
// warp (paper, section IV.C).
//
// requires  SSA of the SIMT program
//
// provides  two programs.
//           In the SIMT program, thread K stores a body's live-ins to shared memory before bar
//           k = 1.
//           If later code needs the body's results, a second bar k = 1 follows, and thread K loads
//           the live-outs (extract_bars.c).
//           The scalar program is a copy that runs as thread K. The scalar program contains the
//           control flow around the bodies, the live-ins that it can compute, and the bodies.
//
// Conditions for moving a body:
//   * Its condition selects exactly one thread.
//   * All unfinished warps of the CTA pass it equally often.
//   * The body does not read other lanes, wait for warps, or use data that is private to a thread.
//   * The scalar thread can compute whether thread K has ended. If so, the body is skipped and the
//     barriers are not.
// Uniform operations (uniform_ops.c) move instead if they save more. With scalar.extract:
// profitable, the warp instructions of the bodies and their branches must exceed those added by
// barriers and transfers.
#include "compile/scalar/extract.h"
#include "ptx/ptx.h"

#include <string.h>

// ---- the program ----

void extract_accesses(const IrInst *in, Spaces *s) {
    const int space = in->mod.space == ISA_SHARED ? 2 : in->mod.space == ISA_GLOBAL ? 1 : 3;
    if (in->op == ISA_LD && !in->mod.readonly && in->mod.space != ISA_LOCAL) s->reads |= space;
    if (in->op == ISA_ST && in->mod.space != ISA_LOCAL) s->writes |= space;
    if (in->op == ISA_ATOM) s->reads |= space, s->writes |= space;
    if (in->op == ISA_SYSCALL) s->reads |= 3, s->writes |= 3;
}

int extract_weight(const Extract *e, int block) {
    int w = 1;
    for (int l = e->v.loop_of[block]; l >= 0 && w < 1000; l = e->v.loop[l].parent) w *= LOOP_WEIGHT;
    return w;
}

void extract_reach(const Ir *ir, int from, bool *seen) {
    int n = 0, *work = ARENA_ARRAY(ir->arena, int, ir->nblocks + 1);
    if (!seen[from]) seen[work[n++] = from] = true;
    while (n) {
        const IrBlock *k = &ir->blocks[work[--n]];
        for (int s = 0; s < k->nsucc; s++)
            if (!seen[k->succ[s]]) seen[work[n++] = k->succ[s]] = true;
    }
}

bool extract_inside(const Extract *e, const Body *b, const IrInst *in, int block) {
    return b->in[block] ||
        (b->at >= 0 && block == b->block && block_index_of(e->ir, block, in) > b->at);
}

// ---- the condition ----

// A value known at compile time: immediates and values that the launch fixes.
static bool known_value(const Extract *e, const IrSrc *s, int64_t *value) {
    if (s->kind == ISA_SRC_IMM) {
        *value = (int32_t)s->imm;
        return true;
    }
    if (s->kind != ISA_SRC_REG || !e->v.def[s->reg]) return false;
    const IrInst *in = e->v.def[s->reg];
    int64_t a, b;
    const int dim = in->mod.sreg - PTX_SREG_NTID_X;
    switch (in->op) {
    case ISA_S2R:
        if (dim < 0 || dim > 2 || !e->v.block[dim]) return false;
        *value = e->v.block[dim];
        return true;
    case ISA_IADD:
        if (in->mod.has_cin || !known_value(e, &in->src[0], &a) || !known_value(e, &in->src[1], &b))
            return false;
        *value = (in->src[0].neg ? -a : a) + (in->src[1].neg ? -b : b);
        return true;
    default: return false;
    }
}

// Adds tid.d == K of one comparison to `k`; both zero for the union of two coordinates' bits.
static bool match_tid(const Extract *e, const IrSrc *a, int64_t value, int64_t k[3]) {
    const IrInst *in = a->kind == ISA_SRC_REG && !a->neg ? e->v.def[a->reg] : NULL;
    if (!in) return false;
    if (in->op == ISA_S2R) {
        const int dim = in->mod.sreg - PTX_SREG_TID_X;
        if (dim < 0 || dim > 2 || (k[dim] >= 0 && k[dim] != value)) return false;
        k[dim] = value;
        return true;
    }
    if (in->op != ISA_LOP3 || in->mod.lut != ISA_LUT_OR || value != 0) return false;
    return match_tid(e, &in->src[0], 0, k) && match_tid(e, &in->src[1], 0, k);
}

// Is `p` true exactly for the threads with tid == k? Conjunctions of equalities.
static bool selects_thread(const Extract *e, IrPred p, int64_t k[3], int depth) {
    const IrInst *in = p.reg == IR_PT ? NULL : e->v.def[p.reg];
    if (!in || depth > 4 || in->guard.reg != IR_PT) return false;
    if (in->op == IR_COPY && in->src[0].kind == ISA_SRC_REG)
        return selects_thread(e, (IrPred){in->src[0].reg, p.neg != in->src[0].neg}, k, depth + 1);
    if (in->op == ISA_PLOP3 && in->mod.lut == ISA_LUT_AND && p.reg == in->pdst[0] && !p.neg)
        return selects_thread(e, in->psrc[0], k, depth + 1) &&
            selects_thread(e, in->psrc[1], k, depth + 1);
    if (in->op == ISA_PLOP3 && in->mod.lut == ISA_LUT_OR && p.reg == in->pdst[0] && p.neg) {
        const IrPred a = {in->psrc[0].reg, !in->psrc[0].neg},
                     b = {in->psrc[1].reg, !in->psrc[1].neg};
        return selects_thread(e, a, k, depth + 1) && selects_thread(e, b, k, depth + 1);
    }
    if (in->op != ISA_ISETP || in->mod.mode || p.reg != in->pdst[0]) return false;
    IrPred more = in->psrc[0];
    const bool alone = more.reg == IR_PT && !more.neg;
    if (in->mod.cmp != (p.neg ? ISA_NE : ISA_EQ)) return false;
    if (p.neg) more.neg = !more.neg;
    if (!alone && in->mod.boolop != (p.neg ? ISA_OR : ISA_AND)) return false;
    int64_t value;
    for (int s = 0; s < 2; s++)
        if (known_value(e, &in->src[1 - s], &value) && match_tid(e, &in->src[s], value, k))
            return alone || selects_thread(e, more, k, depth + 1);
    return false;
}

// Is `p` false for all other threads? Conjunctions with such equalities; `exact`: without other
// conditions.
static void implies_thread(const Extract *e, IrPred p, int64_t k[3], bool *exact, int depth) {
    int64_t now[3];
    memcpy(now, k, sizeof now);
    if (selects_thread(e, p, now, depth)) {
        memcpy(k, now, sizeof now);
        return;
    }
    const IrInst *in = p.reg == IR_PT ? NULL : e->v.def[p.reg];
    *exact = false;
    if (!in || depth > 4 || in->guard.reg != IR_PT || p.reg != in->pdst[0]) return;
    if (in->op == ISA_PLOP3 && in->psrc[2].reg == IR_PT &&
        in->mod.lut == (p.neg ? ISA_LUT_OR : ISA_LUT_AND)) {
        implies_thread(e, (IrPred){in->psrc[0].reg, in->psrc[0].neg != p.neg}, k, exact, depth + 1);
        implies_thread(e, (IrPred){in->psrc[1].reg, in->psrc[1].neg != p.neg}, k, exact, depth + 1);
    }
    if (in->op != ISA_ISETP || in->mod.mode || in->psrc[0].reg == IR_PT ||
        in->mod.boolop != (p.neg ? ISA_OR : ISA_AND))
        return;
    implies_thread(e, (IrPred){in->psrc[0].reg, in->psrc[0].neg != p.neg}, k, exact, depth + 1);
    int64_t value;
    for (int s = 0; s < 2 && in->mod.cmp == (p.neg ? ISA_NE : ISA_EQ); s++) {
        memcpy(now, k, sizeof now);
        if (known_value(e, &in->src[1 - s], &value) && match_tid(e, &in->src[s], value, now))
            memcpy(k, now, sizeof now);
    }
}

// A thread is named in it.
static bool names_one(const Extract *e, IrPred p, int64_t k[3], bool *exact) {
    *exact = true;
    implies_thread(e, p, k, exact, 0);
    return *exact || k[0] >= 0 || k[1] >= 0 || k[2] >= 0;
}

static bool looks_like_one(const Extract *e, IrPred p) {
    int64_t k[3] = {-1, -1, -1};
    bool exact;
    return names_one(e, p, k, &exact);
}

// ---- what may move ----

// Instructions of the body: calls f for each until it returns a reason.
typedef const char *Visit(Extract *e, Body *b, const IrInst *in, int block);
static const char *visit_body(Extract *e, Body *b, Visit *f, int *line) {
    for (int i = 0; i < e->ir->norder; i++) {
        const int k = e->ir->order[i];
        if (!b->in[k] && !(b->at >= 0 && k == b->block)) continue;
        const IrBlock *blk = &e->ir->blocks[k];
        for (int n = b->in[k] ? 0 : b->at + 1; n < blk->ninsts; n++) {
            const char *why = f(e, b, blk->insts[n], k);
            if (!why) continue;
            *line = blk->insts[n]->mod.ptx_line ? blk->insts[n]->mod.ptx_line : b->line;
            return why;
        }
    }
    return NULL;
}

static const char *check_inst(Extract *e, Body *b, const IrInst *in, int block) {
    if (in->op == ISA_EXIT && b->at < 0) return "it holds the end of the thread";
    if (in->op == ISA_TRAP) return "it holds a trap";
    b->insts += extract_weight(e, block) / extract_weight(e, b->block);
    return path_refuses(in, e->ir);
}

static const char *add_in(Extract *e, Body *b, int reg) {
    if (extract_inside(e, b, e->v.def[reg], e->v.def_block[reg])) return NULL;
    if (path_computes(&e->v, reg, b->block, &e->arena)) return NULL;
    for (int i = 0; i < b->nins; i++)
        if (b->ins[i] == reg) return NULL;
    if (b->nins == MOST_TRANSFERS) return "it reads too many values of its thread";
    b->ins[b->nins++] = reg;
    return NULL;
}

static const char *collect_ins(Extract *e, Body *b, const IrInst *in, int block) {
    (void)block;
    const char *why = NULL;
    if (in->op == IR_PHI) {
        for (int s = 0; s < in->nsrc && !why; s++)
            if (in->src[s].kind == ISA_SRC_REG) why = add_in(e, b, in->src[s].reg);
        return why;
    }
    IR_FOR_USES(in, r)
        if (!why) why = add_in(e, b, r);
    return why;
}

// Live-outs: the values of PHIs after the body on the body's exit edges.
static const char *collect_outs(Extract *e, Body *b) {
    if (b->at >= 0) return NULL;
    const IrBlock *j = &e->ir->blocks[b->join];
    for (int i = 0; i < j->ninsts && j->insts[i]->op == IR_PHI; i++) {
        if (b->nouts == MOST_TRANSFERS) return "later code reads too many of its values";
        b->outs[b->nouts++] = j->insts[i]->dst;
        for (int p = 0; p < j->npred; p++) {
            const IrSrc *s = &j->insts[i]->src[p];
            const char *why =
                b->in[j->pred[p]] && s->kind == ISA_SRC_REG ? add_in(e, b, s->reg) : NULL;
            if (why) return why;
        }
    }
    return NULL;
}

// Must the warps wait until the body is done?
static bool needs_second(Extract *e, const Body *b) {
    if (b->at >= 0) return false;
    Spaces body = {0}, behind = {0};
    bool *later = ARENA_ARRAY(&e->arena, bool, e->ir->nblocks);
    extract_reach(e->ir, b->join, later);
    for (int i = 0; i < e->ir->norder; i++) {
        const int k = e->ir->order[i];
        for (int n = 0; n < e->ir->blocks[k].ninsts; n++) {
            const IrInst *in = e->ir->blocks[k].insts[n];
            if (b->in[k]) extract_accesses(in, &body);
            else if (later[k]) extract_accesses(in, &behind);
        }
    }
    if (b->nouts || (later[b->block] && b->nins)) return true;
    return (body.writes & (behind.reads | behind.writes)) || (body.reads & behind.writes);
}

// Exits of threads in front of the body: the scalar thread must be able to compute whether K is
// among them.
static const char *check_ends(Extract *e, const Body *b, int *line) {
    bool *later = ARENA_ARRAY(&e->arena, bool, e->ir->nblocks);
    if (b->at < 0) extract_reach(e->ir, b->join, later);
    if (later[b->block]) memset(later, 0, sizeof *later * (size_t)e->ir->nblocks);
    for (int i = 0; i < e->ir->norder; i++) {
        const int k = e->ir->order[i];
        for (int n = 0; n < e->ir->blocks[k].ninsts; n++) {
            const IrInst *in = e->ir->blocks[k].insts[n];
            if ((in->op != ISA_EXIT && in->op != ISA_TRAP) || in == b->mark || b->in[k] || later[k])
                continue;
            if (b->at >= 0 && k == b->block && n > b->at) continue;
            *line = in->mod.ptx_line;
            bool seen_from = false;
            bool *from = ARENA_ARRAY(&e->arena, bool, e->ir->nblocks);
            extract_reach(e->ir, k, from);
            seen_from = from[b->block];
            if (in->op == ISA_TRAP) return "a trap before it";
            if (ir_is_terminator(in)) {
                if (!cta_all_pass(&e->v, k, NULL, NULL, NULL) && !seen_from) {
                    // threads that ended on another path: K may be one of them
                    return "threads end on a path that depends on the thread or on data";
                }
                continue;
            }
            if (!cta_all_pass(&e->v, k, NULL, NULL, NULL) ||
                !path_computes(&e->v, in->guard.reg, k, &e->arena))
                return "whether its thread has ended before depends on data";
        }
    }
    return NULL;
}

static const char *check_body(Extract *e, Body *b, int *line) {
    const char *why;
    *line = b->line;
    if (!cta_all_pass(&e->v, b->block, NULL, line, &why))
        return arena_printf(e->ir->arena,
                            "not all threads of the CTA reach this point: a branch %s", why);
    *line = b->line;
    if (!b->exact && !path_computes(&e->v, b->is_k.reg, b->block, &e->arena))
        return "its condition also depends on data";
    why = visit_body(e, b, check_inst, line);
    if (!why) why = visit_body(e, b, collect_ins, line);
    if (!why) why = collect_outs(e, b);
    if (!why) why = check_ends(e, b, line);
    bool *needed = ARENA_ARRAY(&e->arena, bool, e->ir->nblocks);
    if (!why && !path_control(&e->v, b->block, NULL, needed, &e->arena))
        why = "one thread cannot follow the loop or branch around it";
    if (why) return why;
    for (int i = 0; i < e->ir->nblocks; i++) e->path.needed[i] |= needed[i];
    b->second = needs_second(e, b);
    return NULL;
}

// Compares the removed warp instructions of one CTA with the added ones.
static bool body_pays(const Extract *e, const Body *b) {
    const uint64_t threads = (uint64_t)e->v.block[0] * e->v.block[1] * e->v.block[2],
                   warps = (threads + 31) / 32;
    const uint64_t gone = (uint64_t)b->insts + warps;
    return gone > warps * (uint64_t)(1 + b->second + b->nins + b->nouts);
}

// The thread that the body's condition names, in k_now. False: no thread, or not the thread of
// earlier bodies; the reason is noted.
static bool find_thread(Extract *e, const int64_t sel[3], int line, uint32_t k_now[3]) {
    for (int d = 0; d < 3; d++) {
        const uint32_t n = e->v.block[d];
        if (sel[d] < 0 && n != 1) {
            scalar_refuse(e->j, line, "if (tid == K): it selects more than one thread of the CTA");
            return false;
        }
        if (sel[d] >= (int64_t)n) {
            scalar_refuse(e->j, line, "if (tid == K): the CTA has no such thread");
            return false;
        }
        k_now[d] = sel[d] < 0 ? 0 : (uint32_t)sel[d];
    }
    if (e->has_k && memcmp(k_now, e->path.tid, 3 * sizeof *k_now)) {
        scalar_refuse(e->j, line, "if (tid == K): bodies of another thread are extracted");
        return false;
    }
    return true;
}

// The blocks of a body: those that its first block dominates, or those after its exit. False: not a
// candidate; a reason is noted if one exists.
static bool collect_blocks(Extract *e, Body *b, int line) {
    const Ir *ir = e->ir;
    const IrBlock *k = &ir->blocks[b->block];
    if (b->at < 0) {
        if (ir->blocks[b->first].npred != 1 || k->ipdom != b->join || b->first == b->join) {
            scalar_refuse(e->j, line, "if (tid == K): it has an else, or does not rejoin");
            return false;
        }
        for (int i = 0; i < ir->norder; i++)
            b->in[ir->order[i]] = cfg_dominates(ir, b->first, ir->order[i]);
    } else {
        bool *from = ARENA_ARRAY(&e->arena, bool, ir->nblocks + 1);
        for (int s = 0; s < k->nsucc; s++) extract_reach(ir, k->succ[s], from);
        for (int i = 0; i < ir->nblocks; i++) {
            b->in[i] = from[i];
            // other paths reach this block too
            if (from[i] && (i == b->block || !cfg_dominates(ir, b->block, i))) return false;
        }
    }
    return true;
}

// Is the block with a branch, or with an exit at `at`, the head of a single-thread body?
static void take_body(Extract *e, int block, int at) {
    Ir *ir = e->ir;
    IrBlock *k = &ir->blocks[block];
    IrInst *in = at >= 0 ? k->insts[at] : k->insts[k->ninsts - 1];
    Body b = {.block = block,
              .at = at,
              .first = -1,
              .join = -1,
              .line = in->mod.ptx_line,
              .is_k = in->guard,
              .mark = in,
              .in = ARENA_ARRAY(&e->arena, bool, ir->nblocks + 1)};
    int line = b.line;
    int64_t sel[3] = {-1, -1, -1};
    if (at >= 0) b.is_k.neg = !b.is_k.neg;
    else {
        const bool yes = looks_like_one(e, in->guard);
        if (!yes) b.is_k.neg = !b.is_k.neg;
        b.first = k->succ[yes ? 0 : 1];
        b.join = k->succ[yes ? 1 : 0];
    }
    if (!names_one(e, b.is_k, sel, &b.exact)) return;  // not a candidate
    uint32_t k_now[3];
    if (!find_thread(e, sel, line, k_now)) return;
    for (int i = 0; i < e->nbodies; i++)
        // inside another body
        if (e->body[i].in[block] || (e->body[i].at >= 0 && e->body[i].block == block)) return;
    if (!collect_blocks(e, &b, line)) return;
    const char *why = check_body(e, &b, &line);
    if (!why && e->j->o->cfg->scalar_extract == EXTRACT_PROFITABLE && !body_pays(e, &b))
        why = arena_printf(ir->arena, "no gain: %d instructions of one warp, %d more for each warp",
                           b.insts, b.second + b.nins + b.nouts);
    if (why) {
        scalar_refuse(e->j, line, "if (tid == K): %s", why);
        return;
    }
    memcpy(e->path.tid, k_now, sizeof e->path.tid);
    e->has_k = true;
    *ARENA_PUSH(&e->arena, e->body, e->nbodies, e->cap_bodies) = b;
}

static void find_bodies(Extract *e) {
    for (int i = 0; i < e->ir->norder; i++) {
        const int b = e->ir->order[i];
        const IrBlock *k = &e->ir->blocks[b];
        bool taken = false;
        for (int n = 0; n < k->ninsts && !taken; n++) {
            if (k->insts[n]->op != ISA_EXIT || k->insts[n]->guard.reg == IR_PT) continue;
            const int before = e->nbodies;
            take_body(e, b, n);
            taken = e->nbodies > before;
        }
        if (!taken && k->ninsts && k->insts[k->ninsts - 1]->op == ISA_BRA && k->nsucc == 2)
            take_body(e, b, -1);
    }
}

static void note_bodies(const Extract *e) {
    for (int i = 0; i < e->nbodies; i++) {
        const Body *b = &e->body[i];
        const uint32_t *k = e->path.tid;
        const int bars = extract_bars(b);
        const char *start = b->no_start ? ", starts with the CTA" : "";
        const char *moved = "";
        if (b->early + b->late)
            moved =
                arena_printf(e->ir->arena, ", %d instructions early, %d late", b->early, b->late);
        scalar_done(e->j, b->line,
                    "if (tid == K): thread (%u, %u, %u), %d instruction%s, %d in, %d out, "
                    "%d barrier%s%s%s",
                    k[0], k[1], k[2], b->insts, b->insts == 1 ? "" : "s", b->nins, b->nouts, bars,
                    bars == 1 ? "" : "s", start, moved);
    }
}

static int64_t reserve_room(Extract *e, int reg) {
    const int bytes = e->ir->width[reg] ? 4 * e->ir->width[reg] : 4;
    e->bytes = (e->bytes + bytes - 1) / bytes * bytes;
    const int64_t at = e->j->scratch_at + e->bytes;
    e->bytes += bytes;
    return at;
}

// ---- the thread ----

static const Body *body_with(const Extract *e, int block) {
    for (int i = 0; i < e->nbodies; i++)
        if (e->body[i].in[block]) return &e->body[i];
    return NULL;
}

static const Body *body_at(const Extract *e, int block) {
    for (int i = 0; i < e->nbodies; i++)
        if (e->body[i].block == block) return &e->body[i];
    return NULL;
}

// The thread executes the body if K has not ended, and its condition holds for K.
static int put_entry_test(Ir *t, const Body *b, int alive) {
    if (b->exact) return alive;
    IrInst *in = ir_inst(t, ISA_PLOP3, 0);
    in->mod.lut = ISA_LUT_AND;
    in->psrc[0] = (IrPred){alive, false};
    in->psrc[1] = b->is_k;
    in->pdst[0] = ir_vreg(t, 0);
    thread_put(t, b->block, in);
    return in->pdst[0];
}

static void enter_body(Extract *e, Ir *t, const Body *b, const int64_t *at_in, int alive,
                       int *after) {
    alive = put_entry_test(t, b, alive);
    int pos = t->blocks[b->block].ninsts;
    if (!b->no_start) extract_bar(t, b->block, &pos, e);
    for (int i = 0; i < b->nins; i++) extract_load(t, b->block, &pos, b->ins[i], at_in[i]);
    if (b->at >= 0) {
        const IrBlock *k = &e->ir->blocks[b->block];
        IrInst *leave = ir_inst(t, ISA_EXIT, 0);
        leave->guard = (IrPred){alive, true};
        if (alive != IR_PT) thread_put(t, b->block, leave);
        for (int n = block_index_of(e->ir, b->block, b->mark) + 1; n < k->ninsts; n++)
            thread_put(t, b->block, path_inst(&e->path, t, k->insts[n]));
        return;
    }
    // after the body: live-outs, barrier
    *after = ir_block(t);
    ir_set_succ(t, *after, 1, &b->join);
    if (alive == IR_PT) ir_set_succ(t, b->block, 1, &b->first);
    else thread_branch(t, b->block, (IrPred){alive, false}, b->first, *after);
}

static void leave_body(Extract *e, Ir *t, const Body *b, int after, const int64_t *at_out,
                       const int *out_reg) {
    int pos = 0;
    for (int i = 0; i < b->nouts; i++)
        extract_store(t, after, &pos, out_reg[i], at_out[i], (IrPred){IR_PT, false});
    if (b->second) extract_bar(t, after, &pos, e);
    for (int k = 0; k < e->ir->nblocks; k++) {
        if (!b->in[k]) continue;
        for (int s = 0; s < t->blocks[k].nsucc; s++)
            if (t->blocks[k].succ[s] == b->join) t->blocks[k].succ[s] = after;
    }
}

static bool tracks_ends(const Extract *e) {
    for (int i = 0; i < e->ir->norder; i++) {
        const int b = e->ir->order[i];
        if (body_with(e, b)) continue;
        for (int n = 0; n < e->ir->blocks[b].ninsts; n++) {
            const IrInst *in = e->ir->blocks[b].insts[n];
            if (in->op != ISA_EXIT || in->guard.reg == IR_PT) continue;
            bool mark = false;
            for (int k = 0; k < e->nbodies; k++) mark |= e->body[k].mark == in;
            if (!mark) return true;
        }
    }
    return false;
}

// Registers that the PHIs of live-outs are copied from, now that PHIs are copies.
static void find_out_regs(const Extract *e, const Body *b, int *out_reg) {
    const IrBlock *j = &e->ir->blocks[b->join];
    for (int i = 0; i < b->nouts; i++)
        for (int n = 0; n < j->ninsts; n++)
            if (j->insts[n]->op == IR_COPY && j->insts[n]->dst == b->outs[i])
                out_reg[i] = j->insts[n]->src[0].reg;
}

static void transform_bodies(Extract *e) {
    const int old_blocks = e->ir->nblocks;
    ssa_destruct(e->ir);
    // split edges belong to the body from which they lead
    for (int i = 0; i < e->nbodies; i++) {
        Body *b = &e->body[i];
        bool *in = ARENA_ARRAY(&e->arena, bool, e->ir->nblocks + 1);
        memcpy(in, b->in, sizeof *in * (size_t)old_blocks);
        for (int k = old_blocks; k < e->ir->nblocks; k++) in[k] = in[e->ir->blocks[k].pred[0]];
        b->in = in;
    }
    path_grow(&e->path, old_blocks, &e->arena);
    Ir *t = e->j->thread = path_copy(e->ir);
    const int alive = e->path.alive = tracks_ends(e) ? ir_vreg(t, 0) : IR_PT;
    if (alive != IR_PT) {
        IrInst *first = ir_inst(t, IR_COPY, 1);
        first->dst = alive;
        first->src[0] = (IrSrc){.kind = ISA_SRC_IMM, .width = 0, .imm = 1, .reg = IR_NONE};
        thread_put(t, 0, first);
    }
    for (int k = 0; k < e->ir->nblocks; k++) {
        const Body *b = body_at(e, k);
        if (!body_with(e, k)) path_block(&e->path, t, k, b ? b->mark : NULL);
        else
            for (int n = 0; n < e->ir->blocks[k].ninsts; n++)
                thread_put(t, k, path_inst(&e->path, t, e->ir->blocks[k].insts[n]));
    }
    for (int i = 0; i < e->nbodies; i++) {
        const Body *b = &e->body[i];
        int64_t at_in[MOST_TRANSFERS], at_out[MOST_TRANSFERS];
        int out_reg[MOST_TRANSFERS] = {0}, after = -1;
        for (int n = 0; n < b->nins; n++) at_in[n] = reserve_room(e, b->ins[n]);
        for (int n = 0; n < b->nouts; n++) at_out[n] = reserve_room(e, b->outs[n]);
        find_out_regs(e, b, out_reg);
        enter_body(e, t, b, at_in, alive, &after);
        if (b->at < 0) leave_body(e, t, b, after, at_out, out_reg);
        e->simt_added += extract_bars(b) + b->nins + b->nouts;
    }
    e->bytes = 0;
    const int nblocks = e->ir->nblocks;
    for (int i = 0; i < e->nbodies; i++) {
        const Body *b = &e->body[i];
        int64_t at_in[MOST_TRANSFERS], at_out[MOST_TRANSFERS];
        int out_reg[MOST_TRANSFERS] = {0};
        for (int n = 0; n < b->nins; n++) at_in[n] = reserve_room(e, b->ins[n]);
        for (int n = 0; n < b->nouts; n++) at_out[n] = reserve_room(e, b->outs[n]);
        find_out_regs(e, b, out_reg);
        extract_rewrite_simt(e, e->ir, b, at_in, at_out, out_reg);
    }
    for (int k = 0; k < nblocks; k++) {
        const Body *b = body_with(e, k);
        if (!b || (b->waits_at_once && b->second && k == b->first)) continue;
        e->ir->blocks[k].ninsts = 0;
        e->ir->blocks[k].nsucc = 0;  // unreachable now
    }
    if (e->ir->max_barrier <= e->j->o->cfg->scalar_barrier)
        e->ir->max_barrier = e->j->o->cfg->scalar_barrier + 1;
}

// Warp instructions per CTA that the bodies save.
static int64_t gain_of(const Extract *e) {
    const int64_t threads = (int64_t)e->v.block[0] * e->v.block[1] * e->v.block[2];
    const int64_t warps = (threads + 31) / 32;
    int64_t gain = 0;
    for (int i = 0; i < e->nbodies; i++) {
        const Body *b = &e->body[i];
        gain += b->insts + warps - warps * (extract_bars(b) + b->nins + b->nouts);
    }
    return gain;
}

// `auto` accepts bodies only if their gain exceeds the time at barriers and in shared memory.
static bool worth_waiting(Extract *e) {
    const MachineConfig *c = e->j->o->cfg;
    const int64_t gain = gain_of(e) / c->sm_schedulers;
    int64_t wait = 0;
    if (e->j->o->scalar != COMPILE_SCALAR_AUTO) return true;
    for (int i = 0; i < e->nbodies; i++) {
        const Body *b = &e->body[i];
        wait +=
            extract_bars(b) * BARRIER + ((b->nins > 0) + (b->nouts > 0)) * 2 * c->shared_latency;
    }
    if (gain > wait) return true;
    scalar_refuse(e->j, e->body[0].line,
                  "if (tid == K): %d cycles of issue saved, about %d of waiting added", (int)gain,
                  (int)wait);
    return false;
}

bool scalar_extract(ScalarJob *j) {
    Extract e = {.j = j, .ir = j->ir};
    for (int d = 0; d < 3; d++)
        if (!j->o->block[d]) {
            scalar_refuse(j, 0, "the dimensions of a CTA are unknown");
            return false;
        }
    if (j->o->cfg->scalar_helper == HELPER_UNIT && scalar_split(j)) return true;
    cta_values(&e.v, j->ir, j->o->block, &e.arena);
    e.path.ir = j->ir;
    e.path.needed = ARENA_ARRAY(&e.arena, bool, j->ir->nblocks + 1);
    // without a unit, the body's own thread executes it as in the kernel
    if (j->o->cfg->scalar_helper == HELPER_UNIT) find_bodies(&e);
    extract_place_bars(&e);
    note_bodies(&e);
    const bool uniform = scalar_uniform(j, e.nbodies ? gain_of(&e) : INT64_MIN);
    const bool done = e.nbodies > 0 && !uniform && worth_waiting(&e);
    if (done) {
        int insts = 0;
        transform_bodies(&e);
        for (int i = 0; i < e.nbodies; i++) insts += e.body[i].insts;
        j->changed = true;
        j->scratch = e.bytes;
        j->summary = arena_printf(
            j->ir->arena,
            "extract: %d bod%s of one thread, %d instructions moved, %d added, "
            "%d bytes of shared memory",
            e.nbodies, e.nbodies == 1 ? "y" : "ies", insts, e.simt_added, (int)e.bytes);
    }
    arena_free(&e.arena);
    return done || uniform;
}
