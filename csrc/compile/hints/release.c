// SPDX-License-Identifier: Apache-2.0
// Liveness of the finished program, and where a register is dead for the whole warp.
//
// "No path from here reads it" is not enough for a warp. While one side of a branch executes, lanes
// of the other side and lanes at the reconvergence point still own their part of the register. The
// region of a branch is the code reachable from it before its reconvergence point. Inside the
// region no register is released that lives into any side of the branch or is live at the
// reconvergence point. A retained register is released at the reconvergence point, unless a region
// around it retains it too. Branches that uniform.c proves uniform have no region.
#include "compile/hints/hints.h"

#include <string.h>

typedef struct Sets {
    uint64_t regs;
    uint8_t preds;
} Sets;

static Sets sets_read(const IsaInst *in) {
    uint8_t list[ISA_MAX_SRC_WORDS];
    Sets s = {0, isa_pred_reads(in)};
    int n = isa_reads(in, list);
    for (int i = 0; i < n; i++) s.regs |= 1ull << list[i];
    return s;
}

static Sets sets_written(const IsaInst *in) {
    uint8_t list[ISA_MAX_DST_WORDS];
    Sets s = {0, isa_pred_writes(in)};
    int n = isa_writes(in, list);
    for (int i = 0; i < n; i++) s.regs |= 1ull << list[i];
    return s;
}

static bool ends_block(const IsaInst *in) {
    return in->op == ISA_BRA || in->op == ISA_BRX || in->op == ISA_EXIT || in->op == ISA_TRAP;
}

#define FOR_SUCCESSORS(p, i, s) \
    for (int k_ = 0, s; (s = isa_successor(p, i, k_)) != -2; k_++) \
        if (s >= 0)

void liveness_of(Liveness *l, const IsaProgram *p, Arena *arena) {
    size_t n = (size_t)p->ninsts + 1;
    *l = (Liveness){ARENA_ARRAY(arena, uint64_t, n), ARENA_ARRAY(arena, uint64_t, n),
                    ARENA_ARRAY(arena, uint8_t, n), ARENA_ARRAY(arena, uint8_t, n)};
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = p->ninsts - 1; i >= 0; i--) {
            const IsaInst *in = &p->insts[i];
            Sets after = {0, 0}, use = sets_read(in), kill = {0, 0};
            FOR_SUCCESSORS(p, i, s) {
                after.regs |= l->before[s];
                after.preds |= l->preds_before[s];
            }
            // otherwise the other lanes keep their values
            if (in->guard.reg == ISA_PT) kill = sets_written(in);
            uint64_t regs = (after.regs & ~kill.regs) | use.regs;
            uint8_t preds = (uint8_t)((after.preds & ~kill.preds) | use.preds);
            changed |= regs != l->before[i] || preds != l->preds_before[i];
            l->before[i] = regs, l->preds_before[i] = preds;
            l->after[i] = after.regs, l->preds_after[i] = after.preds;
        }
    }
}

bool program_may_diverge(const IsaInst *in) {
    return in->op == ISA_BRX || (in->op == ISA_BRA && in->guard.reg != ISA_PT);
}

void program_region(const IsaProgram *p, int x, int stop, bool *in_region, int *stack) {
    int n = 0;
    memset(in_region, 0, (size_t)p->ninsts);
    stack[n++] = x;
    while (n) {
        int at = stack[--n];
        FOR_SUCCESSORS(p, at, s) {
            if (s == stop || in_region[s]) continue;
            in_region[s] = true;
            stack[n++] = s;
        }
    }
}

void release_find(Releases *r, const IsaProgram *p, Arena *arena) {
    Arena scratch = {0};
    Liveness l;
    size_t n = (size_t)p->ninsts;
    liveness_of(&l, p, &scratch);
    uint64_t *held = ARENA_ARRAY(&scratch, uint64_t, n), *owed = ARENA_ARRAY(&scratch, uint64_t, n);
    bool *region = ARENA_ARRAY(&scratch, bool, n), *divergent = ARENA_ARRAY(&scratch, bool, n);
    int *stack = ARENA_ARRAY(&scratch, int, n);
    *r = (Releases){ARENA_ARRAY(arena, uint64_t, n), ARENA_ARRAY(arena, uint64_t, n)};
    divergent_branches(p, divergent, &scratch);
    for (int x = 0; x < p->ninsts; x++) {
        const IsaInst *in = &p->insts[x];
        if (!divergent[x]) continue;
        uint64_t keep = l.after[x] | (in->reconv >= 0 ? l.before[in->reconv] : 0);
        program_region(p, x, in->reconv, region, stack);
        for (int i = 0; i < p->ninsts; i++)
            if (region[i]) held[i] |= keep;
        if (in->reconv >= 0) owed[in->reconv] |= l.after[x] & ~l.before[in->reconv];
    }
    for (int i = 0; i < p->ninsts; i++) {
        const IsaInst *in = &p->insts[i];
        uint64_t written = sets_written(in).regs;
        r->operand[i] = sets_read(in).regs & ~l.after[i] & ~held[i] & ~written;
        r->before[i] |= owed[i] & ~held[i] & ~l.before[i];
        // An unread result dies before the next instruction, if that instruction is unique.
        uint64_t unread = written & ~l.after[i];
        if (unread && !ends_block(in) && i + 1 < p->ninsts)
            r->before[i + 1] |= unread & ~held[i + 1] & ~l.before[i + 1];
    }
    arena_free(&scratch);
}
