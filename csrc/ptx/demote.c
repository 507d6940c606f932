// SPDX-License-Identifier: Apache-2.0
// .target map_f64_to_f32: instructions are checked as written and then converted to .f32. A .f64
// value in memory still has 8 bytes. The .f32 instruction has the address of the .f64 one, so it
// uses the 4 bytes at the lower address. PTX does not define the halves further. Code that would
// expose the other half, or depend on the chosen one, is refused.
#include "ptx/front.h"

#include <string.h>

static PtxType slot_type(const PtxInst *in, int operand) {
    switch (in->op) {
    case PTX_CVT:
    case PTX_SET: return operand ? in->type2 : in->type;
    case PTX_SLCT: return operand == 3 ? in->type2 : in->type;
    default: return in->type;
    }
}

static bool is_f64(const Parser *p, const PtxOperand *o) {
    return o->kind == PTX_OPND_REG && p->f->regs[o->index].type == PTX_F64;
}

static void demote_value(const Parser *p, PtxOperand *o, PtxType slot, InstText *t) {
    if (o->kind == PTX_OPND_REG && ptx_type_bytes(p->f->regs[o->index].type) == 8 &&
        is_f64(p, o) != (slot == PTX_F64))
        t->why = "the 64 bits of a .f64 value with map_f64_to_f32";
    if (o->kind != PTX_OPND_IMM || slot != PTX_F64) return;
    double wide;
    memcpy(&wide, &o->bits, sizeof wide);
    const float narrow = (float)wide;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    o->bits = bits;
}

void demote_inst(Parser *p, PtxInst *in, InstText *t) {
    for (int i = 0; i < in->nopnd && in->op != PTX_CALL; i++) {
        PtxOperand *o = &in->opnd[i];
        demote_value(p, o, slot_type(in, i), t);
        for (int e = 0; o->kind == PTX_OPND_VEC && e < o->nelements; e++)
            demote_value(p, &o->elements[e], slot_type(in, i), t);
    }
    for (int i = 0; i < in->ncall_args + in->ncall_rets; i++)
        if (is_f64(p, i < in->ncall_args ? &in->call_args[i] : &in->call_rets[i - in->ncall_args]))
            t->why = "a .f64 register as an argument with map_f64_to_f32";
    if (in->type == PTX_F64 && in->vec > 1) t->why = "vectors of .f64 with map_f64_to_f32";
    if (in->op == PTX_CVT && in->type == PTX_F32 && in->type2 == PTX_F64 && in->rnd <= PTX_RP)
        in->rnd = PTX_RND_NONE;  // the value is an .f32 already
    if (in->type == PTX_F64) in->type = PTX_F32;
    if (in->type2 == PTX_F64) in->type2 = PTX_F32;
}

void demote_registers(PtxFunc *f) {
    for (int i = 0; i < f->nregs; i++)
        if (f->regs[i].type == PTX_F64) f->regs[i].type = PTX_F32;
}
