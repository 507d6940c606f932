// SPDX-License-Identifier: Apache-2.0
// Allocated code -> IsaProgram: moves that remain, branches, reconvergence points.
// requires  alloc_registers
// destroys  COPY JOIN SPLIT RELOAD SAVE; empty blocks
#include "compile/ir.h"

#include <string.h>

typedef struct Emitter {
    Ir *ir;
    const AllocResult *a;
    IsaInst *insts;
    int n, cap;
    int *start;  // per block: index of its first instruction
} Emitter;

static IsaSrc machine_src(const Emitter *e, const IrSrc *s) {
    IsaSrc r = {.kind = s->kind,
                .width = s->width,
                .neg = s->neg,
                .abs = s->abs,
                .cbank = s->cbank,
                .imm = s->imm};
    if (s->kind == ISA_SRC_REG) r.reg = e->a->reg[s->reg];
    if (s->kind == ISA_SRC_IMM && s->imm == 0) r.kind = ISA_SRC_REG, r.reg = ISA_RZ;
    if (s->kind == ISA_SRC_IMM && s->imm != 0 && s->width == 1) r.imm = (uint32_t)s->imm;
    return r;
}

static IsaPred machine_pred(const Emitter *e, IrPred p) {
    return (IsaPred){p.reg == IR_PT ? ISA_PT : e->a->reg[p.reg], p.neg};
}

static IsaInst *put_inst(Emitter *e, const IsaInst *mod) {
    IsaInst *in = ARENA_PUSH(e->ir->arena, e->insts, e->n, e->cap);
    *in = *mod;
    in->guard = (IsaPred){ISA_PT, false};
    in->dst = ISA_RZ;
    in->dst_width = 0;
    for (int i = 0; i < 3; i++) {
        in->psrc[i] = (IsaPred){ISA_PT, false};
        in->src[i] = (IsaSrc){0};
    }
    in->pdst[0] = in->pdst[1] = ISA_PT;
    return in;
}

// ---- moves ----

// Is the source already where the destination is?
static bool in_place(const Emitter *e, int dst, int at, const IrSrc *s, int part) {
    return s->kind == ISA_SRC_REG && !s->neg && e->a->reg[dst] + at == e->a->reg[s->reg] + part;
}

static void emit_move(Emitter *e, const IrInst *in, int dst, int at, int width, const IrSrc *s,
                      int part) {
    if (in_place(e, dst, at, s, part)) return;
    IsaInst *m = put_inst(e, &in->mod);
    memset(m, 0, sizeof *m);
    *m = (IsaInst){.op = ISA_MOV,
                   .guard = {ISA_PT, false},
                   .dst = (uint8_t)(e->a->reg[dst] + at),
                   .dst_width = (uint8_t)width,
                   .psrc = {{ISA_PT, false}, {ISA_PT, false}, {ISA_PT, false}},
                   .pdst = {ISA_PT, ISA_PT},
                   .ptx_line = in->mod.ptx_line};
    m->src[0] = machine_src(e, s);
    m->src[0].width = (uint8_t)width;
    if (m->src[0].kind == ISA_SRC_REG && m->src[0].reg != ISA_RZ)
        m->src[0].reg = (uint8_t)(m->src[0].reg + part);
}

static void move_predicate(Emitter *e, const IrInst *in) {
    const IrSrc *s = &in->src[0];
    if (in_place(e, in->dst, 0, s, 0)) return;
    IsaInst *m = put_inst(e, &in->mod);
    m->op = ISA_PLOP3;
    m->lut = ISA_LUT_A;
    m->pdst[0] = e->a->reg[in->dst];
    m->psrc[0] = s->kind == ISA_SRC_REG ? (IsaPred){e->a->reg[s->reg], s->neg}
                                        : (IsaPred){ISA_PT, s->imm == 0};
}

// Values of four words move as two pairs.
static void move_wide(Emitter *e, const IrInst *in, int at, int width, const IrSrc *s, int part) {
    for (int w = 0; w < width; w += 2) {
        int n = width - w < 2 ? 1 : 2;
        emit_move(e, in, in->dst, at + w, n, s, part + w);
    }
}

