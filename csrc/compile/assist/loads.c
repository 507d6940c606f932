// SPDX-License-Identifier: Apache-2.0
// Loads that assist warps prefetch for: weak loads of global memory through L1, in a loop that changes the register of
// their address. Of loads that share this register and lie within a line of each other, the first stands for all.
#include "compile/assist/assist.h"

enum { LINE = 128 };

// What can be reached from instruction i by at least one step.
static void reach(const IsaProgram *p, int i, bool *seen, int *stack) {
    int n = 0;
    for (int k = 0; k < p->ninsts; k++) seen[k] = false;
    stack[n++] = i;
    while (n) {
        const int at = stack[--n];
        for (int k = 0, s; (s = isa_successor(p, at, k)) != -2; k++) {
            if (s < 0 || seen[s]) continue;
            seen[s] = true;
            stack[n++] = s;
        }
    }
}

static bool writes_reg(const IsaInst *in, int reg) {
    uint8_t regs[ISA_MAX_DST_WORDS];
    const int n = isa_writes(in, regs);
    for (int i = 0; i < n; i++)
        if (regs[i] == reg) return true;
    return false;
}

static bool changes_in_loop(const IsaProgram *p, int load, bool *seen, bool *again, int *stack) {
    reach(p, load, seen, stack);
    if (!seen[load]) return false;
    for (int i = 0; i < p->ninsts; i++) {
        if (!seen[i] || !writes_reg(&p->insts[i], p->insts[load].src[0].reg)) continue;
        reach(p, i, again, stack);
        if (again[load]) return true;
    }
    return false;
}

static bool is_candidate(const IsaInst *in) {
    return in->op == ISA_LD && in->space == ISA_GLOBAL && !in->ordered &&
           (in->cache == ISA_CACHE_ALL || in->cache == ISA_CACHE_STREAM) && in->src[0].kind == ISA_SRC_REG &&
           in->src[0].reg != ISA_RZ;
}

static bool is_stood_for(const IsaProgram *p, const IsaInst *in) {
    for (int i = 0; i < p->nstrided; i++) {
        const IsaInst *other = &p->insts[p->strided[i]];
        const int64_t apart = (int64_t)other->offset - in->offset;
        if (other->src[0].reg == in->src[0].reg && apart > -LINE && apart < LINE) return true;
    }
    return false;
}

IsaProgram *assist_loads(const IsaProgram *p, int most, Arena *arena) {
    IsaProgram *q = ARENA_NEW(arena, IsaProgram);
    bool *seen = ARENA_ARRAY(arena, bool, p->ninsts), *again = ARENA_ARRAY(arena, bool, p->ninsts);
    int *stack = ARENA_ARRAY(arena, int, p->ninsts + 1);
    *q = *p;
    q->strided = ARENA_ARRAY(arena, int, most);
    q->nstrided = 0;
    for (int i = 0; i < p->ninsts && q->nstrided < most; i++)
        if (is_candidate(&p->insts[i]) && !is_stood_for(q, &p->insts[i]) && changes_in_loop(p, i, seen, again, stack))
            q->strided[q->nstrided++] = i;
    return q;
}
