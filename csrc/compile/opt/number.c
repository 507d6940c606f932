// SPDX-License-Identifier: Apache-2.0
// Value numbering: repeatable instructions with equal opcode, modifiers and operands compute equal
// values; the instruction whose block dominates the other's is kept.
#include "compile/opt/simplify.h"

#include <string.h>

static uint64_t mix_hash(uint64_t h, uint64_t v) {
    return (h ^ v) * 0x9e3779b97f4a7c15ull ^ (h >> 29);
}

// The modifiers that decide the result; the PTX line does not.
static IsaInst essence_of(const IrInst *in) {
    IsaInst m;
    memset(&m, 0, sizeof m);
    const IsaInst *f = &in->mod;
    m.has_cin = f->has_cin;
    m.type = f->type;
    m.stype = f->stype;
    m.cmp = f->cmp;
    m.boolop = f->boolop;
    m.part = f->part;
    m.rnd = f->rnd;
    m.mufu = f->mufu;
    m.ftz = f->ftz;
    m.sat = f->sat;
    m.approx = f->approx;
    m.lut = f->lut;
    m.shift = f->shift;
    m.mode = f->mode;
    m.sreg = f->sreg;
    m.cbank = f->cbank;
    m.mem_bytes = f->mem_bytes;
    m.offset = f->offset;
    return m;
}

static uint64_t hash_inst(const Ir *ir, const IrInst *in) {
    uint64_t h = (uint64_t)in->op * 31 + (in->dst == IR_NONE ? 0 : ir->width[in->dst]);
    IsaInst m = essence_of(in);
    const uint8_t *bytes = (const uint8_t *)&m;
    for (size_t i = 0; i < sizeof m; i++) h = mix_hash(h, bytes[i]);
    for (int i = 0; i < in->nsrc; i++) {
        const IrSrc *s = &in->src[i];
        h = mix_hash(
            h, (uint64_t)s->kind << 8 | (uint64_t)s->width << 4 | (uint64_t)s->neg << 1 | s->abs);
        h = mix_hash(h, s->kind == ISA_SRC_REG ? (uint64_t)s->reg : s->imm);
    }
    for (int i = 0; i < 3; i++)
        h = mix_hash(h, (uint64_t)(uint32_t)in->psrc[i].reg << 1 | in->psrc[i].neg);
    return h ^ h >> 32;
}

static bool same_value(const Ir *ir, const IrInst *a, const IrInst *b) {
    if (a->op != b->op || a->nsrc != b->nsrc) return false;
    if ((a->dst == IR_NONE) != (b->dst == IR_NONE)) return false;
    if (a->dst != IR_NONE && ir->width[a->dst] != ir->width[b->dst]) return false;
    IsaInst x = essence_of(a), y = essence_of(b);
    if (memcmp(&x, &y, sizeof x)) return false;
    for (int i = 0; i < a->nsrc; i++)
        if (!ir_same_src(&a->src[i], &b->src[i])) return false;
    for (int i = 0; i < 3; i++)
        if (a->psrc[i].reg != b->psrc[i].reg || a->psrc[i].neg != b->psrc[i].neg) return false;
    for (int i = 0; i < 2; i++)  // the earlier one must have all results of the later one
        if (b->pdst[i] != IR_NONE && a->pdst[i] == IR_NONE) return false;
    return true;
}

bool number_value(Simplifier *s, IrInst *in) {
    Ir *ir = s->ir;
    if (in->dst == IR_NONE && in->pdst[0] == IR_NONE && in->pdst[1] == IR_NONE) return false;
    int slot = (int)(hash_inst(ir, in) % (uint64_t)s->nbuckets);
    for (int e = s->bucket[slot]; e; e = s->equal[e - 1].next) {
        const Equal *q = &s->equal[e - 1];
        if (q->in == in || !same_value(ir, q->in, in) || !cfg_dominates(ir, q->block, s->block))
            continue;
        if (in->dst != IR_NONE) {
            si_replace(s, in->dst, ir_reg(ir, q->in->dst));
            s->uses[q->in->dst] += s->uses[in->dst];
        }
        for (int i = 0; i < 2; i++)
            if (in->pdst[i] != IR_NONE) {
                si_replace_pred(s, in->pdst[i], (IrPred){q->in->pdst[i], false});
                s->uses[q->in->pdst[i]] += s->uses[in->pdst[i]];
            }
        return true;
    }
    *ARENA_PUSH(s->scratch, s->equal, s->nequal, s->cap_equal) =
        (Equal){in, s->block, s->bucket[slot]};
    s->bucket[slot] = s->nequal;
    return false;
}
