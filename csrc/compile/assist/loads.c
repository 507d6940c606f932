// SPDX-License-Identifier: Apache-2.0
// Loads that assist warps prefetch for: weak loads of global memory through L1, in a loop that
// changes the register of their address. Of loads that share this register and are within a line of
// each other, only the first is marked.
//
// A routine reads that register some time after the load has issued. So until then the register
// must hold only addresses of the load: only one instruction of the loop writes it. If other
// instructions write it too, the address gets its own register. The address must then be computed
// in the load's basic block and not be read beyond it.
#include "compile/assist/assist.h"

#include "compile/hints/hints.h"

#include <string.h>

enum { LINE = 128 };

// Instructions reachable from instruction i by at least one step.
static void mark_reachable(const IsaProgram *p, int i, bool *seen, int *stack) {
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

// How many instructions write the load's address register in loops around it.
static int writers_in_loop(const IsaProgram *p, int load, bool *seen, bool *again, int *stack) {
    int n = 0;
    mark_reachable(p, load, seen, stack);
    if (!seen[load]) return 0;
    for (int i = 0; i < p->ninsts; i++) {
        if (!seen[i] || !writes_reg(&p->insts[i], p->insts[load].src[0].reg)) continue;
        mark_reachable(p, i, again, stack);
        n += again[load];
    }
    return n;
}

static bool reads_reg(const IsaInst *in, int reg, bool *wide) {
    bool reads = false;
    for (int k = 0; k < 3; k++) {
        const IsaSrc *s = &in->src[k];
        if (s->kind != ISA_SRC_REG || s->reg == ISA_RZ || reg < s->reg || reg >= s->reg + s->width)
            continue;
        reads = true;
        *wide |= s->width > 1;
    }
    return reads;
}

static void rename_reads(IsaInst *in, int reg, int to) {
    for (int k = 0; k < 3; k++)
        if (in->src[k].kind == ISA_SRC_REG && in->src[k].reg == reg) in->src[k].reg = (uint8_t)to;
}

// Moves the load's address to a register that no other instruction uses.
static bool give_register(IsaProgram *p, int load, const bool *leader, Arena *arena) {
    const int reg = p->insts[load].src[0].reg, own = p->nregs;
    Liveness live;
    int def = load, end = load;
    bool wide = p->insts[load].src[0].width > 1;
    if (own >= ISA_MAX_REGS || leader[load]) return false;
    do def--;
    while (!writes_reg(&p->insts[def], reg) && !leader[def]);
    const IsaInst *d = &p->insts[def];
    if (!writes_reg(d, reg) || d->dst_width != 1 || d->guard.reg != ISA_PT) return false;
    for (end = def + 1; end < p->ninsts && !leader[end]; end++) {
        (void)reads_reg(&p->insts[end], reg, &wide);
        if (writes_reg(&p->insts[end], reg)) break;
    }
    const bool again = end < p->ninsts && !leader[end];
    if (wide || end < load || (again && p->insts[end].guard.reg != ISA_PT)) return false;
    liveness_of(&live, p, arena);
    if (!again && live.after[end - 1] >> reg & 1) return false;
    p->insts[def].dst = (uint8_t)own;
    for (int i = def + 1; i < end + again; i++) rename_reads(&p->insts[i], reg, own);
    p->nregs++;
    p->home_regs++;
    return true;
}

static bool is_candidate(const IsaInst *in) {
    return in->op == ISA_LD && in->space == ISA_GLOBAL && !in->ordered &&
        (in->cache == ISA_CACHE_ALL || in->cache == ISA_CACHE_STREAM) &&
        in->src[0].kind == ISA_SRC_REG && in->src[0].reg != ISA_RZ;
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
    bool *leader = ARENA_ARRAY(arena, bool, p->ninsts);
    int *stack = ARENA_ARRAY(arena, int, p->ninsts + 1);
    *q = *p;
    q->insts = ARENA_ARRAY(arena, IsaInst, p->ninsts);
    memcpy(q->insts, p->insts, sizeof *p->insts * (size_t)p->ninsts);
    q->strided = ARENA_ARRAY(arena, int, most);
    q->nstrided = 0;
    assist_leaders(q, leader);
    for (int i = 0; i < q->ninsts && q->nstrided < most; i++) {
        if (!is_candidate(&q->insts[i]) || is_stood_for(q, &q->insts[i])) continue;
        const int writers = writers_in_loop(q, i, seen, again, stack);
        if (writers == 1 || (writers && give_register(q, i, leader, arena)))
            q->strided[q->nstrided++] = i;
    }
    return q;
}
