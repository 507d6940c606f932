// SPDX-License-Identifier: Apache-2.0
// Proof of a register allocation, independent of how it was found.
// requires  allocated code before emit.c, cfg_analyze
//
// Every virtual word has one home: a register word or a predicate. The checker walks the code and
// tracks for each virtual word whether its home holds its value. A write to a home ends this for
// all other words of that home. A copy inside one home extends it to the copy. At joins only facts
// of all incoming edges hold. Every read must find the value of its word. Spill slots must have
// been written on every path to the load.
#include "compile/ir.h"

#include <string.h>

enum { PRED_HOME = 64, HOMES = PRED_HOME + 8 };

typedef struct Checker {
    const Ir *ir;
    const AllocResult *a;
    Diag *d;
    Live live;            // only its numbering of units
    int *home;            // per unit, -1: none
    int first_at[HOMES];  // units whose home may hold their value now, chained
    int *next_at_home;
    bool *listed;  // per unit: listed in the chain of its home
    int slots;     // spill words, numbered after the units
    int64_t slot_base;
    size_t words;
    uint64_t *in;  // per block
    int block, index;
} Checker;

static bool report_wrong(Checker *c, const char *what, int reg) {
    char text[512];
    ir_print_inst(text, sizeof text, c->ir, c->ir->blocks[c->block].insts[c->index]);
    return diag_fail(c->d, EXIT_USAGE,
                     "%s: allocation is wrong: block %d instruction %d `%s`: %s (%%%d)",
                     c->ir->name, c->block, c->index, text, what, reg);
}

static void number_homes(Checker *c) {
    const Ir *ir = c->ir;
    for (int h = 0; h < HOMES; h++) c->first_at[h] = -1;
    for (int v = 0; v < ir->nvregs; v++)
        for (int w = 0; w < ir_units(ir->width[v]); w++) {
            int u = c->live.unit[v] + w;
            c->home[u] = -1;
            if (c->a->reg[v] == ISA_RZ) continue;
            c->home[u] = ir->width[v] ? c->a->reg[v] + w : PRED_HOME + c->a->reg[v];
            if (c->home[u] >= HOMES) c->home[u] = -1;
        }
}

static void list_unit(Checker *c, int unit) {
    if (c->listed[unit] || c->home[unit] < 0) return;
    c->listed[unit] = true;
    c->next_at_home[unit] = c->first_at[c->home[unit]];
    c->first_at[c->home[unit]] = unit;
}

static void set_valid(Checker *c, uint64_t *valid, int unit) {
    bit_set(valid, unit);
    list_unit(c, unit);
}

static void unlist_home(Checker *c, int home) {
    for (int u = c->first_at[home]; u >= 0; u = c->next_at_home[u]) c->listed[u] = false;
    c->first_at[home] = -1;
}

static void write_home(Checker *c, uint64_t *valid, int unit) {
    int home = c->home[unit];
    for (int u = c->first_at[home]; u >= 0; u = c->next_at_home[u]) bit_clear(valid, u);
    unlist_home(c, home);
}

// The chains that belong to the set at the start of a block.
static void list_valid(Checker *c, const uint64_t *valid) {
    for (int h = 0; h < HOMES; h++) unlist_home(c, h);
    for (int w = 0; w < (c->live.nunits + 63) / 64; w++)
        for (uint64_t rest = valid[w]; rest; rest &= rest - 1) {
            int u = 64 * w + __builtin_ctzll(rest);
            if (u < c->live.nunits) list_unit(c, u);
        }
}

// Word of the source that word w of a copy-like instruction copies; -1: none.
static int source_unit(const Checker *c, const IrInst *in, int w) {
    if (in->op == IR_JOIN) {
        for (int i = 0, at = 0; i < in->nsrc; at += in->src[i].width, i++)
            if (w >= at && w < at + in->src[i].width)
                return in->src[i].kind == ISA_SRC_REG ? c->live.unit[in->src[i].reg] + w - at : -1;
        return -1;
    }
    if (in->src[0].kind != ISA_SRC_REG || in->src[0].neg) return -1;
    return c->live.unit[in->src[0].reg] + w + (in->op == IR_SPLIT ? in->mod.mode : 0);
}

// Words are moved one after another, in order.
static bool step_copy(Checker *c, uint64_t *valid, const IrInst *in) {
    for (int w = 0; w < ir_units(c->ir->width[in->dst]); w++) {
        int to = c->live.unit[in->dst] + w, from = source_unit(c, in, w);
        if (from >= 0 && !bit_get(valid, from))
            return report_wrong(c, "copied word is not there", in->dst);
        if (from >= 0 && c->home[from] == c->home[to]) {
            set_valid(c, valid, to);
            continue;
        }
        write_home(c, valid, to);
        set_valid(c, valid, to);
    }
    return true;
}