static void emit_join(Emitter *e, const IrInst *in) {
    for (int i = 0, at = 0; i < in->nsrc; at += in->src[i].width, i++)
        move_wide(e, in, at, in->src[i].width, &in->src[i], 0);
}

// ---- other instructions ----

static void emit_spill(Emitter *e, const IrInst *in) {
    IsaInst *m = put_inst(e, &in->mod);
    bool load = in->op == IR_RELOAD;
    m->op = load ? ISA_LD : ISA_ST;
    m->space = ISA_LOCAL;
    m->type = in->mod.mem_bytes == 4 ? ISA_U32 : ISA_U64;
    if (!load) m->type = ISA_U8;
    m->src[0] = (IsaSrc){.kind = ISA_SRC_REG, .reg = ISA_RZ, .width = 1};
    if (load) {
        m->dst = e->a->reg[in->dst];
        m->dst_width = e->ir->width[in->dst];
    } else m->src[1] = machine_src(e, &in->src[0]);
}

static void emit_plain(Emitter *e, const IrInst *in) {
    IsaInst *m = put_inst(e, &in->mod);
    m->op = (IsaOp)in->op;
    m->guard = machine_pred(e, in->guard);
    int fixed = 0;  // the instruction word has room for one immediate or constant address
    for (int i = 0; i < in->nsrc && i < 3; i++) {
        m->src[i] = machine_src(e, &in->src[i]);
        fixed += m->src[i].kind == ISA_SRC_IMM || m->src[i].kind == ISA_SRC_CONST;
    }
    panic_if(fixed > 1, "%s has %d immediate or constant operands", ir_op_name(in->op), fixed);
    for (int i = 0; i < 3; i++) m->psrc[i] = machine_pred(e, in->psrc[i]);
    for (int i = 0; i < 2; i++)
        if (in->pdst[i] != IR_NONE) m->pdst[i] = e->a->reg[in->pdst[i]];
    if (in->dst != IR_NONE) {
        m->dst = e->a->reg[in->dst];
        m->dst_width = e->ir->width[in->dst];
    }
}

static void emit_inst(Emitter *e, const IrInst *in) {
    switch (in->op) {
    case IR_COPY:
        if (!e->ir->width[in->dst]) move_predicate(e, in);
        else move_wide(e, in, 0, e->ir->width[in->dst], &in->src[0], 0);
        break;
    case IR_SPLIT: move_wide(e, in, 0, e->ir->width[in->dst], &in->src[0], in->mod.mode); break;
    case IR_JOIN: emit_join(e, in); break;
    case IR_RELOAD:
    case IR_SAVE: emit_spill(e, in); break;
    default: emit_plain(e, in);
    }
}

// ---- branches; targets are block numbers until resolve_targets() ----

static void emit_branch(Emitter *e, int line, IsaPred guard, int target, int reconv) {
    IsaInst none = {.op = ISA_BRA, .ptx_line = line};
    IsaInst *m = put_inst(e, &none);
    m->guard = guard;
    m->target = target;
    m->reconv = reconv;
}

static void emit_end(Emitter *e, int b, const IrInst *end) {
    const IrBlock *k = &e->ir->blocks[b];
    int next = b + 1 < e->ir->nblocks ? b + 1 : -1, line = end ? end->mod.ptx_line : 0;
    if (end && end->op == ISA_BRX) {
        emit_plain(e, end);
        e->insts[e->n - 1].target = b;
        e->insts[e->n - 1].reconv = k->ipdom;
        return;
    }
    if (end && end->op == ISA_BRA && k->nsucc == 2) {
        IsaPred p = machine_pred(e, end->guard);
        if (k->succ[0] == next) {
            p.neg = !p.neg;
            emit_branch(e, line, p, k->succ[1], k->ipdom);
            return;
        }
        emit_branch(e, line, p, k->succ[0], k->ipdom);
        if (k->succ[1] != next)
            emit_branch(e, line, (IsaPred){ISA_PT, false}, k->succ[1], k->succ[1]);
        return;
    }
    if (end && end->op != ISA_BRA) {
        emit_plain(e, end);
        return;
    }
    if (k->succ[0] != next) emit_branch(e, line, (IsaPred){ISA_PT, false}, k->succ[0], k->succ[0]);
}

