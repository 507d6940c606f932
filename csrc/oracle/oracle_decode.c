// SPDX-License-Identifier: Apache-2.0
// Turns a PtxFunc into the interpreter's form. Decoding gives slots to named registers only,
// replaces variables by addresses, and assigns a handler to each instruction. Done once per
// function and run.
#include "oracle/interp.h"

#include <string.h>

// ---- slots ----

static void name_register(OFunc *of, int reg) {
    if (of->slot[reg] >= 0) return;
    bool pred = of->f->regs[reg].type == PTX_PRED;
    of->slot[reg] = pred ? of->npreds++ : of->nslots++;
}

static void name_operand(OFunc *of, const PtxOperand *o) {
    if (o->kind == PTX_OPND_REG || (o->kind == PTX_OPND_MEM && o->base == PTX_BASE_REG))
        name_register(of, o->index);
    for (int i = 0; i < o->nelements; i++) name_operand(of, &o->elements[i]);
}

static void name_registers(OFunc *of) {
    const PtxFunc *f = of->f;
    for (int i = 0; i < f->nregs; i++) of->slot[i] = -1;
    for (int i = 0; i < f->nvars; i++)
        if (f->vars[i].is_reg) name_register(of, f->vars[i].reg);
    for (int i = 0; i < f->ninsts; i++) {
        const PtxInst *in = &f->insts[i];
        if (in->guard >= 0) name_register(of, in->guard);
        for (int k = 0; k < in->nopnd; k++) name_operand(of, &in->opnd[k]);
        name_operand(of, &in->dst2);
        for (int k = 0; k < in->ncall_args; k++) name_operand(of, &in->call_args[k]);
        for (int k = 0; k < in->ncall_rets; k++) name_operand(of, &in->call_rets[k]);
    }
}

// ---- operands ----

static uint64_t window_base(PtxSpace s) {
    switch (s) {
    case PTX_SHARED: return DEVICE_SHARED_BASE;
    case PTX_LOCAL: return DEVICE_LOCAL_BASE;
    case PTX_CONST: return DEVICE_CONST_BASE;
    case PTX_PARAM: return DEVICE_PARAM_BASE;
    default: return 0;
    }
}

// Address of a variable inside its space, `generic`: in the generic space.
static OSrc decode_variable(const Oracle *o, const OFunc *of, const PtxOperand *op, bool generic) {
    OSrc s = {.kind = OSRC_CONST};
    PtxSpace space;
    if (op->module_scope) {
        const PtxVar *v = &o->run->module->vars[op->index];
        space = v->space;
        s.value = space == PTX_SHARED ? o->run->shared->module_offset[op->index]
                                      : o->run->layout->var_addr[op->index];
    } else {
        const PtxVar *v = &of->f->vars[op->index];
        space = v->space;
        s.value = (uint64_t)v->offset;
        if (space == PTX_SHARED) s.value = o->run->shared->func_offset[of->index][op->index];
        if (space == PTX_LOCAL) s.kind = OSRC_LOCAL;  // variables of the module have one place
        // The block of call sequences follows the block of parameters and return values.
        if (space == PTX_PARAM && op->index >= of->f->nparams + of->f->nrets)
            s.value += (uint64_t)o_call_block(of->f);
    }
    if (generic) s.value += window_base(space);
    return s;
}

static OSrc decode_source(const Oracle *o, const OFunc *of, const PtxInst *in,
                          const PtxOperand *op) {
    OSrc s = {.kind = OSRC_NONE, .negated = op->negated};
    bool access = in->op == PTX_LD || in->op == PTX_LDU || in->op == PTX_ST || in->op == PTX_ATOM ||
        in->op == PTX_RED;
    switch (op->kind) {
    case PTX_OPND_REG:
        s.kind = of->f->regs[op->index].type == PTX_PRED ? OSRC_PRED : OSRC_REG;
        s.index = of->slot[op->index];
        break;
    case PTX_OPND_IMM:
        s.kind = OSRC_CONST;
        s.value = op->bits;
        break;
    case PTX_OPND_SREG:
        s.kind = OSRC_SREG;
        s.index = op->index;
        break;
    case PTX_OPND_VAR:
        s = decode_variable(o, of, op, false);
        s.value += (uint64_t)op->offset;
        break;
    case PTX_OPND_MEM:
        if (op->base == PTX_BASE_REG) {
            s.kind = OSRC_REG;
            s.index = of->slot[op->index];
        } else if (op->base == PTX_BASE_VAR) {
            s = decode_variable(o, of, op, access && in->space == PTX_GENERIC);
        } else {
            s.kind = OSRC_CONST;
        }
        break;
    default: break;
    }
    return s;
}

static int pred_slot(const OFunc *of, const PtxOperand *o) {
    bool pred = o->kind == PTX_OPND_REG && of->f->regs[o->index].type == PTX_PRED;
    return pred ? of->slot[o->index] : -1;
}

static void decode_destination(const OFunc *of, const PtxInst *in, OInst *oi) {
    const PtxOperand *o = &in->opnd[0];
    oi->dst = oi->pdst = oi->pdst2 = -1;
    if (in->nopnd && o_writes_first_operand(in->op) && o->kind == PTX_OPND_REG) {
        PtxType t = of->f->regs[o->index].type;
        if (t == PTX_PRED) {
            oi->pdst = of->slot[o->index];
        } else {
            oi->dst = of->slot[o->index];
            oi->mask = ~0ull >> (64 - 8 * ptx_type_bytes(t));
        }
    }
    oi->pdst2 = pred_slot(of, &in->dst2);
}

static uint64_t address_mask(const OFunc *of, const PtxInst *in) {
    for (int k = 0; k < in->nopnd; k++) {
        const PtxOperand *o = &in->opnd[k];
        if (o->kind == PTX_OPND_MEM && o->base == PTX_BASE_REG &&
            ptx_type_bytes(of->f->regs[o->index].type) == 4)
            return UINT32_MAX;
    }
    return UINT64_MAX;
}

static void decode_inst(Oracle *o, OFunc *of, int i) {
    const PtxInst *in = &of->f->insts[i];
    OInst *oi = &of->insts[i];
    oi->in = in;
    oi->eval = o_eval_of(in);
    oi->handler = o_handler_of(in);
    oi->addr_mask = address_mask(of, in);
    decode_destination(of, in, oi);
    int first = in->nopnd && o_writes_first_operand(in->op) ? 1 : 0;
    for (int k = first; k < in->nopnd; k++)
        oi->src[k - first] = decode_source(o, of, in, &in->opnd[k]);
    if (in->op == PTX_BRA) oi->target = of->f->labels[in->opnd[0].index].inst;
    oi->guard = in->guard >= 0 ? of->slot[in->guard] : -1;
    oi->bytes = (uint32_t)(ptx_type_bytes(in->type) * in->vec);
    const OHandler fast = o_fast_of(oi, of, !o->found && !o->race);
    if (fast) oi->handler = fast;
}

bool o_decode(Oracle *o, int func) {
    OFunc *of = &o->funcs[func];
    if (of->f) return true;
    const PtxFunc *f = &o->run->module->funcs[func];
    of->index = func;
    of->f = f;
    of->slot = ARENA_ARRAY(&o->arena, int, f->nregs + 1);
    of->insts = ARENA_ARRAY(&o->arena, OInst, f->ninsts + 1);
    name_registers(of);
    for (int i = 0; i < f->ninsts; i++) decode_inst(o, of, i);
    if (o->found) {
        of->unsure = ARENA_ARRAY(&o->arena, bool, f->nregs + 1);
        o_find_unsure(of);
    }
    return o_postdominators(of, o->d);
}
