// SPDX-License-Identifier: Apache-2.0
// Calls through pointers, once the whole module is parsed. The pointer is compared with each
// function whose address is taken and whose parameters match. The equal function is called. A
// pointer to none of them ends the kernel. A function's address is a number that is no address of
// memory (ptx_function_address).
#include "ptx/expand.h"

// Operands of such a call until it is resolved: the pointer, and three registers that the
// comparisons use.
enum { POINTER, COPY, IS_THIS, IS_NONE };

bool call_is_indirect(const PtxInst *in) {
    return in->op == PTX_CALL && in->opnd[0].kind == PTX_OPND_REG;
}

void call_prepare(Parser *p, PtxInst *in) {
    const Expansion e = {p, in};
    in->opnd[COPY] = expand_temporary(&e, PTX_B64);
    in->opnd[IS_THIS] = expand_temporary(&e, PTX_PRED);
    in->opnd[IS_NONE] = expand_temporary(&e, PTX_PRED);
    in->nopnd = IS_NONE + 1;
    p->indirect_calls++;
}

static bool call_fits(const PtxFunc *callee, const PtxFunc *f, const PtxInst *call) {
    if (callee->is_entry || callee->is_prototype_only || callee->nparams != call->ncall_args ||
        callee->nrets != call->ncall_rets)
        return false;
    for (int i = 0; i < call->ncall_args; i++)
        if (f->vars[call->call_args[i].index].bytes != callee->params[i].bytes) return false;
    for (int i = 0; i < call->ncall_rets; i++)
        if (f->vars[call->call_rets[i].index].bytes != callee->rets[i].bytes) return false;
    return true;
}

static bool has_target(const Parser *p, const PtxInst *call, const bool *taken) {
    for (int i = 0; i < p->m->nfuncs; i++)
        if (taken[i] && call_fits(&p->m->funcs[i], p->f, call)) return true;
    return false;
}

static void expand_call(Parser *p, const PtxInst *call, const bool *taken) {
    const Expansion e = {p, call};
    const PtxOperand *o = call->opnd;
    if (!has_target(p, call, taken)) {
        PtxInst *refused = expand_emit(&e, PTX_UNSUPPORTED, PTX_NOTYPE, 0, o);
        refused->guard = -1;
        refused->why = "a call through a pointer that fits no function whose address is taken";
        refused->text = refused->resolved =
            arena_printf(p->arena, "call %s", p->f->regs[o[POINTER].index].name);
        return;
    }
    PUT(&e, PTX_MOV, PTX_PRED, o[IS_NONE], expand_number(&e, 0))->guard = -1;
    PUT(&e, PTX_MOV, PTX_PRED, o[IS_NONE], expand_number(&e, 1));
    PUT(&e, PTX_MOV, PTX_B64, o[COPY], o[POINTER]);
    for (int i = 0; i < p->m->nfuncs; i++) {
        if (!taken[i] || !call_fits(&p->m->funcs[i], p->f, call)) continue;
        PUT(&e, PTX_MOV, PTX_PRED, o[IS_THIS], expand_number(&e, 0))->guard = -1;
        PUT(&e, PTX_SETP, PTX_U64, o[IS_THIS], o[COPY], expand_number(&e, ptx_function_address(i)))
            ->cmp = PTX_EQ;
        PtxInst *made = PUT(&e, PTX_MOV, PTX_PRED, o[IS_NONE], expand_number(&e, 0));
        made->guard = o[IS_THIS].index;
        made->guard_negated = false;
        made = PUT(&e, PTX_CALL, PTX_NOTYPE,
                   expand_locate(&e, (PtxOperand){.kind = PTX_OPND_FUNC, .index = i}));
        made->guard = o[IS_THIS].index;
        made->guard_negated = false;
        made->uni = call->uni;
        made->call_args = call->call_args;
        made->ncall_args = call->ncall_args;
        made->call_rets = call->call_rets;
        made->ncall_rets = call->ncall_rets;
    }
    PtxInst *end = expand_emit(&e, PTX_TRAP, PTX_NOTYPE, 0, o);
    end->guard = o[IS_NONE].index;
    end->guard_negated = false;
}

static void resolve_function(Parser *p, PtxFunc *f, const bool *taken) {
    const PtxInst *old = f->insts;
    const int n = f->ninsts;
    int *moved = ARENA_ARRAY(p->scratch, int, n + 1);
    p->f = f;
    f->insts = NULL;
    f->ninsts = f->cap_insts = 0;
    for (int i = 0; i < n; i++) {
        moved[i] = f->ninsts;
        if (call_is_indirect(&old[i])) expand_call(p, &old[i], taken);
        else *ARENA_PUSH(p->arena, f->insts, f->ninsts, f->cap_insts) = old[i];
    }
    moved[n] = f->ninsts;
    for (int i = 0; i < f->nlabels; i++) f->labels[i].inst = moved[f->labels[i].inst];
}

void calls_resolve(Parser *p) {
    if (!p->indirect_calls) return;
    const PtxModule *m = p->m;
    bool *taken = ARENA_ARRAY(p->scratch, bool, m->nfuncs + 1);
    for (int i = 0; i < p->ntaken; i++) taken[p->taken[i]] = true;
    for (int i = 0; i < m->nvars; i++)
        for (int k = 0; k < m->vars[i].nrelocs; k++)
            if (m->vars[i].relocs[k].var < 0) taken[m->vars[i].relocs[k].func] = true;
    for (int i = 0; i < m->nfuncs; i++) {
        PtxFunc *f = &m->funcs[i];
        bool any = false;
        for (int k = 0; k < f->ninsts && !any; k++) any = call_is_indirect(&f->insts[k]);
        if (any) resolve_function(p, f, taken);
    }
}
