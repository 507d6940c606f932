// SPDX-License-Identifier: Apache-2.0
// Registers that two warps share (OWF, a comparator in chapter 4 of the thesis): those from a
// threshold on. One warp of a pair owns the shared registers until it ends. Registers are numbered
// once in the order of their first use in the text, so that warps use shared registers late; no
// value is moved. Words that some instruction uses as a pair or quad remain together and aligned.
#include "compile/regions/regions.h"

#include <string.h>

enum { NAMES = 64 };

// Words that keep their relative position: a block of 1, 2 or 4 registers.
typedef struct Block {
    int first, size;
    unsigned words;  // bit k: word k is named
} Block;

typedef struct Renumber {
    const IsaProgram *p;
    int size[NAMES];      // size of the block that begins at a register; 0: none
    Block blocks[NAMES];  // in the order of placement
    int n;
    int to[NAMES];  // new number of a register; -1: never named
} Renumber;

typedef void Visit(Renumber *r, int reg, int width);

static void for_operands(Renumber *r, Visit *f) {
    for (int i = 0; i < r->p->ninsts; i++) {
        const IsaInst *in = &r->p->insts[i];
        for (int s = 0; s < 3; s++)
            if (in->src[s].kind == ISA_SRC_REG && in->src[s].reg != ISA_RZ)
                f(r, in->src[s].reg, in->src[s].width);
        if (in->dst != ISA_RZ && in->dst_width) f(r, in->dst, in->dst_width);
    }
}

static void widen_block(Renumber *r, int reg, int width) {
    const int first = reg / width * width;
    if (r->size[first] < width) r->size[first] = width;
}

// A block within a wider block is part of it.
static Block block_of(const Renumber *r, int reg) {
    for (int size = 4; size > 1; size /= 2)
        if (r->size[reg / size * size] >= size) return (Block){reg / size * size, size, 0};
    return (Block){reg, 1, 0};
}

static void name_block(Renumber *r, int reg, int width) {
    const Block b = block_of(r, reg);
    int k = 0;
    while (k < r->n && r->blocks[k].first != b.first) k++;
    if (k == r->n) r->blocks[r->n++] = b;
    for (int w = 0; w < width; w++) r->blocks[k].words |= 1u << (reg + w - b.first);
}

// Allocates each block at the lowest free position below `most`; returns the first block without
// one, -1: none.
static int place_blocks(Renumber *r, int most) {
    uint64_t taken = 0;
    for (int k = 0; k < r->n; k++) {
        const Block *b = &r->blocks[k];
        const int last = 31 - __builtin_clz(b->words);
        int at = 0;
        while (at + last < most && taken >> at & b->words) at += b->size;
        if (at + last >= most) return k;
        taken |= (uint64_t)b->words << at;
        for (int w = 0; w < b->size; w++)
            if (b->words >> w & 1) r->to[b->first + w] = at + w;
    }
    return -1;
}

// A block that found no place is placed first in the next round.
static bool renumber_blocks(Renumber *r, int most) {
    for (int round = 0; round <= r->n; round++) {
        const int k = place_blocks(r, most);
        if (k < 0) return true;
        const Block stuck = r->blocks[k];
        memmove(&r->blocks[1], &r->blocks[0], sizeof *r->blocks * (size_t)k);
        r->blocks[0] = stuck;
    }
    return false;
}

IsaProgram *share_renumber(const IsaProgram *p, int most, Arena *arena) {
    Renumber r = {.p = p};
    for (int i = 0; i < NAMES; i++) r.to[i] = -1;
    for_operands(&r, widen_block);
    for_operands(&r, name_block);
    const bool done = renumber_blocks(&r, most < ISA_MAX_REGS ? most : ISA_MAX_REGS);
    IsaProgram *q = ARENA_NEW(arena, IsaProgram);
    *q = *p;
    if (!done) return q;
    q->nregs = 1;
    q->insts = ARENA_ARRAY(arena, IsaInst, p->ninsts);
    for (int i = 0; i < p->ninsts; i++) {
        IsaInst *in = &q->insts[i];
        *in = p->insts[i];
        for (int s = 0; s < 3; s++) {
            IsaSrc *src = &in->src[s];
            if (src->kind == ISA_SRC_REG && src->reg != ISA_RZ) src->reg = (uint8_t)r.to[src->reg];
        }
        if (in->dst != ISA_RZ && in->dst_width) in->dst = (uint8_t)r.to[in->dst];
    }
    for (int i = 0; i < NAMES; i++)
        if (r.to[i] >= q->nregs) q->nregs = r.to[i] + 1;
    q->home_regs = q->nregs;
    return q;
}

