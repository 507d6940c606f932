// SPDX-License-Identifier: Apache-2.0
// Spilling: a class of registers moves to a slot of local memory, after the kernel's own frame.
//
// requires  the graph of this round
//
// Cheap values (constants, special registers) are recomputed at each use instead. A predicate class
// moves into a general register.
#include "compile/alloc/alloc.h"

#include <string.h>

typedef struct Slot {     // location of one spilled class
    int64_t at;           // local address of the class
    int keeper;           // predicate: the register that holds it, otherwise IR_NONE
    const IrInst *again;  // recomputation: the instruction that computes the value
    int ndefs;
    bool constant;  // every definition could be recomputed
} Slot;

typedef struct Rewriter {
    Spiller *s;
    const Graph *g;
    Slot **slot;  // per root; NULL: not spilled
    IrInst **out;
    int nout, cap_out;
} Rewriter;

bool is_fixed(const Spiller *s, int vreg) { return vreg < s->cap_fixed && s->fixed[vreg]; }

static void set_fixed(Spiller *s, int vreg) {
    if (vreg >= s->cap_fixed) {
        int cap = s->ir->nvregs * 2 + 64;
        bool *fixed = ARENA_ARRAY(s->ir->arena, bool, cap);
        int *value = ARENA_ARRAY(s->ir->arena, int, cap);
        for (int i = 0; i < cap; i++) value[i] = i < s->cap_fixed ? s->value_of[i] : i;
        if (s->cap_fixed) memcpy(fixed, s->fixed, sizeof(bool) * (size_t)s->cap_fixed);
        s->fixed = fixed;
        s->value_of = value;
        s->cap_fixed = cap;
    }
    s->fixed[vreg] = true;
}

static int make_temporary(Rewriter *t, int width, int value_of) {
    int v = ir_vreg(t->s->ir, width);
    set_fixed(t->s, v);
    t->s->value_of[v] = value_of;
    return v;
}

// The slot of the register's class, if it is spilled now.
static Slot *slot_of(const Rewriter *t, int vreg, int *offset) {
    if (vreg < 0 || vreg >= t->g->nvregs || is_fixed(t->s, vreg)) return NULL;
    return t->slot[graph_root(t->g, vreg, offset)];
}

static void put_inst(Rewriter *t, IrInst *in) {
    *ARENA_PUSH(t->s->ir->arena, t->out, t->nout, t->cap_out) = in;
}

static void put_reload(Rewriter *t, int dst, int64_t at, int width, int line) {
    IrInst *in = ir_inst(t->s->ir, IR_RELOAD, 0);
    in->dst = dst;
    in->mod.offset = (int32_t)at;
    in->mod.mem_bytes = (uint8_t)(4 * width);
    in->mod.ptx_line = line;
    put_inst(t, in);
    t->s->ir->spill_loads++;
}

static void put_save(Rewriter *t, IrSrc value, int64_t at, int line) {
    IrInst *in = ir_inst(t->s->ir, IR_SAVE, 1);
    in->src[0] = value;
    in->mod.offset = (int32_t)at;
    in->mod.mem_bytes = (uint8_t)(4 * value.width);
    in->mod.ptx_line = line;
    put_inst(t, in);
    t->s->ir->spill_stores++;
}

// A register that holds the member's value for one instruction.
static int fetch_member(Rewriter *t, const Slot *slot, int vreg, int offset, int line) {
    Ir *ir = t->s->ir;
    int width = ir->width[vreg], v = make_temporary(t, width, vreg);
    if (slot->again) {
        IrInst *in = ir_clone(ir, slot->again);
        in->dst = v;
        put_inst(t, in);
    } else if (width == 0) {
        IrInst *in = ir_inst(ir, ISA_ISETP, 2);
        in->src[0] = ir_reg(ir, slot->keeper);
        in->src[1] = ir_imm(0);
        in->mod.cmp = ISA_NE;
        in->mod.type = ISA_U32;
        in->mod.ptx_line = line;
        in->pdst[0] = v;
        put_inst(t, in);
    } else put_reload(t, v, slot->at + 4 * offset, width, line);
    return v;
}

static void rewrite_uses(Rewriter *t, IrInst *in) {
    int line = in->mod.ptx_line, offset = 0, from[8], to[8], n = 0;
    int *places[16], nplaces = 0;
    for (int i = 0; i < in->nsrc; i++)
        if (in->src[i].kind == ISA_SRC_REG) places[nplaces++] = &in->src[i].reg;
    for (int i = 0; i < 3; i++)
        if (in->psrc[i].reg != IR_PT) places[nplaces++] = &in->psrc[i].reg;
    if (in->guard.reg != IR_PT) places[nplaces++] = &in->guard.reg;
    for (int i = 0; i < nplaces; i++) {
        const Slot *slot = slot_of(t, *places[i], &offset);
        if (!slot) continue;
        int k = 0;
        while (k < n && from[k] != *places[i]) k++;
        if (k == n) {
            from[n] = *places[i];
            to[n++] = fetch_member(t, slot, *places[i], offset, line);
        }
        *places[i] = to[k];
    }
}

