// SPDX-License-Identifier: Apache-2.0
// The register affinity graph (thesis section 2.4.2). An instruction counts once per estimated
// execution: the product of the trip counts of the loops around it. A loop is a backward branch and
// the code in between. The trip count is known if the loop ends by comparing a register with a
// constant. That register must start from a constant and step by one.
#include "compile/hints/hints.h"

#include <string.h>

enum { MAX_LOOPS = 256, OPERANDS_AT_ONCE = 3 };

typedef struct Loop {
    int head, tail;  // instructions head..tail
    int64_t trips;
} Loop;

static bool writes_reg(const IsaInst *in, int reg) {
    return in->dst != ISA_RZ && reg >= in->dst && reg < in->dst + in->dst_width;
}

// The instruction of [from, to] that writes reg; -1: none, -2: several.
static int only_writer(const IsaProgram *p, int from, int to, int reg) {
    int found = -1;
    for (int i = from; i <= to; i++)
        if (writes_reg(&p->insts[i], reg)) found = found == -1 ? i : -2;
    return found;
}

static bool is_target(const IsaProgram *p, int at, const Loop *except) {
    for (int i = 0; i < p->ninsts; i++) {
        const IsaInst *in = &p->insts[i];
        if (except && i >= except->head && i <= except->tail) continue;
        if (in->op == ISA_BRA && in->target == at) return true;
        for (int k = 0; in->op == ISA_BRX && k < p->table_len[in->target]; k++)
            if (p->tables[in->target][k] == at) return true;
    }
    return false;
}

// The constant in `reg` when the loop is entered from above.
static bool start_value(const IsaProgram *p, const Loop *l, int reg, int64_t *value) {
    if (is_target(p, l->head, l)) return false;
    for (int i = l->head - 1; i >= 0; i--) {
        const IsaInst *in = &p->insts[i];
        if (in->op == ISA_BRX ||
            (in->op == ISA_BRA && in->target != l->head && in->guard.reg == ISA_PT))
            return false;
        if (writes_reg(in, reg)) {
            if (in->op != ISA_MOV || in->dst_width != 1 || in->guard.reg != ISA_PT) return false;
            if (in->src[0].kind == ISA_SRC_REG && in->src[0].reg == ISA_RZ) return *value = 0, true;
            if (in->src[0].kind != ISA_SRC_IMM) return false;
            return *value = (int32_t)in->src[0].imm, true;
        }
        if (is_target(p, i, NULL)) return false;
    }
    return false;
}

// Passes until `value cmp limit` turns false, the value being compared after each step.
static int64_t count_trips(int64_t value, int64_t step, IsaCmp cmp, int64_t limit) {
    int64_t n = 0;
    switch (cmp) {
    case ISA_LT: n = step > 0 ? (limit - value + step - 1) / step : 0; break;
    case ISA_LE: n = step > 0 ? (limit - value) / step + 1 : 0; break;
    case ISA_GT: n = step < 0 ? (value - limit - step - 1) / -step : 0; break;
    case ISA_GE: n = step < 0 ? (value - limit) / -step + 1 : 0; break;
    case ISA_NE: n = step && (limit - value) % step == 0 ? (limit - value) / step : 0; break;
    default: break;
    }
    return n;
}

static int64_t constant_trips(const IsaProgram *p, const Loop *l) {
    const IsaInst *back = &p->insts[l->tail];
    if (back->guard.reg == ISA_PT) return 0;
    int test = -1;
    for (int i = l->tail - 1; i >= l->head && test < 0; i--)
        if (p->insts[i].pdst[0] == back->guard.reg || p->insts[i].pdst[1] == back->guard.reg)
            test = i;
    if (test < 0) return 0;
    const IsaInst *cmp = &p->insts[test];
    if (cmp->op != ISA_ISETP || cmp->mode || cmp->guard.reg != ISA_PT ||
        cmp->pdst[0] != back->guard.reg || cmp->psrc[0].reg != ISA_PT ||
        cmp->src[0].kind != ISA_SRC_REG || cmp->src[1].kind != ISA_SRC_IMM)
        return 0;
    int reg = cmp->src[0].reg, step = only_writer(p, l->head, l->tail, reg);
    if (reg == ISA_RZ || step < 0) return 0;
    const IsaInst *add = &p->insts[step];
    if (add->op != ISA_IADD || add->has_cin || add->guard.reg != ISA_PT ||
        add->src[0].kind != ISA_SRC_REG || add->src[0].reg != reg || add->src[0].neg ||
        add->src[1].kind != ISA_SRC_IMM)
        return 0;
    int64_t start, by = (int32_t)add->src[1].imm;
    if (!start_value(p, l, reg, &start)) return 0;
    static const IsaCmp inverse[] = {[ISA_EQ] = ISA_NE, [ISA_NE] = ISA_EQ, [ISA_LT] = ISA_GE,
                                     [ISA_LE] = ISA_GT, [ISA_GT] = ISA_LE, [ISA_GE] = ISA_LT};
    if (cmp->cmp > ISA_GE) return 0;
    IsaCmp go_on = back->guard.neg ? inverse[cmp->cmp] : cmp->cmp;
    int64_t n = count_trips(start, by, go_on, (int32_t)cmp->src[1].imm);
    return step < test ? n : n + 1;  // the comparison precedes the step: one more iteration
}

// Loops by their heads; several branches to one head form one loop.
static int find_loops(const IsaProgram *p, Loop *loops) {
    int n = 0;
    for (int i = 0; i < p->ninsts; i++) {
        const IsaInst *in = &p->insts[i];
        if (in->op != ISA_BRA || in->target > i) continue;
        int k = 0;
        while (k < n && loops[k].head != in->target) k++;
        if (k == n && n == MAX_LOOPS) continue;
        if (k == n) loops[n++] = (Loop){in->target, i, 0};
        loops[k].tail = i;
    }
    for (int k = 0; k < n; k++) {
        int64_t trips = constant_trips(p, &loops[k]);
        loops[k].trips = trips > 0 ? trips : AFFINITY_LOOP;
    }
    return n;
}

void affinity_frequency(const IsaProgram *p, int64_t *times) {
    Loop loops[MAX_LOOPS];
    int n = find_loops(p, loops);
    for (int i = 0; i < p->ninsts; i++) {
        times[i] = 1;
        for (int k = 0; k < n; k++) {
            if (i < loops[k].head || i > loops[k].tail) continue;
            times[i] *= loops[k].trips < AFFINITY_MOST ? loops[k].trips : AFFINITY_MOST;
            if (times[i] > AFFINITY_MOST) times[i] = AFFINITY_MOST;
        }
    }
}

void affinity_build(Affinity *a, const IsaProgram *p) {
    Arena scratch = {0};
    int64_t *times = ARENA_ARRAY(&scratch, int64_t, p->ninsts);
    memset(a, 0, sizeof *a);
    a->nregs = p->nregs;
    affinity_frequency(p, times);
    for (int i = 0; i < p->ninsts; i++) {
        uint8_t regs[ISA_MAX_SRC_WORDS];
        int n = isa_distinct_reads(&p->insts[i], regs);
        for (int x = 0; x < n; x++)
            for (int y = x + 1; y < n && y / OPERANDS_AT_ONCE == x / OPERANDS_AT_ONCE; y++) {
                a->weight[regs[x]][regs[y]] += times[i];
                a->weight[regs[y]][regs[x]] = a->weight[regs[x]][regs[y]];
            }
    }
    arena_free(&scratch);
}