// ---- proof ----

typedef struct Names {
    int to[NAMES], from[NAMES];
} Names;

static bool same_registers(Names *n, int a, int b, int width) {
    if ((a == ISA_RZ) != (b == ISA_RZ)) return false;
    for (int w = 0; w < width && a != ISA_RZ; w++) {
        int *to = &n->to[a + w], *from = &n->from[b + w];
        if (*to < 0 && *from < 0) *to = b + w, *from = a + w;
        if (*to != b + w || *from != a + w) return false;
    }
    return true;
}

bool share_check(const IsaProgram *p, const IsaProgram *q, Diag *d) {
    Names n;
    memset(&n, -1, sizeof n);
    if (p->ninsts != q->ninsts)
        return diag_fail(d, EXIT_USAGE, "%s: %d instructions of %d", p->name, q->ninsts, p->ninsts);
    for (int i = 0; i < p->ninsts; i++) {
        const IsaInst *a = &p->insts[i], *b = &q->insts[i];
        bool ok = a->op == b->op && a->dst_width == b->dst_width &&
            same_registers(&n, a->dst, b->dst, a->dst_width);
        for (int s = 0; s < 3; s++) {
            ok &= a->src[s].kind == b->src[s].kind && a->src[s].width == b->src[s].width;
            if (ok && a->src[s].kind == ISA_SRC_REG)
                ok = same_registers(&n, a->src[s].reg, b->src[s].reg, a->src[s].width);
        }
        if (ok) continue;
        char text[256];
        isa_print_inst(text, sizeof text, b);
        return diag_fail(d, EXIT_USAGE,
                         "%s: instruction %d `%s`: a register has two numbers, or a number two "
                         "registers",
                         p->name, i, text);
    }
    return true;
}

// ---- the split ----

static bool has_spin(const IsaProgram *p, int *line) {
    Arena scratch = {0};
    bool *spins = ARENA_ARRAY(&scratch, bool, p->ninsts), any = false;
    spin_find(p, spins, &scratch);
    for (int i = 0; i < p->ninsts && !any; i++) any = spins[i], *line = p->insts[i].ptx_line;
    arena_free(&scratch);
    return any;
}

static int first_shared(const IsaProgram *q) {
    uint8_t regs[ISA_MAX_SRC_WORDS];
    for (int i = 0; i < q->ninsts; i++) {
        int n = isa_reads(&q->insts[i], regs);
        for (int k = 0; k < n; k++)
            if (regs[k] >= q->base_regs) return i;
        n = isa_writes(&q->insts[i], regs);
        for (int k = 0; k < n; k++)
            if (regs[k] >= q->base_regs) return i;
    }
    return q->ninsts;
}

static void print_shared(FILE *out, const IsaProgram *q, int line) {
    fprintf(out, "shared by pairs of warps: ");
    if (q->ext_regs)
        fprintf(out, "registers %d to %d of %d; instruction %d of %d uses the first\n",
                q->base_regs, q->nregs - 1, q->nregs, first_shared(q), q->ninsts);
    else if (line >= 0)
        fprintf(out, "none, because a loop waits for another warp (PTX line %d)\n", line);
    else fprintf(out, "none of %d registers\n", q->nregs);
}

IsaProgram *regions_share(const IsaProgram *p, const IsaProgram *split, Arena *arena,
                          const MachineConfig *cfg, FILE *out, Diag *d) {
    Diag fault = {0};
    const int as_split = split->ext_regs ? split->base_regs : 0;
    const int threshold = cfg->owf_threshold >= 0 ? cfg->owf_threshold : as_split;
    int line = -1;
    const bool shares = threshold > 0 && threshold < p->nregs,
               refused = shares && has_spin(p, &line);
    IsaProgram *q = ARENA_NEW(arena, IsaProgram);
    *q = *p;
    if (shares && !refused) q = share_renumber(p, split->given_regs, arena);
    const bool some = shares && !refused && q->nregs > threshold;
    q->base_regs = some ? threshold : q->nregs;
    q->given_regs = split->given_regs;
    q->ext_regs = some ? q->given_regs - threshold : 0;
    if (!isa_check(q, &fault) || !share_check(p, q, &fault))
        return diag_fail(d, EXIT_USAGE, "the renumbering of the registers is wrong: %s",
                         fault.text),
               NULL;
    if (out) print_shared(out, q, line);
    return q;
}
