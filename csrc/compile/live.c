// SPDX-License-Identifier: Apache-2.0
// Liveness of every word of every virtual register, per block.
//
// requires  predecessors and reverse postorder (cfg_analyze)
//
// provides  sets of live units at the start and end of blocks.
//           A PHI's source is live at the end of its predecessor, its result from the start of
//           the block on.
#include "compile/ir.h"

#include <string.h>

int live_uses(const Live *l, const Ir *ir, const IrInst *in, int *units) {
    int n = 0;
    for (int i = 0; i < in->nsrc; i++) {
        const IrSrc *s = &in->src[i];
        if (s->kind != ISA_SRC_REG) continue;
        int first = 0, count = ir_units(ir->width[s->reg]);
        if (in->op == IR_SPLIT) {
            first = in->mod.mode;
            count = ir->width[in->dst];
        }
        for (int w = 0; w < count; w++) units[n++] = l->unit[s->reg] + first + w;
    }
    for (int i = 0; i < 3; i++)
        if (in->psrc[i].reg != IR_PT) units[n++] = l->unit[in->psrc[i].reg];
    if (in->guard.reg != IR_PT) units[n++] = l->unit[in->guard.reg];
    return n;
}

int live_defs(const Live *l, const Ir *ir, const IrInst *in, int *units) {
    int defs[3], n = 0, nd = ir_defs(in, defs);
    for (int i = 0; i < nd; i++)
        for (int w = 0; w < ir_units(ir->width[defs[i]]); w++) units[n++] = l->unit[defs[i]] + w;
    return n;
}

// Units that PHIs of the successors read at the end of block b.
static void phi_uses(const Live *l, const Ir *ir, int b, uint64_t *set) {
    const IrBlock *k = &ir->blocks[b];
    for (int s = 0; s < k->nsucc; s++) {
        const IrBlock *t = &ir->blocks[k->succ[s]];
        for (int i = 0; i < t->ninsts && t->insts[i]->op == IR_PHI; i++)
            for (int p = 0; p < t->npred; p++) {
                const IrSrc *a = &t->insts[i]->src[p];
                if (t->pred[p] != b || a->kind != ISA_SRC_REG) continue;
                for (int w = 0; w < ir_units(ir->width[a->reg]); w++)
                    bit_set(set, l->unit[a->reg] + w);
            }
    }
}

static void block_sets(const Live *l, const Ir *ir, int b, uint64_t *gen, uint64_t *kill) {
    const IrBlock *k = &ir->blocks[b];
    int units[IR_MAX_UNITS];
    for (int i = k->ninsts - 1; i >= 0; i--) {
        const IrInst *in = k->insts[i];
        int n = live_defs(l, ir, in, units);
        for (int j = 0; j < n; j++) {
            bit_clear(gen, units[j]);
            bit_set(kill, units[j]);
        }
        if (in->op == IR_PHI) continue;
        n = live_uses(l, ir, in, units);
        for (int j = 0; j < n; j++) bit_set(gen, units[j]);
    }
}

void live_compute(Live *l, const Ir *ir, Arena *scratch) {
    l->unit = ARENA_ARRAY(scratch, int, ir->nvregs + 1);
    l->nunits = 0;
    for (int v = 0; v < ir->nvregs; v++) {
        l->unit[v] = l->nunits;
        l->nunits += ir_units(ir->width[v]);
    }
    l->words = (l->nunits + 63) / 64;
    size_t words = (size_t)l->words;
    l->in = ARENA_ARRAY(scratch, uint64_t, words * (size_t)ir->nblocks);
    l->out = ARENA_ARRAY(scratch, uint64_t, words * (size_t)ir->nblocks);
    uint64_t *gen = ARENA_ARRAY(scratch, uint64_t, words * (size_t)ir->nblocks);
    uint64_t *kill = ARENA_ARRAY(scratch, uint64_t, words * (size_t)ir->nblocks);
    for (int b = 0; b < ir->nblocks; b++) {
        block_sets(l, ir, b, gen + words * (size_t)b, kill + words * (size_t)b);
        phi_uses(l, ir, b, l->out + words * (size_t)b);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = ir->norder - 1; i >= 0; i--) {
            int b = ir->order[i];
            const IrBlock *k = &ir->blocks[b];
            uint64_t *out = l->out + words * (size_t)b, *in = l->in + words * (size_t)b;
            const uint64_t *g = gen + words * (size_t)b, *d = kill + words * (size_t)b;
            for (int s = 0; s < k->nsucc; s++) {
                const uint64_t *from = l->in + words * (size_t)k->succ[s];
                for (size_t w = 0; w < words; w++) out[w] |= from[w];
            }
            for (size_t w = 0; w < words; w++) {
                uint64_t v = g[w] | (out[w] & ~d[w]);
                if (v != in[w]) {
                    in[w] = v;
                    changed = true;
                }
            }
        }
    }
}
