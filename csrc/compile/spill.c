// SPDX-License-Identifier: Apache-2.0
// Spilling: a class of registers moves to a slot of local memory, behind the kernel's own frame.
// requires  the graph of this round
// Values that are cheap to make again (constants, special registers) are made again at each use instead;
// a predicate class moves into a general register.
#include "compile/alloc.h"

#include <string.h>

typedef struct Slot {
    Spiller *s;
    const Graph *g;
    int root;
    int64_t at;             // local address of the class
    int keeper;             // predicate: the register that holds it
    const IrInst *again;    // recomputation: the instruction that makes the value
    IrInst **out;
    int nout, cap_out;
} Slot;

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

static int fresh(Slot *t, int width, int value_of) {
    int v = ir_vreg(t->s->ir, width);
    set_fixed(t->s, v);
    t->s->value_of[v] = value_of;
    return v;
}

static bool member(const Slot *t, int vreg, int *offset) {
    return vreg >= 0 && vreg < t->g->ir->nvregs && !is_fixed(t->s, vreg) && graph_root(t->g, vreg, offset) == t->root;
}

static void put(Slot *t, IrInst *in) { *ARENA_PUSH(t->s->ir->arena, t->out, t->nout, t->cap_out) = in; }

static IrInst *reload(Slot *t, int dst, int64_t at, int width, int line) {
    IrInst *in = ir_inst(t->s->ir, IR_RELOAD, 0);
    in->dst = dst;
    in->mod.offset = (int32_t)at;
    in->mod.mem_bytes = (uint8_t)(4 * width);
    in->mod.ptx_line = line;
    put(t, in);
    t->s->ir->spill_loads++;
    return in;
}

static void save(Slot *t, IrSrc value, int64_t at, int line) {
    IrInst *in = ir_inst(t->s->ir, IR_SAVE, 1);
    in->src[0] = value;
    in->mod.offset = (int32_t)at;
    in->mod.mem_bytes = (uint8_t)(4 * value.width);
    in->mod.ptx_line = line;
    put(t, in);
    t->s->ir->spill_stores++;
}

// A register that holds the member's value for one instruction.
static int fetch(Slot *t, int vreg, int offset, int line) {
    Ir *ir = t->s->ir;
    int width = ir->width[vreg], v = fresh(t, width, vreg);
    if (t->again) {
        IrInst *in = ir_clone(ir, t->again);
        in->dst = v;
        put(t, in);
    } else if (width == 0) {
        IrInst *in = ir_inst(ir, ISA_ISETP, 2);
        in->src[0] = ir_reg(ir, t->keeper);
        in->src[1] = ir_imm(0);
        in->mod.cmp = ISA_NE;
        in->mod.type = ISA_U32;
        in->mod.ptx_line = line;
        in->pdst[0] = v;
        put(t, in);
    } else reload(t, v, t->at + 4 * offset, width, line);
    return v;
}

static void rewrite_uses(Slot *t, IrInst *in) {
    int line = in->mod.ptx_line, offset, from[8], to[8], n = 0;
    int *slots[16], nslots = 0;
    for (int i = 0; i < in->nsrc; i++)
        if (in->src[i].kind == ISA_SRC_REG) slots[nslots++] = &in->src[i].reg;
    for (int i = 0; i < 3; i++)
        if (in->psrc[i].reg != IR_PT) slots[nslots++] = &in->psrc[i].reg;
    if (in->guard.reg != IR_PT) slots[nslots++] = &in->guard.reg;
    for (int i = 0; i < nslots; i++) {
        if (!member(t, *slots[i], &offset)) continue;
        int k = 0;
        while (k < n && from[k] != *slots[i]) k++;
        if (k == n) {
            from[n] = *slots[i];
            to[n++] = fetch(t, *slots[i], offset, line);
        }
        *slots[i] = to[k];
    }
}

