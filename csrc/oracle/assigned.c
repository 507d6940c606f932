// SPDX-License-Identifier: Apache-2.0
// Registers that are read before any write. A dataflow pass over the function finds registers for
// which some path does so. Only instructions that name such a register take time in a run: a mask
// per register has the lanes with a value.
//
// A mov passes the absence of a value on instead of reading: compilers copy values that a later
// phi ignores.
#include "oracle/interp.h"

#include <stdlib.h>
#include <string.h>

bool o_writes_first_operand(PtxOp op) {
    switch (op) {
    case PTX_ST:
    case PTX_RED:
    case PTX_BRA:
    case PTX_BRX_IDX:
    case PTX_CALL:
    case PTX_BAR:
    case PTX_BAR_ARRIVE:
    case PTX_BAR_WARP_SYNC:
    case PTX_NANOSLEEP:
    case PTX_PREFETCH:
    case PTX_PREFETCHU: return false;
    default: return true;
    }
}

// ---- the registers of an instruction: reads first, without the guard ----

typedef void (*See)(void *ctx, int reg, bool write);

static void see_operand(const PtxOperand *o, bool write, See see, void *ctx) {
    if (o->kind == PTX_OPND_REG) see(ctx, o->index, write);
    if (o->kind == PTX_OPND_MEM && o->base == PTX_BASE_REG && !write) see(ctx, o->index, false);
    for (int i = 0; i < o->nelements; i++) see_operand(&o->elements[i], write, see, ctx);
}

static void visit_registers(const PtxInst *in, See see, void *ctx) {
    bool writes = in->nopnd && o_writes_first_operand(in->op);
    for (int k = writes; k < in->nopnd; k++) see_operand(&in->opnd[k], false, see, ctx);
    for (int k = 0; k < in->ncall_args; k++) see_operand(&in->call_args[k], false, see, ctx);
    if (writes) see_operand(&in->opnd[0], true, see, ctx);
    see_operand(&in->dst2, true, see, ctx);
    for (int k = 0; k < in->ncall_rets; k++) see_operand(&in->call_rets[k], true, see, ctx);
}

// ---- dataflow: which registers surely have a value ----

typedef struct Flow {
    const PtxFunc *f;
    bool *unsure, any;
    uint64_t *now, *at;  // sets: here, and at each label
    int words;
    bool complete;  // all registers that the instruction read have a value
    bool copies;    // the instruction is a mov
} Flow;

static bool is_assigned(const Flow *w, int reg) { return w->now[reg / 64] >> (reg % 64) & 1; }

static void see_flow(void *ctx, int reg, bool write) {
    Flow *w = ctx;
    if (!write) {
        w->complete &= is_assigned(w, reg);
        if (!is_assigned(w, reg)) w->unsure[reg] = w->any = true;
        return;
    }
    if (!w->copies || w->complete) w->now[reg / 64] |= 1ull << (reg % 64);
}

static bool meet_label(Flow *w, int label) {
    uint64_t *at = w->at + (size_t)label * (size_t)w->words, changed = 0;
    for (int i = 0; i < w->words; i++) {
        changed |= at[i] & ~w->now[i];
        at[i] &= w->now[i];
    }
    return changed;
}

// Handles one instruction. True: the set of a label became smaller.
static bool step_inst(Flow *w, const PtxInst *in) {
    bool shrank = false;
    if (in->guard >= 0) {
        if (!is_assigned(w, in->guard)) w->unsure[in->guard] = w->any = true;
    }
    w->complete = true;
    w->copies = in->op == PTX_MOV || in->op == PTX_SELP;
    uint64_t *before = w->now + w->words;
    if (in->guard >= 0) memcpy(before, w->now, (size_t)w->words * sizeof *before);
    visit_registers(in, see_flow, w);
    if (in->guard >= 0) memcpy(w->now, before, (size_t)w->words * sizeof *before);
    if (in->op == PTX_BRA) shrank |= meet_label(w, in->opnd[0].index);
    for (int k = 0; k < in->ntargets; k++) shrank |= meet_label(w, in->targets[k]);
    if (!ptx_falls_through(in)) memset(w->now, 0xff, (size_t)w->words * sizeof *w->now);
    return shrank;
}

static int by_place(const void *a, const void *b) {
    const PtxLabel *x = *(const PtxLabel *const *)a, *y = *(const PtxLabel *const *)b;
    return (x->inst > y->inst) - (x->inst < y->inst);
}