static void resolve_targets(Emitter *e, IsaProgram *p) {
    Ir *ir = e->ir;
    for (int b = 0; b < ir->nblocks; b++) p->ntables += ir->blocks[b].ntable > 0;
    p->tables = ARENA_ARRAY(ir->arena, int *, p->ntables + 1);
    p->table_len = ARENA_ARRAY(ir->arena, int, p->ntables + 1);
    int t = 0;
    for (int i = 0; i < e->n; i++) {
        IsaInst *in = &e->insts[i];
        if (in->op != ISA_BRA && in->op != ISA_BRX) continue;
        in->reconv = in->reconv < 0 ? -1 : e->start[in->reconv];
        if (in->op == ISA_BRA) {
            in->target = e->start[in->target];
            continue;
        }
        const IrBlock *k = &ir->blocks[in->target];
        p->tables[t] = ARENA_ARRAY(ir->arena, int, k->ntable);
        for (int j = 0; j < k->ntable; j++) p->tables[t][j] = e->start[k->succ[k->table[j]]];
        p->table_len[t] = k->ntable;
        in->target = t++;
    }
    p->ntables = t;
}

static bool inst_vanishes(const Emitter *e, const IrInst *in) {
    switch (in->op) {
    case IR_COPY: return in_place(e, in->dst, 0, &in->src[0], 0);
    case IR_SPLIT: return in_place(e, in->dst, 0, &in->src[0], in->mod.mode);
    case IR_JOIN:
        for (int i = 0, at = 0; i < in->nsrc; at += in->src[i].width, i++)
            if (!in_place(e, in->dst, at, &in->src[i], 0)) return false;
        return true;
    default: return false;
    }
}

static void drop_moves_in_place(Emitter *e) {
    for (int b = 0; b < e->ir->nblocks; b++) {
        IrBlock *k = &e->ir->blocks[b];
        int n = 0;
        for (int i = 0; i < k->ninsts; i++)
            if (!inst_vanishes(e, k->insts[i])) k->insts[n++] = k->insts[i];
        k->ninsts = n;
    }
}

IsaProgram *emit_program(Arena *arena, Ir *ir, const AllocResult *a, Diag *d) {
    Emitter e = {.ir = ir, .a = a};
    drop_moves_in_place(&e);
    cfg_clean(ir);
    cfg_analyze(ir);
    e.start = ARENA_ARRAY(arena, int, ir->nblocks + 1);
    for (int b = 0; b < ir->nblocks; b++) {
        const IrBlock *k = &ir->blocks[b];
        int end = ir_terminator(k);
        e.start[b] = e.n;
        for (int i = 0; i < end; i++) emit_inst(&e, k->insts[i]);
        emit_end(&e, b, end < k->ninsts ? k->insts[end] : NULL);
    }
    IsaProgram *p = ARENA_NEW(arena, IsaProgram);
    *p = (IsaProgram){.name = ir->name,
                      .insts = e.insts,
                      .ninsts = e.n,
                      .nregs = a->nregs,
                      .home_regs = a->nregs,
                      .npreds = a->npreds,
                      .local_bytes = ir->local_bytes,
                      .spill_bytes = ir->spill_bytes,
                      .spill_loads = ir->spill_loads,
                      .spill_stores = ir->spill_stores,
                      .shared_bytes = ir->shared_bytes,
                      .param_bytes = ir->param_bytes,
                      .zero_params = ir->zero_params,
                      .nzero_params = ir->nzero_params,
                      .max_barrier = ir->max_barrier};
    resolve_targets(&e, p);
    return isa_check(p, d) ? p : NULL;
}
