// SPDX-License-Identifier: Apache-2.0
// Which module variables kernels read and write. Addresses are followed through registers, without
// regard to the order of instructions. An address that is stored or passed on may be written
// through.
#include "ptx/ptx.h"

#include <string.h>

enum { FOLLOWED = 64 };  // variables whose addresses are followed; others count as written

typedef struct Uses {
    const PtxModule *m;
    bool *read, *written;
    int *bit;  // per variable: its bit in a set of addresses, -1: not followed
    int var[FOLLOWED];
    int nfollowed;
} Uses;

static uint64_t bit_of(Uses *u, int var) {
    if (u->bit[var] < 0) {
        if (u->nfollowed == FOLLOWED) {
            u->written[var] = true;
            return 0;
        }
        u->var[u->nfollowed] = var;
        u->bit[var] = u->nfollowed++;
    }
    return (uint64_t)1 << u->bit[var];
}

// The variables whose addresses an operand holds or is computed from.
static uint64_t variables_of(Uses *u, const PtxOperand *o, const uint64_t *regs) {
    uint64_t set = 0;
    if (o->kind == PTX_OPND_REG || (o->kind == PTX_OPND_MEM && o->base == PTX_BASE_REG))
        set = regs[o->index];
    else if ((o->kind == PTX_OPND_VAR || (o->kind == PTX_OPND_MEM && o->base == PTX_BASE_VAR)) &&
             o->module_scope)
        set = bit_of(u, o->index);
    for (int i = 0; i < o->nelements; i++) set |= variables_of(u, &o->elements[i], regs);
    return set;
}

static void mark_variables(const Uses *u, uint64_t set, bool *what) {
    for (int i = 0; i < u->nfollowed; i++)
        if (set >> i & 1) what[u->var[i]] = true;
}

static bool give_variables(const PtxOperand *dst, uint64_t set, uint64_t *regs) {
    bool changed = false;
    if (dst->kind == PTX_OPND_REG)
        changed = (set & ~regs[dst->index]) != 0, regs[dst->index] |= set;
    for (int i = 0; i < dst->nelements; i++)
        changed |= give_variables(&dst->elements[i], set, regs);
    return changed;
}

static bool is_load(PtxOp op) { return op == PTX_LD || op == PTX_LDU; }

// Handles one instruction. False: the sets of all registers are unchanged.
static bool follow_inst(Uses *u, const PtxInst *in, uint64_t *regs) {
    uint64_t set = 0;
    switch (in->op) {
    case PTX_PREFETCH:
    case PTX_PREFETCHU: return false;
    case PTX_CALL:
        for (int i = 0; i < in->ncall_args; i++)
            mark_variables(u, variables_of(u, &in->call_args[i], regs), u->written);
        return false;
    default: break;
    }
    const int first = in->op == PTX_ST || in->op == PTX_RED || in->op == PTX_ATOM ? 0 : 1;
    for (int i = first; i < in->nopnd; i++) set |= variables_of(u, &in->opnd[i], regs);
    if (is_load(in->op)) {
        mark_variables(u, set, u->read);
        return false;
    }
    if (in->op == PTX_ATOM || in->op == PTX_RED) mark_variables(u, set, u->read);
    if (in->op == PTX_ATOM || in->op == PTX_RED || in->op == PTX_ST || in->op == PTX_UNSUPPORTED) {
        mark_variables(u, set, u->written);
        return false;
    }
    return in->nopnd && give_variables(&in->opnd[0], set, regs);
}

static void follow_function(Uses *u, const PtxFunc *f) {
    Arena scratch = {0};
    uint64_t *regs = ARENA_ARRAY(&scratch, uint64_t, f->nregs + 1);
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < f->ninsts; i++) changed |= follow_inst(u, &f->insts[i], regs);
    }
    arena_free(&scratch);
}

void ptx_variable_uses(const PtxModule *m, const PtxFunc *entry, bool *read, bool *written) {
    Arena scratch = {0};
    Uses u = {
        .m = m, .read = read, .written = written, .bit = ARENA_ARRAY(&scratch, int, m->nvars + 1)};
    bool *seen = ARENA_ARRAY(&scratch, bool, m->nfuncs);
    int *stack = ARENA_ARRAY(&scratch, int, m->nfuncs), depth = 0;
    for (int i = 0; i < m->nvars; i++) u.bit[i] = -1;
    stack[depth++] = (int)(entry - m->funcs);
    seen[entry - m->funcs] = true;
    while (depth) {
        const PtxFunc *f = &m->funcs[stack[--depth]];
        follow_function(&u, f);
        for (int i = 0; i < f->ninsts; i++) {
            const PtxInst *in = &f->insts[i];
            if (in->op != PTX_CALL || in->opnd[0].kind != PTX_OPND_FUNC || seen[in->opnd[0].index])
                continue;
            seen[in->opnd[0].index] = true;
            stack[depth++] = in->opnd[0].index;
        }
    }
    // A pointer in an initializer makes its target accessible.
    for (int i = 0; i < m->nvars; i++)
        for (int k = 0; k < m->vars[i].nrelocs; k++)
            if (m->vars[i].relocs[k].var >= 0) written[m->vars[i].relocs[k].var] = true;
    arena_free(&scratch);
}