static void keep_defs(Slot *t, const IrInst *in) {
    int defs[3], nd = ir_defs(in, defs), offset, line = in->mod.ptx_line;
    Ir *ir = t->s->ir;
    for (int i = 0; i < nd; i++) {
        if (!member(t, defs[i], &offset)) continue;
        if (ir->width[defs[i]]) {
            save(t, ir_reg(ir, defs[i]), t->at + 4 * offset, line);
            continue;
        }
        IrInst *p = ir_inst(ir, ISA_P2R, 1);
        p->src[0] = ir_imm(1);
        p->psrc[0].reg = defs[i];
        p->dst = t->keeper;
        p->mod.ptx_line = line;
        put(t, p);
    }
}

// Copies to, from and inside the class become loads, stores or nothing. Returns true when done.
static bool rewrite_copy(Slot *t, IrInst *in) {
    if (t->again || t->keeper >= 0) return false;
    int od, os, line = in->mod.ptx_line;
    bool plain = in->op == IR_COPY && in->src[0].kind == ISA_SRC_REG;
    bool split = in->op == IR_SPLIT && in->src[0].kind == ISA_SRC_REG;
    if (!plain && !split) return false;
    int part = split ? in->mod.mode : 0;
    bool d = member(t, in->dst, &od), s = member(t, in->src[0].reg, &os);
    if (d && s && od == os + part) return true;
    if (d && !s && plain) {
        save(t, in->src[0], t->at + 4 * od, line);
        return true;
    }
    if (!d && s) {
        reload(t, in->dst, t->at + 4 * (os + part), t->g->ir->width[in->dst], line);
        return true;
    }
    return false;
}

// The one instruction that makes the class's value, when it may be repeated anywhere.
static const IrInst *recomputable(const Slot *t) {
    const Ir *ir = t->g->ir;
    const IrInst *found = NULL;
    for (int b = 0; b < ir->nblocks; b++)
        for (int i = 0; i < ir->blocks[b].ninsts; i++) {
            const IrInst *in = ir->blocks[b].insts[i];
            int defs[3], nd = ir_defs(in, defs);
            for (int d = 0; d < nd; d++) {
                if (!member(t, defs[d], NULL)) continue;
                bool constant = in->op == IR_COPY && in->src[0].kind != ISA_SRC_REG;
                bool special = in->op == ISA_S2R && ir_is_repeatable(in);
                if (found || (!constant && !special)) return NULL;
                found = in;
            }
        }
    return found && ir->width[found->dst] == ir->width[t->root] ? found : NULL;
}

static void prepare(Slot *t) {
    Ir *ir = t->s->ir;
    int width = ir->width[t->root];
    t->again = recomputable(t);
    t->keeper = -1;
    if (t->again) return;
    if (!width) {
        t->keeper = ir_vreg(ir, 1);
        set_fixed(t->s, t->root);  // grows the tables
        t->s->fixed[t->root] = false;
        return;
    }
    int64_t align = 4 * width;
    if (!ir->spill_bytes) ir->local_bytes = (ir->local_bytes + 15) / 16 * 16;
    t->at = (ir->local_bytes + align - 1) / align * align;
    ir->spill_bytes += t->at + align - ir->local_bytes;
    ir->local_bytes = t->at + align;
}

void spill_class(Spiller *s, const Graph *g, int root) {
    Slot t = {.s = s, .g = g, .root = root};
    Ir *ir = s->ir;
    int nold = ir->nvregs;
    prepare(&t);
    for (int b = 0; b < ir->nblocks; b++) {
        IrBlock *k = &ir->blocks[b];
        t.out = NULL;
        t.nout = t.cap_out = 0;
        for (int i = 0; i < k->ninsts; i++) {
            IrInst *in = k->insts[i];
            if (rewrite_copy(&t, in)) continue;
            if (t.again && in == t.again) continue;
            rewrite_uses(&t, in);
            put(&t, in);
            if (!t.again) keep_defs(&t, in);
        }
        k->insts = t.out;
        k->ninsts = t.nout;
        k->cap_insts = t.cap_out;
    }
    for (int v = 0; v < nold; v++)  // what is left of the class lives from a definition to its store
        if (graph_root(g, v, NULL) == root) set_fixed(s, v);
}