static bool step_inst(Checker *c, uint64_t *valid, const IrInst *in) {
    const Ir *ir = c->ir;
    int units[IR_MAX_UNITS];
    bool copy = in->op == IR_COPY || in->op == IR_JOIN || in->op == IR_SPLIT;
    int n = live_uses(&c->live, ir, in, units);
    for (int i = 0; i < n; i++) {
        if (c->home[units[i]] < 0)
            return report_wrong(c, "a register that is read has no place", -1);
        if (!copy && !bit_get(valid, units[i]))
            return report_wrong(c, "the place does not hold the value that is read", -1);
    }
    int slot = c->live.nunits + (int)((in->mod.offset - c->slot_base) / 4);
    if (in->op == IR_SAVE || in->op == IR_RELOAD) {
        if (in->mod.offset < c->slot_base || in->mod.offset + in->mod.mem_bytes > ir->local_bytes)
            return report_wrong(c, "spill slot outside its area", -1);
        for (int w = 0; w < in->mod.mem_bytes / 4; w++) {
            if (in->op == IR_SAVE) bit_set(valid, slot + w);
            else if (!bit_get(valid, slot + w))
                return report_wrong(c, "spill slot was not written", in->dst);
        }
    }
    n = live_defs(&c->live, ir, in, units);
    for (int i = 0; i < n; i++)
        if (c->home[units[i]] < 0)
            return report_wrong(c, "a register that is written has no place", -1);
    if (copy) return step_copy(c, valid, in);
    for (int i = 0; i < n; i++) write_home(c, valid, units[i]);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++)
            if (c->home[units[k]] == c->home[units[i]])
                return report_wrong(c, "two results in one place", -1);
        set_valid(c, valid, units[i]);
    }
    return true;
}

static bool check_alignment(Checker *c) {
    const Ir *ir = c->ir;
    for (int v = 0; v < ir->nvregs; v++) {
        int r = c->a->reg[v], w = ir->width[v];
        if (r == ISA_RZ) continue;
        bool bad = w ? r % w || r + w > c->a->nregs : r >= c->a->npreds || r >= ISA_PREDS;
        if (bad)
            return diag_fail(c->d, EXIT_USAGE,
                             "%s: allocation is wrong: %%%d of %d words at register %d", ir->name,
                             v, w, r);
    }
    return true;
}

bool alloc_check(const Ir *ir, const AllocResult *a, Diag *d) {
    Checker c = {.ir = ir, .a = a, .d = d};
    Arena scratch = {0};
    live_compute(&c.live, ir, &scratch);
    c.slot_base = ir->local_bytes - ir->spill_bytes;
    c.slots = (int)(ir->spill_bytes / 4) + 1;
    c.words = (size_t)(c.live.nunits + c.slots + 63) / 64;
    c.home = ARENA_ARRAY(&scratch, int, c.live.nunits + 1);
    c.next_at_home = ARENA_ARRAY(&scratch, int, c.live.nunits + 1);
    c.listed = ARENA_ARRAY(&scratch, bool, c.live.nunits + 1);
    c.in = ARENA_ARRAY(&scratch, uint64_t, c.words * (size_t)ir->nblocks);
    uint64_t *now = ARENA_ARRAY(&scratch, uint64_t, c.words);
    number_homes(&c);
    memset(c.in + c.words, 0xff, sizeof(uint64_t) * c.words * (size_t)(ir->nblocks - 1));
    bool ok = check_alignment(&c);
    for (bool changed = true; ok && changed;) {
        changed = false;
        for (int i = 0; ok && i < ir->norder; i++) {
            const IrBlock *b = &ir->blocks[c.block = ir->order[i]];
            memcpy(now, c.in + c.words * (size_t)c.block, sizeof(uint64_t) * c.words);
            list_valid(&c, now);
            for (c.index = 0; ok && c.index < b->ninsts; c.index++)
                ok = step_inst(&c, now, b->insts[c.index]);
            for (int s = 0; s < b->nsucc; s++) {
                uint64_t *to = c.in + c.words * (size_t)b->succ[s];
                for (size_t w = 0; w < c.words; w++) {
                    if ((to[w] & now[w]) != to[w]) changed = true;
                    to[w] &= now[w];
                }
            }
        }
    }
    arena_free(&scratch);
    return ok;
}