// Repeats the pass over the text until no set shrinks.
static void solve_flow(Flow *w, const PtxLabel **labels) {
    const PtxFunc *f = w->f;
    const size_t bytes = (size_t)w->words * sizeof *w->now;
    memset(w->at, 0xff, (size_t)f->nlabels * bytes);
    for (bool again = true; again;) {
        again = w->any = false;
        memset(w->unsure, 0, (size_t)f->nregs);
        memset(w->now, 0, bytes);
        for (int i = 0; i < f->nvars; i++)
            if (f->vars[i].is_reg && i < f->nparams)
                w->now[f->vars[i].reg / 64] |= 1ull << (f->vars[i].reg % 64);
        for (int i = 0, l = 0; i < f->ninsts; i++) {
            for (; l < f->nlabels && labels[l]->inst <= i; l++) {
                int label = (int)(labels[l] - f->labels);
                again |= meet_label(w, label);
                memcpy(w->now, w->at + (size_t)label * (size_t)w->words, bytes);
            }
            again |= step_inst(w, &f->insts[i]);
        }
    }
}

static void see_unsure(void *ctx, int reg, bool write) {
    Flow *w = ctx;
    (void)write;
    w->any |= w->unsure[reg];
}

void o_find_unsure(OFunc *of) {
    const PtxFunc *f = of->f;
    Flow w = {.f = f, .words = f->nregs / 64 + 1};
    const PtxLabel **labels = calloc((size_t)f->nlabels + 1, sizeof *labels);
    w.unsure = calloc((size_t)f->nregs + 1, 1);
    w.now = calloc((size_t)w.words * ((size_t)f->nlabels + 2), sizeof *w.now);
    panic_if(!labels || !w.unsure || !w.now, "out of memory");
    w.at = w.now + 2 * w.words;
    for (int i = 0; i < f->nlabels; i++) labels[i] = &f->labels[i];
    qsort(labels, (size_t)f->nlabels, sizeof *labels, by_place);
    solve_flow(&w, labels);
    if (w.any) memcpy(of->unsure, w.unsure, (size_t)f->nregs);
    else of->unsure = NULL;
    for (int i = 0; i < f->ninsts && of->unsure; i++) {
        w.any = f->insts[i].guard >= 0 && w.unsure[f->insts[i].guard];
        visit_registers(&f->insts[i], see_unsure, &w);
        of->insts[i].unsure = w.any;
    }
    free(labels);
    free(w.unsure);
    free(w.now);
}

// ---- at run time ----

typedef struct Use {
    OWarp *w;
    const OInst *oi;
    uint32_t active;
    uint32_t given;  // lanes whose sources all have a value
    bool copies;
} Use;

static void report_register(const Use *u, int reg, uint32_t lanes) {
    char text[256];
    const OFrame *f = o_frame(u->w);
    const OracleRun *r = u->w->cta->o->run;
    if (!o_first(u->w, ORACLE_UNSET_REGISTER, u->oi->in->line, reg)) return;
    ptx_print_inst(text, sizeof text, r->module, f->func->f, u->oi->in);
    o_describe(u->w, u->oi, (uint32_t)__builtin_ctz(lanes),
               "`%s` reads register %s, to which the thread has assigned no value", text,
               f->func->f->regs[reg].name);
}

static void see_use(void *ctx, int reg, bool write) {
    Use *u = ctx;
    const OFrame *f = o_frame(u->w);
    uint32_t *assigned = &f->assigned[reg];
    if (!f->func->unsure[reg]) return;
    if (write) {
        *assigned = (*assigned & ~u->active) | (u->active & u->given);
        return;
    }
    uint32_t lanes = u->active & ~*assigned;
    if (!lanes) return;
    if (u->copies) u->given &= ~lanes;
    else report_register(u, reg, lanes);
}

// For selp, only the selected operand is copied.
static void select_source(Use *u) {
    const PtxInst *in = u->oi->in;
    const OFrame *f = o_frame(u->w);
    uint32_t p = o_pred(u->w, &u->oi->src[2]);
    for (int k = 1; k <= 2; k++) {
        const PtxOperand *o = &in->opnd[k];
        if (o->kind == PTX_OPND_REG && f->func->unsure[o->index])
            u->given &= f->assigned[o->index] | (k == 1 ? ~p : p);
    }
    u->copies = false;
    if (in->opnd[3].kind == PTX_OPND_REG) see_use(u, in->opnd[3].index, false);
    see_use(u, in->opnd[0].index, true);
}

void o_registers(OWarp *w, const OInst *oi, uint32_t active) {
    const PtxInst *in = oi->in;
    Use u = {.w = w, .oi = oi, .active = w->present, .given = ~0u};
    if (in->guard >= 0) see_use(&u, in->guard, false);
    u.active = active;
    u.copies = in->op == PTX_MOV;
    if (in->op == PTX_SELP) select_source(&u);
    else visit_registers(in, see_use, &u);
}