static void keep_defs(Rewriter *t, const IrInst *in) {
    int defs[3], nd = ir_defs(in, defs), offset = 0, line = in->mod.ptx_line;
    Ir *ir = t->s->ir;
    for (int i = 0; i < nd; i++) {
        const Slot *slot = slot_of(t, defs[i], &offset);
        if (!slot || slot->again) continue;
        if (ir->width[defs[i]]) {
            put_save(t, ir_reg(ir, defs[i]), slot->at + 4 * offset, line);
            continue;
        }
        IrInst *p = ir_inst(ir, ISA_P2R, 1);
        p->src[0] = ir_imm(1);
        p->psrc[0].reg = defs[i];
        p->dst = slot->keeper;
        p->mod.ptx_line = line;
        put_inst(t, p);
    }
}

static bool in_memory(const Slot *slot) { return slot && !slot->again && slot->keeper == IR_NONE; }

// Copies to, from and inside classes in memory become loads, stores or nothing. Returns true when
// done.
static bool rewrite_copy(Rewriter *t, IrInst *in) {
    int od = 0, os = 0, line = in->mod.ptx_line;
    if ((in->op != IR_COPY && in->op != IR_SPLIT) || in->src[0].kind != ISA_SRC_REG) return false;
    int part = in->op == IR_SPLIT ? in->mod.mode : 0;
    const Slot *d = slot_of(t, in->dst, &od), *s = slot_of(t, in->src[0].reg, &os);
    if (in_memory(d) && d == s && od == os + part) return true;
    if (in_memory(d) && !s && in->op == IR_COPY) {
        put_save(t, in->src[0], d->at + 4 * od, line);
        return true;
    }
    if (!d && in_memory(s)) {
        put_reload(t, in->dst, s->at + 4 * (os + part), t->s->ir->width[in->dst], line);
        return true;
    }
    return false;
}

// ---- what becomes of each class ----

// Finds definitions of the spilled classes that may be repeated anywhere; their values need no
// slot.
static void find_recomputable(Rewriter *t) {
    const Ir *ir = t->s->ir;
    for (int b = 0; b < ir->nblocks; b++)
        for (int i = 0; i < ir->blocks[b].ninsts; i++) {
            const IrInst *in = ir->blocks[b].insts[i];
            int defs[3], nd = ir_defs(in, defs);
            for (int d = 0; d < nd; d++) {
                int offset, root = defs[d] < t->g->nvregs ? graph_root(t->g, defs[d], &offset) : -1;
                Slot *slot = root >= 0 ? t->slot[root] : NULL;
                if (!slot) continue;
                bool constant = in->op == IR_COPY && in->src[0].kind != ISA_SRC_REG;
                bool special = in->op == ISA_S2R && ir_is_repeatable(in);
                bool whole = in->dst == defs[d] && ir->width[in->dst] == ir->width[root];
                slot->constant =
                    !slot->ndefs++ && (constant || special) && whole && in->guard.reg == IR_PT;
                slot->again = in;
            }
        }
}

static void place_slot(Rewriter *t, Slot *slot, int root) {
    Ir *ir = t->s->ir;
    int width = ir->width[root];
    if (!slot->constant) slot->again = NULL;
    slot->keeper = IR_NONE;
    if (slot->again) return;
    if (!width) {
        slot->keeper = ir_vreg(ir, 1);
        return;
    }
    int64_t align = 4 * width;
    if (!ir->spill_bytes) ir->local_bytes = (ir->local_bytes + 15) / 16 * 16;
    slot->at = (ir->local_bytes + align - 1) / align * align;
    ir->spill_bytes += slot->at + align - ir->local_bytes;
    ir->local_bytes = slot->at + align;
}

static void rewrite_block(Rewriter *t, IrBlock *k) {
    t->out = NULL;
    t->nout = t->cap_out = 0;
    for (int i = 0; i < k->ninsts; i++) {
        IrInst *in = k->insts[i];
        if (rewrite_copy(t, in)) continue;
        const Slot *d = in->dst == IR_NONE ? NULL : slot_of(t, in->dst, NULL);
        if (d && d->again == in) continue;
        rewrite_uses(t, in);
        put_inst(t, in);
        keep_defs(t, in);
    }
    k->insts = t->out;
    k->ninsts = t->nout;
    k->cap_insts = t->cap_out;
}

void spill_classes(Spiller *s, const Graph *g, const bool *chosen) {
    Rewriter t = {.s = s, .g = g, .slot = ARENA_ARRAY(g->arena, Slot *, g->nvregs + 1)};
    Ir *ir = s->ir;
    for (int v = 0; v < g->nvregs; v++)
        if (chosen[v]) t.slot[v] = ARENA_NEW(g->arena, Slot);
    find_recomputable(&t);
    for (int v = 0; v < g->nvregs; v++)
        if (t.slot[v]) place_slot(&t, t.slot[v], v);
    for (int b = 0; b < ir->nblocks; b++) rewrite_block(&t, &ir->blocks[b]);
    for (int v = 0; v < g->nvregs;
         v++)  // the remainder of a class lives from a definition to its store
        if (t.slot[graph_root(g, v, NULL)]) set_fixed(s, v);
}
